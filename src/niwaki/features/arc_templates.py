"""Features of arcs in the template language: `h.tag + d.form + direction + distance(h, d)`.

`h` is the head, `d` the dependent, `s` the dependent before it on the same side of the
head; `h-1`, `d+2` ... are words around them, and `between` stands for each different value
of the words between head and dependent. The files of `assets/graph` are examples.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from typing import Any

from niwaki.data.files import read_text
from niwaki.errors import ConfigError, nearest, shown
from niwaki.features.templates import WORD_ATTRIBUTES, has_attributes, nothing_seen, read_lines
from niwaki.kernel.graph.arcs import MAX_OFFSET, ROLE_NAMES, ArcFeatures
from niwaki.keys import is_file_name

Part = tuple[Any, ...]

_DISTANCES = {("h", "d"): "distance", ("s", "d"): "gap"}


def arc_feature_set_names() -> list[str]:
    """The named sets, found by looking for their files."""
    folder = resources.files("niwaki") / "assets" / "graph"
    return sorted(path.name.removesuffix(".txt") for path in folder.iterdir())


def load_arc_feature_set(name: str) -> str:
    """The text of a named set, or of a file (see `is_file_name`)."""
    if is_file_name(name):
        return read_text(name)
    if name not in arc_feature_set_names():
        raise ConfigError(f"no feature set {name!r}; {nearest(name, arc_feature_set_names())}")
    path = resources.files("niwaki") / "assets" / "graph" / f"{name}.txt"
    return path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class ArcTemplates:
    """Compiled templates of arcs, and of arcs with siblings."""

    arcs: list[list[Part]]
    siblings: list[list[Part]]

    def programs(self, attribute_count: int) -> tuple[ArcFeatures, ArcFeatures | None]:
        second = ArcFeatures(self.siblings, attribute_count) if self.siblings else None
        return ArcFeatures(self.arcs, attribute_count), second


def compile_arcs(
    text: str, attributes: dict[str, int], *, clusters: bool = False, tags: bool = True
) -> ArcTemplates:
    """Templates for a graph parser; attributes that are met get numbers.

    Features on clusters or tags are left out if there are none.
    """
    arcs: list[list[Part]] = []
    siblings: list[list[Part]] = []
    for parts in read_lines(text):
        if not has_attributes(parts, clusters, tags):
            continue
        template = [_part(part, attributes) for part in parts]
        second = any(part[0] == "gap" or part[:2] == ("word", 2) for part in template)
        (siblings if second else arcs).append(template)
    if not arcs:
        raise ConfigError(nothing_seen(clusters, tags))
    return ArcTemplates(arcs, siblings)


def _part(part: str, attributes: dict[str, int]) -> Part:
    if part == "direction":
        return ("direction",)
    if distance := re.fullmatch(r"distance\(\s*(\w)\s*,\s*(\w)\s*\)", part):
        kind = _DISTANCES.get((distance[1], distance[2]))
        if kind is None:
            raise ConfigError(
                f"features: found {shown(part)}; write distance(h, d) or distance(s, d)"
            )
        return (kind,)
    place, _, what = part.rpartition(".")
    if what not in WORD_ATTRIBUTES:
        raise ConfigError(
            f"features: unknown {what!r} in {shown(part)}; {nearest(what, WORD_ATTRIBUTES)}"
        )
    attribute = attributes.setdefault(what, len(attributes))
    if place == "between":
        return ("between", attribute)
    word = re.fullmatch(r"([hds])([-+]\d)?", place)
    if word is None or abs(int(word[2] or 0)) > MAX_OFFSET:
        raise ConfigError(
            f"features: no place {place!r} in {shown(part)}; "
            f"write h, d, s, a word up to {MAX_OFFSET} beside one (h+1, d-2), or between"
        )
    return ("word", ROLE_NAMES.index(word[1]), int(word[2] or 0), attribute)
