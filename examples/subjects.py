"""A cost of pairs of sentences: both must tell of the same subject, whatever it is."""

from collections.abc import Sequence
from typing import Any

import niwaki


def subject(forms: Sequence[str], tree: niwaki.Tree) -> str | None:
    """The subject of the whole sentence, if it has one."""
    for form, head, label in zip(forms, tree.heads, tree.deprels, strict=True):
        if head and tree.heads[head - 1] == 0 and label.startswith("nsubj"):
            return form.lower()
    return None


def cost(example: dict[str, Any], candidates: Sequence[niwaki.KBest]) -> list[float]:
    """1 for a tree of the first sentence and one of the second whose subjects differ."""
    one, other = ([subject(each.sentence.forms, tree) for tree in each] for each in candidates)
    return [float(a is None or a != b) for a, b in zip(one, other, strict=True)]
