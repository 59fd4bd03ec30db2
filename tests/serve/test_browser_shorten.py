"""Shorten, and what sentences mean, in a real Chromium: the screen shows what the API says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from niwaki.serve.registry import Registry
from tests.serve.browsing import DROP, NASTY, SENTENCE, arcs, tree, until
from tests.serve.conftest import Client, running
from tests.shorter import aside, told

STORY = f"{told(13).sentence}{aside(14).sentence}"

# How much a colour stands out from the card that it is on, as WCAG counts it.
CONTRAST = """([selector, property]) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => c / 255);
    const [r, g, b] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const element = document.querySelector(selector);
  const pair = [getComputedStyle(element)[property],
                getComputedStyle(element.closest(".card")).backgroundColor].map(light);
  return Math.max(...pair) / Math.min(...pair);
}"""


def shorten(open_page: Any, text: str = STORY) -> Any:
    page = open_page("/shorten")
    page.fill("#text", text)
    page.wait_for_selector(".sentence g.arc")
    page.evaluate("() => document.activeElement.blur()")
    return page


def answer(bench: Client, **options: Any) -> Any:
    return bench.post("/api/shorten", {"conllu": STORY, **options}).json["sentences"]


def numbers(place: Any, selector: str, key: str) -> list[int]:
    found = place.locator(selector).evaluate_all(f"all => all.map(e => Number(e.dataset.{key}))")
    return sorted(found)


def dropped(page: Any, sentence: int) -> list[int]:
    """The words that are struck out on a tree."""
    card = page.locator(f'[data-sentence="{sentence}"]')
    lines = card.locator("g.token").evaluate_all(
        "all => all.filter(g => getComputedStyle(g.querySelector('.word')).textDecorationLine"
        " === 'line-through').map(g => Number(g.dataset.word))"
    )
    return sorted(lines)


def gone(record: Any) -> list[int]:
    return [word for word, kept in enumerate(record["kept"], start=1) if not kept]


# -- shorten --------------------------------------------------------------------------


def test_dropped_words_are_struck_out_on_tree_and_text(open_page: Any, bench: Client) -> None:
    page = shorten(open_page)
    for number, wanted in enumerate(answer(bench), start=1):
        card = page.locator(f'[data-sentence="{number}"]')
        assert arcs(card) == tree(wanted)
        assert dropped(page, number) == gone(wanted) != []
        # Arcs that are left join words that are kept.
        away = {0} | set(gone(wanted))
        heads = enumerate(wanted["heads"], start=1)
        assert numbers(card, "g.arc.dropped", "arc") == [
            word for word, head in heads if word in away or head in away - {0}
        ]
    assert page.locator("#struck del").all_inner_texts() == [
        "Ono said",
        "often",
        ", my friend ,",
    ]
    assert page.inner_text("#struck") == (
        "Ono said she often waters lanterns . Abe , my friend , prunes gravel ."
    )
    assert page.inner_text("#left") == "she waters lanterns . Abe prunes gravel ."
    assert page.inner_text("#status") == "8 of 15 words in 2 sentences"


def test_the_rate_is_moved(open_page: Any, bench: Client) -> None:
    page = shorten(open_page)
    # It stands where the best choice came to.
    assert page.inner_text("#rate-text") == "53%"
    assert page.get_attribute("#best", "aria-pressed") == "true"
    assert page.is_disabled("#document")
    page.keyboard.press("ArrowRight")
    wanted = answer(bench, rate=0.6)
    until(lambda: [dropped(page, n) for n in (1, 2)] == [gone(each) for each in wanted], page)
    assert page.inner_text("#rate-text") == "60%"
    assert page.get_attribute("#rate", "aria-valuetext") == "60% of the words"
    assert page.get_attribute("#best", "aria-pressed") == "false"
    # The slider itself, with its own keys.
    page.focus("#rate")
    page.keyboard.press("Home")
    until(lambda: page.inner_text("#status").startswith("2 of 15 words"), page)
    page.keyboard.press("End")
    until(lambda: page.locator("#struck del").count() == 0, page)
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    until(lambda: page.inner_text("#status").startswith("8 of 15 words"), page)


def test_a_share_of_the_whole_text(open_page: Any, bench: Client) -> None:
    page = shorten(open_page)
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    until(lambda: page.inner_text("#rate-text") == "30%", page)
    page.keyboard.press("w")
    wanted = answer(bench, rate=0.3, document=True)
    assert [gone(each) for each in wanted] != [gone(each) for each in answer(bench, rate=0.3)]
    until(lambda: [dropped(page, n) for n in (1, 2)] == [gone(each) for each in wanted], page)
    assert page.is_checked("#document")


def test_trees_are_parsed_once_and_other_text_anew(open_page: Any) -> None:
    sent: list[Any] = []

    def note(route: Any) -> None:
        sent.append(route.request.post_data_json)
        route.continue_()

    page = open_page("/shorten", routes={"**/api/shorten": note})
    page.fill("#text", SENTENCE)
    page.wait_for_selector(".sentence g.arc")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    until(lambda: len(sent) == 2, page)
    page.fill("#text", "Rain falls.")
    until(lambda: page.locator("text.word").all_text_contents() == ["Rain", "falls", "."], page)
    assert [key for body in sent for key in ("text", "conllu") if key in body] == [
        "text",
        "conllu",
        "text",
    ]
    assert sent[2]["text"] == "Rain falls." and sent[2]["rate"] == sent[1]["rate"]


def test_it_is_copied(open_page: Any, bench: Client) -> None:
    page = shorten(open_page)
    page.evaluate(
        "() => { window.kept = []; Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => window.kept.push(text) } }); }"
    )
    page.keyboard.press("y")
    page.locator('[data-sentence="2"] >> text=Copy JSON').click()
    page.locator('[data-sentence="2"] >> text=Copy CoNLL-U').click()
    until(lambda: page.evaluate("window.kept.length") == 3, page)
    wanted = answer(bench)[1]
    assert page.evaluate("window.kept[0]") == page.inner_text("#left")
    assert page.evaluate("JSON.parse(window.kept[1])") == wanted
    assert page.evaluate("window.kept[2]") == wanted["conllu"]


def test_files_foreign_text_and_faults(open_page: Any) -> None:
    page = shorten(open_page)
    page.evaluate(DROP, [STORY.replace("Ono", NASTY), "story.conllu"])
    until(lambda: NASTY in page.inner_text("#struck"), page)
    assert page.locator("main img").count() == 0
    page.fill("#text", "1\tRain\t_\tNOUN\t_\t_\t7\troot\t_\t_\n\n")
    page.wait_for_selector("#fault:visible")
    assert page.inner_text("#fault") and "\n" not in page.inner_text("#fault")
    assert page.locator(".sentence").count() == 2
    page.fill("#text", "")
    page.locator(".empty .chip").first.click()
    until(lambda: page.locator(".sentence").count() == 1, page)
    assert not page.is_visible("#fault")


def test_without_a_compressor_there_is_advice(
    open_page: Any, make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    registry = make_registry()
    registry.compressors.clear()
    with running(registry, tmp_path / "work") as client:
        page = open_page("/shorten", client=client)
        note = page.inner_text("[data-missing]")
        page.fill("#text", STORY)
        page.wait_for_timeout(500)
        assert page.locator(".sentence, #rate").count() == 0
        assert not page.is_visible("#fault")
    assert "niwaki train-compressor" in note and "niwaki serve --compressor" in note


def test_everything_can_be_reached_and_has_a_name(open_page: Any) -> None:
    page = shorten(open_page)
    nameless = page.locator("main :is(button, select, textarea, input:not([hidden]))").evaluate_all(
        "all => all.filter(e => !(e.innerText.trim() || e.labels?.length || e.ariaLabel)).length"
    )
    assert nameless == 0
    page.goto(page.url.replace("shorten", "api"))
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/shorten")
    assert page.title() == "Shorten · Niwaki"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_struck_out_can_be_read(open_page: Any, theme: str) -> None:
    page = shorten(open_page)
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    for selector, of in (
        ("del", "color"),
        (".token.dropped .word", "fill"),
        (".token.dropped .tag", "fill"),
        ("g.arc.dropped .label", "fill"),
        ("g.arc:not(.dropped) .label", "fill"),
    ):
        assert page.evaluate(CONTRAST, [selector, of]) >= 4.5, selector


# -- what sentences mean ----------------------------------------------------------------


def means(open_page: Any, text: str) -> Any:
    page = open_page("/")
    page.fill("#text", text)
    page.wait_for_selector(".sentence g.arc")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("m")
    page.wait_for_selector(".meaning")
    return page


def test_the_meaning_stands_beside_its_tree(open_page: Any, bench: Client) -> None:
    page = means(open_page, SENTENCE)
    request = {"text": SENTENCE, "meaning": True}
    (wanted,) = bench.post("/api/parse", request).json["sentences"]
    assert arcs(page.locator(".sentence")) == tree(wanted)
    assert page.inner_text(".meaning .expression") == wanted["meaning"]["expression"]
    rows = page.locator(".meaning li").evaluate_all(
        "all => all.map(e => [e.querySelector(':scope > .how')?.textContent ?? '',"
        " e.querySelector(':scope > .name').textContent])"
    )
    assert rows == [[part["how"], part["name"]] for part in wanted["meaning"]["parts"]]
    depths = page.locator(".meaning li").evaluate_all(
        "all => all.map(e => { let n = 0; for (let x = e.parentElement.closest('li'); x;"
        " x = x.parentElement.closest('li')) n += 1; return n; })"
    )
    parts, known = wanted["meaning"]["parts"], [0]
    for part in parts[1:]:
        known.append(known[part["of"]] + 1)
    assert depths == known
    right = page.locator(".meaning").bounding_box()["x"]
    assert right >= page.locator(".sentence svg").evaluate("e => e.getBoundingClientRect().right")
    page.set_viewport_size({"width": 420, "height": 900})
    until(lambda: page.locator(".meaning").bounding_box()["x"] < 100, page)


def test_it_is_folded_away_and_remembered(open_page: Any) -> None:
    page = means(open_page, SENTENCE)
    assert page.get_attribute("#meaning", "aria-pressed") == "true"
    # Each sign is explained to whoever cannot point at it.
    assert page.locator("#signs code").all_inner_texts() == list("+./:@%&^_")
    page.reload()
    page.wait_for_selector(".meaning li")
    page.keyboard.press("m")
    until(lambda: page.locator(".meaning").count() == 0, page)
    assert page.get_attribute("#meaning", "aria-pressed") == "false"
    assert not page.is_visible("#signs")
    assert page.locator(".sentence g.arc").count() > 0


def test_it_follows_the_tree_and_marks_the_word(open_page: Any, bench: Client) -> None:
    page = means(open_page, "Rain falls.")
    (free,) = bench.post("/api/parse", {"text": "Rain falls."}).json["sentences"]
    before = page.inner_text(".meaning .expression")
    assert page.locator(".meaning .picked").count() == 0
    page.locator('g.token[data-word="1"]').click()
    assert page.locator(".meaning .picked").all_inner_texts() == ["Rain"]
    page.locator('[data-act="root"]').click()
    until(lambda: page.inner_text(".meaning .expression") != before, page)
    request = {"conllu": free["conllu"], "meaning": True, "constraints": [[{"word": 1, "head": 0}]]}
    (wanted,) = bench.post("/api/parse", request).json["sentences"]
    assert page.inner_text(".meaning .expression") == wanted["meaning"]["expression"]
    # The k best trees are asked for without meanings, and are still given.
    page.keyboard.press("k")
    page.wait_for_selector(".candidate g.arc")
    assert not page.is_visible(".toast.bad")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_expressions_can_be_read_and_stay_text(open_page: Any, theme: str) -> None:
    page = means(open_page, f"He wrote {NASTY} on it.")
    assert "<img" in page.inner_text(".meaning .expression")
    assert page.locator("main img").count() == 0
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    for selector in (".meaning .how", ".meaning .name", ".meaning .sign", ".expression"):
        assert page.evaluate(CONTRAST, [selector, "color"]) >= 4.5, selector
