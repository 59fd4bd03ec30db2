"""Every feature set that is shipped: it compiles for all it may meet, and alike each time."""

from __future__ import annotations

import re

import pytest

from niwaki.features.arc_templates import (
    arc_feature_set_names,
    compile_arcs,
    load_arc_feature_set,
)
from niwaki.features.templates import (
    compile_parser,
    compile_window,
    feature_set_names,
    load_feature_set,
    tagging_features,
)
from niwaki.kernel.transition.systems import load_system, system_names
from niwaki.parsers.transition.config import TransitionConfig

USUAL = TransitionConfig()
DEGREES = {"degree": USUAL.degree, "nonlexical-degree": USUAL.nonlexical_degree}


def test_the_sets_are_found() -> None:
    assert {"rich", "lean", "words", "hall2011"} <= set(feature_set_names())
    assert {"rich", "labels", "words", "hall2011"} <= set(arc_feature_set_names())


def test_the_universal_set_sees_of_tags_what_languages_share() -> None:
    own, shared = (
        [line for line in load_feature_set(name).splitlines() if not line.startswith("#")]
        for name in ("morphology", "universal")
    )
    assert shared == [re.sub(r"\.tag\b", ".upos", line) for line in own] != own


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("system", system_names())
@pytest.mark.parametrize("name", feature_set_names())
def test_features_of_transition_parsers(name: str, system: str, clusters: bool) -> None:
    text, moves = load_feature_set(name), load_system(system)
    compiled = compile_parser(text, DEGREES, system=moves, clusters=clusters)
    assert compiled.templates
    assert compiled == compile_parser(text, DEGREES, system=moves, clusters=clusters)
    assert clusters or not any("cluster" in attribute for attribute in compiled.attributes)
    assert len({tuple(map(tuple, each)) for each in compiled.templates}) == len(compiled.templates)


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("name", arc_feature_set_names())
def test_features_of_arcs(name: str, clusters: bool) -> None:
    text = load_arc_feature_set(name)
    numbers: dict[str, int] = {}
    compiled = compile_arcs(text, numbers, clusters=clusters)
    assert compiled.arcs
    assert sorted(numbers.values()) == list(range(len(numbers)))
    again: dict[str, int] = {}
    assert compile_arcs(text, again, clusters=clusters) == compiled
    assert again == numbers
    first, second = compiled.programs(len(numbers))
    assert first is not None
    assert (second is not None) == bool(compiled.siblings)


def test_words_is_for_text_without_tags() -> None:
    assert compile_parser(load_feature_set("words"), tags=False).templates
    assert compile_arcs(load_arc_feature_set("words"), {}, tags=False).arcs


@pytest.mark.parametrize("kind", ["tags", "features", "lemmas"])
def test_features_of_taggers(kind: str) -> None:
    assert compile_window(tagging_features(kind))
