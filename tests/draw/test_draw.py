"""Drawings: right, aligned, and safe whatever the fields hold."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import niwaki
from niwaki import Sentence, Tree, draw
from niwaki.data.expressions import Expression
from niwaki.data.meaning import Meaning
from niwaki.draw.layout import place_arcs, text_width
from tests.meant import expressions
from tests.strategies import heads

GARDEN = Path(__file__).parents[2] / "examples" / "garden.conllu"

nasty = st.one_of(
    st.sampled_from(
        ["<script>", "</style>", "]]>", "&amp;", '"><b>', "'", "\x1b[31m", "\x07", "-->"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r\0"), min_size=1, max_size=6),
)


@st.composite
def sentences(draw_: st.DrawFn, fields: st.SearchStrategy[str] = nasty) -> Sentence:
    words = draw_(st.integers(1, 7))
    column = st.lists(fields, min_size=words, max_size=words)
    return Sentence.from_words(
        draw_(column),
        upos=draw_(column),
        heads=draw_(heads(words)),
        deprels=draw_(column),
        comments=[f"sent_id = {draw_(fields)}"],
    )


def test_arcs() -> None:
    (first, _) = niwaki.read_conllu(GARDEN)
    assert draw.arcs(first).splitlines()[:8] == [
        "      ╭────▶ The      DET    det",
        "      │ ╭──▶ old      ADJ    amod",
        "╭─┬───┴─┴──▶ pine     NOUN   nsubj",
        "│ │ ╭──────▶ that     PRON   obj",
        "│ │ │   ╭──▶ the      DET    det",
        "│ │ │ ╭─┴──▶ monks    NOUN   nsubj",
        "│ ╰─┴─┴────▶ planted  VERB   acl:relcl",
        "╰─┬─┬──────● leans    VERB   root",
    ]


def test_indented() -> None:
    (_, second) = niwaki.read_conllu(GARDEN)
    assert draw.indented(second).splitlines() == [
        "cut  VERB  root",
        "├─ Do  AUX  aux",
        "├─ n't  PART  advmod",
        "├─ it  PRON  obj",
        "╰─ .  PUNCT  punct",
    ]


SURE = Sentence.from_words(
    ["Trees", "grow", "."],
    upos=["NOUN", "VERB", "PUNCT"],
    heads=[2, 0, 2],
    deprels=["nsubj", "root", "punct"],
    misc=["ArcProb=0.5234|LabelProb=0.9", "ArcProb=0.7", "_"],
)


def test_probabilities_in_the_terminal() -> None:
    assert draw.arcs(SURE, probabilities=True).splitlines() == [
        "╭──▶ Trees  NOUN   nsubj  0.52  0.90",
        "├──● grow   VERB   root   0.70",
        "╰──▶ .      PUNCT  punct",
    ]
    assert draw.indented(SURE, probabilities=True).splitlines() == [
        "grow  VERB  root  0.70",
        "├─ Trees  NOUN  nsubj  0.52  0.90",
        "╰─ .  PUNCT  punct",
    ]
    assert "0.52" not in draw.arcs(SURE) + draw.indented(SURE) + draw.svg(SURE)


def test_doubtful_arcs_stand_out_in_pictures() -> None:
    words = [
        (x.attrib["class"], x.text)
        for x in ET.fromstring(draw.svg(SURE, probabilities=True))
        if x.tag.endswith("text")
    ]
    assert ("l u", "nsubj 0.52") in words and ("l u", "root 0.70") in words
    assert ("l", "punct") in words, "what is not known is not shown"
    sure = SURE.replace(misc=["ArcProb=0.9"] * 3)
    assert 'class="l u"' not in draw.svg(sure, probabilities=True)
    assert "nsubj 0.90" in draw.html([sure], probabilities=True)
    unknown = SURE.replace(misc=["_"] * 3)
    assert draw.svg(unknown, probabilities=True) == draw.svg(unknown)


def test_drawing_probabilities_that_are_not_there_is_refused() -> None:
    (picture,) = niwaki.draw_trees([SURE], probabilities=True)
    assert "0.52" in picture
    with pytest.raises(niwaki.NiwakiError, match="<memory>:1: no ArcProb in MISC; parse with"):
        list(niwaki.draw_trees([SURE, SURE.replace(misc=["_"] * 3)], probabilities=True))


def test_a_list_of_sentences_shows_itself_in_a_notebook() -> None:
    few = niwaki.SentenceList([SURE] * 3)
    assert few._repr_html_() == SURE._repr_html_() * 3
    many = niwaki.SentenceList([SURE] * 25)
    shown = many._repr_html_()
    assert shown.count("<svg") == 20 and shown.endswith("<p>5 more</p>")
    assert many[20:]._repr_html_() == SURE._repr_html_() * 5
    assert many[0] == SURE and isinstance(many[:2], niwaki.SentenceList)
    assert niwaki.SentenceList()._repr_html_() == "<p>no sentences</p>"
    assert isinstance(niwaki.load()("Trees grow."), niwaki.SentenceList)


def test_partial_trees_and_wide_characters(fixtures: Path) -> None:
    (partial,) = niwaki.read_conllu(fixtures / "partial.conllu")
    assert "? the" in draw.arcs(partial)
    assert len(draw.indented(partial).splitlines()) == len(partial)
    by_id = {s.id: s for s in niwaki.read_conllu(fixtures / "phenomena.conllu")}
    lines = draw.arcs(by_id["japanese"]).splitlines()
    tags = [text_width(line[: re.search("[A-Z]", line).start()]) for line in lines]
    assert len(set(tags)) == 1, "the tags stand below each other"


@given(st.integers(1, 9).flatmap(heads))
def test_arcs_on_one_level_never_run_into_each_other(tree: list[int]) -> None:
    arcs = place_arcs(Tree(tuple(tree), ("x",) * len(tree)))
    assert len(arcs) == len(tree) - 1
    for one in arcs:
        for other in arcs:
            if one is not other and one.level == other.level:
                apart = one.right < other.left or other.right < one.left
                touching = one.right == other.left or other.right == one.left
                assert apart or (touching and one.head == other.head)


@given(sentences())
def test_the_terminal_is_never_driven_by_a_field(sentence: Sentence) -> None:
    for picture in (draw.arcs(sentence), draw.indented(sentence)):
        # Joiners are parts of words in some scripts, and move nothing.
        assert re.sub("[\n\u200c\u200d]", "", picture).isprintable()
        assert picture.count("\n") == len(sentence)


TAGS = "html head meta title style body h1 figure figcaption div svg path text"
ATTRIBUTES = (
    "lang dir charset name content xmlns width height viewbox role aria-label class d x y "
    "text-anchor"
)


class Strict(HTMLParser):
    """Refuses every element and attribute that the drawing does not use itself."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS.split()
        assert {name for name, _ in attrs} <= set(ATTRIBUTES.split())


@given(st.lists(sentences(), max_size=2), nasty)
def test_markup_never_emits_an_unescaped_field(made: list[Sentence], title: str) -> None:
    page = draw.html(made, title=title)
    Strict().feed(page)
    assert page.count("<svg") == len(made)
    for sentence in made:
        drawn = ET.fromstring(draw.svg(sentence)).iter("{http://www.w3.org/2000/svg}text")
        assert {clean(form) for form in sentence.forms} <= {node.text for node in drawn}


def test_a_page_refers_to_nothing_outside() -> None:
    page = draw.html(niwaki.read_conllu(GARDEN))
    assert not re.search(r"src=|href=|url\(|@import", page)


def clean(text: str) -> str:
    """What XML 1.0 can hold of a text."""
    return "".join(c if ord(c) >= 0x20 and c not in "\ufffe\uffff" else "\ufffd" for c in text)


def test_a_tree_as_deep_as_it_is_long_has_lines_of_bounded_length() -> None:
    words = 5_000
    chain = Sentence.from_words(["w"] * words, heads=range(words), deprels=["dep"] * words)
    lines = draw.indented(chain).splitlines()
    assert len(lines) == words
    assert max(map(len, lines)) < 400
    assert lines[3] == "      ╰─ w  dep" and lines[-1].strip() == "(4999) w  dep"


@given(expressions(6), st.lists(nasty, min_size=6, max_size=6))
def test_expressions_are_drawn_whole_and_safely(
    made: tuple[Expression, int], forms: list[str]
) -> None:
    expression, length = made
    meaning = Meaning(Sentence.from_words(forms[:length]), expression)
    picture = ET.fromstring(draw.expression_svg(meaning))
    shown = [text.text for text in picture.iter() if text.tag.endswith("text")]
    parts = sum(len(node.items) + len(node.joined) for node in expression.nodes())
    # Every part but the first has an edge with a label above it.
    assert len(shown) == 2 * parts + 1
    lines = draw.outline(meaning).splitlines()
    assert len(lines) == parts + 2 and all(line.isprintable() for line in lines)


def test_a_meaning_stands_beside_its_tree() -> None:
    sentence = Sentence.from_words(["<b>", "go"], heads=[2, 0], deprels=["-*1", "[*0"])
    two = Expression(bracket="[", items=(Expression(2), Expression(1)))
    body = draw.meanings([Meaning(sentence, two), Meaning(sentence, None)])
    assert "<code>[go, &lt;b&gt;]</code>" in body and body.count("<svg") == 4
    assert draw.outline(Meaning(sentence, None)) == "# \n"
