"""Costs are what they are said to be, and those from outside are checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki import objectives
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.conllu import read_conllu
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError, ObjectiveError
from niwaki.metrics.reordering import evaluate_orders
from niwaki.objectives import checked_costs, load_objective, objective_names, settings_class
from niwaki.objectives._examples import Example
from niwaki.objectives._function import FunctionObjective
from niwaki.objectives.arc_length import ArcLength
from niwaki.objectives.command import CommandObjective
from niwaki.objectives.partial import Partial
from niwaki.objectives.reordering import Reordering
from niwaki.objectives.treebank import Treebank
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.card import card_of
from niwaki.training.config import CostConfig
from niwaki.training.config_file import make_config
from tests.toy import TOY, write

LABELS = ["root", "nsubj", "obj", "det", "advmod"]
GOLD = Sentence.from_words(
    ["the", "pine", "drops", "needles", "quietly"],
    heads=[2, 3, 0, 3, 3],
    deprels=["det", "nsubj", "root", "obj", "advmod"],
)
RIGHT = ([2, 3, 0, 3, 3], [3, 1, 0, 2, 4])
WRONG_LABEL = ([2, 3, 0, 3, 3], [3, 2, 0, 2, 4])
WRONG_ROOT = ([2, 4, 4, 0, 4], [3, 1, 1, 0, 4])


def arrays(number: int, *trees: tuple[list[int], list[int]]) -> KBest:
    heads = np.array([tree[0] for tree in trees], dtype=np.int32)
    labels = np.array([tree[1] for tree in trees], dtype=np.int32)
    scores = np.arange(len(trees), 0, -1).astype(np.float32)
    return KBest(heads, labels, scores, LABELS, number=number)


THREE = arrays(0, RIGHT, WRONG_LABEL, WRONG_ROOT)


def costs(objective: Any, candidates: KBest = THREE) -> list[float]:
    objective.open(objective.sentences, LABELS)
    (found,) = objective.costs([candidates])
    return [round(cost, 6) for cost in found.tolist()]


def test_treebank_counts_wrong_words() -> None:
    # Of the wrong root's arcs only that of "the" is right.
    assert costs(Treebank([GOLD])) == [0, 0.2, 0.8]
    assert costs(Treebank([GOLD], labelled=False)) == [0, 0, 0.8]
    assert costs(Treebank([GOLD], exact=True)) == [0, 1, 1]


def test_arc_length_weighs_arcs_by_their_length() -> None:
    # Lengths 1, 1, 3 (the root), 1, 2: eight in all.
    assert costs(ArcLength([GOLD])) == [0, 0.125, 0.875]
    assert costs(ArcLength([GOLD], labelled=False)) == [0, 0, 0.875]


def test_partial_trees_ask_for_what_is_known_only() -> None:
    blank = ["_"] * 5
    root_only = GOLD.replace(heads=[-1, -1, 0, -1, -1], deprels=blank)
    assert costs(Partial([root_only])) == [0, 0, 1]
    more = GOLD.replace(heads=[-1, 3, 0, -1, -1], deprels=["_", "nsubj", "_", "_", "_"])
    assert costs(Partial([more])) == [0, round(1 / 3, 6), round(2 / 3, 6)]
    notes = ["_", "_", "_", "Subtree=A", "Subtree=A|Forbid=3|LabelSet=obl"]
    listed = root_only.replace(misc=notes)
    # Known: the root, a subtree and a label that nobody has, and a head that is forbidden.
    assert costs(Partial([listed])) == [0.75, 0.75, 0.75]
    assert not Partial([GOLD.replace(heads=[-1] * 5, deprels=blank)]).sentences


def toy_references() -> tuple[list[Sentence], list[Reference]]:
    """Sentences, and orders that nothing is behind but a seed."""
    random = np.random.default_rng(3)
    sentences = list(read_conllu(TOY))[:40]
    references = []
    for number, sentence in enumerate(sentences):
        words = len(sentence)
        order = tuple(random.permutation(words).tolist())
        linked = tuple(np.flatnonzero(random.random(words) < 0.7).tolist())
        groups = (tuple(order[:2]),) if words > 3 else ()
        references.append(Reference(str(number), sentence.forms, order, groups, linked))
    return sentences, references


@pytest.mark.parametrize("words", ["linked", "all"])
def test_reordering_costs_are_those_of_rules_and_score_tree_by_tree(words: str) -> None:
    sentences, references = toy_references()
    labels = sorted({label for sentence in sentences for label in sentence.deprels})
    rules = load_rules("ja")
    objective = Reordering(references, rules, words)
    kept = [int(name) for name in objective.ids]
    tagged = [sentences[number] for number in kept]
    objective.open(tagged, labels)
    random = np.random.default_rng(4)
    batch = []
    for number, sentence in enumerate(tagged):
        trees = []
        for _ in range(1 + number % 3):
            # Each word hangs from a word before it, or from the first: any such heads are a tree.
            heads = [0] + [int(random.integers(1, word)) for word in range(2, len(sentence) + 1)]
            trees.append((heads, random.integers(0, len(labels), len(sentence)).tolist()))
        batch.append(arrays(number, *trees))
    found = objective.costs(batch)
    for candidates, cost in zip(batch, found, strict=True):
        sentence = tagged[candidates.number]
        parsed = [
            sentence.replace(heads=heads, deprels=[labels[label] for label in row])
            for heads, row in zip(
                candidates.heads.tolist(), candidates.labels.tolist(), strict=True
            )
        ]
        orders = [each.order for each in Reorderer(rules).reorder(parsed)]
        same = [references[kept[candidates.number]]] * len(orders)
        scores = evaluate_orders(same, orders).of("frs_linked" if words == "linked" else "frs")
        assert np.allclose(cost, 1 - scores)
    assert len({round(float(c), 3) for cost in found for c in cost}) > 3


def test_objectives_are_found_by_their_files(tmp_path: Path) -> None:
    assert {"treebank", "reordering", "partial", "arc-length", "command"} <= set(objective_names())
    data = str(write(tmp_path / "t.conllu", [GOLD]))
    for name in ("treebank", "arc-length", "partial"):
        objective = load_objective(name, [data])
        assert len(objective.sentences) == len(objective.ids) == 1
        assert costs(objective)[0] == 0
    references = str(tmp_path / "r.jsonl")
    write_references(toy_references()[1], references)
    objective = load_objective("reordering", [references], settings_class("reordering")(rules="ja"))
    assert len(objective.sentences) > 30
    with pytest.raises(ConfigError, match="rules is missing; give a set of rules"):
        load_objective("reordering", [references])
    with pytest.raises(ConfigError, match="did you mean 'partial'"):
        load_objective("partal", [data])
    with pytest.raises(ConfigError, match="no_such_module"):
        load_objective("no_such_module:cost", [data])
    with pytest.raises(ConfigError, match="command is missing; give a program"):
        load_objective("command", [data])


def test_costs_from_outside_are_checked() -> None:
    assert checked_costs([0, 1.5], 2, "a").tolist() == [0, 1.5]
    for found, message in (
        ([1.0], "1 costs for 2"),
        ([0.0, float("nan")], "a cost is nan"),
        ("no", "costs are"),
        (3.0, "something that is no list"),
    ):
        with pytest.raises(ObjectiveError, match=f"example 'ex-7': {message}"):
            checked_costs(found, 2, "ex-7")


def example(name: str = "ex-7") -> Example:
    return Example(name, (GOLD,), {"verb": "drops"})


def test_a_function_sees_the_example_and_its_candidates() -> None:
    def main_verb(record: dict[str, str], candidates: KBest) -> list[float]:
        forms = candidates.sentence.forms
        return [float(forms[tree.root - 1] != record["verb"]) for tree in candidates]

    assert costs(FunctionObjective([example()], main_verb)) == [0, 0, 1]

    def broken(record: dict[str, str], candidates: KBest) -> list[float]:
        raise KeyError("verb")

    with pytest.raises(ObjectiveError, match="example 'ex-7': the cost raised KeyError"):
        costs(FunctionObjective([example()], broken))


PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    wanted = asked["tokens"].index(asked["example"]["verb"]) + 1
    costs = [0.0 if parse["heads"][wanted - 1] == 0 else 1.0 for parse in asked["parses"]]
    assert all(len(parse["upos"]) == len(parse["deprels"]) for parse in asked["parses"])
    print(json.dumps({"id": asked["id"], "costs": costs}), flush=True)
"""


def test_a_program_is_asked_line_by_line(tmp_path: Path) -> None:
    script = tmp_path / "cost.py"
    script.write_text(PROGRAM)
    objective = CommandObjective([example(), example("ex-8")], [sys.executable, str(script)])
    objective.open(objective.sentences, LABELS)
    for _ in range(2):
        found = objective.costs([THREE, arrays(1, WRONG_ROOT)])
        assert [each.tolist() for each in found] == [[0, 0, 1], [1]]
    objective.close()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "ended with status 0"),
        ("print('what?', flush=True); sys.stdin.read()", "answered 'what"),
        ("print(json.dumps({'id': 'other', 'costs': [0]}), flush=True)", "answered for 'other'"),
        ("print(json.dumps({'id': 'ex-7', 'costs': [0]}), flush=True)", "1 costs for 3"),
    ],
)
def test_a_program_that_fails_stops_with_the_example(answer: str, message: str) -> None:
    code = f"import json, sys\nsys.stdin.readline()\n{answer}"
    objective = CommandObjective([example()], [sys.executable, "-c", code])
    with pytest.raises(ObjectiveError, match=f"example 'ex-7': .*{message}"):
        costs(objective)
    with pytest.raises(ObjectiveError, match="cannot be started"):
        costs(CommandObjective([example()], ["/no/such/program"]))


def test_examples_are_sentences_or_records(tmp_path: Path) -> None:
    lines = tmp_path / "e.jsonl"
    lines.write_text(json.dumps({"id": 5, "tokens": ["a", "b"], "more": [1]}) + "\n")
    settings = settings_class("command")(command=("true",))
    (one,) = load_objective("command", [str(lines)], settings).sentences
    assert one.forms == ("a", "b")
    lines.write_text('{"tokens": "a b"}\n')
    with pytest.raises(Exception, match=r"e.jsonl:1:tokens: .*give a list of words"):
        load_objective("command", [str(lines)], settings)
    for word in ("", "a\\tb", "\\u0000", "\\ud800"):
        lines.write_text(f'{{"tokens": ["a", "{word}"]}}\n')
        with pytest.raises(
            CorpusError, match=r"e.jsonl:1:tokens: .*give words as CoNLL-U has them"
        ):
            load_objective("command", [str(lines)], settings)
    trees = str(write(tmp_path / "t.conllu", [GOLD]))
    assert load_objective("command", [trees], settings).sentences[0].heads == GOLD.heads


WITH_SETTINGS = '''
from dataclasses import dataclass

from niwaki.keys import key


@dataclass(frozen=True)
class Settings:
    """What is wanted."""

    root: str = key("drops", "The word that should be the root.")
    price: float = key(1.0, "What any other root costs.", above=0)


def cost(example, candidates, settings):
    forms = candidates.sentence.forms
    return [0 if forms[t.root - 1] == settings.root else settings.price for t in candidates]


cost.settings = Settings


def wrong(example, candidates):
    return [0] * len(candidates)


wrong.settings = "a text"
'''


def test_a_function_may_declare_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root_cost.py").write_text(WITH_SETTINGS)
    monkeypatch.syspath_prepend(tmp_path)
    data = str(write(tmp_path / "t.conllu", [GOLD]))
    said = {"kind": "root_cost:cost", "data": data}
    config = make_config({"objective": [{**said, "price": 3}]})
    (objective,) = config.objective
    assert isinstance(objective, CostConfig)
    assert (objective.settings.root, objective.settings.price) == ("drops", 3.0)
    assert config.to_json()["objective"][0]["price"] == 3.0
    assert costs(load_objective(objective.kind, [data], objective.settings)) == [0, 0, 3]
    assert costs(load_objective(objective.kind, [data])) == [0, 0, 1]
    for wrong, message in (
        ({**said, "price": 0}, r"objective\[0\].price is 0.0; give a number above 0"),
        ({**said, "rot": "x"}, "did you mean 'root'"),
        ({**said, "labelled": True}, 'labelled goes with kind = "arc-length"'),
        ({**said, "kind": "root_cost:wrong"}, "`settings` is no dataclass of keys"),
        ({**said, "kind": "root_cost:nothing"}, "no attribute 'nothing'"),
        ({**said, "kind": ".relative:cost"}, "that can be imported from here"),
    ):
        with pytest.raises(ConfigError, match=message):
            make_config({"objective": [wrong]})


def test_an_objective_with_a_setting_is_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "main_verb.py").write_text(ONE_FILE)
    monkeypatch.setattr(objectives, "__path__", [*objectives.__path__, str(tmp_path)])
    data = str(write(tmp_path / "t.conllu", [GOLD]))
    assert "main-verb" in objective_names()
    config = make_config({"objective": [{"kind": "main-verb", "data": data, "verb": "pine"}]})
    (objective,) = config.objective
    assert isinstance(objective, CostConfig)
    assert costs(load_objective("main-verb", [data], objective.settings)) == [1, 1, 1]
    assert card_of(config)["objective"][0]["verb"] == "pine"
    with pytest.raises(ConfigError, match='verb goes with kind = "main-verb"; leave one out'):
        make_config({"objective": [{"kind": "arc-length", "data": data, "verb": "pine"}]})
    monkeypatch.undo()
    sys.modules.pop("niwaki.objectives.main_verb")


ONE_FILE = '''
"""Which word is the root."""

from dataclasses import dataclass

from niwaki.keys import key
from niwaki.objectives._examples import read_examples
from niwaki.objectives._function import FunctionObjective


@dataclass(frozen=True)
class Settings:
    """What is wanted."""

    verb: str = key("", "The verb.", needed="a verb")


def load(files, settings):
    def cost(example, candidates):
        forms = candidates.sentence.forms
        return [float(forms[tree.root - 1] != settings.verb) for tree in candidates]

    return FunctionObjective(read_examples(files), cost)
'''
