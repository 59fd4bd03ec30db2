"""Parse in a real Chromium: what is kept, taken, sent on, and said of mistakes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.serve.registry import Registry
from tests.serve.browsing import SENTENCE, arcs, tree, until
from tests.serve.conftest import Client, running

TWO = f"{SENTENCE} Two herons stand in the water."
GERMAN = "Der alte Gärtner schneidet jeden Morgen die krummen Kiefern hinter dem Tempel."


def parse(page: Any, text: str) -> Any:
    page.fill("#text", text)
    until(lambda: page.locator("#status").inner_text() != "", page)
    page.wait_for_selector(".sentence g.arc")
    return page.locator(".sentence").first


def download(page: Any, name: str) -> tuple[str, bytes]:
    with page.expect_download() as event:
        page.click(f'[data-download="{name}"]')
    return event.value.suggested_filename, Path(event.value.path()).read_bytes()


def fix_root(page: Any, card: Any, word: int) -> None:
    card.locator(f'g.token[data-word="{word}"]').click()
    card.locator('[data-act="root"]').click()
    until(lambda: arcs(card).get(word, (None,))[0] == 0, page)


def test_all_sentences_are_downloaded(open_page: Any, bench: Client, tmp_path: Path) -> None:
    page = open_page("/")
    parse(page, TWO)
    page.wait_for_selector('[data-sentence="2"] g.arc')
    name, data = download(page, "CoNLL-U")
    assert (name, data) == (
        "trees.conllu",
        bench.post("/api/parse", {"text": TWO, "to": "conllu"}).data,
    )
    name, data = download(page, "JSON")
    wanted = bench.post("/api/parse", {"text": TWO}).json["sentences"]
    kept = [{k: v for k, v in each.items() if k != "conllu"} for each in wanted]
    assert (name, json.loads(data)) == ("trees.json", kept)
    for kind, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        name, data = download(page, kind.upper())
        assert name == f"trees-{kind}.zip"
        archive = zipfile.ZipFile(io.BytesIO(data))
        assert archive.namelist() == [f"1.{kind}", f"2.{kind}"]
        assert all(archive.read(each).startswith(begin) for each in (f"1.{kind}", f"2.{kind}"))
    # What was said of a tree is in the file as well.
    card = page.locator(".sentence").first
    fix_root(page, card, 1)
    shown = arcs(card)
    (tmp_path / "a.conllu").write_bytes(download(page, "CoNLL-U")[1])
    first = next(read_conllu(tmp_path / "a.conllu"))
    assert dict(enumerate(zip(first.heads, first.deprels, strict=True), start=1)) == shown


def test_pictures_over_http(bench: Client) -> None:
    reply = bench.post("/api/pictures", {"text": SENTENCE})
    assert reply.headers["content-type"] == "image/svg+xml"
    assert reply.data.startswith(b"<svg") and b"gardener" in reply.data
    assert bench.post("/api/pictures", {"text": SENTENCE, "to": "png"}).data[1:4] == b"PNG"
    assert bench.post("/api/pictures", {"tokens": [["Rain"]] * 201}).status == 413
    assert bench.post("/api/pictures", {"text": " "}).status == 422


def test_one_of_the_k_best_is_taken(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    card.locator(".kbest").click()
    page.wait_for_selector(".candidate g.arc")
    (found,) = bench.post("/api/kbest", {"text": SENTENCE, "k": 6}).json["sentences"]
    third = tree(found["parses"][2])
    assert arcs(card.locator(".tree").first) != third
    card.locator('.candidate[data-rank="3"] [data-act="take"]').click()
    until(lambda: arcs(card.locator(".tree").first) == third, page)
    assert "taken" in card.locator('.candidate[data-rank="3"]').get_attribute("class")
    assert card.locator(".candidate").count() == len(found["parses"])
    # It is the tree of the sentence now, for files and after a reload, until it is given up.
    assert json.loads(download(page, "JSON")[1])[0]["heads"] == found["parses"][2]["heads"]
    page.reload()
    until(lambda: arcs(page.locator(".sentence .tree").first) == third, page)
    page.locator('[data-act="release"]').click()
    until(lambda: arcs(page.locator(".sentence .tree").first) == tree(found["parses"][0]), page)


def test_constraints_outlive_a_reload(open_page: Any) -> None:
    page = open_page("/")
    card = parse(page, TWO)
    fix_root(page, card, 2)
    shown = arcs(card)
    page.reload()
    page.wait_for_selector('.sentence g.arc.known[data-arc="2"]')
    assert arcs(page.locator(".sentence").first) == shown
    assert page.locator(".sentence").nth(1).locator("g.arc.known").count() == 0
    page.locator("header .chip.on").click()
    until(lambda: page.locator("g.arc.known").count() == 0, page)
    page.reload()
    page.wait_for_selector(".sentence g.arc")
    page.wait_for_timeout(300)
    assert page.locator("g.arc.known").count() == 0


def test_a_tree_is_not_marked_before_it_follows_what_is_known(open_page: Any) -> None:
    late: list[Any] = []

    def hold_constrained(route: Any) -> None:
        if holding and "constraints" in route.request.post_data_json:
            late.append(route)
        else:
            route.continue_()

    holding = False
    page = open_page("/", routes={"**/api/parse": hold_constrained})
    card = parse(page, SENTENCE)
    free = arcs(card)
    fix_root(page, card, 2)
    shown = arcs(card)
    holding = True
    page.reload()
    until(lambda: late, page)
    # A tree is laid out anew when its room changes, also while the reply is awaited.
    page.set_viewport_size({"width": 700, "height": 700})
    page.wait_for_timeout(300)
    assert arcs(page.locator(".sentence")) == free
    assert page.locator("g.arc.known").count() == 0
    late[0].continue_()
    page.wait_for_selector('g.arc.known[data-arc="2"]')
    assert arcs(page.locator(".sentence")) == shown


def test_an_address_opens_a_sentence(open_page: Any, browser: Any, bench: Client) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = open_page("/", context)
    card = parse(page, TWO)
    page.select_option("#beam", "2")
    page.wait_for_timeout(400)
    fix_root(page, card, 2)
    shown = arcs(card)
    card.locator('[data-act="address"]').click()
    page.wait_for_selector(".toast")
    address = page.evaluate("navigator.clipboard.readText()")
    assert address.startswith(f"{bench.url}/parse#")
    # Whoever opens it sees this sentence, with the options and what was said of it.
    other = open_page(address.removeprefix(bench.url))
    until(lambda: arcs(other.locator(".sentence").first) == shown, other)
    assert other.input_value("#text") == SENTENCE
    assert other.input_value("#beam") == "2"
    assert other.locator('g.arc.known[data-arc="2"]').count() == 1
    # What is written then is not undone by a reload, and nothing of it was sent in a request.
    parse(other, "Rain falls.")
    until(lambda: other.locator("text.word").first.text_content() == "Rain", other)
    other.reload()
    until(lambda: other.locator("text.word").first.text_content() == "Rain", other)
    # In a tab that has the page already, an address opens too.
    other.evaluate("address => { location.href = address; }", address)
    until(lambda: other.locator("text.word").first.text_content() == "The", other)
    context.close()


@pytest.fixture
def shipped(tmp_path: Path) -> Iterator[Client]:
    registry = Registry()
    registry.add_model("en", "en")
    with running(registry, tmp_path / "work") as client:
        yield client


def test_text_of_another_language_is_noticed(open_page: Any, shipped: Client) -> None:
    page = open_page("/", client=shipped)
    parse(page, SENTENCE)
    assert not page.is_visible("#language")
    page.fill("#text", GERMAN)
    page.wait_for_selector("#language:visible")
    said = page.inner_text("#language")
    found = shipped.post("/api/parse", {"text": GERMAN}).json["language"]
    assert found["foreign"] and f"{100 * found['known'] / found['words']:.0f}%" in said
    assert "en (English)" in said
    page.fill("#text", SENTENCE)
    until(lambda: not page.is_visible("#language"), page)


def test_an_error_stands_beside_its_cause(open_page: Any) -> None:
    page = open_page("/")
    good = "1\tRain" + "\t_" * 4 + "\t0\troot\t_\t_\n"
    page.fill("#text", good + "2\tfalls" + "\t_" * 4 + "\t9\tdep\t_\t_\n\n")
    page.wait_for_selector("#fault:visible")
    field, fault = page.locator("#text").bounding_box(), page.locator("#fault").bounding_box()
    assert 0 <= fault["y"] - (field["y"] + field["height"]) < 40
    assert page.get_attribute("#text", "aria-invalid") == "true"
    page.click('#fault [data-line="2"]')
    chosen = page.evaluate("getSelection().toString()")
    assert chosen.startswith("2\tfalls")
    parse(page, SENTENCE)
    until(lambda: page.get_attribute("#text", "aria-invalid") == "false", page)


def test_a_label_is_typed(open_page: Any, bench: Client) -> None:
    page = open_page("/")
    card = parse(page, SENTENCE)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("l")
    labels = next(each["labels"] for each in bench.get("/api/models").json if each["id"] == "en")
    assert "amod" in labels
    page.keyboard.type("am")
    options = card.locator('[role="option"]')
    until(lambda: options.count() > 0 and options.first.inner_text() == "amod", page)
    assert options.first.get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    until(lambda: arcs(card).get(1, (0, ""))[1] == "amod", page)
    assert "amod" in card.locator("header .chip.on").inner_text()
