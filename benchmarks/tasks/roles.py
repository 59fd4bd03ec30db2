"""Who did what to whom, on EWT: assignment of roles, trees, and a parser trained for it.

python -m benchmarks.tasks.roles [--part test] [--parser MODEL] [--train] [--share N]

The labeller is the one in the box: it learned from EWT's training part, with gold trees, and its
settings were chosen on dev. Tags of the parser's trees are predicted. --train also trains the
parser on, with every N-th tree of EWT's training part and the roles of sentences that it has not
learned from: dev's, or with --part dev those of every other sentence, which are then not scored.
Beside it stands the same with trees alone. --unseen is another run, whose parser has not learned
from the trees of the examples: a parser of EWT without questions is trained on with the roles of
training questions, and questions are scored; or one of every fourth tree, with the roles of the
other sentences, and all are scored.
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, of_parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, beam_alone, trained, without_tags, write
from niwaki.data.roles import Filler, predicates_of, with_predicates, with_table
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import Evaluation
from niwaki.metrics.roles import evaluate_roles
from niwaki.metrics.significance import compare
from niwaki.tasks.roles.assign import WAYS
from niwaki.tasks.roles.fillers import Asked
from niwaki.tasks.roles.model import RoleLabeller
from niwaki.tasks.trees import TreeView

PROPBANK = DATA / "ewt-propbank"
SAMPLES = 2000
# Of the parser that has seen no questions.
BASE: dict[str, Any] = {
    "model": {"features": "lean", "greedy": False},
    "segmenter": {"enabled": False},
    "tagger": {"folds": 2},
    "training": {"epochs": 4},
}


def read(part: str) -> list[Sentence]:
    """Sentences that PropBank's trees could be aligned to, with their roles."""
    with gzip.open(need(PROPBANK / f"{part}.trees.tsv.gz"), "rt", encoding="utf-8") as file:
        aligned = {line.split("\t")[0] for line in file}
    trees = niwaki.read_conllu(need(DATA / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu"))
    found = with_table(trees, PROPBANK / f"{part}.roles.tsv.gz")
    return [sentence for sentence in found if sentence.id in aligned]


def parsed(given: Sequence[Sentence], model: str | Path) -> list[Sentence]:
    return list(niwaki.load(model).parse(given, retag=True))


def difference(a: Evaluation, b: Evaluation) -> dict[str, Any]:
    return {each.metric: each.to_json() for each in compare(a, b)}


# -- roles of fillers that are given -------------------------------------------------------


def assigned(labeller: RoleLabeller, gold: Sequence[Sentence]) -> list[Sentence]:
    """The sentences with the roles that a labeller gives the right fillers."""
    made = []
    for sentence in gold:
        tree, found = TreeView(sentence), []
        for each in predicates_of(sentence):
            asked = [Asked(tree, each.word, each.roleset, f.head) for f in each.fillers]
            roles = zip(labeller.roles_of(asked), asked, strict=True)
            fillers = tuple(Filler(role, filler.word) for role, filler in roles)
            found.append(replace(each, fillers=fillers))
        made.append(with_predicates(sentence, found))
    return made


def most_frequent(train: Sequence[Sentence], gold: Sequence[Sentence]) -> list[Sentence]:
    """All fillers with the role that most fillers have."""
    counts = Counter(f.role for s in train for p in predicates_of(s) for f in p.fillers)
    (role, _), *_ = counts.most_common(1)
    return [
        with_predicates(
            sentence,
            [
                replace(p, fillers=tuple(Filler(role, f.head) for f in p.fillers))
                for p in predicates_of(sentence)
            ],
        )
        for sentence in gold
    ]


def assignment(
    labeller: RoleLabeller, train: Sequence[Sentence], gold: Sequence[Sentence]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "most frequent": evaluate_roles(gold, most_frequent(train, gold)).scores["roles"]
    }
    for name, ranker in (("paths", None), ("paths and words", labeller.roles)):
        found = {
            way: evaluate_roles(
                gold,
                assigned(
                    replace(
                        labeller, roles=ranker, settings=replace(labeller.settings, assign=way)
                    ),
                    gold,
                ),
            )
            for way in WAYS
        }
        result[name] = {way: each.to_json(SAMPLES)["roles"] for way, each in found.items()}
        result[f"{name}: joint over local"] = {
            way: difference(found["local"], found[way])["roles"] for way in WAYS if way != "local"
        }
    return result


# -- roles of trees ------------------------------------------------------------------------


def labelled(
    labeller: RoleLabeller, trees: Sequence[Sentence], gold: Sequence[Sentence], *, find: bool
) -> Evaluation:
    """Roles read off trees, of predicates that are found or given."""
    views = [TreeView(sentence) for sentence in trees]
    found = labeller.label(views, None if find else [predicates_of(s) for s in gold])
    pairs = zip(gold, found, strict=True)
    return evaluate_roles(gold, [with_predicates(*pair) for pair in pairs])


def on_trees(
    labeller: RoleLabeller, trees: Sequence[Sentence], gold: Sequence[Sentence]
) -> dict[str, Evaluation]:
    return {
        "predicates given": labelled(labeller, trees, gold, find=False),
        "predicates found": labelled(labeller, trees, gold, find=True),
    }


def trained_on(
    arguments: argparse.Namespace, examples: Sequence[Sentence] = (), arcs: float = 0.0
) -> Path:
    """The parser trained on, with some trees, and with roles of examples if they are given."""
    trees = list(niwaki.read_conllu(need(EWT_TRAIN)))[:: arguments.share]
    objectives: list[dict[str, Any]] = [
        {"data": str(write(WORK / f"ewt-train-{arguments.share}.conllu", trees))}
    ]
    if examples:
        data = write(WORK / f"roles-{len(examples)}.conllu", map(without_tags, examples))
        objectives.append(objective(arguments, data, arcs))
    record = {"objective": objectives, "training": {"epochs": arguments.passes}}
    init = beam_alone(arguments.parser)
    return trained("roles", record, init=init, threads=arguments.threads)


def objective(arguments: argparse.Namespace, data: Path, arcs: float) -> dict[str, Any]:
    more = {"schedule": arguments.schedule, "k": arguments.k, "arcs": arcs}
    return {"kind": "roles", "data": str(data), **more}


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """How parsers were trained on, for the result."""
    return {name: getattr(arguments, name) for name in ("schedule", "k", "passes")}


def named(arcs: float) -> str:
    return f"trees and roles, arcs {arcs:g}" if arcs else "trees and roles"


def gains(
    labeller: RoleLabeller,
    gold: Sequence[Sentence],
    before: Sequence[Sentence],
    after: Sequence[Sentence],
) -> dict[str, Any]:
    """What a parser that was trained on is worth: scores, and differences from another."""
    olds, news = on_trees(labeller, before, gold), on_trees(labeller, after, gold)
    questions = [number for number, sentence in enumerate(gold) if is_question(sentence)]

    def asked(each: Evaluation) -> Evaluation:
        return replace(each, counts=each.counts[questions])

    return {
        **{name: each.scores for name, each in news.items()},
        "gain": {name: difference(olds[name], news[name])["roles"] for name in olds},
        "gain in questions": {
            name: difference(asked(olds[name]), asked(news[name]))["roles"] for name in olds
        },
        "LAS": difference(evaluate(gold, before), evaluate(gold, after))["LAS"],
    }


# -- a parser that has not learned from the trees of the examples -----------------------------


def is_question(sentence: Sentence) -> bool:
    return sentence.forms[-1] == "?"


@dataclass(frozen=True)
class Apart:
    """Trees to learn from, sentences of which only roles are known, and what is scored."""

    trees: list[Sentence]
    examples: list[Sentence]
    is_scored: Callable[[Sentence], bool]


def apart(unseen: str) -> Apart:
    trees = list(niwaki.read_conllu(need(EWT_TRAIN)))
    marked = [s for s in read("train") if predicates_of(s)]
    if unseen == "questions":
        listed = need(DATA / "questions" / "ids" / "questionlike-ewt-train.txt")
        left_out = set(listed.read_text().split())
        kept = [s for s in trees if s.id not in left_out]
        return Apart(kept, list(filter(is_question, marked)), is_question)
    kept = trees[::4]
    known = {s.id for s in kept}
    return Apart(kept, [s for s in marked if s.id not in known], lambda sentence: True)


def from_unseen(arguments: argparse.Namespace) -> dict[str, Any]:
    """A parser of some trees, trained on with them and with the roles of other sentences.

    The control is trained on with the same trees and no roles.
    """
    given, threads = apart(arguments.unseen), arguments.threads
    trees = {"data": str(write(WORK / f"roles-trees-{arguments.unseen}.conllu", given.trees))}
    base = trained("roles-base", {"objective": [trees], **BASE}, threads=threads)
    asked = given.examples
    data = write(WORK / f"roles-{arguments.unseen}.conllu", map(without_tags, asked))
    passes = {"training": {"epochs": arguments.passes}}
    costs = {named(arcs): objective(arguments, data, arcs) for arcs in arguments.arcs}
    models = {
        name: trained(
            "roles-unseen", {"objective": objectives, **passes}, init=base, threads=threads
        )
        for name, objectives in {
            "trees alone": [trees],
            **{name: [trees, each] for name, each in costs.items()},
        }.items()
    }
    labeller = RoleLabeller.load()
    result: dict[str, Any] = {
        "signature": signature(**settings_of(arguments)),
        "trees": len(given.trees),
        "sentences with roles": len(asked),
    }
    parts = {arguments.part: read(arguments.part)}
    # There are few questions.
    if arguments.unseen == "questions" and arguments.part == "test":
        parts = {"dev": read("dev"), **parts}
        parts["together"] = [s for part in parts.values() for s in part]
    for name, gold in parts.items():
        scored = list(filter(given.is_scored, gold))
        before, control = (parsed(scored, model) for model in (base, models["trees alone"]))
        result[name] = {
            "sentences": len(scored),
            "before": {n: e.scores for n, e in on_trees(labeller, before, scored).items()},
            "gold trees": {n: e.scores for n, e in on_trees(labeller, scored, scored).items()},
        }
        for way, model in models.items():
            after = parsed(scored, model)
            result[name][way] = {
                **gains(labeller, scored, before, after),
                "LAS of all sentences": evaluate(gold, parsed(gold, model)).scores["LAS"],
            }
            if way in costs:
                result[name][f"{way} over trees alone"] = gains(labeller, scored, control, after)
    return result


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--part", choices=["dev", "test"], default="dev")
    made.add_argument("--parser", default="en", help="who makes the automatic trees")
    made.add_argument("--train", action="store_true", help="also train the parser for it")
    made.add_argument("--share", type=int, default=4, help="every so-many-th tree beside")
    made.add_argument("--unseen", choices=["questions", "rest"], help="a parser of other trees")
    made.add_argument("--schedule", type=float, default=1, help="roles a tree")
    made.add_argument("--k", type=int, default=8, help="trees that are priced")
    made.add_argument(
        "--arcs", type=float, nargs="+", default=[1.0], help="what it costs to lack usual arcs"
    )
    made.add_argument("--passes", type=int, default=1, help="over the trees")
    made.add_argument("--threads", type=int, help="of training; default: all cores")
    arguments = made.parse_args()
    if arguments.unseen:
        of_part = "" if arguments.part == "test" else "-dev"
        report(f"roles-{arguments.unseen}{of_part}", from_unseen(arguments))
        return
    train, examples, gold = read("train"), read("dev"), read(arguments.part)
    halved = (
        f"-halves-{arguments.schedule:g}" if arguments.train and arguments.part == "dev" else ""
    )
    if halved:
        examples, gold = examples[::2], gold[1::2]
    labeller = RoleLabeller.load()
    result: dict[str, Any] = {
        "signature": signature(parser=Path(arguments.parser).name, part=arguments.part),
    }
    # Gold trees alone: the same for all parsers.
    if not halved and not of_parser(arguments.parser):
        result["assignment"] = assignment(labeller, train, gold)
    trees = parsed(gold, arguments.parser)
    best, auto = on_trees(labeller, gold, gold), on_trees(labeller, trees, gold)
    result["gold trees"] = {name: each.to_json(SAMPLES) for name, each in best.items()}
    result["automatic trees"] = {name: each.to_json(SAMPLES) for name, each in auto.items()}
    result["gold over automatic"] = {
        name: difference(auto[name], best[name])["roles"] for name in best
    }
    if arguments.train:
        result["training"] = {"share": arguments.share, **settings_of(arguments)}
        alone = parsed(gold, trained_on(arguments))
        result["trees alone"] = gains(labeller, gold, trees, alone)
        for arcs in arguments.arcs:
            both = parsed(gold, trained_on(arguments, examples, arcs))
            result[named(arcs)] = gains(labeller, gold, trees, both)
            result[f"{named(arcs)} over trees alone"] = gains(labeller, gold, alone, both)
    report(f"roles-{arguments.part}{halved}{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
