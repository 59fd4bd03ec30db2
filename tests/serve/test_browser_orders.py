"""Long word orders and text that runs from right to left, in a real Chromium."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.browsing import arcs, tree, until
from tests.serve.conftest import Client

LONG = " ".join(["The old gardener shapes the pines by the pond"] * 7) + "."
ARABIC = ["كتب", "الولد", "الرسالة", "الطويلة", "أمس"]


@pytest.mark.parametrize("width", [390, 1280])
def test_long_orders_wrap_and_are_numbered(
    browser: Any, open_page: Any, bench: Client, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = open_page("/reorder", context)
    page.fill("#text", LONG)
    (wanted,) = bench.post("/api/reorder", {"text": LONG, "rules": "ja"}).json["sentences"]
    order = " ".join(map(str, wanted["order"]))
    until(lambda: page.locator("article.card").first.get_attribute("data-order") == order, page)
    card = page.locator("article.card").first
    page.wait_for_selector(".order.tall")
    line = card.locator('.flow [data-row="rules"]')
    words = line.locator(".token").evaluate_all(
        "all => all.map(t => [t.querySelector('sup').textContent, t.lastChild.data])"
    )
    assert words == [[str(at + 1), wanted["tokens"][at]] for at in wanted["order"]]
    numbers = card.locator(".order text.number").all_text_contents()
    assert numbers[: len(order.split())] == [str(n + 1) for n in range(len(wanted["tokens"]))]
    # Several lines, none of which leaves the card.
    box = card.bounding_box()
    edges = card.locator(".flow .token, .order svg text").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right, b.top])"
    )
    assert min(left for left, _, _ in edges) >= box["x"]
    assert max(right for _, right, _ in edges) <= box["x"] + box["width"]
    assert len({top for _, _, top in edges[: len(words)]}) > 1
    context.close()


def places(card: Any, selector: str) -> list[float]:
    found = card.locator(selector).evaluate_all("all => all.map(t => Number(t.getAttribute('x')))")
    return [float(each) for each in found]


def test_trees_run_as_their_sentences_do(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    rows = [f"{n}\t{form}\t_\tX" + "\t_" * 6 for n, form in enumerate(ARABIC, start=1)]
    conllu = "\n".join(rows) + "\n\n"
    page.fill("#text", conllu)
    until(lambda: page.locator("text.word").all_text_contents() == ARABIC, page)
    card = page.locator(".sentence").first
    xs = places(card, "text.word")
    assert xs == sorted(xs, reverse=True)
    (wanted,) = bench.post("/api/parse", {"conllu": conllu}).json["sentences"]
    assert arcs(card) == tree(wanted)
    # Each arc begins and ends at its words: the tip stands at the dependent.
    tips = card.locator("g.arc").evaluate_all(
        "all => all.map(g => [Number(g.dataset.arc), parseFloat("
        "g.querySelector('.tip').getAttribute('d').slice(1))])"
    )
    assert tips and all(abs(x - xs[word - 1]) < 0.01 for word, x in tips)
    assert page.get_attribute("#text", "dir") == "auto"
    page.fill("#text", "Rain falls.")
    until(lambda: page.locator("text.word").first.text_content() == "Rain", page)
    xs = places(card, "text.word")
    assert xs == sorted(xs)


def test_orders_run_as_their_sentences_do(open_page: Any) -> None:
    page = open_page("/reorder")
    page.fill("#text", " ".join(ARABIC[:3]))
    first = page.locator("article.card").first
    until(lambda: first.locator("text.token").first.text_content() == ARABIC[0], page)
    source = places(first, "text.token")[:3]
    assert source == sorted(source, reverse=True)
