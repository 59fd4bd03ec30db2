"""Rule files and reordering: what is read, what is refused, what is explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, RulesError
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules, parse_rules
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.reorder.rulewriting import format_rules

HIT = Sentence.from_words(
    "John can hit the ball .".split(),
    xpos="NNP MD VB DT NN .".split(),
    heads=[3, 3, 0, 5, 3, 3],
    deprels="nsubj aux root det dobj punct".split(),
)
THREE = """
labels = "sd"
[[rule]]
name = "verb"
head = { xpos = "VB" }
tuples = [
  { label = "nsubj", weight = 2 },
  { label = "dobj", weight = 1 },
  { label = "self", weight = 0 },
]
"""


def reordered(text: str, sentence: Sentence = HIT) -> str:
    (found,) = Reorderer(parse_rules(text)).reorder([sentence])
    return " ".join(found.tokens)


def test_the_three_tuple_rule_of_the_paper() -> None:
    assert reordered(THREE) == "John the ball can hit ."


def test_explanation() -> None:
    (found,) = Reorderer(load_rules("xu2009-sd")).reorder([HIT])
    (move,) = [move for move in found.moves() if move.moved]
    assert (move.head, move.rule.name, move.before) == (3, "verb", (1, 2, 3, 5, 6))
    assert [(p.word, p.label, p.weight, p.why) for p in move.after] == [
        (1, "nsubj", 0, "tuple"),
        (5, "dobj", -1, "tuple"),
        (3, "self", -2, "self"),
        (2, "aux", -2, "tuple"),
        (6, "punct", 0, "barrier"),
    ]
    assert found.applied == {"verb", "noun"}


def test_barriers_keep_their_place_and_both_sides_are_sorted() -> None:
    text = """
labels = "any"
[[rule]]
name = "all"
barriers = ["stop"]
tuples = [{ label = "self", weight = -1 }, { label = "first", weight = 1 }]
"""
    sentence = Sentence.from_words(
        "a h f | b f".split(),
        heads=[2, 0, 2, 2, 2, 2],
        deprels="x root first stop x first".split(),
    )
    assert reordered(text, sentence) == "f a h | f b"


def test_a_rule_that_is_switched_off_still_takes_its_heads() -> None:
    rules = load_rules("xu2009-sd")
    verb = rules.rules[0]
    (found,) = Reorderer(rules.without(verb)).reorder([HIT])
    assert found.tokens == HIT.forms
    own = next(each for each in verb.placements if each.is_self)
    (found,) = Reorderer(rules.without(verb, own)).reorder([HIT])
    assert " ".join(found.tokens) == "John hit the ball can ."


def test_a_cycle_is_named() -> None:
    text = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    with pytest.raises(CorpusError, match="f:7:HEAD: heads that form a cycle"):
        list(Reorderer(load_rules("ja")).reorder([Sentence(text.encode(), "f", 7)]))


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (('name = "verb"', 'nam = "verb"'), 4, "unknown key 'nam'; did you mean 'name'?"),
        (('xpos = "VB"', 'xposs = "VB"'), 5, "unknown key 'xposs'; did you mean 'xpos'?"),
        (('"dobj", weight', '"dobj", wieght'), 8, "unknown key 'wieght'; did you mean 'weight'?"),
        (('"dobj"', '"dobjj"'), 8, "label 'dobjj' is not one of sd; did you mean 'dobj'?"),
        (('labels = "sd"', 'labels = "xy"'), 2, "labels 'xy'"),
        (("weight = 1 }", 'weight = 2, order = "REVERSE" }'), 8, "weight 2 with both"),
        (("weight = 1 }", 'weight = 0, order = "REVERSE" }'), 9, "weight 0 with both"),
        (("weight = 1 }", 'weight = 1, order = "REVERSED" }'), 8, "did you mean 'REVERSE'?"),
        (("weight = 1 }", "weight = true }"), 8, "weight 'True'; give a number"),
        (("weight = 1 }", "weight = inf }"), 8, "give a finite number"),
        (("weight = 1 }", 'side = "left" }'), 8, "side 'left'"),
        (('"dobj", weight', '"self", weight'), 9, "a second tuple for self"),
        (('label = "self"', 'label = "self", side = "after"'), 9, "side for self"),
        (('label = "dobj", ', ""), 8, "a tuple without a label"),
        (('label = "dobj"', 'label = "dobj", upos = "VRB"'), 8, "did you mean 'VERB'?"),
        (('label = "dobj"', 'label = "dobj", children = "5-2"'), 8, "children '5-2'"),
        (('label = "dobj"', 'label = "dobj", feats = "X"'), 8, "write Name=Value"),
        (('name = "verb"', ""), 3, "a rule without a name"),
        (("[[rule]]", "[[rule]"), 3, "not TOML"),
        (("]\n", ']\n[[rule]]\nname = "verb"\n'), 12, "a second rule 'verb'"),
        (("]\n", ']\n[[example]]\ntext = "a"\n'), 11, "an example without heads"),
        (
            ("]\n", ']\n[[example]]\ntext = "a"\nheads = [0, 1]\nlabels = "x"\ngives = "a"\n'),
            11,
            "a wrong example",
        ),
        (('labels = "sd"', 'labels = "sd"\nextends = "jaa"'), 3, "did you mean 'ja'?"),
        (('labels = "sd"', 'labels = "sd"\nextends = "ja"'), 3, "ja has labels 'ud'"),
    ],
)
def test_faults_are_told_with_their_line(change: tuple[str, str], line: int, message: str) -> None:
    assert change[0] in THREE
    text = (
        THREE[:-2] + THREE[-2:].replace(*change) if change[0] == "]\n" else THREE.replace(*change)
    )
    with pytest.raises(RulesError) as caught:
        parse_rules(text, "my.toml")
    assert str(caught.value).startswith(f"my.toml:{line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_reverse_at_the_default_weight_contradicts_children_without_a_tuple() -> None:
    text = THREE.replace(
        'label = "self", weight = 0', 'label = "self", weight = 0, order = "REVERSE"'
    )
    with pytest.raises(RulesError, match="children without a tuple have weight 0"):
        parse_rules(text)


def test_names_and_files(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="did you mean 'ja'"):
        load_rules("jaa")
    path = tmp_path / "own.toml"
    path.write_text(THREE)
    assert load_rules(path).name == "own"
    path.write_bytes(b'description = "\xff"')
    with pytest.raises(RulesError, match=r"own.toml:1: invalid UTF-8"):
        load_rules(path)


@pytest.mark.parametrize(
    "description", ["a\rb", "a\tb\x7f\n  c", '"', 'a """ b', '""""""', "\\", "a\u2028\\n"]
)
def test_a_description_is_read_as_it_was_written(description: str) -> None:
    written = format_rules(RuleSet("x", (), description, "ud", ()))
    assert parse_rules(written).description == description
