"""Every rule file that is shipped: it is sound, its examples come true, it can be written again."""

from __future__ import annotations

import pytest

from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules, parse_rules, rule_set_names
from niwaki.tasks.reorder.rulewriting import format_rules
from tests.reference import reorder as twin


def test_the_sets_are_found() -> None:
    wanted = {"xu2009-sd", "katzbrown2011-sd", "ja", "ko", "tr", "hi", "ur", "none", "reverse"}
    assert wanted | {"head-final-before", "head-final-after"} <= set(rule_set_names())


@pytest.mark.parametrize("name", rule_set_names())
def test_examples(name: str) -> None:
    rules = load_rules(name)
    assert rules.description
    assert rules.examples, "a rule file shows what it does"
    for example in rules.examples:
        (found,) = Reorderer(rules).reorder([example.sentence])
        assert found.tokens == example.gives
        assert list(found.order) == twin.reorder(rules, example.sentence)


@pytest.mark.parametrize("name", rule_set_names())
def test_written_and_read_again(name: str) -> None:
    rules = load_rules(name)
    again = parse_rules(format_rules(rules), name=name)
    assert again == rules


@pytest.mark.parametrize("name", ["ja", "ko"])
def test_papers_orders_from_universal_trees(name: str) -> None:
    """The orders that the papers print for Stanford trees."""
    given = {" ".join(e.sentence.forms): " ".join(e.gives) for e in load_rules(name).examples}
    for papers, count in (("xu2009-sd", 4), ("katzbrown2011-sd", 1)):
        examples = load_rules(papers).examples[:count]
        assert len(examples) == count
        for example in examples:
            assert given[" ".join(example.sentence.forms)] == " ".join(example.gives)
