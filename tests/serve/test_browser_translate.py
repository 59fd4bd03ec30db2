"""Translate in a real Chromium: the screen shows order, phrases and translation of the API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from niwaki.serve.registry import Registry
from niwaki.verbs.translating import translate_train
from tests.serve.browsing import DROP, NASTY, until
from tests.serve.conftest import Client, running
from tests.translating import pairs

TEXT = "the monks see the pines"


def opened(open_page: Any, text: str = TEXT, **more: Any) -> Any:
    page = open_page("/translate", **more)
    page.select_option("#words", "spaces")
    page.fill("#text", text)
    page.wait_for_selector(".phrases .token")
    page.evaluate("() => document.activeElement.blur()")
    return page


def answer(bench: Client, translator: str, text: str = TEXT) -> Any:
    request = {"tokens": [text.split()], "translator": translator, "nbest": 5}
    return bench.post("/api/translate", request).json["sentences"][0]


def part(page: Any, name: str) -> Any:
    return page.locator(f'[data-translator="{name}"]')


def words(place: Any, row: str) -> list[tuple[str, int]]:
    """The words of a row from left to right, each with its phrase."""
    found = place.locator(f'.phrases .token[data-row="{row}"]').evaluate_all(
        "all => all.map(e => [e.getBoundingClientRect().left, e.textContent, "
        "Number(e.dataset.phrase)])"
    )
    return [(word, phrase) for _, word, phrase in sorted(found)]


def phrase_of(found: Any, place: int) -> int:
    spans = [range(begin, end) for begin, end, *_ in found["translations"][0]["phrases"]]
    return next(number for number, span in enumerate(spans) if place in span)


def test_source_order_phrases_and_translation(open_page: Any, bench: Client) -> None:
    page = opened(open_page)
    for name in ("ordered", "plain"):
        wanted, shown = answer(bench, name), part(page, name)
        best = wanted["translations"][0]
        assert shown.locator(".said").inner_text() == best["text"]
        order = [
            (wanted["tokens"][at], phrase_of(wanted, p)) for p, at in enumerate(wanted["order"])
        ]
        assert words(shown, "order" if name == "ordered" else "source") == order
        said = [
            (word, number)
            for number, (*_, begin, end) in enumerate(best["phrases"])
            for word in best["tokens"][begin:end]
        ]
        assert words(shown, "translation") == said
        # A ribbon and two boxes for each phrase.
        assert shown.locator(".ribbon").count() == len(best["phrases"])
        assert shown.locator("rect.phrase").count() == 2 * len(best["phrases"])
    ordered = answer(bench, "ordered")
    assert [word for word, _ in words(part(page, "ordered"), "source")] == ordered["tokens"]
    assert part(page, "ordered").locator("path.link").count() == len(ordered["tokens"])
    assert part(page, "ordered").locator(".link.moved").count() > 0
    assert part(page, "plain").locator("path.link").count() == 0


def test_what_pre_ordering_changed_is_told(open_page: Any, bench: Client) -> None:
    page = opened(open_page)
    moved = part(page, "ordered").locator(".link.moved").count()
    fact = part(page, "ordered").locator('[data-fact="order"]').inner_text()
    assert fact == f"{moved} of 5 words moved by rules"
    assert part(page, "plain").locator('[data-fact="order"]').inner_text() == "no pre-ordering"
    for name in ("ordered", "plain"):
        phrases = answer(bench, name)["translations"][0]["phrases"]
        ends = [0, *(end for _, end, *_ in phrases)]
        jumps = sum(begin != end for (begin, *_), end in zip(phrases, ends, strict=False))
        told = part(page, name).locator('[data-fact="jumps"]').inner_text()
        assert told.split(", ")[1] == f"{jumps} jump{'' if jumps == 1 else 's'}"
    rules = part(page, "ordered").locator("[data-rule]").all()
    assert [each.get_attribute("data-rule") for each in rules] == [
        move["rule"] for move in answer(bench, "ordered")["moves"] if move["moved"]
    ]


def test_words_that_only_one_of_two_says_are_marked(open_page: Any, bench: Client) -> None:
    page = opened(open_page, "the monks see the herons")
    texts = [answer(bench, name, "the monks see the herons") for name in ("ordered", "plain")]
    one, other = (each["translations"][0]["tokens"] for each in texts)
    marked = page.locator("mark.unlike").all_inner_texts()
    assert (marked == []) == (one == other)
    assert set(marked) <= set(one) | set(other)
    page.select_option("#beside", "")
    until(lambda: page.locator(".translator").count() == 1, page)
    assert page.locator("mark.unlike").count() == 0
    assert page.inner_text('[data-fact="copied"]') == "1 unknown word"
    assert page.locator(".token.copied").all_text_contents() == ["herons"]


def test_phrases_light_up_from_the_keyboard(open_page: Any) -> None:
    page = opened(open_page, "the monks see the herons")
    chips = part(page, "ordered").locator(".chip.pair")
    assert chips.count() > 1
    for number in range(chips.count()):
        page.keyboard.press("ArrowRight")
        assert chips.nth(number).evaluate("e => e === document.activeElement")
        lit = page.locator(".token.lit").evaluate_all("all => all.map(e => e.dataset.phrase)")
        assert lit and set(lit) == {str(number)}
        assert page.locator(".phrases.dim").count() == 1
    page.evaluate("() => document.activeElement.blur()")
    assert page.locator(".lit, .phrases.dim").count() == 0


def test_other_translations_and_what_decided(open_page: Any, bench: Client) -> None:
    page = opened(open_page)
    shown, wanted = part(page, "ordered"), answer(bench, "ordered")
    for each in shown.locator("details summary").all():
        each.click()
    texts = shown.locator(".others li bdi:first-child").all_inner_texts()
    assert texts == [each["text"] for each in wanted["translations"]]
    names = shown.locator(".features td:first-child").all_inner_texts()
    assert names == [*wanted["translations"][0]["features"], "score"]
    assert shown.locator("g.arc").count() == len(wanted["tokens"])


def test_an_address_opens_the_same(open_page: Any, bench: Client) -> None:
    page = opened(open_page)
    page.select_option("#translator", "plain")
    page.select_option("#beside", "")
    page.select_option("#limit", "2")
    until(lambda: page.locator(".translator").count() == 1, page)
    page.evaluate(
        "() => Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => { window.kept = text; } } })"
    )
    page.click("#address")
    until(lambda: page.evaluate("window.kept"), page)
    address = page.evaluate("window.kept").removeprefix(bench.url)
    assert "#" in address and "monks" in address.split("#")[1]
    other = open_page(address)
    other.wait_for_selector(".phrases .token")
    assert other.input_value("#text") == TEXT
    chosen = [other.input_value(f"#{each}") for each in ("translator", "beside", "limit", "words")]
    assert chosen == ["plain", "", "2", "spaces"]
    assert "#" not in other.url


def test_files_foreign_text_and_faults(open_page: Any) -> None:
    page = opened(open_page)
    page.evaluate(DROP, [f"the monks see {NASTY}", "story.txt"])
    until(lambda: "onerror" in page.locator(".said").first.inner_text(), page)
    assert page.locator("main img").count() == 0
    page.fill("#text", "the " * 1001)
    page.wait_for_selector("#fault:visible")
    assert "\n" not in page.inner_text("#fault")
    page.fill("#text", "")
    page.locator(".empty .chip").first.click()
    until(lambda: page.locator(".sentence").count() == 1, page)
    assert not page.is_visible("#fault")


def test_each_row_runs_as_its_words_do(
    open_page: Any, make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    """Source words from left to right, words of the translation from right to left."""
    letters = dict(zip("abdeghikmnorstuwy", "אבגדהוזחטיכלמנסעפ", strict=True))
    files = tmp_path / "text.en", tmp_path / "text.he"
    for file, side in zip(files, zip(*pairs(), strict=True), strict=True):
        lines = "".join(f"{line}\n" for line in side)
        right = file.suffix == ".he"
        lines = "".join(letters.get(each, each) for each in lines) if right else lines
        file.write_text(lines, encoding="utf-8")
    translate_train(*files, tmp_path / "en-he")
    registry = make_registry()
    registry.translators = {"en-he": str(tmp_path / "en-he")}
    with running(registry, tmp_path / "work") as client:
        page = opened(open_page, client=client)
        best = answer(client, "en-he")["translations"][0]
        assert [word for word, _ in words(page, "translation")] == best["tokens"][::-1]
        assert [word for word, _ in words(page, "source")] == TEXT.split()


def test_a_narrow_screen_has_columns(browser: Any, open_page: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = opened(open_page, context=context)
    page.wait_for_selector(".phrases svg.tall")
    boxes = page.locator(".phrases").evaluate_all(
        "all => all.map(e => e.scrollWidth - e.clientWidth)"
    )
    assert max(boxes) <= 1
    context.close()


def test_without_a_translator_there_is_advice(
    open_page: Any, make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    registry = make_registry()
    registry.translators.clear()
    with running(registry, tmp_path / "work") as client:
        page = open_page("/translate", client=client)
        note = page.inner_text("[data-missing]")
        page.fill("#text", TEXT)
        page.wait_for_timeout(500)
        assert page.locator(".sentence").count() == 0
        assert not page.is_visible("#fault")
    assert "niwaki translate train" in note and "niwaki serve --translator" in note


def test_everything_can_be_reached_and_has_a_name(open_page: Any) -> None:
    page = opened(open_page)
    nameless = page.locator("main :is(button, select, textarea, input:not([hidden]))").evaluate_all(
        "all => all.filter(e => !(e.innerText.trim() || e.labels?.length || e.ariaLabel)).length"
    )
    assert nameless == 0
    page.goto(page.url.replace("translate", "api"))
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("g")
    page.keyboard.press("n")
    page.wait_for_url("**/translate")
    assert page.title() == "Translate · Niwaki"
