"""Examples of several sentences: how they are priced, learned from, and refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from niwaki.analysis.tradeoff import weigh_up
from niwaki.data.conllu import read_conllu
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError, NiwakiError, ObjectiveError
from niwaki.objectives import GroupObjective, costs_of_trees, load_objective
from niwaki.objectives.command import Settings as CommandSettings
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.config import Config, CostConfig
from niwaki.training.config_file import make_config
from niwaki.training.examples import load_costs
from niwaki.training.objectives import ObjectivesInTraining
from niwaki.training.pricing import GroupPricer
from niwaki.training.run import train
from niwaki.training.self_training import Plan, Selection, self_train
from tests.costs import in_training
from tests.toy import QUICK, TOY, Log, niwaki, quick_model
from tests.training.test_costs import BY_THE_LETTER, NOTHING, Broken, Ranker, StopError

Numbers = NDArray[np.float64]


class GroupPrices:
    """An objective that knows what each combination of outputs costs."""

    def __init__(self, prices: Sequence[Numbers]) -> None:
        self.prices = list(prices)
        self.ids = [str(number) for number in range(len(self.prices))]
        sizes = [table.ndim for table in self.prices]
        starts = np.cumsum([0, *sizes]).tolist()
        self.groups = [range(a, a + size) for a, size in zip(starts, sizes, strict=False)]
        self.sentences = [Sentence.from_words(["x"])] * sum(sizes)
        self.asked: list[list[list[int]]] = []

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None: ...

    def group_costs(self, number: int, candidates: Sequence[KBest]) -> Numbers:
        assert [each.number for each in candidates] == list(self.groups[number])
        assert len({len(each) for each in candidates}) == 1, "as many trees of each sentence"
        rows = np.stack([each.heads[:, 0] for each in candidates], axis=1)
        self.asked.append(rows.tolist())
        return np.asarray(self.prices[number][tuple(rows.T)], dtype=np.float64)


def ranked(count: int, outputs: int) -> Ranker:
    """For each of so many sentences a parser that prefers its outputs in their order."""
    vectors = [np.zeros((outputs, count * outputs)) for _ in range(count)]
    for s, each in enumerate(vectors):
        each[:, s * outputs : (s + 1) * outputs] = np.eye(outputs)
    return Ranker(vectors, np.tile(np.arange(outputs, 0, -1.0), count))


def learned(
    prices: Sequence[Numbers], ranker: Ranker, visits: int = 40, **keys: Any
) -> tuple[float, ObjectivesInTraining]:
    """The mean cost of the first trees after so many visits, one example at a time."""
    objective = GroupPrices(prices)
    training = in_training(
        objective, CostConfig(kind="toy:toy", **{**BY_THE_LETTER, **keys}), ranker
    )
    with ThreadPoolExecutor(1) as pool:
        for visited in range(1, visits + 1):
            training.keep_up(NOTHING, visited, pool, 1)
    costs = []
    for number, group in enumerate(objective.groups):
        best = [ranker.kbest(s, 1) for s in group]
        costs.append(objective.group_costs(number, best)[0])
    return float(np.mean(costs)), training


# What is perfect only if both change at once: each alone makes it worse.
BOTH = np.array([[1.0, 2.0], [2.0, 0.0]])


def test_combinations_find_what_one_sentence_at_a_time_does_not() -> None:
    assert learned([BOTH], ranked(2, 2), k=2, joint=4)[0] == 0
    cost, training = learned([BOTH], ranked(2, 2), k=2, joint=3)
    assert cost == 1
    (report,) = training.finish_epoch()
    assert (report.updates, report.first, report.oracle) == (0, 1, 1)


def test_of_two_that_disagree_one_gives_way() -> None:
    """If each were priced with the other as it was, both would, and disagree again."""
    disagree = 1 - np.eye(2)
    for joint, changes in ((4, [0, 0, 1, -1]), (3, [-1, 1, 0, 0])):
        before = np.array([2.0, 1.0, 1.0, 2.0])
        ranker = Ranker(ranked(2, 2).outputs, before)
        cost, _ = learned([disagree], ranker, visits=1, k=2, joint=joint)
        assert cost == 0
        assert (ranker.weights - before).tolist() == changes


def test_one_sentence_at_a_time_reaches_further_down_the_lists() -> None:
    """Prices that add up, of three sentences whose sixth trees are right: 512 combinations."""
    prices = np.full((8, 8, 8), 3.0)
    for axis in range(3):
        place: list[Any] = [slice(None)] * 3
        place[axis] = 5
        prices[tuple(place)] -= 1
    assert learned([prices], ranked(3, 8), k=8, joint=64)[0] == 0
    # As many combinations as may be priced together are those of four trees each.
    assert learned([prices], ranked(3, 8), k=4, joint=64)[0] == 3
    assert learned([prices], ranked(3, 8), k=8, joint=512)[0] == 0


def test_all_combinations_are_asked_for_once_the_first_trees_first() -> None:
    objective = GroupPrices([BOTH, np.zeros((2, 2, 2))])
    ranker = ranked(5, 2)
    pricer = GroupPricer(CostConfig(kind="toy:toy", k=2, joint=4), objective, ranker)
    pair, triple = pricer.price([0, 1])
    assert objective.asked[0] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    # Eight are too many: each sentence has its turn.
    assert objective.asked[1:] == [
        [[0, 0, 0], [1, 0, 0]],
        [[0, 0, 0], [0, 1, 0]],
        [[0, 0, 0], [0, 0, 1]],
    ]
    assert [len(pair), len(triple)] == [1, 3]
    assert pair[0].costs.tolist() == [1, 2, 2, 0]
    # The score of a combination is the sum of those of its trees.
    assert pair[0].scores.tolist() == [4, 3, 3, 2]


def test_only_sentences_whose_trees_differ_are_changed() -> None:
    ranker = ranked(2, 2)
    before = ranker.weights.copy()
    learned([np.array([[1.0, 1.0], [0.0, 1.0]])], ranker, visits=1, k=2, step=0.5)
    assert (ranker.weights - before).tolist() == [-0.5, 0.5, 0, 0]


@pytest.mark.parametrize(
    ("select", "scale"), [("hope-fear", 5.0), ("all-cheaper", "auto"), ("expected", 10.0)]
)
def test_other_choices(select: str, scale: Any) -> None:
    cost, _ = learned([BOTH], ranked(2, 2), visits=200, k=2, select=select, scale=scale)
    assert cost == 0


def test_adaptive_lists_are_as_long_as_they_may_be() -> None:
    objective = GroupPrices([np.zeros((4, 4))])
    config = CostConfig(kind="toy:toy", k="adaptive", max_k=4)
    GroupPricer(config, objective, ranked(2, 4)).price([0])
    assert len(objective.asked[0]) == 16


# -- with a parser ---------------------------------------------------------------------------


def ends_are_objects(example: dict[str, Any], candidates: Sequence[KBest]) -> list[float]:
    """The share of sentences whose last word is no object; no treebank says that it is."""
    for each, tokens in zip(candidates, example["sentences"], strict=True):
        assert each.sentence.forms == tuple(tokens)
        assert "_" not in each.sentence.upos, "as it is tagged"
    wrong = [[tree.deprels[-1] != "obj" for tree in each] for each in candidates]
    return [sum(row) / len(row) for row in zip(*wrong, strict=True)]


KIND = f"{__name__}:ends_are_objects"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    forms = [list(sentence.forms) for sentence in read_conllu(TOY)]
    rows = [{"id": f"p{n}", "sentences": forms[n : n + 2]} for n in range(0, len(forms) - 1, 2)]
    return lines(tmp_path_factory.mktemp("pairs") / "pairs.jsonl", rows)


def lines(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["transition", "graph"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def base(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    path = tmp_path_factory.mktemp("base") / "base.niwaki"
    return quick_model(path, model={"kind": kind})


def task(pairs: Path, model: dict[str, Any] | None = None, cost: str = KIND, **keys: Any) -> Config:
    """Pairs alone for a model that is trained on, and beside trees for a new one."""
    objective = {"kind": cost, "data": str(pairs), "schedule": 2.0, **keys}
    record: dict[str, Any] = {
        "objective": [{"data": str(TOY)}, objective] if model else [objective],
        "training": {"epochs": 3, "checkpoint_minutes": 0, "batch_size": 5},
    }
    return make_config(record | ({"model": model, "tagger": QUICK["tagger"]} if model else {}))


def mean_cost(model: Pipeline, pairs: Path) -> float:
    objective = load_objective(KIND, [str(pairs)])
    return float(costs_of_trees(objective, list(model.parse(objective.sentences))).mean())


@pytest.mark.parametrize("joint", [64, 0])
def test_both_families_learn_it(
    base: Pipeline, kind: str, pairs: Path, tmp_path: Path, joint: int
) -> None:
    assert mean_cost(base, pairs) == 1
    log = Log()
    on = train(
        task(pairs, joint=joint, select="hard", step=4.0),
        tmp_path / "on",
        log,
        init=base,
        threads=1,
    )
    assert mean_cost(on, pairs) < 0.5
    size = len(pairs.read_text(encoding="utf-8").splitlines())
    (report,) = log.epochs[0].objectives
    assert report.examples == 2 * size
    assert 0 < report.updates <= report.examples
    assert 0 <= report.oracle < report.first <= 1
    # Combinations, or the lists of two sentences.
    assert 16 < report.k <= 64 if joint else 8 < report.k <= 16
    # From nothing, against what the treebank says.
    config = task(pairs, {"kind": kind}, joint=joint, select="hard", step=4.0)
    new = train(config, tmp_path / "new", threads=1)
    assert mean_cost(new, pairs) < 0.5


def test_threads_and_interruptions_change_nothing(
    base: Pipeline, pairs: Path, tmp_path: Path
) -> None:
    config, log = task(pairs), Broken()
    train(config, tmp_path / "whole", log, init=base, threads=1)
    whole = (tmp_path / "whole").read_bytes()
    train(config, tmp_path / "threads", init=base, threads=3)
    assert (tmp_path / "threads").read_bytes() == whole
    for moment in (log.moments - 2, log.moments // 2):
        with pytest.raises(StopError):
            train(config, tmp_path / "part", Broken(moment), init=base, threads=1)
        train(config, tmp_path / "part", Log(), init=base, threads=2, resume=True)
        assert (tmp_path / "part").read_bytes() == whole


# -- programs and other commands -------------------------------------------------------------

PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    assert asked["sentences"] == asked["example"]["sentences"] and "tokens" not in asked
    costs = []
    for parse in asked["parses"]:
        for tree, tokens in zip(parse["trees"], asked["sentences"], strict=True):
            assert len(tree["heads"]) == len(tree["deprels"]) == len(tree["upos"]) == len(tokens)
        wrong = [tree["deprels"][-1] != "obj" for tree in parse["trees"]]
        costs.append(sum(wrong) / len(wrong))
    print(json.dumps({"id": asked["id"], "costs": costs}), flush=True)
"""


def test_a_program_tells_the_same(model: Pipeline, pairs: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-c", PROGRAM)
    asked = load_objective("command", [str(pairs)], CommandSettings(command))
    called = load_objective(KIND, [str(pairs)])
    assert isinstance(asked, GroupObjective)
    parsed = list(model.parse(asked.sentences))
    found = costs_of_trees(asked, parsed)
    assert found.tolist() == costs_of_trees(called, parsed).tolist()
    config = task(pairs, cost="command", command=list(command))
    after = train(config, tmp_path / "after", init=model, threads=2)
    assert mean_cost(after, pairs) < 0.6 * mean_cost(model, pairs)


def test_what_was_gained_is_weighed(model: Pipeline, pairs: Path, tmp_path: Path) -> None:
    config = task(pairs)
    after = train(config, tmp_path / "after", init=model, threads=1)
    gold = list(read_conllu(TOY))
    objectives = {each.name: each.objective for each in load_costs(config)}
    report = weigh_up(("a", "b"), (model, after), gold, objectives, samples=20)
    (costs,) = report.costs
    assert (costs.a, costs.b) == (mean_cost(model, pairs), mean_cost(after, pairs))
    assert costs.b < costs.a
    # Sentences are shown with the cost of their example.
    assert {each.cost_before for each in report.changed} == {1.0}
    assert {each.id for each in report.changed} <= set(objectives[f"0 {KIND}"].ids)


def test_self_training_refuses_it_in_one_line(model: Pipeline, pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="self-training chooses trees sentence by sent") as caught:
        self_train(task(pairs), model, tmp_path / "x", Plan(Selection()), Log())
    assert "\n" not in str(caught.value)


# -- what is refused -------------------------------------------------------------------------

GOOD = {"id": "g", "sentences": [["a", "b"], ["c"]]}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([GOOD, {"sentences": []}], r":2:sentences: found '\[\]'; give a list of lists of words"),
        ([{"sentences": "a b"}], "give a list of lists of words"),
        ([{"sentences": [["a"], []]}], r"sentences: found '\[\]'; give a list of words"),
        ([{"sentences": [["a"], "b"]}], "give a list of words"),
        ([{"sentences": [["a"], [1]]}], r"found '\[1\]'; give a list of words"),
        ([GOOD, {"tokens": ["a"]}], "some examples have `tokens` and some `sentences`; give one"),
    ],
)
def test_bad_data(tmp_path: Path, rows: list[Any], message: str) -> None:
    path = lines(tmp_path / "bad.jsonl", rows)
    with pytest.raises((CorpusError, ConfigError), match=message) as caught:
        load_objective(KIND, [str(path)])
    assert "\n" not in str(caught.value)
    assert "bad.jsonl" in str(caught.value)


def too_few(example: Any, candidates: Any) -> list[float]:
    return [0.0]


def endless(example: Any, candidates: Any) -> list[float]:
    return [float("nan")] * len(candidates[0])


def broken(example: Any, candidates: Any) -> list[float]:
    raise KeyError("subject")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (too_few, "example 'p.*': 1 costs for .* candidates; give one for each"),
        (endless, "example 'p.*': a cost is nan; give finite numbers"),
        (broken, "example 'p.*': the cost raised KeyError: 'subject'"),
    ],
)
def test_bad_costs(
    model: Pipeline, pairs: Path, tmp_path: Path, function: Any, message: str
) -> None:
    config = task(pairs, cost=f"{__name__}:{function.__name__}")
    with pytest.raises(ObjectiveError, match=message) as caught:
        train(config, tmp_path / "x", init=model, threads=1)
    assert "\n" not in str(caught.value)


def test_what_goes_with_sentences_only(model: Pipeline, pairs: Path, tmp_path: Path) -> None:
    refused: list[tuple[Pipeline | None, dict[str, Any]]]
    refused = [(model, {"tags": 2}), (None, {"select": "augmented"})]
    for init, keys in refused:
        config = task(pairs, None if init else {"kind": "graph"}, **keys)
        with pytest.raises(NiwakiError, match="examples of several sentences go with neither"):
            train(config, tmp_path / "x", init=init, threads=1)


def test_the_command_says_it_in_one_line(pairs: Path, model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "task.toml"
    text = f'[[objective]]\ndata = "{TOY}"\n[[objective]]\nkind = "{KIND}"\ndata = "{pairs}"\n'
    path.write_text(text, encoding="utf-8")
    done = niwaki("self-train", path, "-m", model_path, "-o", tmp_path / "x")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("niwaki: self-training chooses trees")
