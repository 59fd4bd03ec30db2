"""A cost of one's own: are the facts in the tree? Each fact is subject, verb and object."""

from __future__ import annotations

from typing import Any

import niwaki


def facts(forms: tuple[str, ...], tree: niwaki.Tree) -> set[tuple[str, ...]]:
    """All (subject, verb, object) that a tree tells."""
    found: dict[int, dict[str, str]] = {}
    for form, head, label in zip(forms, tree.heads, tree.deprels, strict=True):
        if label in ("nsubj", "obj"):
            found.setdefault(head, {})[label] = form.lower()
    return {
        (args["nsubj"], forms[verb - 1].lower(), args["obj"])
        for verb, args in found.items()
        if len(args) == 2
    }


def cost(example: dict[str, Any], candidates: niwaki.KBest) -> list[float]:
    """The share of wanted facts that each candidate misses, and of told ones that are wrong."""
    wanted = {tuple(fact) for fact in example["facts"]}
    told = [facts(candidates.sentence.forms, tree) for tree in candidates]
    return [len(wanted ^ each) / max(1, len(wanted | each)) for each in told]
