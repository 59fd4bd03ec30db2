"""Whether rules do what their file says: its examples are run, its labels are looked up."""

from __future__ import annotations

from collections.abc import Iterator

from niwaki.errors import RulesError, shown
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.reorder.schemes import is_documented


def failing_examples(rules: RuleSet, file: str) -> Iterator[RulesError]:
    """A fault for each example to which the rules give another order."""
    orders = Reorderer(rules).reorder(example.sentence for example in rules.examples)
    for example, found in zip(rules.examples, orders, strict=True):
        if found.tokens != example.gives:
            yield RulesError(
                file,
                example.line,
                f"the rules give {shown(' '.join(found.tokens), 200)}, not "
                f"{shown(' '.join(example.gives), 200)}",
                "correct the rules or the example",
            )


def undocumented_labels(rules: RuleSet) -> list[str]:
    """Labels with subtypes that are not written up: a treebank's own, or match nothing."""
    patterns = [p for r in rules.rules for p in (r.head, *(each.child for each in r.placements))]
    labels = [label for p in patterns for label in (*p.labels, *p.has, *p.lacks)]
    labels += [label for rule in rules.rules for label in rule.barriers]
    return [each for each in dict.fromkeys(labels) if not is_documented(rules.scheme, each)]
