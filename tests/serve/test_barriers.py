"""Pages without barriers: contrast, a narrow screen, and what axe-core finds in a real Chromium.

axe-core is fetched by `make axe`; it is not kept in the repository.
"""

from __future__ import annotations

from typing import Any

import pytest

from niwaki.serve.app import PAGES
from tests.conftest import ROOT
from tests.serve.browsing import SENTENCE
from tests.serve.conftest import Client

AXE = ROOT / "build" / "axe" / "axe.min.js"
LEAST = 4.5
PHONE = {"width": 390, "height": 800}
TEXT = f"{SENTENCE} Two herons stand in the water because the old gardener planted a pine."

# Every visible text with the colours it is written in and on: colours are painted on a canvas, so
# that it does not matter how they are spelled. Disabled controls are exempt, as in WCAG.
CONTRAST = """() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = css;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [
    r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((each) => {
      const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const chain = (element) => element ? [element, ...chain(element.parentElement)] : [];
  const ground = (element) => chain(element).reverse().reduce(
    (below, each) => over(rgba(getComputedStyle(each).backgroundColor), below),
    [255, 255, 255, 1]);
  const clear = (element) => chain(element).reduce(
    (product, each) => product * Number(getComputedStyle(each).opacity), 1);
  const found = [];
  const check = (element, text, colour) => {
    const below = ground(element);
    const [r, g, b, a] = rgba(colour);
    const above = over([r, g, b, a * clear(element)], below);
    const [high, low] = [light(above), light(below)].sort((one, other) => other - one);
    found.push([(high + 0.05) / (low + 0.05), text.trim().slice(0, 40), element.className.baseVal
      ?? element.className, element.tagName]);
  };
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("option, title, noscript, script, :disabled, [hidden]")) continue;
    if (!element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden") continue;
    const own = [...element.childNodes].filter((each) => each.nodeType === 3);
    const text = own.map((each) => each.data).join("");
    if (text.trim()) check(element, text, element.ownerSVGElement ? style.fill : style.color);
    if (element.placeholder && !element.value) {
      check(element, element.placeholder, getComputedStyle(element, "::placeholder").color);
    }
  }
  return found;
}"""


def fill(page: Any, name: str, bench: Client) -> None:
    """A page as it looks when somebody works with it."""
    if name in ("parse", "relate", "shorten", "reorder", "translate", "find"):
        page.fill("#text", TEXT)
    if name == "parse":
        page.wait_for_selector(".sentence g.arc")
        page.click("#meaning")
        page.wait_for_selector(".meaning")
        page.locator(".sentence").first.locator(".kbest").click()
        page.wait_for_selector(".candidate g.arc")
        page.locator('.sentence g.token[data-word="3"]').first.click()
        page.click("#figures summary")
    elif name == "find":
        page.fill("#count", "who.lemma")
        page.locator(".found summary").first.click()
        page.wait_for_selector(".found g.arc")
        page.fill("#query", "VERB=did >nsubj *=who >obj NOUN=what )")
        page.wait_for_selector("#query-fault:visible")
    elif name == "reorder":
        page.wait_for_selector("article.card")
    elif name == "translate":
        page.wait_for_selector(".phrases .token")
        for each in page.locator("details.more summary").all():
            each.click()
        page.locator(".chip.pair").first.hover()
    elif name in ("relate", "shorten"):
        page.wait_for_selector(".sentence g.arc")
    elif name in ("compare", "analyze"):
        page.select_option("#corpus", "toy")
        page.click("#run")
        page.wait_for_selector("#table" if name == "compare" else "#factor")
    page.wait_for_timeout(400)


def look(open_page: Any, bench: Client, name: str, theme: str) -> Any:
    page = open_page(f"/{name}")
    page.evaluate("theme => localStorage.setItem('theme', theme)", theme)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    fill(page, name, bench)
    return page


def contrast_of(page: Any) -> list[Any]:
    """Each text of a page that can hardly be read: its contrast, itself, and where it stands."""
    found = page.evaluate(CONTRAST)
    assert len(found) > 10
    return [each for each in found if each[0] < LEAST]


def barriers_of(page: Any) -> list[Any]:
    """What axe-core calls serious or worse."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    assert found["passes"]
    return [
        (each["id"], node["target"], node["html"][:120])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is missing: run make axe")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_text_can_be_read(open_page: Any, bench: Client, name: str, theme: str) -> None:
    assert contrast_of(look(open_page, bench, name, theme)) == []


@needs_axe
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(open_page: Any, bench: Client, name: str) -> None:
    assert barriers_of(look(open_page, bench, name, "light")) == []


@pytest.mark.parametrize("mode", ["root", "heads"])
def test_annotating_has_no_barriers(open_page: Any, bench: Client, project: str, mode: str) -> None:
    page = open_page(f"/annotate?project={project}&mode={mode}")
    page.wait_for_selector(".choice" if mode == "root" else "#stage g.arc")
    if mode == "heads":
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert contrast_of(page) == []
    assert not AXE.is_file() or barriers_of(page) == []
    page.click('[aria-label="Light or dark"]')
    assert contrast_of(page) == []


def test_a_narrow_screen_has_all_pages_behind_one_button(
    browser: Any, open_page: Any, bench: Client
) -> None:
    context = browser.new_context(viewport=PHONE)
    page = open_page("/parse", context)
    assert not page.is_visible("#pages")
    menu = page.locator(".menu")
    assert (menu.inner_text(), menu.get_attribute("aria-expanded")) == ("Parse", "false")
    menu.click()
    links = page.locator("#pages a:visible")
    assert links.evaluate_all("all => all.map(a => a.getAttribute('href'))") == [
        each.get_attribute("href") for each in page.locator("#pages a").all()
    ]
    assert links.count() == len(PAGES)
    # Fingers need room.
    assert links.evaluate_all("all => Math.min(...all.map(a => a.clientHeight))") >= 40
    page.keyboard.press("Escape")
    assert not page.is_visible("#pages")
    menu.click()
    page.click('#pages a[href="/reorder"]')
    page.wait_for_url("**/reorder")
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_screen_is_not_scrolled_sideways(
    browser: Any, open_page: Any, bench: Client, name: str
) -> None:
    context = browser.new_context(viewport=PHONE)
    page = open_page(f"/{name}", context)
    fill(page, name, bench)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    if name in ("parse", "find", "reorder", "translate", "annotate"):
        wide = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
        assert page.locator(".card").evaluate_all(wide) == 0
    context.close()
