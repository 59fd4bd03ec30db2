"""Every objective that is found: costs are costs, threads change nothing, arcs add up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.answers import Answer, Question, Ranked, write_rankings
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.compressions import Compression, marked
from niwaki.data.conllu import read_conllu
from niwaki.data.connectives import Connective, Document, Place, documents
from niwaki.data.kbest import KBest
from niwaki.data.roles import Filler, Predicate, with_predicates
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.keys import keys_of
from niwaki.learning.ranker import RankerSettings
from niwaki.objectives import (
    ArcObjective,
    Objective,
    load_objective,
    objective_names,
    settings_class,
)
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.answers.learning import learn_answers
from niwaki.tasks.answers.model import Settings as AnswerSettings
from niwaki.tasks.compress.learning import learn_compressor
from niwaki.tasks.compress.model import Settings as CompressorSettings
from niwaki.tasks.connectives.candidates import DocumentView
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.model import Settings as ConnectiveSettings
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.roles.learning import learn_roles
from niwaki.tasks.roles.model import Settings as RoleSettings
from niwaki.training.config import CostConfig
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.toy import TOY, Log, quick_model, skip_without_extras, write

# Costs that count wrong heads, for objectives that ask somebody else.
_PROGRAM = """
import json, sys
from niwaki import read_conllu
from niwaki.data.sentence import Sentence
for line in sys.stdin:
    asked = json.loads(line)
    gold = Sentence.from_conllu(asked["example"]).heads
    costs = [sum(map(int.__ne__, parse["heads"], gold)) for parse in asked["parses"]]
    print(json.dumps({"id": asked["id"], "costs": costs}), flush=True)
"""


def sentences() -> list[Sentence]:
    return [s for s in read_conllu(TOY) if s.tree.is_projective and len(s) > 2][:12]


def _references(folder: Path) -> str:
    """Orders that the rules make of the gold trees, so that these are perfect."""
    rules, path = load_rules("ja"), folder / "r.jsonl"
    references = [
        Reference(str(n), s.forms, tuple(reordered.order), (), tuple(range(len(s))))
        for n, (s, reordered) in enumerate(
            zip(sentences(), Reorderer(rules).reorder(sentences()), strict=True)
        )
    ]
    write_references(references, str(path))
    return str(path)


def _trees(folder: Path) -> str:
    return str(write(folder / "t.conllu", sentences()))


def _connectives(folder: Path) -> str:
    """Words that join the root to another one, and a model that knows all of them by heart."""
    made = []
    for sentence in sentences():
        possible = DocumentView(Document((sentence,))).possible(0)
        root = sentence.tree.root
        other = next((word for word in possible if word != root), root)
        joining = next(w for w in range(1, len(sentence) + 1) if w not in (root, other))
        assert root and other
        found = Connective(0, (joining,), Place(0, root), Place(0, other))
        marked = Document((sentence,), (found,)).marked()
        made += [s.with_comments([*s.comments, "newdoc"]) for s in marked]
    model = learn_connectives(
        list(documents(made)), ConnectiveSettings(rerank=False, ranker=RankerSettings(l2=0.01))
    )
    model.save(folder / "c.niwaki")
    SETTINGS["connectives"] = {"connectives": str(folder / "c.niwaki")}
    return str(write(folder / "c.conllu", made))


def _compression(folder: Path) -> str:
    """Half of the words are kept, and a compressor that knows by heart which."""
    made = []
    for number, sentence in enumerate(sentences()):
        kept = tuple((word + number) % 2 == 0 for word in range(len(sentence)))
        made.append(Compression(sentence, (kept,)))
    settings = CompressorSettings(learner="svm", c=50.0, least_count=1, gap=0.05)
    learn_compressor(made, settings).save(folder / "s.niwaki")
    SETTINGS["compression"] = {"compressor": str(folder / "s.niwaki")}
    return str(write(folder / "s.conllu", [marked(e.sentence, e.references[0]) for e in made]))


def _roles(folder: Path) -> str:
    """All that hangs from a root fills a role, and a labeller that knows all of it by heart."""
    made = []
    for sentence in sentences():
        root = sentence.tree.root
        assert root
        below = [w for w in sentence.tree.children(root) if sentence.deprels[w - 1] != "punct"]
        fillers = tuple(Filler("ARGM-ADV", word) for word in below)
        made.append(with_predicates(sentence, [Predicate(root, "do.01", fillers)]))
    by_heart = RoleSettings(ranker=RankerSettings(l2=0.01, least_count=1))
    learn_roles(made, by_heart).save(folder / "r.niwaki")
    SETTINGS["roles"] = {"labeller": str(folder / "r.niwaki")}
    return str(write(folder / "r.conllu", made))


def _answers(folder: Path) -> str:
    """Sentences that answer themselves, beside the same words in a flat tree, which do not."""
    questions = []
    for number, sentence in enumerate(sentences()):
        last = len(sentence)
        flat = sentence.replace(heads=[last] * (last - 1) + [0], deprels=["dep"] * last)
        answers = Answer("1", flat, False), Answer("2", sentence, True)
        questions.append(Question(str(number), sentence, answers))
    settings = AnswerSettings(matchers=("quasi",), wordnet=False)
    learn_answers(questions, settings).save(folder / "a.niwaki")
    SETTINGS["answers"] = {"ranker": str(folder / "a.niwaki")}
    scores = [Ranked(each.id, {"1": 0.0, "2": 0.0}) for each in questions]
    write_rankings(zip(questions, scores, strict=True), folder / "a.jsonl", trees=True)
    return str(folder / "a.jsonl")


# What an objective needs beside its defaults: an entry here, and trees if it has none.
DATA: dict[str, Callable[[Path], str]] = {
    "answers": _answers,
    "compression": _compression,
    "connectives": _connectives,
    "reordering": _references,
    "roles": _roles,
}
SETTINGS: dict[str, dict[str, Any]] = {
    "reordering": {"rules": "ja"},
    "robustness": {"share": 0.0},  # broken words would not be those of the trees
    "command": {"command": (sys.executable, "-c", _PROGRAM)},
}


@pytest.fixture(params=objective_names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(name: str, tmp_path: Path) -> str:
    return DATA.get(name, _trees)(tmp_path)


@pytest.fixture
def objective(name: str, data: str) -> Objective:
    settings = settings_class(name)(**SETTINGS.get(name, {}))
    found = load_objective(name, [data], settings)
    found.open(sentences(), labels())
    return found


def labels() -> list[str]:
    return sorted({label for sentence in sentences() for label in sentence.deprels})


def candidates(number: int) -> KBest:
    """The right tree, the same with wrong labels, and some that are wrong."""
    random = np.random.default_rng(number)
    sentence, names = sentences()[number], labels()
    right = [names.index(label) for label in sentence.deprels]
    trees = [(sentence.heads, right), (sentence.heads, [(x + 1) % len(names) for x in right])]
    for _ in range(4):
        # Each word hangs from a word before it, or from the first: any such heads are a tree.
        heads = [0] + [int(random.integers(1, word)) for word in range(2, len(sentence) + 1)]
        trees.append((tuple(heads), random.integers(0, len(names), len(sentence)).tolist()))
    return KBest(
        np.array([heads for heads, _ in trees], dtype=np.int32),
        np.array([found for _, found in trees], dtype=np.int32),
        np.arange(len(trees), 0, -1),
        names,
        number=number,
    )


def test_examples_are_named_sentences(objective: Objective) -> None:
    assert len(objective.ids) == len(objective.sentences) == len(sentences())
    assert len(set(objective.ids)) == len(objective.ids)
    for found, sentence in zip(objective.sentences, sentences(), strict=True):
        assert found.forms == sentence.forms


def test_a_perfect_tree_costs_nothing_and_all_costs_are_finite(objective: Objective) -> None:
    found = objective.costs([candidates(n) for n in range(len(sentences()))])
    assert len(found) == len(sentences())
    for costs in found:
        assert costs.shape == (6,)
        assert np.isfinite(costs).all()
        assert costs.min() == costs[0] == 0
    assert max(costs.max() for costs in found) > 0, "something is wrong with some trees"


def test_costs_are_the_same_one_by_one_and_under_threads(objective: Objective) -> None:
    asked = [candidates(n) for n in range(len(sentences()))]
    together = objective.costs(asked)
    with ThreadPoolExecutor(4) as pool:
        single = list(pool.map(lambda each: objective.costs([each])[0], asked * 3))
    assert len(single) == 3 * len(together) == 36
    for number, costs in enumerate(single):
        assert costs.tolist() == together[number % len(asked)].tolist()


def test_costs_of_arcs_add_up(objective: Objective) -> None:
    if not isinstance(objective, ArcObjective):
        pytest.skip("its costs are no sums over arcs")
    compared = 0
    for number, sentence in enumerate(sentences()):
        arcs = objective.arc_costs(number)
        if arcs is None:
            continue
        compared += 1
        asked, words = candidates(number), np.arange(len(sentence))
        rows = asked.heads * len(sentence) + words
        priced = arcs[rows, asked.labels] if arcs.ndim == 2 else arcs[rows]
        (costs,) = objective.costs([asked])
        assert np.allclose(priced.sum(axis=1), costs)
    assert compared


def test_constraints_are_those_of_trees_that_cost_nothing(objective: Objective) -> None:
    assert len(sentences()) == len(objective.ids)
    for number, sentence in enumerate(sentences()):
        known = objective.constraints(number)
        assert known is None or not list(known.broken_by(sentence.tree))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A neural parser that has not learned for long enough to be right."""
    skip_without_extras("neural")
    path = tmp_path_factory.mktemp("network") / "neural.niwaki"
    return quick_model(path, model={"kind": "neural"}, training={"epochs": 2})


def test_a_network_is_trained_by_it(
    name: str, data: str, network: Pipeline, tmp_path: Path
) -> None:
    if name in ("treebank", "robustness"):
        pytest.skip("no cost, or one of broken words, which has a test of its own")
    said = {"kind": name, "data": data, **SETTINGS.get(name, {})}
    log, config = Log(), make_config({"objective": [said], "training": {"epochs": 4}})
    model = train(config, tmp_path / "on.niwaki", log, init=network, threads=1)
    told = [epoch.objectives[0] for epoch in log.epochs]
    assert sum(each.updates for each in told) > 0
    assert told[-1].first <= told[0].first
    assert model.config["model"]["kind"] == "neural"
    assert all(sentence.tree.is_complete for sentence in model.parse(sentences()))


def test_its_keys(name: str, data: str) -> None:
    if name == "treebank":
        pytest.skip("in a configuration a treebank is no cost")
    said = {"kind": name, "data": data, **SETTINGS.get(name, {})}
    (objective,) = make_config({"objective": [said]}).objective
    assert isinstance(objective, CostConfig)
    assert objective.settings == settings_class(name)(**SETTINGS.get(name, {}))
    own = {key.name for key in keys_of(settings_class(name))}
    assert not own & {key.name for key in keys_of(CostConfig)}, "a key has one owner"
    with pytest.raises(ConfigError, match=r"unknown key objective\[0\].no_such_key"):
        make_config({"objective": [{**said, "no_such_key": 1}]})
    others = [other for other in objective_names() if other not in (name, "treebank")]
    strange = {key.name for other in others for key in keys_of(settings_class(other))} - own
    for key in sorted(strange):
        with pytest.raises(ConfigError, match=rf"objective\[0\].{key} goes with kind = "):
            make_config({"objective": [{**said, key: "ja"}]})
    assert strange
