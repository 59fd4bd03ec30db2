"""Word order for translation: precedence rules, reordering, references, learning of rules.

`Reorderer(load_rules("ja"))` reorders sentences that have trees, `make_reference` says what
order word links ask for, and `learn_rules(collect_events(...))` learns rules from both.
"""

from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.reorderer import Move, Place, Reorderer, Reordering
from niwaki.tasks.reorder.rulefile import load_rules, parse_rules, rule_set_names
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.reorder.rulewriting import format_rules

__all__ = [
    "Move",
    "Place",
    "Reorderer",
    "Reordering",
    "RuleSet",
    "collect_events",
    "format_rules",
    "learn_rules",
    "load_rules",
    "make_reference",
    "parse_rules",
    "rule_set_names",
]
