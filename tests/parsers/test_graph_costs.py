"""Graph parsers trained by costs: sums over arcs, gradients, hope and fear, convergence."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ObjectiveError
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.objectives import ArcObjective
from niwaki.objectives._trees import KnownTrees
from niwaki.objectives.arc_length import ArcLength
from niwaki.objectives.partial import Partial
from niwaki.objectives.treebank import Treebank
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.costs import GraphExamples
from niwaki.parsers.graph.learners import make_online_update
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.scorer import LinearScorer
from niwaki.parsers.graph.spec import GraphSpec
from niwaki.parsers.graph.training_data import ArcTrainingData
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.tagger import Tags
from niwaki.training.config import CostConfig
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.costs import in_training
from tests.reference.trees import all_trees
from tests.toy import TOY, Log, quick_model, write

LABELS = ["a", "b", "root"]


def known(heads: list[int], labels: list[str]) -> Sentence:
    # Each sentence has words of its own.
    words = Sentence.from_words([f"{''.join(labels)}{number}" for number in range(len(heads))])
    return words.replace(heads=heads, deprels=labels)


SHORT = [
    known([2, 0, 2], ["a", "root", "b"]),
    known([0, 1, 2, 2], ["root", "b", "a", "a"]),
    known([2, 3, 0], ["b", "strange", "root"]),
]
PARTLY = [
    known([-1, 0, -1], ["_", "_", "_"]),
    known([-1, -1, 2, 2], ["_", "b", "_", "a"]),
    known([2, -1, -1], ["_", "strange", "_"]),
]
OBJECTIVES = {
    "arc-length": lambda: ArcLength(SHORT),
    "unlabelled arc-length": lambda: ArcLength(SHORT, labelled=False),
    "treebank": lambda: Treebank(SHORT),
    "partial": lambda: Partial(PARTLY),
}

NOTHING = np.zeros(0, dtype=np.int32)


def labelled_trees(n: int) -> tuple[np.ndarray, np.ndarray]:
    """All trees with all labels."""
    names = list(itertools.product(range(len(LABELS)), repeat=n))
    heads = [tree for tree in all_trees(n) for _ in names]
    labels = [each for _ in all_trees(n) for each in names]
    return np.array(heads, dtype=np.int32), np.array(labels, dtype=np.int32)


def as_candidates(number: int, n: int) -> KBest:
    heads, labels = labelled_trees(n)
    return KBest(heads, labels, np.zeros(len(heads)), LABELS, number=number)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_costs_of_arcs_add_up_to_the_cost_of_the_tree(name: str) -> None:
    objective = OBJECTIVES[name]()
    objective.open(objective.sentences, LABELS)
    assert isinstance(objective, ArcObjective)
    for number, sentence in enumerate(objective.sentences):
        n = len(sentence)
        trees = as_candidates(number, n)
        table = objective.arc_costs(number)
        assert table is not None
        rows = trees.heads * n + np.arange(n)
        sums = table[rows] if table.ndim == 1 else table[rows, trees.labels]
        assert sums.sum(axis=1) == pytest.approx(objective.cost(trees))


class Trained:
    """A graph parser of few features with random weights, and its sentences."""

    def __init__(
        self,
        objective: KnownTrees,
        labels: list[str],
        *,
        random: bool = True,
        features: str = "d.form + h.form",
        **graph: Any,
    ) -> None:
        self.config = GraphConfig(**graph)
        spec = GraphSpec(
            features=features,
            label_features="d.form + h.form",
            labels=labels,
            order=self.config.order,
        )
        self.weights = {"arcs": SparseWeights(1), "labels": SparseWeights(len(labels))}
        self.scorer = LinearScorer(spec, self.weights)
        self.parser = GraphParser(spec, self.scorer)
        self.batch = Batch([sentence.source for sentence in objective.sentences])
        tags = Tags.none(self.batch)
        self.values = self.scorer.values(self.batch, tags)
        none = np.full(self.batch.words, -1, dtype=np.int32)
        data = ArcTrainingData(
            self.parser,
            self.scorer,
            self.weights["arcs"],
            self.batch,
            self.values,
            none,
            np.zeros(1, np.int64),
        )
        objective.open(objective.sentences, labels)
        self.made = GraphExamples(
            self.parser,
            self.parser,
            self.scorer,
            self.weights,
            self.batch,
            tags,
            make_online_update(data, self.config, 1),
            self.config,
        )
        if random:
            self._draw()

    # As the parser is asked in training.

    def examples(self, batch: Batch, tags: Tags) -> GraphExamples:
        return self.made

    def tick(self) -> None:
        for weights in self.weights.values():
            weights.tick()

    def _draw(self) -> None:
        random = np.random.default_rng(4)
        for s, n in enumerate(self.batch.lengths):
            heads, words = np.divmod(np.arange((n + 1) * n), n)
            kept = heads != words + 1
            parts = np.stack([heads, words + 1, np.full(len(heads), -1)], axis=1)[kept]
            parts = np.ascontiguousarray(parts, dtype=np.int32)
            for arc_learner, learner in (
                (self.made._data.arc_learner, self.weights["arcs"]),
                (self.made._label_learner, self.weights["labels"]),
            ):
                for action in range(learner.classes):
                    steps = random.normal(size=len(parts)).astype(np.float32)
                    arc_learner.add(s, parts, np.full(len(parts), action, dtype=np.int32), steps)

    def tree_scores(self, s: int, trees: KBest) -> np.ndarray:
        n = trees.heads.shape[1]
        table = self.parser.labelled_scores(self.batch, s, self.values).table
        found = table[trees.heads * n + np.arange(n), trees.labels].sum(axis=1)
        return np.asarray(found)


def expected(trained: Trained, objective: KnownTrees, s: int, scale: float) -> float:
    """The expected cost by a sum over all labelled trees.

    Where labels cost nothing, the temperature is that of the arcs.
    """
    trees = as_candidates(s, len(objective.sentences[s]))
    scores = trained.tree_scores(s, trees) / scale
    costs = objective.arc_costs(s)
    if costs.ndim == 1:
        n = trees.heads.shape[1]
        table = trained.parser.scores(trained.batch, trained.values, s).table
        scores = table[trees.heads * n + np.arange(n)].sum(axis=1) / scale
    shares = np.exp(scores - scores.max())
    return float(shares @ objective.cost(trees) / shares.sum())


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_the_expected_cost_and_its_slope_are_exact(name: str, scale: float) -> None:
    """Beside all trees; by finite differences of the scores of single arcs and labels."""
    objective = OBJECTIVES[name]()
    trained = Trained(objective, LABELS, trainer="perceptron")
    assert objective.sentences
    for s in range(len(objective.sentences)):
        costs = objective.arc_costs(s)
        candidates, slopes, value = trained.made.expectation(s, costs, scale)
        assert value == pytest.approx(expected(trained, objective, s, scale))
        trees = as_candidates(s, len(objective.sentences[s]))
        prices = objective.cost(candidates)
        assert prices[1] == pytest.approx(objective.cost(trees).min())
        pairs = [
            (trained.made._data.arc_learner, slopes.arcs, slopes.arc_slopes[:, None]),
            (trained.made._label_learner, slopes.labelled, slopes.label_slopes),
        ]
        assert len(slopes.arcs)
        for arc_learner, parts, found in pairs:
            for part, row in zip(parts, found, strict=True):
                one = np.ascontiguousarray(part[None])
                for action, slope in enumerate(row.tolist()):
                    values = []
                    for step in (0.01, -0.02):
                        arc_learner.add(
                            s,
                            one,
                            np.array([action], dtype=np.int32),
                            np.array([step], dtype=np.float32),
                        )
                        values.append(expected(trained, objective, s, scale))
                    arc_learner.add(
                        s, one, np.array([action], np.int32), np.array([0.01], dtype=np.float32)
                    )
                    measured = (values[0] - values[1]) / 0.02
                    # As in the choice "expected", without the factor 1 / scale.
                    assert slope == pytest.approx(scale * measured, abs=2e-4)


@pytest.mark.parametrize("trainer", ["perceptron", "mira", "log-linear"])
def test_descending_lowers_the_expected_cost(trainer: Any) -> None:
    objective = ArcLength(SHORT)
    trained = Trained(objective, LABELS, random=False, trainer=trainer)
    step = {"perceptron": 10.0, "mira": 1000.0, "log-linear": 10.0}[trainer]

    def total() -> float:
        return sum(expected(trained, objective, s, 1.0) for s in range(3))

    values = [total()]
    for _ in range(30):
        for s in range(3):
            costs = objective.arc_costs(s)
            assert costs is not None
            trained.made.descend(trained.made.expectation(s, costs, 1.0)[1], step)
        values.append(total())
    assert values[-1] < values[10] < values[0]
    # The label "strange" of one word is none that the parser knows.
    least = 1 / sum(abs(i + 1 - h) for i, h in enumerate(SHORT[2].heads))
    assert least - 1e-9 <= values[-1] < values[0] / 2 + least


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("scale", [0.5, 5.0])
def test_hope_and_fear_are_the_best_of_all_trees(name: str, scale: float) -> None:
    objective = OBJECTIVES[name]()
    trained = Trained(objective, LABELS)
    assert objective.sentences
    for s in range(len(objective.sentences)):
        costs = objective.arc_costs(s)
        assert costs is not None
        found = trained.made.augmented(s, costs, scale)
        trees = as_candidates(s, len(objective.sentences[s]))
        scores, prices = trained.tree_scores(s, trees), objective.cost(trees)
        own = trained.tree_scores(s, found)
        assert found.scores == pytest.approx(own, abs=1e-5)
        for row, sign in ((1, -scale), (2, scale)):
            if costs.ndim == 1:
                # Labels that cost nothing are the likeliest of each arc; arcs are chosen first.
                best_labels = scores.reshape(-1, len(LABELS) ** trees.heads.shape[1]).max(axis=1)
                assert own[row] <= best_labels.max() + 1e-9
            else:
                value = own[row] + sign * objective.cost(found)[row]
                assert value == pytest.approx((scores + sign * prices).max())


def test_costs_that_are_no_sums_are_refused() -> None:
    objective = Treebank(SHORT, exact=True)
    trained = Trained(objective, LABELS)
    config = CostConfig(kind="treebank", select="exact")
    (priced,) = in_training(objective, config, trained).all
    with pytest.raises(ObjectiveError, match="no sum over arcs"):
        priced.price([0])


# -- convergence -----------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("k", [2, "adaptive"])
def test_mistakes_are_bounded_on_a_separable_set(k: Any, order: int) -> None:
    """Theorem 1 of Hall et al. (2011) for the k best trees of a graph parser.

    Each pair of words has a feature of its own, so that the wanted trees are separable:
    with weight 1 for each of their N arcs, and norm sqrt(N), a cheaper tree (fewer wrong
    heads) leads by 1 / sqrt(N). Two trees of n words are at most sqrt(4 n) apart: two arcs a
    word, and with siblings two more.
    """
    random = np.random.default_rng(2)
    sentences = []
    for number in range(6):
        n = 4
        trees = all_trees(n) if order == 1 else projective(n)
        heads = trees[random.integers(len(trees))]
        words = Sentence.from_words([f"s{number}w{i}" for i in range(n)])
        sentences.append(words.replace(heads=[int(h) for h in heads], deprels=["x"] * n))
    objective = Treebank(sentences, labelled=False)
    features = "d.form + h.form" if order == 1 else "d.form + h.form\nd.form + s.form"
    trained = Trained(
        objective, ["x"], random=False, features=features, trainer="perceptron", order=order
    )
    config = CostConfig(kind="treebank", k=k, max_k=256, select="hard", step=1.0)
    training = in_training(objective, config, trained)
    updates, reports = 0, []
    with ThreadPoolExecutor(1) as pool:
        for visited in range(1, 200 * len(sentences) + 1):
            training.keep_up(NOTHING, visited, pool, 1)
            if visited % len(sentences) == 0:
                (report,) = training.finish_epoch()
                updates += report.updates
                reports.append(report)
                if not report.updates:
                    break
    arcs = sum(map(len, sentences))
    assert 0 < updates <= 4 * 4 * arcs
    assert reports[-1].updates == 0
    if k == "adaptive":
        assert reports[-1].first == 0, "all wanted trees are the best ones"


def projective(n: int) -> list[tuple[int, ...]]:
    words = Sentence.from_words(["x"] * n)
    trees = [tuple(int(h) for h in heads) for heads in all_trees(n)]
    labels = ["x"] * n
    return [t for t in trees if words.replace(heads=list(t), deprels=labels).tree.is_projective]


# -- whole runs --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "graph.niwaki"
    quick_model(path, model={"kind": "graph"})
    return path


def share_of_right_roots(model: Pipeline) -> float:
    parsed = list(model.parse(read_conllu(TOY), retag=True))
    return float(np.mean([sentence.heads[0] == 0 for sentence in parsed]))


@pytest.mark.parametrize("select", ["exact", "augmented"])
def test_roots_are_learned_by_costs_of_arcs(base: Path, tmp_path: Path, select: str) -> None:
    """Roots as no treebank has them: the first word of each sentence."""
    sentences = [
        s.replace(heads=[0] + [-1] * (len(s) - 1), deprels=["_"] * len(s)) for s in read_conllu(TOY)
    ]
    data = write(tmp_path / "p.conllu", sentences)
    objective = {"kind": "partial", "data": str(data), "select": select, "scale": 8.0}
    objective["step"] = 20.0 if select == "exact" else 4.0
    config = make_config({"objective": [objective], "training": {"epochs": 5}})
    log = Log()
    init = load(base)
    model = train(config, tmp_path / "m", log, init=init, threads=1)
    assert share_of_right_roots(model) > max(0.9, share_of_right_roots(init))
    costs = [epoch.objectives[0].first for epoch in log.epochs]
    assert costs[-1] < costs[0]
    if select == "exact":
        assert log.epochs[0].objectives[0].oracle == 0, "the cheapest of all trees"


def test_what_a_graph_parser_cannot_be_trained(base: Path, tmp_path: Path) -> None:
    def refused(objective: dict[str, Any], match: str, **tables: Any) -> None:
        init = None if "tagger" in tables else load(base)
        config = make_config({"objective": [{"data": str(TOY)}, objective], **tables})
        with pytest.raises(ConfigError, match=match):
            train(config, tmp_path / "m", Log(), init=init, threads=1)

    lengths = {"kind": "arc-length", "data": str(TOY)}
    quick = {"model": {"kind": "graph"}, "tagger": {"folds": 0, "epochs": 1}}
    refused(lengths, "costs change weights", graph={"trainer": "max-margin"}, **quick)
    refused(lengths, "graph.latent = 1", graph={"latent": 2}, **quick)
    siblings = {"trainer": "mira", "order": 2}
    refused({**lengths, "select": "exact"}, "needs graph.order = 1", graph=siblings, **quick)
    said = {"model": {"kind": "graph"}, "graph": {"projective": True}}
    refused(lengths, r"graph\.projective cannot be chosen", **said)
    command = {"kind": "command", "command": ["true"], "data": str(TOY), "select": "augmented"}
    refused(command, "sums over arcs")


def test_a_model_of_siblings_is_trained_on(tmp_path: Path) -> None:
    graph = {"trainer": "perceptron", "order": 2}
    quick_model(tmp_path / "base", model={"kind": "graph"}, graph=graph)
    objective = {"kind": "arc-length", "data": str(TOY), "k": 4}
    config = make_config({"objective": [objective], "training": {"epochs": 2}})
    log = Log()
    model = train(config, tmp_path / "m", log, init=load(tmp_path / "base"), threads=1)
    assert isinstance(model.parser, GraphParser)
    assert model.parser.spec.order == 2
    assert model.config["graph"]["trainer"] == "perceptron"
    first, last = (epoch.objectives[0].first for epoch in log.epochs)
    assert last <= first
