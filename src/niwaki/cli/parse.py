"""Tag and parse sentences.

The input is CoNLL-U if its first line looks like it, else raw text (or tokens, if the
model has no segmenter). --from says it: text is split into sentences and words, lines
(a sentence each) into words, tokens at spaces. Words that are given stay. Tags, features and
lemmas that are given are predicted anew, as by `niwaki evaluate`; --tags keep keeps them. Output is
CoNLL-U, with the place of each token of a text in MISC; with -k or --to json, one JSON object
a sentence, as docs/reference/sentence.schema.json describes it; with --to meaning, the expression
of each sentence, a line each, as `niwaki meaning` makes it.

With --constrain, trees are parsed around what the input knows of them: HEAD and DEPREL
that are not `_`, and in MISC `Forbid=3,4` (heads that a word does not have),
`LabelSet=obj,obl` and `Subtree=NAME` (the words with this name are one subtree).

  niwaki parse sentences.conllu > trees.conllu
  echo "The pine leans over the pond ." | niwaki parse --from tokens
  niwaki parse letter.txt --from text --split-hyphens
  niwaki parse sentences.conllu --probabilities --to json
  niwaki parse sentences.conllu -k 5
  niwaki parse partial.conllu --constrain
  niwaki parse text.conllu -m bilingual.niwaki --links text.align
  niwaki parse sentences.conllu -m graph.niwaki --decode mbr --probabilities
  niwaki parse sentences.conllu -m en -m graph.niwaki --blend 1,1.5

A graph-based model chooses the best tree (--decode mst), the best projective
one (eisner), or that of the fewest expected errors (mbr); its probabilities are those of the
sum over all trees. Several models (-m more than once) parse together: what they think of
arcs is added up, and the best tree under the sum is chosen.

A model whose features look at a translation takes the links of the words to it from --links,
a line for each sentence (or from MISC, `Links=2,5`: words counted from 1). A line that does
not fit its sentence is an error; with --on-error skip the sentence goes without.

A sentence of more than --max-length words is parsed with a beam of 1, or as --longer
says: in pieces whose roots are joined, or not at all, with a comment. With
--on-error skip, a sentence that cannot be read is left out (with --links it is an error:
the lines would slip).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from niwaki.cli import OK
from niwaki.cli._arguments import add_source, add_threads, positive, weights
from niwaki.cli._linked import add_links_argument
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._progress import Progress
from niwaki.cli._shards import add_shards, over_shards
from niwaki.cli._stages import counted
from niwaki.cli._tags import add_tags_argument
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline.lengths import LONGER, MAX_LENGTH
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tasks.meaning.rules import load_meaning_rules
from niwaki.tasks.meaning.writing import ExpressionWriter
from niwaki.verbs.parsing import kbest, parse

GROUP = "Parse and look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        action="append",
        help="default: en; more than one parse together",
    )
    parser.add_argument(
        "--blend",
        metavar="W,W...",
        type=weights,
        help="of several models: how much each is believed (default: alike)",
    )
    parser.add_argument(
        "--votes", action="store_true", help="of several models: each votes for its best tree only"
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    add_source(parser)
    parser.add_argument(
        "--split-hyphens", action="store_true", help="make three words of pine-tree"
    )
    parser.add_argument(
        "--to",
        choices=["conllu", "json", "meaning"],
        help="default: conllu, json for more than one tree",
    )
    parser.add_argument("-k", type=positive, metavar="K", help="the K best trees of each sentence")
    parser.add_argument(
        "--beam", type=positive, metavar="N", help="1 is greedy and fastest (default: the model's)"
    )
    parser.add_argument(
        "--decode",
        metavar="HOW",
        help="how a graph-based model chooses trees (default: the model's)",
    )
    parser.add_argument(
        "--probabilities", action="store_true", help="of tags, arcs, labels and trees"
    )
    parser.add_argument(
        "--constrain", action="store_true", help="keep to what is known of the trees"
    )
    add_links_argument(parser)
    add_tags_argument(parser)
    parser.add_argument(
        "--max-length",
        type=positive,
        default=MAX_LENGTH,
        metavar="N",
        help=f"words of a sentence (default: {MAX_LENGTH})",
    )
    parser.add_argument(
        "--longer", choices=LONGER, default=LONGER[0], help="what to do beyond (default: greedy)"
    )
    add_on_error(parser, "sentences that cannot be read, and lines of --links that do not fit")
    add_threads(parser)
    add_shards(parser, model=_load_all)


@over_shards
def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    given: dict[str, Any] = {
        "form": arguments.source,
        "split_hyphens": arguments.split_hyphens,
        "links": arguments.links,
        "beam": arguments.beam,
        "decode": arguments.decode,
        "tags": arguments.tags,
        "probabilities": arguments.probabilities,
        "constrain": arguments.constrain,
        "max_length": arguments.max_length,
        "longer": arguments.longer,
        "on_error": skipped.on_error,
    }
    models = _load_all(arguments.model)
    _tell_of_greedy_weights(arguments, models[0])
    with Progress("parsed", "sentences") as progress:
        if arguments.k is None:
            parsed = parse(
                arguments.file,
                models,
                threads=arguments.threads,
                blend=arguments.blend or (),
                votes=arguments.votes,
                **given,
            )
            told = counted(parsed, progress)
            if arguments.to == "json":
                _write_json(told, arguments.output)
            elif arguments.to == "meaning":
                _write_meaning(told, arguments.output)
            else:
                write_conllu(told, arguments.output)
        else:
            _check_candidates(arguments, models)
            found = kbest(arguments.file, arguments.k, models[0], **given)
            ranked = counted(found, progress)
            if arguments.to == "conllu":
                write_conllu(chain.from_iterable(map(_ranked, ranked)), arguments.output)
            else:
                _write_json(ranked, arguments.output)
    skipped.tell()
    return OK


def _load_all(given: Sequence[str | Pipeline] | None) -> list[Pipeline]:
    """Models by their names; workers give those that they have loaded."""
    return [each if isinstance(each, Pipeline) else load(each) for each in given or ["en"]]


def _tell_of_greedy_weights(arguments: argparse.Namespace, model: Pipeline) -> None:
    """Say so where a model is asked for what its weights were not trained for."""
    beam = max(arguments.beam or 1, arguments.k or 1)
    if beam > 1 and "beam" in model.parser.options and "beam" not in model.parser.ways:
        print(
            "niwaki: this model has weights for greedy search alone: trees of a beam, and those "
            "that -k adds, are worse; for these, take a model with a beam",
            file=sys.stderr,
        )


def _check_candidates(arguments: argparse.Namespace, models: list[Pipeline]) -> None:
    """Refuse what says nothing where candidates are written."""
    if arguments.to == "meaning":
        raise NiwakiError("--to meaning says what the best tree means; leave out -k")
    if arguments.longer == "split":
        raise NiwakiError(
            "--longer split gives one tree without a score; give greedy or skip, or leave out -k"
        )
    if len(models) > 1:
        raise NiwakiError("-k is for a single model; leave it out, or all but one -m")
    if arguments.blend or arguments.votes:
        raise NiwakiError("--blend and --votes are for several models; give -m more than once")


def _write_json(records: Iterable[Sentence | KBest], output: str) -> None:
    with open_output(output) as out:
        for each in records:
            text = json.dumps(each.to_dict(), ensure_ascii=False, allow_nan=False)
            out.write(text.encode("utf-8") + b"\n")


def _write_meaning(parsed: Iterable[Sentence], output: str) -> None:
    writer = ExpressionWriter(load_meaning_rules())
    with open_output(output) as out:
        for each in parsed:
            out.write(writer.write(each) + b"\n")


def _ranked(candidates: KBest) -> Iterable[Sentence]:
    """All trees, one after the other; the sentence as it is where there are none."""
    return candidates.ranked() if len(candidates) else [candidates.sentence]
