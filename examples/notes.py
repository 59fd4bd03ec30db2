"""A cost of one's own, as short as they come: is the verb of a hasty note the root of its tree?"""

from __future__ import annotations

from typing import Any

import niwaki


def cost(example: dict[str, Any], candidates: niwaki.KBest) -> list[float]:
    """0 for each candidate whose root is the word that the example names, counted from 1."""
    return [float(tree.heads[example["root"] - 1] != 0) for tree in candidates]
