"""Score trees against gold trees.

Give a system's output, or a model: then the gold words are parsed, with predicted
tags (--gold-tags keeps those of the file). LAS compares whole labels; LAS_universal
ignores subtypes and equals the CoNLL 2018 scorer, as do UAS, CLAS, UPOS, XPOS, FEATS
and LEMMA.

With --raw, the text of the gold file is segmented, tagged and parsed by the model (or
SYSTEM is a segmentation of it), and F1 of tokens, sentences, words and all the rest
over aligned words is printed, as by the CoNLL 2018 scorer.

  niwaki evaluate gold.conllu system.conllu
  niwaki evaluate gold.conllu -m en --beam 1
  niwaki evaluate gold.conllu -m en --raw
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable

from niwaki.cli import OK
from niwaki.data.conllu import read_conllu
from niwaki.data.rawtext import raw_text
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.models.pipeline import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right trees")
    parser.add_argument("system", metavar="SYSTEM", nargs="?", help="CoNLL-U to be scored")
    parser.add_argument("-m", "--model", metavar="MODEL", help="parse the gold words with a model")
    parser.add_argument("--raw", action="store_true", help="score from raw text on")
    parser.add_argument("--gold-tags", action="store_true", help="with -m: keep the gold tags")
    parser.add_argument("--beam", type=int, metavar="N", help="with -m: default is the model's")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="with -m: default 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    gold = list(read_conllu(arguments.gold, multi_root=True))
    if (arguments.system is None) == (arguments.model is None):
        raise NiwakiError("give either SYSTEM or -m MODEL")
    system: Iterable[Sentence]
    if arguments.model is None:
        system = read_conllu(arguments.system, multi_root=True)
    else:
        pipeline = load(arguments.model)
        system = pipeline.parse(
            pipeline.read(raw_text(gold)) if arguments.raw else gold,
            threads=arguments.threads,
            beam=arguments.beam,
            retag=not arguments.gold_tags,
        )
    result = evaluate_segmentation(gold, system) if arguments.raw else evaluate(gold, system)
    if arguments.json:
        print(json.dumps({**result.scores, "signature": result.signature}))
    else:
        for metric, score in result.scores.items():
            print(f"{metric:14}{score:7.2f}")
        print(result.signature)
    return OK
