"""How graph parsers learn: gradients, margins, duals, interruptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.features.arc_templates import load_arc_feature_set
from niwaki.learning.corpus import Corpus
from niwaki.learning.lbfgs import LBFGS
from niwaki.parsers.decoding import kbest, sum_trees
from niwaki.parsers.graph import online as online
from niwaki.parsers.graph.batch import BatchLogLinear, MaxMargin
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.spec import GraphSpec
from niwaki.parsers.graph.trainer import GraphTrainer, GraphWeightsPlan
from niwaki.parsers.graph.training_data import ArcTrainingData, sibling_parts, tree_score
from niwaki.pipeline.store import load
from niwaki.training import loop as epochs
from niwaki.training.config import Config
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.reference.trees import all_trees
from tests.toy import TOY, Log, quick_config, quick_model, write

TRAINERS: dict[str, dict[str, Any]] = {
    "perceptron": {"trainer": "perceptron"},
    "siblings": {"trainer": "perceptron", "order": 2},
    "projective siblings": {"trainer": "mira", "order": 2, "projective": True},
    "mira": {"trainer": "mira", "k": 3},
    "log-linear": {},
    "latent": {"latent": 3},
    "lbfgs": {"optimizer": "lbfgs"},
    "max-margin": {"trainer": "max-margin"},
    "projective": {"projective": True, "decode": "eisner"},
}


def training(
    sentences: list[Sentence], tmp_path: Path, features: str = "hall2011", **graph: Any
) -> GraphTrainer:
    """The training of a parser on gold tags."""
    file = write(tmp_path / "data.conllu", sentences)
    config = quick_config(file, model={"kind": "graph"}, graph=graph)
    corpus = Corpus((str(TOY),), tuple(sentences))
    family = config.family
    spec = GraphSpec(
        features=load_arc_feature_set(features),
        label_features="d.tag + h.tag\nd.form",
        labels=sorted({label for sentence in sentences for label in sentence.deprels}),
        order=family.order,
        latent=family.latent,
        projective=family.projective,
    )
    model = quick_model(tmp_path / "tagger", TOY)
    plan = GraphWeightsPlan(spec, family, config.model.max_rows, None, 1)
    return GraphTrainer(plan, corpus, model.tag(corpus.batch))


def data_of(made: GraphTrainer) -> ArcTrainingData:
    return made._data


# -- pieces ------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_lbfgs_finds_the_least_of_a_parabola(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, size))
    bend, pull = root @ root.T + np.eye(size), random.normal(size=size)
    search = LBFGS(random.normal(size=size))
    values = []
    for _ in range(80):
        at = search.point
        search.tell(float(at @ bend @ at / 2 - pull @ at), bend @ at - pull)
        values.append(search.value)
    assert np.allclose(search.best, np.linalg.solve(bend, pull), atol=1e-4)
    assert values == sorted(values, reverse=True), "what was accepted never gets worse"


def test_lbfgs_follows_a_bent_valley_and_can_be_broken_off() -> None:
    def rosenbrock(at: np.ndarray) -> tuple[float, np.ndarray]:
        x, y = at
        value = (1 - x) ** 2 + 100 * (y - x * x) ** 2
        return float(value), np.array(
            [-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)], dtype=np.float64
        )

    search = LBFGS(np.array([-1.2, 1.0]))
    for turn in range(120):
        if turn == 17:
            state = search.state()
            search = LBFGS(np.zeros(2))
            search.restore(state)
        search.tell(*rosenbrock(search.point))
    assert np.allclose(search.best, 1, atol=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_hildreth_makes_the_smallest_sufficient_change(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    vectors, wanted = random.normal(size=(count, 6)), random.normal(size=count)
    shares = online.hildreth(vectors @ vectors.T, wanted, np.inf, rounds=20_000)
    change = shares @ vectors
    slack = vectors @ change - wanted
    assert (shares >= 0).all()
    assert (slack > -1e-4).all(), "all constraints hold"
    assert np.allclose(shares * slack, 0, atol=1e-3), "only tight ones push"


def test_siblings_of_a_tree() -> None:
    heads = np.array([3, 3, 0, 3, 6, 3, 3], dtype=np.int32)
    assert sibling_parts(heads).tolist() == [
        [3, 1, 2],
        [3, 2, 0],
        [0, 3, 0],
        [3, 4, 0],
        [6, 5, 0],
        [3, 6, 4],
        [3, 7, 6],
    ]


@pytest.mark.parametrize("order", [1, 2])
def test_an_update_moves_scores_by_the_difference_of_trees(
    toy: list[Sentence], tmp_path: Path, order: int
) -> None:
    made = training(toy[:4], tmp_path, "rich", trainer="perceptron", order=order)
    data = data_of(made)
    n = len(toy[0])
    one, other = np.array(toy[0].heads, dtype=np.int32), np.zeros(n, dtype=np.int32)
    other[1:] = np.arange(1, n)
    data.update(0, one, other, 0.5)
    scores = data.scores(0)
    lead = tree_score(scores, one) - tree_score(scores, other)
    # The squared length of the difference of the features, times the step.
    mira = online.Mira(data, GraphConfig(trainer="mira"))
    difference = mira._difference(0, one, other)
    assert lead == pytest.approx(0.5 * float(difference[1] @ difference[1]), rel=1e-5)


def test_mira_makes_the_right_tree_lead(toy: list[Sentence], tmp_path: Path) -> None:
    made = training(toy[:5], tmp_path, trainer="mira", k=4, aggressiveness=1e6)
    data = data_of(made)
    for s in range(5):
        before = data.scores(s)
        rivals = kbest(before, 4)[0].heads
        assert len(rivals) == 4
        made.learn(np.array([s], dtype=np.int32))
        gold = data.gold(s)
        after = data.scores(s)
        for rival in rivals:
            lead = tree_score(after, gold) - tree_score(after, rival)
            assert lead >= (rival != gold).sum() - 1e-2


# -- gradients and duals -----------------------------------------------------------------


def test_the_gradient_of_the_likelihood(toy: list[Sentence], tmp_path: Path) -> None:
    """By finite differences, and the sums by all trees."""
    short = [s for s in toy if len(s) <= 6][:3]
    made = training(short, tmp_path, optimizer="lbfgs", l2=1 / 0.7)
    batch = made._update
    assert isinstance(batch, BatchLogLinear)
    random = np.random.default_rng(2)

    def at(point: np.ndarray) -> tuple[float, np.ndarray]:
        batch._point = point
        batch._value, batch._gradient = float(point @ point) / 1.4, point / 0.7
        for s in range(len(short)):
            batch.learn(s)
        return batch._value, batch._gradient

    point = random.normal(size=batch.features) * 0.3
    value, gradient = at(point)
    expected = float(point @ point) / 1.4
    for s in range(len(short)):
        gold = data_of(made).gold(s)
        n = len(gold)
        arcs = data_of(made).arc_learner.dense_scores(s, point).reshape(n + 1, n)
        totals = [arcs[heads, np.arange(n)].sum() for heads in all_trees(n)]
        expected += np.logaddexp.reduce(totals) - arcs[gold, np.arange(n)].sum()
    assert value == pytest.approx(expected)
    for _ in range(8):
        direction = random.normal(size=len(point))
        ahead, behind = at(point + 1e-5 * direction)[0], at(point - 1e-5 * direction)[0]
        assert (ahead - behind) / 2e-5 == pytest.approx(gradient @ direction, rel=1e-4, abs=1e-4)


def test_lbfgs_falls(toy: list[Sentence], tmp_path: Path) -> None:
    made = training(toy[:8], tmp_path, optimizer="lbfgs", l2=0.1)
    batch = made._update
    assert isinstance(batch, BatchLogLinear)
    values = []
    for _ in range(12):
        for s in range(8):
            batch.learn(s)
        batch.finish()
        values.append(batch.objective)
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0] / 4


@pytest.mark.parametrize("projective", [False, True])
def test_the_dual_of_the_margin_meets_the_primal(
    toy: list[Sentence], tmp_path: Path, projective: bool
) -> None:
    few = [s for s in toy if s.tree.is_projective][:4]
    made = training(
        few,
        tmp_path,
        trainer="max-margin",
        margin_c=0.05,
        eg_learning_rate=1.0,
        projective=projective,
    )
    dual_way = made._update
    assert isinstance(dual_way, MaxMargin)
    gaps, duals = [], []
    for turn in range(300):
        for s in range(len(few)):
            dual_way.learn(s)
        if turn in (0, 99, 299):
            primal, dual = dual_way.objectives()
            assert primal >= dual - 1e-9, "weak duality"
            gaps.append(primal - dual)
            duals.append(dual)
    assert duals == sorted(duals)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.02 * duals[-1]


def test_log_linear_climbs_the_likelihood_of_latent_classes(
    toy: list[Sentence], tmp_path: Path
) -> None:
    made = training(toy[:6], tmp_path, latent=3)
    data = data_of(made)

    def likelihood() -> float:
        total = 0.0
        for s in range(6):
            scores = data.scores(s)
            sums = sum_trees(scores)
            total += tree_score(scores, data.gold(s)) - float(sums.log_sums[0])
        return total

    before = likelihood()
    for _ in range(6):
        for s in range(6):
            made.learn(np.array([s], dtype=np.int32))
    assert likelihood() > before / 4
    table = data.parser.arc_table(data.batch, data.values, np.array([0], dtype=np.int32))
    assert np.abs(table[:, 0] - table[:, 1]).max() > 0.05, "classes have become different"


def test_a_treebank_needs_arcs(tmp_path: Path, toy: list[Sentence]) -> None:
    bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in toy[:3]]
    data = write(tmp_path / "bare.conllu", bare)
    tables = {"model": {"kind": "graph"}, "tagger": {"folds": 0}}
    config = make_config({"objective": [{"data": str(data), "partial": True}], **tables})
    with pytest.raises(ConfigError, match="no arcs"):
        train(config, tmp_path / "m", Log(), threads=1)


# -- whole runs -------------------------------------------------------------------------------


def config_of(graph: dict[str, Any], **training_table: Any) -> Config:
    return quick_config(
        model={"kind": "graph", "features": "hall2011" if graph.get("order") != 2 else "rich"},
        graph=graph,
        training={"epochs": 2, "checkpoint_minutes": 0, **training_table},
        tagger={"folds": 0, "epochs": 2, "feats": False, "lemmas": False},
        segmenter={"enabled": False},
    )


class Impatient(Log):
    """Breaks off after so many pieces of the parser's work."""

    left: int = 7

    def advance(self, sentences: int) -> None:
        if self.stages[-1] == "parser":
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt


@pytest.mark.parametrize("name", TRAINERS)
def test_an_interrupted_run_ends_with_the_same_bytes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(epochs, "_CHUNK", 6)
    dev = {"dev": str(TOY)} if name == "log-linear" else {}
    config = config_of(TRAINERS[name], **dev)
    train(config, tmp_path / "straight", Log(), threads=1)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "broken", Impatient(), threads=1)
    assert (tmp_path / "broken.checkpoint").exists()
    train(config, tmp_path / "broken", Log(), threads=1, resume=True)
    assert (tmp_path / "broken").read_bytes() == (tmp_path / "straight").read_bytes()
    model = load(tmp_path / "straight")
    assert isinstance(model.parser, GraphParser)
    for how in ("mst", "max-z") if name == "latent" else ("mst",):
        assert next(model.parse([Sentence.from_words(["A", "Ж"])], decode=how)).tree.is_complete


def test_calibration_changes_probabilities_but_no_tree(tmp_path: Path, toy: list[Sentence]) -> None:
    graph = {"trainer": "perceptron"}
    plain = train(config_of(graph), tmp_path / "plain", Log(), threads=1)
    fitted = train(config_of(graph, dev=str(TOY)), tmp_path / "fitted", Log(), threads=1)
    assert isinstance(fitted.parser, GraphParser)
    assert fitted.parser.spec.temperature != 1
    assert "mst" in fitted.config["scores_on_dev"]
    assert len(list(plain.parse(toy))) == len(list(fitted.parse(toy, probabilities=True)))


def test_partial_trees(tmp_path: Path, toy: list[Sentence]) -> None:
    projective = [s for s in toy if s.tree.is_projective]
    hidden = [
        s.replace(heads=[-1 if w % 3 else h for w, h in enumerate(s.heads)]) if n % 2 else s
        for n, s in enumerate(projective)
    ]
    data = write(tmp_path / "partial.conllu", hidden)
    tables: dict[str, Any] = {
        "objective": [{"data": str(data), "partial": True}],
        "model": {"kind": "graph"},
    }
    made = make_config({**tables, "training": {"epochs": 3}, "tagger": {"folds": 0}})
    pipeline = train(made, tmp_path / "m", Log(), threads=1)
    right = [
        head == own
        for sentence, parsed in zip(projective, pipeline.parse(projective), strict=True)
        for head, own in zip(sentence.heads, parsed.heads, strict=True)
    ]
    assert np.mean(right) > 0.75
    made = make_config({**tables, "graph": {"trainer": "max-margin"}, "tagger": {"folds": 0}})
    with pytest.raises(ConfigError, match="partial trees are completed"):
        train(made, tmp_path / "n", Log(), threads=1)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({"order": 2}, "log-linear knows arcs only"),
        ({"order": 3}, "give at most 2"),
        ({"order": 2, "trainer": "mira", "decode": "mbr"}, "needs graph.order = 1"),
        ({"latent": 2, "trainer": "mira"}, "latent classes are learned by log-linear"),
        ({"latent": 2, "optimizer": "lbfgs"}, "latent classes are learned by log-linear"),
        ({"trainer": "guess"}, "give one of perceptron, mira, log-linear, max-margin"),
        ({"optimizer": "lbfgs", "l2": 0}, "graph.l2 is 0.0; give a number above 0"),
    ],
)
def test_what_does_not_go_together(graph: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        quick_config(model={"kind": "graph"}, graph=graph)


def test_features_that_are_wrong_are_refused_first(tmp_path: Path) -> None:
    log = Log()
    config = quick_config(model={"kind": "graph", "features": "richh"})
    with pytest.raises(ConfigError, match="did you mean 'rich'"):
        train(config, tmp_path / "m", log, threads=1)
    config = quick_config(
        model={"kind": "graph", "features": "hall2011"}, graph={"trainer": "mira", "order": 2}
    )
    with pytest.raises(ConfigError, match="no feature looks at siblings"):
        train(config, tmp_path / "m", log, threads=1)
    assert not log.stages
