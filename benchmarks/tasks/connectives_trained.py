"""A parser trained for connectives, on GUM: ways to do it, and what each is worth.

python -m benchmarks.tasks.connectives_trained [--parser MODEL] [--part dev] [NAME ...]

Each way trains the parser on, beside EWT's trees, with costs on each half of GUM's training part by
a ranker of the other half. --part tune (the default) learns from four of five documents of the
training part and scores the fifth, so that dev has no say in which way is taken; --part dev learns
from all of them. The ranker that scores stays that of the parser's trees from before; a second
score is by a ranker of the new parser's trees of the same documents, as a user would learn it then.
With --anew crossed that ranker learns from trees of documents that their parser has not learned
from: two more parsers are trained, each with the examples of one half, for the trees of the other.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, beam_alone, trained, without_tags, write
from benchmarks.tasks.connectives import difference, parsed, read, scored
from niwaki.data.connectives import Connective, Document
from niwaki.data.sentence import Sentence
from niwaki.learning.checkpoint import hash_of_files
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.pipeline.store import find_model
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.model import ConnectiveModel

EWT_TEST = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
# Documents that are held out to choose a way.
FOLDS = 5


@dataclass(frozen=True)
class Way:
    """How a parser is trained on; `sentences` is how many with connectives are learned from."""

    smooth: bool = False
    search: bool = True  # for a tree, where none of a list is right
    arcs: float = 0.0  # what it costs to lack usual arcs
    select: str = "hope-fear"
    k: int = 8
    passes: int = 1
    schedule: float | str = "auto"
    share: int = 4  # every so-many-th tree of EWT beside
    sentences: int | None = None
    finetune_share: float = 1.0  # of what is learned, added to the weights before
    costs: bool = True


# Smooth costs go up to 9.
_ARCS = Way(smooth=True, arcs=10.0)
WAYS: dict[str, Way] = {
    "trees alone": Way(costs=False),
    "as it is": Way(),
    "lists alone": Way(search=False),
    "smooth": Way(smooth=True),
    "arcs": _ARCS,
    "arcs, three a tree": replace(_ARCS, schedule=3),
    "arcs, all trees": replace(_ARCS, schedule=0.75, share=1),
    "arcs, 200 sentences": replace(_ARCS, sentences=200),
    # What a network can carry.
    "arcs, an eighth": replace(_ARCS, schedule=0.5, share=8),
    # More trees beside as many examples.
    "arcs, a quarter": replace(_ARCS, schedule=0.25),
    # Of a half, three quarters and all, the most that loses no more than 0.3 LAS on EWT dev.
    "arcs, an eighth, three quarters of it": replace(
        _ARCS, schedule=0.5, share=8, finetune_share=0.75
    ),
}


def ranker_of(part: str, train: Sequence[Document], model: str, half: int | None = None) -> Path:
    """A ranker of the parser's own trees of all documents, or of half of them; learned if it is not
    there from an earlier run.
    """
    made_by = hash_of_files([str(find_model(model))])[:8]
    named = part if half is None else f"{part}-{half}"
    path = WORK / f"connectives-{named}-{made_by}.niwaki"
    if not path.exists():
        with_trees = parsed_once(tuple(train), model)
        learn_connectives(with_trees if half is None else with_trees[half::2]).save(path)
    return path


# A network takes minutes for it, and three rankers learn from these trees.
parsed_once = functools.cache(parsed)


def examples(given: Sequence[Document], most: int | None) -> list[Sentence]:
    """Sentences with connectives that join words of them, the first of each document first."""
    rows = []
    for each in given:
        found = tuple(c for c in each.connectives if inside(c))
        marked = list(replace(each, connectives=found).marked())
        rows += enumerate(marked[number] for number in sorted({c.sentence for c in found}))
    rows.sort(key=lambda row: row[0])
    return [without_tags(sentence) for _, sentence in rows[:most]]


def inside(connective: Connective) -> bool:
    heads = connective.arg1, connective.arg2
    return all(head and head.sentence == connective.sentence for head in heads)


def trained_on(
    arguments: argparse.Namespace, train: Sequence[Document], way: Way, halves: Sequence[int]
) -> Path:
    """The parser trained on, with costs by the rankers of some halves on examples of the others."""
    model, part = arguments.parser, arguments.part
    trees = list(niwaki.read_conllu(need(EWT_TRAIN)))[:: way.share]
    file = write(WORK / f"ewt-train-{way.share}.conllu", trees)
    objectives: list[dict[str, Any]] = [{"data": str(file)}]
    for half in halves if way.costs else ():
        ranker = ranker_of(part, train, model, half)
        asked = examples(train[1 - half :: 2], way.sentences and way.sentences // 2)
        data = write(WORK / f"connectives-{part}-{1 - half}-{len(asked)}.conllu", asked)
        more = {"connectives": str(ranker), "k": way.k, "smooth": way.smooth}
        more |= {"select": way.select, "rescue": way.search, "arcs": way.arcs}
        objectives.append(
            {"kind": "connectives", "data": str(data), "schedule": way.schedule, **more}
        )
    record: dict[str, Any] = {"objective": objectives, "training": {"epochs": way.passes}}
    if way.finetune_share < 1:
        if isinstance(niwaki.load(model).parser, TransitionParser):
            record["training"]["finetune_share"] = way.finetune_share
        else:
            record["model"] = {"kind": "neural"}
            record["neural"] = {"finetune_share": way.finetune_share}
    return trained("connectives", record, init=beam_alone(model), threads=arguments.threads)


def crossed(
    arguments: argparse.Namespace, train: Sequence[Document], way: Way
) -> Iterator[Document]:
    """The documents with trees of parsers that have learned from the other half of them."""
    trees = [
        iter(parsed(train[half::2], trained_on(arguments, train, way, [half]))) for half in (0, 1)
    ]
    for number in range(len(train)):
        yield next(trees[number % 2])


def main() -> None:
    made = parser(__doc__)
    made.add_argument("ways", metavar="NAME", nargs="*", default=list(WAYS), help="default: all")
    made.add_argument("--parser", default="en", help="who is trained on")
    made.add_argument("--part", choices=["tune", "dev"], default="tune", help="what is scored")
    made.add_argument(
        "--anew", choices=["no", "own", "crossed"], default="own", help="whose trees teach a ranker"
    )
    made.add_argument("--threads", type=int, help="of training; default: all cores")
    arguments = made.parse_args()
    train, gold = read("train"), read("dev")
    if arguments.part == "tune":
        gold = train[::FOLDS]
        train = [each for number, each in enumerate(train) if number % FOLDS]
    model = ConnectiveModel.load(ranker_of(arguments.part, train, arguments.parser))
    before = scored(model, parsed(gold, arguments.parser), gold)
    best = scored(model, gold, gold)
    las = niwaki.evaluate(EWT_TEST, arguments.parser).scores["LAS"]
    result: dict[str, Any] = {
        "signature": signature(parser=Path(arguments.parser).name, part=arguments.part),
        "before": {**before.to_json(2000), "LAS on EWT test": las},
        "gold trees, the same ranker": best.to_json(),
    }
    for name in arguments.ways:
        path = trained_on(arguments, train, WAYS[name], (0, 1))
        trees = parsed(gold, path)
        after = scored(model, trees, gold)
        result[name] = {
            "way": asdict(WAYS[name]),
            **after.to_json(),
            "over before": difference(before, after)["both"],
            "LAS on EWT test": niwaki.evaluate(EWT_TEST, path).scores["LAS"],
        }
        if arguments.anew != "no":
            is_crossed = arguments.anew == "crossed"
            own = crossed(arguments, train, WAYS[name]) if is_crossed else parsed(train, path)
            anew = scored(learn_connectives(list(own)), trees, gold)
            result[name]["ranker learned anew"] = {
                "trees": arguments.anew,
                **anew.to_json(),
                "over before": difference(before, anew)["both"],
            }
        # A run that is ended early keeps what it has.
        report(f"connectives-{arguments.part}{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
