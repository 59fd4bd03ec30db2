"""What trees mean, for the API: expressions as text and in parts that a page can draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from niwaki.data.expressions import Expression
from niwaki.data.meaning import Meaning
from niwaki.data.sentence import Sentence
from niwaki.draw.expressions import name_of, parts_of
from niwaki.tasks.meaning.from_ud import expressed
from niwaki.tasks.meaning.rules import IN_THE_BOX, load_meaning_rules

# Read once a process: rules are asked for at each key that is typed.
_rules = cache(load_meaning_rules)


def shown_meanings(trees: Sequence[Sentence]) -> Iterator[dict[str, Any]]:
    """The expression of each tree; see /api/parse."""
    for found in expressed(trees, _rules(IN_THE_BOX)):
        expression = found.expression
        yield {
            "expression": str(found),
            "covered": expression is None or expression.is_covered,
            "repairs": found.repairs,
            "parts": _parts(found),
        }


def _parts(found: Meaning) -> list[dict[str, Any]]:
    """A flat list, so that no depth of an expression is one of JSON."""
    rows: list[dict[str, Any]] = []
    todo: list[tuple[str, Expression | str, int | None]] = []
    if found.expression is not None:
        todo.append(("", found.expression, None))
    while todo:
        how, node, above = todo.pop()
        word = node.word if isinstance(node, Expression) and node.word else None
        here = len(rows)
        name = name_of(node, found.sentence.forms)
        rows.append({"name": name, "word": word, "how": how, "of": above})
        todo += [(each, part, here) for each, part in reversed(list(parts_of(node)))]
    return rows
