"""Training with costs: the choices, the theorems of the paper, schedules and interruptions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from niwaki.analysis.curves import read_log
from niwaki.data.bilingual.references import Reference, read_references, write_references
from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ObjectiveError
from niwaki.kernel.batch import Batch
from niwaki.objectives.reordering import Reordering
from niwaki.parsers.beliefs import Beliefs
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.tagger import Tags
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.config import Config, CostConfig
from niwaki.training.config_file import make_config
from niwaki.training.objectives import schedules_of
from niwaki.training.run import train
from niwaki.training.selection import CHOICES, Chooser, Step
from tests.costs import in_training
from tests.toy import QUICK, TOY, Log, quick_model, write

Numbers = NDArray[np.float64]


def choose(name: str, scores: list[float], costs: list[float], scale: float = 1.0) -> list[Any]:
    steps = CHOICES[name](np.array(scores), np.array(costs), scale)
    return [(step.towards, step.away, round(step.length, 4)) for step in steps]


def test_choices() -> None:
    scores, costs = [3.0, 2.0, 1.0, 0.0], [0.5, 0.2, 0.9, 0.2]
    # Of the two cheapest the one that ranks higher; nothing to do if the first is among them.
    assert choose("hard", scores, costs) == [(1, 0, 1)]
    assert choose("hard", scores, [0.2, 0.2, 0.9, 0.2]) == []
    assert choose("all-cheaper", scores, costs) == [(1, 0, 0.5), (3, 0, 0.5)]
    # Costs weigh little or much.
    assert choose("hope-fear", scores, costs, 1.0) == []
    assert choose("hope-fear", scores, costs, 10.0) == [(1, 2, 1)]


def test_a_step_makes_up_for_what_is_missing_of_the_lead_and_no_more() -> None:
    chooser = Chooser("hope-fear", "auto", "auto")
    scores, costs = np.array([10.0, 8.0, 0.0]), np.array([0.5, 0.25, 0.5])
    (step,) = chooser.steps(scores, costs)
    # Scores usually lie 10 apart and costs 0.25: a cost of 1 weighs 20, and half of 10 is the most.
    assert (chooser.spread.scale, chooser.spread.temperature) == (20.0, 5.0)
    assert step == Step(1, 0, 1.0, lead=5.0)  # 20 * 0.25 + 2 are missing
    (step,) = chooser.steps(np.array([10.0, 9.5, 0.0]), np.array([0.25, 0.5, 0.25]))
    assert (step.towards, step.away) == (0, 1)
    assert step.lead == pytest.approx(20 * 0.25 - 0.5)
    # The cheaper tree leads by enough.
    assert chooser.steps(np.array([10.0, 5.0, 0.0]), np.array([0.25, 0.5, 0.25])) == []
    # A tree that was searched for says nothing of the list.
    chooser.steps(np.array([10.0, 0.0, -900.0]), np.array([0.5, 0.25, 0.0]), listed=2)
    assert chooser.spread.scale == pytest.approx(20.0)


@pytest.mark.parametrize("select", ["hard", "hope-fear", "all-cheaper"])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_steps_are_in_the_units_of_the_parser(select: str, unit: float) -> None:
    """Scores a thousand times as large, or costs, ask for the same steps in these units."""
    drawn = np.random.default_rng(1)
    lists = [(-np.sort(-drawn.normal(size=8)), drawn.random(8)) for _ in range(50)]
    one, other = (Chooser(select, "auto", "auto") for _ in range(2))
    found = 0
    for scores, costs in lists:
        plain, scaled = one.steps(scores, costs), other.steps(scores * unit, costs / unit)
        assert [step[:3] for step in plain] == [step[:3] for step in scaled]
        leads = [step.lead * unit for step in plain]
        assert leads == pytest.approx([step.lead for step in scaled])
        found += len(plain)
    assert found > 20


def test_expected_cost_goes_down_its_gradient() -> None:
    scores, costs = np.array([1.0, 0.5, -0.2]), np.array([0.7, 0.1, 0.4])

    def expected(at: Numbers) -> float:
        shares = np.exp(at / 2) / np.exp(at / 2).sum()
        return float(shares @ costs)

    slopes = np.zeros(3)
    for step in CHOICES["expected"](scores, costs, 2.0):
        slopes[step.towards] += step.length
        slopes[step.away] -= step.length
    for candidate in range(3):
        shifted = scores.copy()
        shifted[candidate] += 1e-5
        slope = (expected(shifted) - expected(scores)) / 1e-5
        # d expected / d score = p (cost - expected) / temperature, and steps go down.
        assert slopes[candidate] == pytest.approx(-2 * slope, abs=1e-4)


NOTHING = np.zeros(0, dtype=np.int32)
# Algorithm 3 of Hall et al. (2011).
BY_THE_LETTER: dict[str, Any] = {"select": "hard", "step": 1.0}


class Ranker:
    """A linear model over outputs that are vectors: a parser without the parsing."""

    def __init__(self, outputs: list[Numbers], weights: Numbers | None = None) -> None:
        self.outputs = outputs
        self.weights = np.zeros(outputs[0].shape[1]) if weights is None else weights.copy()

    def examples(self, batch: Batch, tags: Tags) -> Ranker:
        return self

    def tick(self) -> None: ...

    def kbest(self, s: int, k: int, constraints: Constraints | None = None) -> KBest:
        scores = self.outputs[s] @ self.weights
        best = np.argsort(-scores, kind="stable")[:k]
        rows = best[:, None].astype(np.int32)
        return KBest(rows, np.zeros_like(rows), scores[best], number=s)

    def beliefs(self, s: int) -> Beliefs:
        raise AssertionError

    def update(self, candidates: KBest, towards: int, away: int, step: float) -> None:
        better, worse = candidates.heads[[towards, away], 0]
        vectors = self.outputs[candidates.number]
        self.weights += step * (vectors[better] - vectors[worse])

    def raise_lead(self, candidates: KBest, towards: int, away: int, by: float) -> None:
        better, worse = candidates.heads[[towards, away], 0]
        difference = (
            self.outputs[candidates.number][better] - self.outputs[candidates.number][worse]
        )
        if difference.any():
            self.update(candidates, towards, away, by / float(difference @ difference))


class Prices:
    """An objective that knows what each output costs."""

    def __init__(self, prices: list[Numbers]) -> None:
        self.prices = prices
        self.ids = [str(number) for number in range(len(prices))]
        self.sentences = [Sentence.from_words(["x"])] * len(prices)

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None: ...

    def costs(self, candidates: Sequence[KBest]) -> list[Numbers]:
        return [self.prices[each.number][each.heads[:, 0]] for each in candidates]

    def constraints(self, number: int) -> Constraints | None:
        return None


def teach(
    ranker: Ranker, prices: list[Numbers], passes: int, k: Any, **more: Any
) -> list[tuple[int, float]]:
    """Passes over all examples, one at a time, until nothing changes; updates and first costs."""
    config = CostConfig(kind="toy:toy", k=k, **{**BY_THE_LETTER, **more})
    training = in_training(Prices(prices), config, ranker)
    found = []
    with ThreadPoolExecutor(1) as pool:
        for visited in range(1, passes * len(prices) + 1):
            training.keep_up(NOTHING, visited, pool, 1)
            if visited % len(prices) == 0:
                (report,) = training.finish_epoch()
                found.append((report.updates, report.first))
                if report.updates == 0:
                    break
    return found


def separable(seed: int) -> tuple[list[Numbers], list[Numbers], float, float]:
    """Outputs whose costs a linear model ranks, with the margin and the radius."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=6)
    truth /= np.linalg.norm(truth)
    outputs, prices, margin, radius = [], [], np.inf, 0.0
    for _ in range(12):
        vectors = random.normal(size=(8, 6))
        value = vectors @ truth
        # Cost by rank along the truth; outputs of equal rank would only widen the margin.
        prices.append(np.argsort(np.argsort(-value)).astype(np.float64))
        outputs.append(vectors)
        for a, b in itertools.permutations(range(8), 2):
            radius = max(radius, float(np.linalg.norm(vectors[a] - vectors[b])))
            if prices[-1][a] < prices[-1][b]:
                margin = min(margin, float(value[a] - value[b]))
    return outputs, prices, margin, radius


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 4, "adaptive"])
def test_mistakes_are_bounded_on_a_separable_set(seed: int, k: Any) -> None:
    """Theorem 1: R^2 / margin^2 bounds the updates; Theorem 2: with k large enough none is wrong.

    Adaptive k lists all outputs before it gives up, so that Assumption 2 holds.
    """
    outputs, prices, margin, radius = separable(seed)
    found = teach(Ranker(outputs), prices, 400, k, max_k=8)
    assert 0 < sum(updates for updates, _ in found) <= (radius / margin) ** 2
    assert found[-1][0] == 0, "it converges"
    if k == "adaptive":
        assert found[-1][1] == 0


def test_adaptive_k_reaches_what_two_candidates_do_not() -> None:
    """The example of section 2.3: the first tree costs 1, the second 2, the third nothing."""
    outputs, prices = [np.eye(3)], [np.array([1.0, 2.0, 0.0])]
    start = np.array([3.0, 2.0, 1.0])
    stuck = teach(Ranker(outputs, start), prices, 20, 2)
    assert stuck[-1] == (0, 1.0)
    reached = teach(Ranker(outputs, start), prices, 20, "adaptive", max_k=4)
    assert reached[-1] == (0, 0.0)
    short = teach(Ranker(outputs, start), prices, 20, "adaptive", max_k=2)
    assert short[-1] == (0, 1.0)


def test_the_schedule_counts_examples_and_visits_all() -> None:
    config = CostConfig(kind="toy:toy", schedule=0.5)
    training = in_training(Prices([np.zeros(1)] * 5), config, Ranker([np.zeros((1, 1))] * 5))
    (objective,) = training.all
    with ThreadPoolExecutor(2) as pool:
        visits = [training.keep_up(NOTHING, visited, pool, 2) for visited in range(1, 21)]
    assert visits == [0, 1] * 10
    objective.visited = 0
    seen = [objective.next_numbers(1, 1)[0] for objective.visited in range(10)]
    assert sorted(seen[:5]) == sorted(seen[5:]) == list(range(5))
    objective.visited = 3
    assert objective.next_numbers(4, 1) == seen[3:7]


def test_examples_with_one_tree_are_counted() -> None:
    """They teach nothing, and that is said."""
    outputs = [np.zeros((1, 1)), np.zeros((2, 1)), np.zeros((1, 1))]
    prices = [np.array([1.0]), np.array([1.0, 0.0]), np.array([0.0])]
    training = in_training(Prices(prices), CostConfig(kind="toy:toy"), Ranker(outputs))
    with ThreadPoolExecutor(1) as pool:
        training.keep_up(NOTHING, 3, pool, 1)
    (report,) = training.finish_epoch()
    assert (report.examples, report.single) == (3, 2)


# -- with a parser ----------------------------------------------------------------


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "base.niwaki"
    quick_model(path, model={"greedy": False})
    return path


@pytest.fixture(scope="module")
def graph_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "graph.niwaki"
    quick_model(path, model={"kind": "graph"})
    return path


@pytest.fixture(params=["base", "graph_base"])
def any_base(request: pytest.FixtureRequest) -> Path:
    path: Path = request.getfixturevalue(request.param)
    return path


def turned_references(path: Path) -> Path:
    """References that want what no treebank says: the toy's words from last to first."""
    references = []
    for number, sentence in enumerate(read_conllu(TOY)):
        order = tuple(reversed(range(len(sentence))))
        references.append(Reference(f"s{number}", sentence.forms, order))
    write_references(references, path)
    return path


def task_config(folder: Path, **training: Any) -> Config:
    partial = [
        s.replace(heads=[h if h == 0 else -1 for h in s.heads], deprels=["_"] * len(s))
        for s in read_conllu(TOY)
    ]
    return make_config(
        {
            "objective": [
                {"data": str(TOY)},
                {
                    "kind": "reordering",
                    "data": str(turned_references(folder / "r.jsonl")),
                    "rules": "ja",
                    "schedule": 2.0,
                },
                {
                    "kind": "partial",
                    "data": str(write(folder / "p.conllu", partial)),
                    "k": "adaptive",
                    "max_k": 8,
                    "schedule": 0.3,
                },
            ],
            "tagger": QUICK["tagger"],
            "training": {"epochs": 2, "checkpoint_minutes": 0, **training},
        }
    )


class StopError(Exception):
    """What ends a run in the middle."""


class Broken(Log):
    """A reporter that counts the moments of a run, and ends it at one of them."""

    def __init__(self, last: int = -1) -> None:
        super().__init__()
        self._last, self.moments = last, 0

    def advance(self, sentences: int) -> None:
        self.moments += 1
        if self.moments == self._last:
            raise StopError


def test_several_objectives_can_be_broken_off_and_taken_up(any_base: Path, tmp_path: Path) -> None:
    init = load(any_base)
    config = task_config(tmp_path, batch_size=5)
    log = Broken()
    train(config, tmp_path / "whole", log, init=init, threads=1)
    whole = (tmp_path / "whole").read_bytes()
    names = [each.name for each in log.epochs[0].objectives]
    assert names == ["1 reordering", "2 partial"]
    first = log.epochs[0].objectives[0]
    size = len(list(read_conllu(TOY)))
    assert first.examples == 2 * size
    assert 0 < first.updates < first.examples
    assert 0 <= first.oracle < first.first <= 1
    assert 2 < first.k <= 8
    # Within the last epoch, at its beginning, within the one before, and early.
    for moment in (log.moments - 2, log.moments * 2 // 3, log.moments // 2, 8):
        with pytest.raises(StopError):
            train(config, tmp_path / "part", Broken(moment), init=init, threads=1)
        train(config, tmp_path / "part", Log(), init=init, threads=2, resume=True)
        assert (tmp_path / "part").read_bytes() == whole
        logs = [(tmp_path / f"{name}.log.jsonl").read_text() for name in ("whole", "part")]
        assert logs[0] == logs[1]
    records = [json.loads(line) for line in logs[0].splitlines()]
    assert [record["epoch"] for record in records] == [1, 1, 1, 2, 2, 2]
    (entry,) = [e for e in read_log(str(tmp_path / "whole.log.jsonl")) if e.epoch == 1][1:2]
    assert (entry.first_cost, entry.updates) == (first.first, first.updates)


def mean_cost(model: Pipeline, references: Path) -> float:
    objective = Reordering(list(read_references(references)), load_rules("ja"))
    parsed = list(model.parse(objective.sentences))
    labels = model.parser.labels
    objective.open(parsed, labels.names)
    found = []
    for number, sentence in enumerate(parsed):
        heads = np.array([sentence.heads], dtype=np.int32)
        numbers = np.array([[labels.number(x) for x in sentence.deprels]], dtype=np.int32)
        one = KBest(heads, numbers, np.zeros(1), labels.names, number=number)
        found.append(float(objective.costs([one])[0][0]))
    return float(np.mean(found))


@pytest.mark.parametrize("select", ["hard", "hope-fear", "all-cheaper", "expected"])
def test_a_parser_learns_what_the_task_wants(any_base: Path, tmp_path: Path, select: str) -> None:
    references = turned_references(tmp_path / "r.jsonl")
    objective = {"kind": "reordering", "data": str(references), "rules": "ja", "select": select}
    step = 20.0 if select == "expected" else 1.0
    config = make_config({"objective": [{**objective, "step": step}], "training": {"epochs": 6}})
    init = load(any_base)
    before = mean_cost(init, references)
    log = Log()
    model = train(config, tmp_path / "m", log, init=init, threads=1)
    after = mean_cost(load(tmp_path / "m"), references)
    assert after < before - 0.03
    # What the log says is what the file does.
    last = log.epochs[-1].objectives[0]
    assert last.written == pytest.approx(after, abs=1e-6)
    assert last.priced == len(list(read_references(references)))
    record = json.loads((tmp_path / "m.log.jsonl").read_text().splitlines()[-1])
    assert record["written_cost"] == last.written
    assert model.config["init"]["name"] == "model"
    assert model.tagger is not None


def test_known_roots_are_learned_with_the_help_of_constraints(
    any_base: Path, tmp_path: Path
) -> None:
    """Roots that no beam would think of: the first word of each sentence."""
    sentences = [
        s.replace(heads=[0] + [-1] * (len(s) - 1), deprels=["_"] * len(s)) for s in read_conllu(TOY)
    ]
    data = write(tmp_path / "p.conllu", sentences)
    config = make_config(
        {
            "objective": [{"kind": "partial", "data": str(data), **BY_THE_LETTER}],
            "training": {"epochs": 5},
        }
    )
    log = Log()
    model = train(config, tmp_path / "m", log, init=load(any_base), threads=1)
    assert log.epochs[0].objectives[0].rescued > 0
    parsed = list(model.parse(read_conllu(TOY), retag=True))
    assert sum(s.heads[0] == 0 for s in parsed) > 0.9 * len(parsed)


def test_a_cost_that_fails_stops_and_keeps_the_checkpoint(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "failing_cost.py"
    module.write_text(
        "calls = []\n"
        "def cost(example, candidates):\n"
        "    calls.append(example.id)\n"
        "    return [float('nan') if len(calls) > 40 else 1.0] * len(candidates)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    objective = {"kind": "failing_cost:cost", "data": str(TOY)}
    settings = {"epochs": 3, "checkpoint_minutes": 0}
    config = make_config({"objective": [objective], "training": settings})
    with pytest.raises(ObjectiveError, match="a cost is nan"):
        train(config, tmp_path / "m", Log(), init=load(base), threads=1)
    assert (tmp_path / "m.checkpoint").exists()
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ({"kind": "reordring", "data": str(TOY)}, "did you mean 'reordering'"),
        ({"kind": "reordering"}, "data is missing; give the files it reads"),
        ({"kind": "treebank", "data": str(TOY), "k": 4}, "k goes with a cost"),
        ({"kind": "arc-length", "data": str(TOY), "partial": True}, "partial goes with"),
        ({"kind": "arc-length", "data": str(TOY), "k": 1}, "give at least 2"),
        ({"kind": "arc-length", "data": str(TOY), "k": "many"}, "or adaptive"),
        ({"kind": "arc-length", "data": str(TOY), "schedule": 0}, "above 0"),
        ({"kind": "arc-length", "data": str(TOY), "select": "best"}, "one of hard"),
        ({"kind": "reordering", "data": str(TOY), "rules": "no.toml"}, "no file"),
    ],
)
def test_what_an_objective_cannot_be(objective: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_config({"objective": [objective]})


def test_a_model_that_is_trained_on_keeps_its_own(base: Path, tmp_path: Path) -> None:
    objective = {"kind": "arc-length", "data": str(TOY)}
    with pytest.raises(ConfigError, match="no trees to learn from"):
        train(make_config({"objective": [objective]}), tmp_path / "m", Log())
    config = make_config({"objective": [objective], "model": {"features": "rich", "beam": 5}})
    with pytest.raises(ConfigError, match=r"model\.beam cannot be chosen with --init"):
        train(config, tmp_path / "m", Log(), init=load(base))
    config = make_config({"objective": [{**objective, "select": "exact"}]})
    with pytest.raises(ConfigError, match="'exact' is for a parser that scores arcs"):
        train(config, tmp_path / "m", Log(), init=load(base))


def test_costs_from_the_first_sentence_on(tmp_path: Path) -> None:
    config = task_config(tmp_path, checkpoint_minutes=9.0, costs="throughout")
    log = Log()
    model = train(config, tmp_path / "m", log, threads=1)
    assert model.parser.greedy is not None
    assert model.config["model"]["greedy"] is True
    for stage, count in (("parser", 2), ("greedy", 12)):
        reports = [report for report in log.epochs if report.stage == stage]
        assert len(reports) == count
        assert all(report.objectives[0].updates > 0 for report in reports)


@pytest.mark.parametrize("runs", [1, 2])
def test_costs_after_the_treebank(runs: int, tmp_path: Path) -> None:
    log, alone = Log(), Log()
    config = task_config(tmp_path, checkpoint_minutes=9.0, runs=runs)
    train(config, tmp_path / "m", log, threads=1)
    lines = (tmp_path / "m.log.jsonl").read_text(encoding="utf-8").splitlines()
    stages = list(dict.fromkeys(json.loads(line)["stage"] for line in lines))
    others = ["-run2"] * (runs - 1)  # whose weights are in those that costs go on from
    wanted = [f"{way}{end}" for way in ("parser", "greedy") for end in (*others, "", "-costs")]
    assert stages == wanted
    trees = replace(config, objective=config.objective[:1])
    train(trees, tmp_path / "t", alone, threads=1)
    for stage in ("parser", "greedy"):
        # First what happens without costs, to the letter; then one epoch with them.
        first = [report for report in log.epochs if report.stage == stage]
        assert first == [report for report in alone.epochs if report.stage == stage]
        (last,) = [report for report in log.epochs if report.stage == f"{stage}-costs"]
        size = len(list(read_conllu(TOY)))
        assert [each.examples for each in last.objectives] == [2 * size, int(0.3 * size)]
        assert last.objectives[0].updates > 0


def test_few_examples_are_not_visited_without_end() -> None:
    def data(size: int, **settings: Any) -> Any:
        return SimpleNamespace(size=size, config=CostConfig(**settings))

    few, many = data(100), data(50_000)
    # 20 visits of each in all, or one for each sentence of the treebank.
    assert [x.visits(20_000) for x in schedules_of([few, many], 10_000, 2)] == [2_000, 20_000]
    # Without a treebank an epoch is a pass over the first cost, and over all others.
    assert [x.visits(100) for x in schedules_of([few, many], 0, 9)] == [100, 50_000]
    (said,) = schedules_of([data(100, schedule=3.0)], 10_000, 2)
    assert said.visits(20_000) == 60_000
