"""The template language, and the sets that are written in it."""

from __future__ import annotations

import itertools
from math import comb
from pathlib import Path

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.features.attributes import attribute_values
from niwaki.features.templates import (
    compile_parser,
    compile_window,
    feature_set_names,
    load_feature_set,
    read_lines,
    tagging_features,
    without_beam_features,
)
from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.features import Program
from niwaki.kernel.transition.systems import load_system, system_names
from niwaki.tagging.tagger import Tags

DEGREES = {"degree": 2, "nonlexical-degree": 3}


def features(text: str, **degrees: int) -> set[frozenset[str]]:
    return set(map(frozenset, read_lines(text, degrees)))


# -- the language ----------------------------------------------------------------


def test_a_line_is_a_feature() -> None:
    text = "\n# a comment\ns0.form\n  s1.tag + b0.form   # and more\n\n"
    assert list(read_lines(text)) == [("s0.form",), ("s1.tag", "b0.form")]


def test_a_plus_without_spaces_belongs_to_the_part() -> None:
    assert list(read_lines("w+1.lower + t-1")) == [("w+1.lower", "t-1")]


def test_the_same_feature_counts_once() -> None:
    assert list(read_lines("s0.form + s1.form\ns1.form + s0.form\n")) == [("s0.form", "s1.form")]


def test_a_beam_looks_at_lines_that_greedy_search_leaves_out() -> None:
    text = "s0.form\nbeam: s1.tag + b0.form  # two\n  beam: combine 2: s0.tag s1.tag\ns2.tag\n"
    assert features(text) == features("s0.form\ns1.tag + b0.form\ncombine 2: s0.tag s1.tag\ns2.tag")
    assert without_beam_features(text) == "s0.form\ns2.tag\n"


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_combine_writes_out_all_combinations(degree: int) -> None:
    parts = ["s0.tag", "s1.tag", "b0.tag", "b1.tag"]
    expected = {
        frozenset(chosen)
        for size in range(1, degree + 1)
        for chosen in itertools.combinations(parts, size)
    }
    assert features(f"combine {degree}: {' '.join(parts)}") == expected
    assert features(f"combine depth: {' '.join(parts)}", depth=degree) == expected


def test_combinations_that_were_written_before_are_left_out() -> None:
    both = list(read_lines("s0.tag + s1.tag\ncombine 2: s1.tag s0.tag b0.tag"))
    assert len(both) == len(set(map(frozenset, both))) == 3 + 3


def test_compiled_atoms_share_attributes() -> None:
    compiled = compile_parser("s0.form + b0.tag\nb0.form\ns0.left.label\ndistance(s0,b0)")
    assert compiled.attributes == ("form", "tag")
    assert [len(template) for template in compiled.templates] == [2, 1, 1, 1]
    one, other = compiled.templates[0][0], compiled.templates[1][0]
    assert one[3] == other[3], "the same attribute"
    assert one[1] != other[1], "at another place"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s9.form", "no place 's9'"),
        ("form", "no place ''"),
        ("s0.colour", "unknown 'colour' in 's0.colour'"),
        ("s0.from", "did you mean 'form'?"),
        ("s0.word", "unknown 'word'"),
        ("s0.form + ", "unknown 'form +'"),
        ("s0.form s1.form", "no place 's0.form s1'"),
        ("b0.tag\ns0.form + s0.form", "line 2: a part stands twice"),
        ("s0.tag\n\ncombine most: s0.tag", "line 3: unknown degree 'most'"),
        ("combine 2: s0.tag s1.tag s0.tag", "line 1: a part stands twice"),
        ("combine 2 s0.tag", "no place 'combine 2 s0'"),
        ("combine 999999999:", "line 1: nothing to combine"),
        ("s0.tag\n" * 200_000, "a text of 1,400,000 characters"),
        ("distance(s0,s9)", "no place 's9'"),
        ("distance(s0)", "no place"),
        ("b1.lefts", "the children of b1 are not kept"),
        ("s0-2.form", "no place 's0-2'"),
        ("s0+1.label", "of a word beside another, only what letters and tags show is known"),
        ("", "no template"),
        ("# s0.form", "no template"),
        ("s0." + "x" * 10_000, "no part is longer than 100 characters"),
    ],
)
def test_bad_parser_lines(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_parser(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("features")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("w3.form", "found 'w3.form'; write w0.form"),
        ("t-3", "found 't-3'"),
        ("w0.colour", "unknown 'colour'"),
        ("w0.sufix3", "did you mean 'suffix3'?"),
        ("s0.form", "found 's0.form'"),
        ("w0.form + w0.form", "line 1: a part stands twice"),
        ("", "no template"),
        ("w0.cluster", "no template"),
    ],
)
def test_bad_tagger_lines(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_window(text)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_features_on_what_there_is_not_are_left_out() -> None:
    text = "s0.form\ns0.cluster4 + b0.tag\ns0.head.form\nb0.left.label\ns1.label\nb0.left-labels"
    sizes = {
        name: len(compile_parser(text, system=load_system(name)).templates)
        for name in system_names()
    }
    assert sizes == {
        "arc-eager": 5,
        "arc-hybrid": 3,
        "arc-standard": 1,
        "arc-standard-swap": 3,
    }
    assert len(compile_parser(text, clusters=True).templates) == 6
    assert len(compile_parser(text, clusters=True, tags=False).templates) == 5
    # What is only seen by features that are left out is not asked for.
    assert compile_parser(text).attributes == ("form",)
    with pytest.raises(ConfigError, match="no template is left without clusters and tags"):
        compile_parser("s0.cluster\nb0.upos", tags=False)


def test_words_beside_others() -> None:
    compiled = compile_parser("s0-1.form + b0+1.suffix3\ns0.form")
    assert compiled.attributes == ("form-1", "suffix3+1", "form")
    batch = Batch([Sentence.from_words(words.split()).source for words in ("a b c", "d", "e f")])
    tags = Tags.none(batch)
    before, after, own = attribute_values(["form-1", "form+1", "form"], batch, tags, False, None)
    a, b, c, _, e, f = own.tolist()
    assert before.tolist() == [1, a, b, 1, 1, e]
    assert after.tolist() == [b, c, 1, 1, f, 1]
    assert len(attribute_values(["form-1"], Batch([]), Tags.none(Batch([])), False, None)[0]) == 0


# -- the sets --------------------------------------------------------------------


@pytest.mark.parametrize("system", system_names())
@pytest.mark.parametrize("name", feature_set_names())
@pytest.mark.parametrize("clusters", [False, True])
def test_the_named_sets_compile(name: str, system: str, clusters: bool) -> None:
    compiled = compile_parser(
        load_feature_set(name), DEGREES, system=load_system(system), clusters=clusters
    )
    program = Program(compiled.templates, len(compiled.attributes))
    # One set is nearly all clusters.
    least = 4 if name == "alshawi2011" and not clusters else 20
    assert program.template_count == len(compiled.templates) > least


def test_names_and_files(tmp_path: Path) -> None:
    assert {"hall2011", "huang2009", "rich"} <= set(feature_set_names())
    own = tmp_path / "own.txt"
    own.write_text("s0.form\n")
    assert load_feature_set(str(own)) == "s0.form\n"
    with pytest.raises(ConfigError, match="no feature set 'ritch'; did you mean 'rich'"):
        load_feature_set("ritch")


def test_the_tagging_sets_compile() -> None:
    for kind in ("tags", "features", "lemmas"):
        assert compile_window(tagging_features(kind)).template_count > 10


def test_rich_has_what_its_description_promises() -> None:
    parts = {part for line in read_lines(load_feature_set("rich")) for part in line}
    promised = ["s0.lefts", "s0.rights", "distance(s0,b0)", "s0.left-labels", "s0.right2.tag"]
    assert set(promised) <= parts
    assert len(features(load_feature_set("rich"))) > 100


TAGS = [f"{place}.tag" for place in ("b0", "b1", "b2", "b3", "s0", "s1")]
WORDS = ["b0.form", "b1.form", "s0.form", "s0.head.form"]
LABELS = ["s0.label", "s0.left.label", "s0.right.label", "b0.left.label"]


def test_hall2011_has_fourteen_atoms() -> None:
    text = load_feature_set("hall2011")
    singles = features(text, **{"degree": 1, "nonlexical-degree": 1})
    assert singles == {frozenset([atom]) for atom in TAGS + WORDS + LABELS}
    assert len(singles) == 14


@pytest.mark.parametrize(("degree", "nonlexical"), [(1, 1), (1, 3), (2, 1), (2, 3), (3, 2)])
def test_hall2011_goes_as_far_as_its_degrees(degree: int, nonlexical: int) -> None:
    found = features(
        load_feature_set("hall2011"), **{"degree": degree, "nonlexical-degree": nonlexical}
    )
    # Of each size: all combinations up to the one degree, then those without words.
    expected = sum(
        comb(14, size) if size <= degree else comb(10, size)
        for size in range(1, max(degree, nonlexical) + 1)
    )
    assert len(found) == expected
    for chosen in found:
        assert len(chosen) <= degree or not chosen & set(WORDS)


# Table 2 of Huang, Jiang and Liu (2009), in its own notation: s, s1, s2 are the words on
# the stack from the top, w and w1 those of the queue, T a tag, lc and rc outermost children.
TABLE_2 = """
s | T(s) | s T(s) | s1 | T(s1) | s1 T(s1) | w | T(w) | w T(w)
s s1 | T(s) T(s1) | T(s) T(w) | T(s) s1 T(s1) | s s1 T(s1) | s T(s) T(s1) | s T(s) s1
s T(s) s1 T(s1)
T(s) T(w) T(w1) | T(s1) T(s) T(w) | T(s2) T(s1) T(s) | s T(w) T(w1) | T(s1) s T(w)
T(s1) T(lc(s1)) T(s) | T(s1) T(rc(s1)) T(s) | T(s1) T(s) T(lc(s)) | T(s1) T(s) T(rc(s))
T(s1) T(lc(s1)) s | T(s1) T(rc(s1)) s | T(s1) s T(lc(s))
"""


def in_our_words(part: str) -> str:
    what = "tag" if part.startswith("T(") else "form"
    place = part.removeprefix("T(").removesuffix(")") if what == "tag" else part
    child = {"lc": ".left", "rc": ".right"}.get(place[:2], "")
    word = place[3:-1] if child else place
    names = {"s": "s0", "s1": "s1", "s2": "s2", "w": "b0", "w1": "b1"}
    return f"{names[word]}{child}.{what}"


def test_huang2009_is_table_2() -> None:
    table = {
        frozenset(in_our_words(part) for part in cell.split())
        for line in TABLE_2.strip().splitlines()
        for cell in line.split("|")
    }
    assert len(table) == 9 + 8 + 5 + 7
    assert features(load_feature_set("huang2009")) == table


def test_features_that_are_written_again_count_again() -> None:
    text = "combine 12: a b c d e f g h i j k l\n" * 5000
    with pytest.raises(ConfigError, match="line 3: more than 10000 features"):
        list(read_lines(text))


def test_a_degree_of_more_than_all_parts() -> None:
    assert len(list(read_lines("combine 999999999: a b c"))) == 7
    assert len(list(read_lines("combine most: a b c", {"most": 10**30}))) == 7
