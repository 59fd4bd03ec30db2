"""What connectives join, on GUM dev: features, trees, rerankers.

python -m benchmarks.tasks.connectives [--profile fast] [--parser MODEL]

Rankers learn from GUM's training part, with gold trees or those of the parser (tags predicted).
Settings are the defaults; none was chosen on dev. For a parser that is trained for it, see
connectives_trained.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks._adapting import WORK
from niwaki.data.connectives import Document, documents
from niwaki.learning.ranker import RankerSettings
from niwaki.metrics.base import Evaluation
from niwaki.metrics.connectives import evaluate_connectives
from niwaki.metrics.significance import compare
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.lexicon import TYPES, type_of
from niwaki.tasks.connectives.model import ConnectiveModel, Settings

GUM = DATA / "gum-discourse"

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
) -> tuple[dict[str, Any], dict[str, Evaluation]]:
    """Scores of all rows on one kind of trees."""
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
    return result, found


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


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--parser", default="en", help="who makes the automatic trees")
    arguments = made.parse_args()
    rows = FAST if arguments.profile == "fast" else tuple(ROWS)
    train, gold = read("train"), read("dev")
    result: dict[str, Any] = {"signature": signature(parser=Path(arguments.parser).name)}
    result["gold trees"], on_gold = table(rows, train, gold, gold)
    auto = parsed(train, arguments.parser), parsed(gold, arguments.parser)
    result["automatic trees"], on_auto = table(rows, *auto, gold)
    best = "all, reranked"
    result["gold over automatic"] = difference(on_auto[best], on_gold[best])
    report(f"connectives{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
