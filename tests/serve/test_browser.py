"""Parse and Reorder in a real Chromium: what is on the screen is what the API says."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from niwaki.serve.app import PAGES
from niwaki.serve.registry import Registry
from tests.serve.browsing import DROP, NASTY, SENTENCE, arcs, tree, until
from tests.serve.conftest import Client, running

# -- parse --------------------------------------------------------------------------


def parse(page: Any, text: str) -> Any:
    page.fill("#text", text)
    page.wait_for_function("() => document.querySelector('.sentence g.arc')")
    return page.locator(".sentence").first


def test_the_tree_on_the_screen_is_that_of_the_api(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    (wanted,) = bench.post("/api/parse", {"text": SENTENCE}).json["sentences"]
    assert arcs(card) == tree(wanted)
    assert card.locator("text.word").all_text_contents() == wanted["tokens"]
    assert card.locator("text.tag").all_text_contents() == wanted["upos"]


def test_sixty_words_stay_within_the_page(open_page: Any) -> None:
    page = open_page("/")
    text = " ".join(["The old gardener shapes the pines by the pond"] * 6) + " and rests."
    card = parse(page, text)
    page.wait_for_timeout(300)
    assert card.locator("text.word").count() >= 55
    sizes = card.locator(".tree").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert sizes[0] <= sizes[1] + 1
    # No word lies upon another one.
    boxes = card.locator("text.word").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right, b.top])"
    )
    for one, other in itertools.pairwise(boxes):
        assert one[1] < other[0] or one[2] < other[2]


def test_text_is_shown_as_text(open_page: Any) -> None:
    page = open_page("/")
    card = parse(page, f"He wrote {NASTY} on it.")
    assert "<img" in "".join(card.locator("text.word").all_text_contents())
    assert page.locator("main img").count() == 0
    # So are tags and comments of a file, and names in messages.
    comment = f"# sent_id = {NASTY}\n# text = {NASTY}\n"
    page.fill("#text", comment + f"1\tRain\t_\t{NASTY}\t_\t_\t_\t_\t_\t_\n\n")
    until(lambda: page.locator("text.tag").all_text_contents() == [NASTY], page)
    page.goto(page.url.rstrip("/") + "/reorder")
    page.wait_for_selector("article.card")
    page.fill("#editor", f"'{NASTY.replace(chr(39), '')}' = 1\n")
    page.wait_for_selector("#rules-fault:visible")
    assert "<img" in page.inner_text("#rules-fault")
    assert page.locator("main img").count() == 0


def test_labels_projects_and_file_names_are_shown_as_text(
    open_page: Any, bench: Client, project: str
) -> None:
    label = "<img/src=x/onerror=alert(1)>"
    path = f"/api/projects/{project}/sentences/0/answer"
    heads = [{"word": 1, "head": 0, "label": "root"}, {"word": 2, "head": 1, "label": label}]
    assert bench.post(path, {"version": 0, "heads": heads}).status == 200
    page = open_page("/adapt")
    assert NASTY in page.inner_text("fieldset")
    assert page.locator("main img").count() == 0
    page = open_page(f"/annotate?project={project}&mode=heads")
    page.locator('.queue li[data-n="0"]').click()
    page.locator('#stage g.token[data-word="2"]').click()
    until(lambda: page.locator("#stage text.label", has_text=label).count() == 1, page)
    assert page.locator("main img").count() == 0
    page = open_page("/")
    page.evaluate(DROP, ["a" * (4 * 2**20 + 1), NASTY])
    page.wait_for_selector(".toast.bad")
    assert NASTY in page.inner_text(".toast.bad")
    assert page.locator("#toasts img").count() == 0


def test_a_click_constrains_and_the_tree_answers(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    (free,) = bench.post("/api/parse", {"text": SENTENCE}).json["sentences"]
    word = 2 if free["heads"][1] != 0 else 3
    card.locator(f'g.token[data-word="{word}"]').click()
    card.locator('[data-act="root"]').click()
    until(lambda: arcs(card).get(word, (None,))[0] == 0, page)
    request = {"conllu": free["conllu"], "constraints": [[{"word": word, "head": 0}]]}
    (wanted,) = bench.post("/api/parse", request).json["sentences"]
    assert arcs(card) == tree(wanted)
    assert card.locator(f'g.arc.known[data-arc="{word}"]').count() == 1
    card.locator("header .chip.on").click()  # give it up
    until(lambda: arcs(card) == tree(free), page)


def test_arcs_are_fixed_and_forbidden_with_the_keyboard(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    page.keyboard.press("Escape")  # out of the field
    page.keyboard.press("ArrowRight")
    before = arcs(card)[1]
    page.keyboard.press("x")
    until(lambda: arcs(card).get(1, before)[0] != before[0], page)
    page.keyboard.press("u")
    until(lambda: arcs(card).get(1) == before, page)
    page.keyboard.press("h")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    until(lambda: arcs(card).get(1, (None,))[0] == 6, page)


def test_contradictions_are_shown(open_page: Any) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    shown = arcs(card)
    for word in (1, 2):
        card.locator(f'g.token[data-word="{word}"]').click()
        page.keyboard.press("r")
        page.wait_for_timeout(400)
    until(lambda: card.locator(".note.bad").is_visible(), page)
    assert "word 1 is the root; word 2 is the root" in card.locator(".note.bad").inner_text()
    assert arcs(card)[1][0] == 0 and arcs(card) != shown


def test_the_k_best_are_side_by_side_with_what_differs(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    card.locator(".kbest").click()
    page.wait_for_selector(".candidate g.arc")
    (wanted,) = bench.post("/api/kbest", {"text": SENTENCE, "k": 6}).json["sentences"]
    shown = card.locator(".candidate")
    assert shown.count() == len(wanted["parses"]) > 1
    first = tree(wanted["parses"][0])
    for rank, parsed in enumerate(wanted["parses"]):
        assert arcs(shown.nth(rank)) == tree(parsed)
        marked = shown.nth(rank).locator("g.arc.differ")
        words = set(marked.evaluate_all("all => all.map(g => Number(g.dataset.arc))"))
        assert words == {word for word, pair in tree(parsed).items() if pair != first[word]}


@pytest.fixture
def shipped(tmp_path: Path) -> Iterator[Client]:
    """A workbench with the English model, which is calibrated."""
    registry = Registry()
    registry.add_model("en", "en")
    with running(registry, tmp_path / "work") as client:
        yield client


def test_an_attachment_has_one_figure_and_it_is_explained(open_page: Any, shipped: Client) -> None:
    """Wherever a percentage stands, it is how probable it is that the answer is right."""
    page = open_page("/", client=shipped)
    text = "We watched monks with lanterns."
    card = parse(page, text)
    (wanted,) = shipped.post("/api/parse", {"text": text}).json["sentences"]
    sure = wanted["probabilities"]
    lanterns = wanted["tokens"].index("lanterns") + 1
    assert min(sure["arc"]) == sure["arc"][lanterns - 1] < 0.75
    for word, (head, probability) in enumerate(zip(wanted["heads"], sure["arc"], strict=True), 1):
        card.locator(f'g.token[data-word="{word}"]').click()
        figure = f"{100 * probability:.0f}%"
        said = card.locator('[data-figure="head"]').inner_text()
        assert said.startswith(f"{figure} that ") and "of 100 attachments" in said
        assert head == 0 or wanted["tokens"][head - 1] in said
        arc = card.locator(f'g.arc[data-arc="{word}"]')
        written = _percentages(arc.locator("text.label").text_content())
        assert written == ([figure] if probability < 0.75 else [])
        assert f"{figure} that " in arc.locator("title").text_content()
    # Other heads stand there in order, without figures of another kind.
    card.locator(f'g.token[data-word="{lanterns}"]').click()
    until(lambda: card.locator(".heads .chip").all_text_contents() == ["watched"], page)
    figure = f"{100 * sure['arc'][lanterns - 1]:.0f}%"
    assert set(_percentages(card.locator(".inspector").inner_text())) == {figure}
    card.locator(".kbest").click()
    page.wait_for_selector(".candidate g.arc")
    assert _percentages(card.locator(".candidates").inner_text()) == []
    tree_figure = f"{100 * sure['tree']:.0f}%"
    assert _percentages(card.locator("header .chip").first.inner_text()) == [tree_figure]
    page.click("#figures summary")
    assert "of 100 attachments given 60%" in page.inner_text("#figures")
    # What is not calibrated has no figure: a tree around something that is known.
    card.locator('[data-act="fix"]').click()
    until(lambda: "constrained" in card.inner_text(), page)
    assert _percentages(card.inner_text()) == []


def _percentages(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?%", text)


def test_a_dropped_file_is_parsed(open_page: Any) -> None:
    page = open_page("/")
    # Early, because the browser begins to tell of choosers only some time after it was asked to.
    choosers: list[Any] = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    rows = [["1", "Rain", "_", "NOUN"], ["2", "falls", "_", "VERB"]]
    text = "".join("\t".join([*row, *["_"] * 6]) + "\n" for row in rows) + "\n"
    page.evaluate(DROP, [text, "a.conllu"])
    page.wait_for_selector(".sentence g.arc")
    assert page.locator("text.word").all_text_contents() == ["Rain", "falls"]
    # From the keyboard, one is chosen instead.
    page.keyboard.press("o")
    until(lambda: bool(choosers), page)
    other = {"name": "b.txt", "mimeType": "text/plain", "buffer": b"Snow melts."}
    choosers[0].set_files([other])
    until(lambda: page.locator("text.word").all_text_contents() == ["Snow", "melts", "."], page)


def test_wrong_input_is_named_on_the_page(open_page: Any) -> None:
    page = open_page("/")
    for text, said in (
        ("1\tRain\t_\tNOUN\n", "line 1"),
        ("1\tRain" + "\t_" * 4 + "\t9\tdep\t_\t_\n\n", "out of range"),
        ("a " * 1001, "1001 words"),
    ):
        page.fill("#text", text)
        until(lambda: said in page.inner_text("#fault"), page)  # noqa: B023
    parse(page, SENTENCE)
    until(lambda: not page.is_visible("#fault"), page)


# -- reorder ------------------------------------------------------------------------


def test_orders_and_rules_on_the_screen(open_page: Any, bench: Client) -> None:
    page = open_page("/reorder")
    page.fill("#text", SENTENCE)
    (wanted,) = bench.post("/api/reorder", {"text": SENTENCE, "rules": "ja"}).json["sentences"]
    order = " ".join(map(str, wanted["order"]))
    until(lambda: page.locator("article.card").first.get_attribute("data-order") == order, page)
    card = page.locator("article.card").first
    moved = [move["rule"] for move in wanted["moves"] if move["moved"]]
    assert card.locator(".chip.move").evaluate_all("all => all.map(c => c.dataset.rule)") == moved
    examples = bench.get("/api/rules/ja").json["examples"]
    assert f"{len(examples)} of {len(examples)} examples" in page.inner_text("#rules-status")


def test_an_edited_rule_changes_all_examples(open_page: Any, bench: Client) -> None:
    page = open_page("/reorder")
    page.wait_for_selector("article.card")
    page.fill("#text", SENTENCE)
    page.fill("#editor", 'labels = "any"\n')
    until(lambda: "0 rules" in page.inner_text("#rules-status"), page)
    order = page.locator("article.card").first.get_attribute("data-order")
    assert order == " ".join(map(str, range(6)))
    text = bench.get("/api/rules/reverse").json["text"]
    page.fill("#editor", text)
    (wanted,) = bench.post("/api/reorder", {"text": SENTENCE, "rules": "reverse"}).json["sentences"]
    order = " ".join(map(str, wanted["order"]))
    until(lambda: page.locator("article.card").first.get_attribute("data-order") == order, page)


def test_a_fault_in_a_rule_is_shown_at_its_line(open_page: Any) -> None:
    page = open_page("/reorder")
    page.wait_for_selector("article.card")
    page.fill("#editor", 'labels = "ud"\n\n[[rule]]\nname = "x"\nhaed = {}\n')
    page.wait_for_selector("#rules-fault:visible")
    assert page.inner_text("#rules-fault").startswith("Line 5:")
    assert "'head'" in page.inner_text("#rules-fault")
    assert page.locator(".gutter .hit").inner_text() == "5"


def test_scores_and_chunks_against_references(open_page: Any, bench: Client) -> None:
    page = open_page("/reorder")
    page.wait_for_selector("article.card")
    page.select_option("#against", "pairs")
    page.wait_for_selector("#page-scores")
    found = bench.get("/api/references/pairs?start=0&count=10").json["references"]
    kept = ("id", "order", "groups", "linked")
    request = {
        "tokens": [each["tokens"] for each in found],
        "references": [{k: r[k] for k in kept if r[k] is not None} for r in found],
        "rules": "ja",
    }
    wanted = bench.post("/api/reorder", request).json["sentences"]
    assert len(wanted) == len(found) > 0
    for number, record in enumerate(wanted):
        card = page.locator("article.card").nth(number)
        scores = record["reference"]["scores"]
        assert card.locator(".score").inner_text() == f"{scores['frs_linked']:.3f}"
        linked = sum(len(run) for run in record["reference"]["chunks"])
        assert card.locator("path.chunk").count() == linked


def test_long_orders_stay_within_the_page(open_page: Any, bench: Client) -> None:
    page = open_page("/reorder")
    text = " ".join(["The old gardener shapes the pines by the pond"] * 7) + "."
    page.fill("#text", text)
    (wanted,) = bench.post("/api/reorder", {"text": text, "rules": "ja"}).json["sentences"]
    order = " ".join(map(str, wanted["order"]))
    until(lambda: page.locator("article.card").first.get_attribute("data-order") == order, page)
    page.wait_for_selector(".order.tall")
    card = page.locator("article.card").first
    sizes = card.locator(".order").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert sizes[0] <= sizes[1] + 1
    # The words of the second column, from top to bottom.
    shown = card.locator("text.token").evaluate_all(
        "all => all.map(t => [Number(t.getAttribute('x')), Number(t.getAttribute('y')),"
        " t.textContent])"
    )
    right = max(x for x, _, _ in shown)
    column = sorted((y, word) for x, y, word in shown if x == right)
    assert [word for _, word in column] == wanted["reordered"]


# -- all pages ------------------------------------------------------------------------


def test_every_page_has_its_keys_and_both_themes(open_page: Any) -> None:
    for name in PAGES:
        page = open_page(f"/{name}")
        page.locator("h1").first.click()
        page.keyboard.press("?")
        page.wait_for_selector("dialog[open] kbd")
        page.keyboard.press("Escape")
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click('[aria-label="Light or dark"]')
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
        page.context.close()


def test_pages_are_reached_with_two_keys(open_page: Any) -> None:
    page = open_page("/api")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/reorder")
    assert page.url.endswith("/reorder")
