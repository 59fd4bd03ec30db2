"""Tag and parse sentences.

The input is CoNLL-U if its first line looks like it, else raw text (or tokens, if the
model has no segmenter). --from says it: text is split into sentences and words, lines
(a sentence each) into words, tokens at spaces. What is given is not redone: tags and
lemmas are kept unless --retag. Output is CoNLL-U, with the place of each token of a
text in MISC; with -k or --to json, one JSON object a sentence.

With --constrain, trees are parsed around what the input knows of them: HEAD and DEPREL
that are not `_`, and in MISC `Forbid=3,4` (heads that a word does not have),
`LabelSet=obj,obl` and `Subtree=NAME` (the words with this name are one subtree).

  niwaki parse sentences.conllu > trees.conllu
  echo "The pine leans over the pond ." | niwaki parse --from tokens
  niwaki parse letter.txt --from text --split-hyphens
  niwaki parse sentences.conllu -k 5 --to json
  niwaki parse partial.conllu --constrain
  niwaki parse text.conllu -m bilingual.niwaki --links text.align
  niwaki parse sentences.conllu -m graph.niwaki --decode mbr --probabilities
  niwaki parse sentences.conllu -m en -m graph.niwaki --blend 1,1.5

A graph-based model chooses the best tree (--decode mst), the best without crossing arcs
(eisner), or that of the fewest expected errors (mbr); its probabilities are those of the
sum over all trees. Several models (-m more than once) parse together: what they think of
arcs is added up, and the best tree under the sum is chosen.

A model whose features look at a translation takes the links of the words to it from --links,
a line for each sentence (or from MISC, `Links=2,5`: words counted from 1). A line that does
not fit its sentence is an error; with --skip-bad the sentence goes without.

A sentence of more than --max-length words is parsed with a beam of 1, or as --longer
says: in pieces whose roots are joined, or not at all, with a comment. With
--keep-going, a sentence that cannot be read is named and left out; the status is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator

from niwaki.cli import FAILED, OK
from niwaki.cli._arguments import positive, weights
from niwaki.cli._linked import add_links_arguments, linked
from niwaki.cli._progress import Progress
from niwaki.cli._trees import check_beam
from niwaki.data.conllu import write_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.files import open_output
from niwaki.data.hyphens import split_hyphens
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.text import FORMATS, read_sentences
from niwaki.errors import CorpusError, NiwakiError
from niwaki.parsers.graph.spec import DECODERS
from niwaki.pipeline.ensemble import Ensemble
from niwaki.pipeline.lengths import LONGER, MAX_LENGTH, LengthLimit, skip
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: stdin")
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
        "--votes", action="store_true", help="of several models: each speaks for its best tree only"
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--from", choices=FORMATS, dest="source", help="format of the input (default: by its look)"
    )
    parser.add_argument(
        "--split-hyphens", action="store_true", help="make three words of pine-tree"
    )
    parser.add_argument(
        "--to", choices=["conllu", "json"], help="default: conllu, json for more than one tree"
    )
    parser.add_argument("-k", type=positive, metavar="K", help="the K best trees of each sentence")
    parser.add_argument(
        "--beam", type=positive, metavar="N", help="1 is greedy and fastest (default: the model's)"
    )
    parser.add_argument(
        "--decode",
        choices=DECODERS,
        help="how a graph-based model chooses trees (default: the model's)",
    )
    parser.add_argument(
        "--probabilities", action="store_true", help="of tags, arcs, labels and trees"
    )
    parser.add_argument(
        "--constrain", action="store_true", help="keep to what is known of the trees"
    )
    add_links_arguments(parser)
    parser.add_argument("--retag", action="store_true", help="predict tags that are given, too")
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
    parser.add_argument(
        "--keep-going", action="store_true", help="name what cannot be read, and go on"
    )
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="default: 1")


def run(arguments: argparse.Namespace) -> int:
    plain = arguments.k is None and arguments.to != "json"
    if arguments.longer == "split" and not plain:
        raise NiwakiError(
            "--longer split gives one tree without a score; give greedy or skip, "
            "or leave out -k and --to json"
        )
    if arguments.links and (arguments.keep_going or arguments.split_hyphens):
        raise NiwakiError(
            "--links needs the sentences as they are; leave out --keep-going and --split-hyphens"
        )
    names = arguments.model or ["en"]
    pipeline = load(names[0])
    check_beam(pipeline, arguments.beam)
    ensemble = _ensemble(pipeline, names, arguments)
    faults: list[CorpusError] = []

    def report(fault: CorpusError) -> None:
        faults.append(fault)
        print(f"niwaki: {fault}", file=sys.stderr)

    sentences = read_sentences(
        arguments.file,
        arguments.source,
        pipeline.segmenter,
        on_fault=report if arguments.keep_going else None,
    )
    if arguments.split_hyphens:
        sentences = map(split_hyphens, sentences)
    sentences = linked(sentences, arguments, pipeline)
    with Progress("parsed", "sentences") as progress:
        counted = _count(sentences, progress)
        if ensemble is not None:
            write_conllu(ensemble.parse(counted, retag=arguments.retag), arguments.output)
        elif plain:
            parsed = pipeline.parse(
                counted,
                threads=arguments.threads,
                beam=arguments.beam,
                retag=arguments.retag,
                probabilities=arguments.probabilities,
                max_length=arguments.max_length,
                longer=arguments.longer,
                constrain=arguments.constrain,
                decode=arguments.decode,
            )
            write_conllu(parsed, arguments.output)
        else:
            _write_candidates(pipeline, counted, arguments)
    return FAILED if faults else OK


# What only a single model can do.
_SINGLE = ("k", "beam", "probabilities", "constrain", "links")


def _ensemble(first: Pipeline, names: list[str], arguments: argparse.Namespace) -> Ensemble | None:
    if len(names) == 1:
        if arguments.blend or arguments.votes:
            raise NiwakiError("--blend and --votes are for several models; give -m more than once")
        return None
    for name in _SINGLE:
        if getattr(arguments, name):
            flag = "-k" if name == "k" else f"--{name}"
            raise NiwakiError(f"{flag} is for a single model; leave it out, or all but one -m")
    if arguments.decode not in (None, "mst", "eisner"):
        raise NiwakiError(
            f"--decode {arguments.decode} is for a single model; "
            "several choose among all trees (mst) or those without crossing arcs (eisner)"
        )
    if arguments.to == "json":
        raise NiwakiError("--to json is for a single model; leave it out, or all but one -m")
    return Ensemble(
        [first, *map(load, names[1:])],
        arguments.blend or (),
        votes=arguments.votes,
        projective=arguments.decode == "eisner",
    )


def _count(sentences: Iterator[Sentence], progress: Progress) -> Iterator[Sentence]:
    for sentence in sentences:
        progress.add(1)
        yield sentence


def _write_candidates(
    pipeline: Pipeline, sentences: Iterator[Sentence], arguments: argparse.Namespace
) -> None:
    limit = LengthLimit(arguments.max_length, arguments.longer)
    with open_output(arguments.output) as out:
        for sentence in sentences:
            found = _candidates(pipeline, sentence, limit, arguments)
            text = _as_conllu(found) if arguments.to == "conllu" else f"{_as_json(found)}\n"
            out.write(text.encode("utf-8"))


def _candidates(
    pipeline: Pipeline, sentence: Sentence, limit: LengthLimit, arguments: argparse.Namespace
) -> KBest:
    k, beam = arguments.k or 1, arguments.beam
    if limit.is_exceeded_by(sentence):
        if limit.longer == "skip":
            return KBest.of_trees([], []).of(skip(sentence))
        k = beam = 1
    return pipeline.kbest(
        sentence,
        k,
        beam=beam,
        retag=arguments.retag,
        constraints=Constraints.of(sentence) if arguments.constrain else None,
        decode=arguments.decode,
    )


def _as_json(candidates: KBest) -> str:
    sentence = candidates.sentence
    parses = [
        {
            "heads": tree.heads,
            "deprels": tree.deprels,
            "score": score,
            "probability": probability,
        }
        for tree, score, probability in zip(
            candidates.trees,
            candidates.scores.tolist(),
            candidates.probabilities.tolist(),
            strict=True,
        )
    ]
    record = {
        "id": sentence.id,
        "tokens": sentence.forms,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "parses": parses,
    }
    return json.dumps(record, ensure_ascii=False)


def _as_conllu(candidates: KBest) -> str:
    """All trees, one after the other, with rank, score and probability as comments."""
    parts = [] if candidates.trees else [str(candidates.sentence)]
    for rank, tree in enumerate(candidates.trees, start=1):
        comments = [
            *candidates.sentence.comments,
            f"rank = {rank}",
            f"score = {candidates.scores[rank - 1]:.4f}",
            f"probability = {candidates.probabilities[rank - 1]:.4f}",
        ]
        parts.append(str(candidates.sentence.with_tree(tree).with_comments(comments)))
    return "".join(parts)
