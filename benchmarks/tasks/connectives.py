"""What connectives join, on GUM dev: features, trees, rerankers, and a parser trained for it.

python -m benchmarks.tasks.connectives [--profile fast] [--parser MODEL] [--train]

Rankers learn from GUM's training part, with gold trees or those of the parser (tags predicted).
Settings are the defaults; none was chosen on dev. --train also trains the parser on, with costs on
each half of the training part by rankers of the other.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, trained
from niwaki.data.connectives import Document, documents
from niwaki.learning.ranker import RankerSettings
from niwaki.metrics.base import Evaluation
from niwaki.metrics.connectives import evaluate_connectives
from niwaki.metrics.significance import compare
from niwaki.pipeline.store import find_model
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.lexicon import TYPES, type_of
from niwaki.tasks.connectives.model import ConnectiveModel, Settings

GUM = DATA / "gum-discourse"
EWT_TEST = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"

ROWS: dict[str, Settings] = {
    "places (A-G)": Settings(features="places", rerank=False),
    "paths (A-G, M-Q)": Settings(features="paths", rerank=False),
    "all (A-Y)": Settings(rerank=False),
    "all, perceptron": Settings(
        rerank=False, ranker=RankerSettings(learner="perceptron", passes=10)
    ),
    "all, reranked": Settings(),
    "all, three levels": Settings(rerank=False, levels=3),
    "all, three levels, reranked": Settings(levels=3),
}
FAST = ("paths (A-G, M-Q)", "all (A-Y)", "all, reranked")


def read(part: str) -> list[Document]:
    path = WORK / f"gum-{part}.conllu"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.decompress(need(GUM / f"gum-{part}.conllu.xz").read_bytes()))
    return list(documents(niwaki.read_conllu(path, multi_root=True)))


def parsed(given: Sequence[Document], model: str | Path) -> list[Document]:
    sentences = [s for each in given for s in each.sentences]
    trees = niwaki.load(model).parse(sentences, retag=True)
    return [each.with_trees([next(trees) for _ in each.sentences]) for each in given]


def scored(
    model: ConnectiveModel, given: Sequence[Document], gold: Sequence[Document]
) -> Evaluation:
    return evaluate_connectives(gold, model.resolve(given))


def difference(a: Evaluation, b: Evaluation) -> dict[str, Any]:
    return {each.metric: each.to_json() for each in compare(a, b)}


def table(
    rows: Sequence[str],
    train: Sequence[Document],
    dev: Sequence[Document],
    gold: Sequence[Document],
) -> tuple[dict[str, Any], dict[str, Evaluation], ConnectiveModel]:
    """Scores of all rows on one kind of trees, and the model that reranks."""
    found, models = {}, {}
    for name in rows:
        models[name] = learn_connectives(train, ROWS[name])
        found[name] = scored(models[name], dev, gold)
    model = models["all, reranked"]
    result: dict[str, Any] = {name: each.to_json(2000) for name, each in found.items()}
    result["reranker"] = difference(found["all (A-Y)"], found["all, reranked"])
    if "all, three levels" in found:
        result["levels"] = difference(found["all (A-Y)"], found["all, three levels"])
    result["types"] = {kind: _of_type(model, dev, gold, kind) for kind in TYPES}
    marked = model.resolve([Document(each.sentences) for each in dev], mark=True)
    result["connectives marked by the model"] = evaluate_connectives(gold, marked).to_json()
    return result, found, model


def _of_type(
    model: ConnectiveModel, dev: Sequence[Document], gold: Sequence[Document], kind: str
) -> dict[str, Any]:
    def only(given: Sequence[Document]) -> list[Document]:
        return [
            replace(
                each,
                connectives=tuple(
                    c for c in each.connectives if type_of(each.phrase(c).lower()) == kind
                ),
            )
            for each in given
        ]

    asked = only(gold)
    scores = scored(model, only(dev), asked).scores
    return {**scores, "connectives": sum(len(each.connectives) for each in asked)}


def trained_on(model: str, train: Sequence[Document], smooth: bool) -> Path:
    """The parser trained on, with costs of each half by a ranker of the other."""
    objectives: list[dict[str, Any]] = [{"data": str(need(EWT_TRAIN))}]
    for half in (0, 1):
        ranker = WORK / f"connectives-{half}.niwaki"
        learn_connectives(parsed(train[half::2], model)).save(ranker)
        data = WORK / f"gum-train-{1 - half}.conllu"
        niwaki.write_conllu((s for each in train[1 - half :: 2] for s in each.marked()), str(data))
        more = {"connectives": str(ranker), "k": 8, "smooth": smooth}
        objectives.append({"kind": "connectives", "data": str(data), **more})
    record = {"objective": objectives, "training": {"epochs": 1}}
    return trained("connectives", record, init=find_model(model))


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--parser", default="en", help="who makes the automatic trees")
    made.add_argument("--train", action="store_true", help="also train the parser for it")
    made.add_argument("--smooth", action="store_true", help="with --train: by -log P")
    arguments = made.parse_args()
    rows = FAST if arguments.profile == "fast" else tuple(ROWS)
    train, gold = read("train"), read("dev")
    result: dict[str, Any] = {"signature": signature(parser=Path(arguments.parser).name)}
    result["gold trees"], on_gold, _ = table(rows, train, gold, gold)
    auto = parsed(train, arguments.parser), parsed(gold, arguments.parser)
    result["automatic trees"], on_auto, model = table(rows, *auto, gold)
    best = "all, reranked"
    result["gold over automatic"] = difference(on_auto[best], on_gold[best])
    if arguments.train:
        path = trained_on(arguments.parser, train, arguments.smooth)
        after = scored(model, parsed(gold, path), gold)
        result["trained for it"] = {
            **after.to_json(2000),
            "over automatic": difference(on_auto[best], after),
            "EWT test": {
                name: niwaki.evaluate(EWT_TEST, each).scores["LAS"]
                for name, each in (("before", arguments.parser), ("after", path))
            },
        }
    report(f"connectives{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
