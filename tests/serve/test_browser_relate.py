"""Relate in a real Chromium: spans, labels and arcs on the screen are those of the API."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from niwaki.serve.registry import Registry
from tests.serve.browsing import DROP, NASTY, arcs, tree, until
from tests.serve.conftest import Client, running
from tests.serve.related import plain_story

STORY = plain_story(3)
NAMES = {"connectives": "stories", "roles": "stories"}


def relate(open_page: Any, text: str = STORY) -> Any:
    page = open_page("/relate")
    # If there is a bundled labeller, that is the first one.
    page.select_option("#roles", "stories")
    page.fill("#text", text)
    page.wait_for_selector(".sentence g.arc")
    page.evaluate("() => document.activeElement.blur()")
    return page


def answer(bench: Client) -> Any:
    return bench.post("/api/relate", {"conllu": STORY, **NAMES}).json["sentences"]


def spans(page: Any, number: int) -> dict[str, list[int]]:
    """The labels under the words of a sentence, and the words that they stand under."""
    rows = page.locator(f'[data-sentence="{number}"] g.span').evaluate_all(
        "all => all.map(g => [g.querySelector('text').textContent, g.dataset.words])"
    )
    return {label: [int(word) for word in words.split()] for label, words in rows}


def marked(page: Any, number: int) -> set[int]:
    """The words whose arcs are marked."""
    found = page.locator(f'[data-sentence="{number}"] g.arc.path').evaluate_all(
        "all => all.map(g => Number(g.dataset.arc))"
    )
    return set(found)


def press(page: Any, key: str, chip: str) -> None:
    """A key after which the relation of this chip is the one that is chosen."""
    page.keyboard.press(key)
    chosen = page.locator(".relation.on")
    until(lambda: [text.split() for text in chosen.all_inner_texts()] == [chip.split()], page)


def test_a_predicate_with_its_roles(open_page: Any, bench: Client) -> None:
    page = relate(open_page)
    wanted = answer(bench)[1]
    card = page.locator('[data-sentence="2"]')
    assert arcs(card) == tree(wanted)
    card.locator('.relation:has-text("plants")').click()
    assert card.locator(".relation.on").get_attribute("aria-pressed") == "true"
    assert spans(page, 2) == {"ARG0": [1], "ARG1": [6], "plants.01": [5]}
    roles = wanted["predicates"][1]["roles"]
    assert marked(page, 2) == {step["word"] for role in roles for step in role["path"]}
    texts = card.locator(".part").all_inner_texts()
    assert [re.sub(r"\s+", " ", text) for text in texts] == [
        "1 ARG0 Ono Ono ↑ nsubj paints ↓ conj plants",
        "2 ARG1 bridges bridges ↑ obj plants",
    ]
    # One colour a role: that of the legend is that of the span and its label.
    colours = [
        page.evaluate(
            "selector => getComputedStyle(document.querySelector(selector)).color", selector
        )
        for selector in (".part[data-role=ARG0] .role", ".part[data-role=ARG1] .role")
    ]
    assert len(set(colours)) == 2
    for role, colour in zip(("ARG0", "ARG1"), colours, strict=True):
        label = f'[data-span="{role}"] text'
        assert page.locator(label).evaluate("e => getComputedStyle(e).fill") == colour


def test_a_connective_over_two_sentences(open_page: Any, bench: Client) -> None:
    page = relate(open_page)
    (however,) = answer(bench)[2]["connectives"]
    page.locator('.relation:has-text("However")').click()
    first, second = however["arguments"]
    assert spans(page, 2) == {"Arg1": first["words"]}
    assert spans(page, 3) == {"connective": [1], "Arg2": second["words"]}
    # Both roots, over which the way goes.
    assert marked(page, 2) == {2}
    assert marked(page, 3) == {1, 4}
    assert "joined by “However” of sentence 3" in page.inner_text('[data-sentence="2"]')
    way = page.inner_text('.part[data-role="Arg1"] .way')
    assert re.sub(r"\s+", " ", way) == "However ↑ advmod sweeps ⇠ sentence 2 paints"


def test_one_part_alone_and_all_of_it_by_keys(open_page: Any) -> None:
    page = relate(open_page)
    press(page, "ArrowRight", "paints paints.01")
    press(page, "ArrowRight", "and connective")
    press(page, "ArrowRight", "plants plants.01")
    press(page, "ArrowLeft", "and connective")
    assert spans(page, 2) == {"Arg1": [1, 2, 3], "connective": [4], "Arg2": [5, 6]}
    page.keyboard.press("2")
    assert spans(page, 2) == {"connective": [4], "Arg2": [5, 6]}
    assert marked(page, 2) == {4}
    assert page.locator(".part.on").get_attribute("data-role") == "Arg2"
    page.keyboard.press("2")
    assert len(spans(page, 2)) == 3
    page.keyboard.press("7")
    assert len(spans(page, 2)) == 3
    press(page, "ArrowDown", "However connective")
    press(page, "ArrowUp", "paints paints.01")
    assert page.locator('[data-sentence="2"] .relation.on').count() == 1
    page.keyboard.press("Escape")
    assert page.locator("g.span, g.arc.path, .part").count() == 0


def test_labels_and_words_do_not_lie_upon_each_other(open_page: Any) -> None:
    page = relate(open_page)
    page.locator('[data-sentence="2"] .relation:has-text("plants")').click()
    page.set_viewport_size({"width": 420, "height": 900})
    until(lambda: page.locator('[data-sentence="2"] .span-label').count() == 3, page)
    page.wait_for_timeout(200)
    boxes = page.locator('[data-sentence="2"] :is(.span-label, text.word)').evaluate_all(
        "all => all.map(e => e.getBoundingClientRect())"
        ".map(b => [b.left, b.right, b.top, b.bottom])"
    )
    for number, one in enumerate(boxes):
        for other in boxes[number + 1 :]:
            apart = one[1] <= other[0] or other[1] <= one[0]
            assert apart or one[3] <= other[2] + 4 or other[3] <= one[2] + 4


def test_it_is_copied_as_json(open_page: Any, bench: Client) -> None:
    page = relate(open_page)
    page.evaluate(
        "() => { window.kept = []; Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => window.kept.push(text) } }); }"
    )
    press(page, "ArrowRight", "paints paints.01")
    page.keyboard.press("j")
    page.locator('[data-sentence="2"] >> text=Copy CoNLL-U').click()
    until(lambda: page.evaluate("window.kept.length") == 2, page)
    wanted = answer(bench)[1]
    assert page.evaluate("JSON.parse(window.kept[0])") == wanted
    assert page.evaluate("window.kept[1]") == wanted["conllu"]


def test_files_and_foreign_text(open_page: Any) -> None:
    page = relate(open_page)
    page.evaluate(DROP, [STORY.replace("Ono", NASTY), "story.conllu"])
    until(lambda: NASTY in page.locator("text.word").all_text_contents(), page)
    page.locator('[data-sentence="2"] .relation:has-text("paints")').click()
    assert NASTY in page.inner_text('.part[data-role="ARG0"]')
    assert page.locator("main img").count() == 0
    # What is wrong is said in one line, and the trees stay.
    page.fill("#text", STORY.replace("cc\t_\t_", "cc\t_\tConnective=9"))
    page.wait_for_selector("#fault:visible")
    assert "give words of the sentence" in page.inner_text("#fault")
    assert page.locator(".sentence").count() == 3


def test_everything_can_be_reached_and_has_a_name(open_page: Any) -> None:
    page = relate(open_page)
    nameless = page.locator("main :is(button, select, textarea)").evaluate_all(
        "all => all.filter(e => !(e.innerText.trim() || e.labels?.length || e.ariaLabel)).length"
    )
    assert nameless == 0
    chip = page.locator('[data-sentence="3"] .relation').first
    chip.focus()
    page.keyboard.press("Enter")
    # The chip is drawn anew, and has the focus still.
    until(lambda: chip.get_attribute("aria-pressed") == "true", page)
    assert page.evaluate("document.activeElement.dataset.key") == chip.get_attribute("data-key")


def test_without_a_model_there_is_advice(
    open_page: Any, make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    registry = make_registry()
    registry.connectives.clear()
    registry.roles.clear()
    with running(registry, tmp_path / "work") as client:
        page = open_page("/relate", client=client)
        notes = page.locator("[data-missing]").all_inner_texts()
        page.fill("#text", STORY)
        page.wait_for_timeout(500)
        assert page.locator(".sentence").count() == 0
        assert not page.is_visible("#fault")
    assert "niwaki serve --connectives" in notes[0]
    assert "niwaki serve --roles" in notes[1]


def test_the_page_is_reached_with_two_keys(open_page: Any) -> None:
    page = open_page("/api")
    page.keyboard.press("g")
    page.keyboard.press("e")
    page.wait_for_url("**/relate")
    assert page.title() == "Relate · Niwaki"
