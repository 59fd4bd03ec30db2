"""Several annotators in a real Chromium: names, agreement, decisions, labels, addresses."""

from __future__ import annotations

from typing import Any

from tests.serve.browsing import arcs, until
from tests.serve.conftest import Client
from tests.serve.test_annotators import HALF, begin, say
from tests.serve.test_barriers import AXE, barriers_of, contrast_of


def test_a_name_makes_a_layer(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}")
    page.keyboard.press("1")
    until(lambda: page.inner_text("#count").startswith("1 of"), page)
    page.fill("#who", "Mori")
    page.locator("#who").press("Enter")
    until(lambda: page.inner_text("#count").startswith("0 of"), page)
    n = int(page.locator(".queue li.here").get_attribute("data-n"))
    page.locator("h1").click()
    page.keyboard.press("1")
    path = f"/api/projects/{project}"
    until(lambda: bench.get(f"{path}?who=Mori").json["annotated"] == 1, page)
    assert bench.get(f"{path}/sentences/{n}?who=Mori").json["state"]["heads"]
    page = open_page("/annotate", page.context)
    card = page.locator(f'[data-project="{project}"]')
    assert card.locator('[data-person="Mori"]').inner_text().split() == ["Mori", "1"]
    assert card.locator('a[href$="mode=agreement"]').count() == 1


def test_where_people_differ_is_shown_and_decided(open_page: Any, bench: Client) -> None:
    project = begin(bench)
    say(bench, project, 1, "Mori", (1, 2, "nsubj"), (2, 0, "root"), (3, 2, "punct"))
    say(bench, project, 1, "Sato", (1, 0, "root"), (2, 1, "obj"), (3, 2, "punct"))
    page = open_page(f"/annotate?project={project}&mode=agreement")
    page.wait_for_selector('[data-person="Sato"] g.arc')
    cells = page.locator('[data-pair="Mori Sato"] td').all_inner_texts()
    assert cells == ["Mori and Sato", "1", "3", "33.3", "3", "33.3", "0.14"]
    for who in ("Mori", "Sato"):
        place = page.locator(f'.candidate[data-person="{who}"]')
        differ = place.locator("g.arc.differ").evaluate_all("all => all.map(g => g.dataset.arc)")
        assert sorted(differ) == ["1", "2"]
    assert arcs(page.locator("#decided")) == {3: (2, "punct")}
    assert contrast_of(page) == []
    assert not AXE.is_file() or barriers_of(page) == []
    # An impossible decision is refused beside the choice; a possible one is written.
    page.locator('[data-choice="1"] button', has_text="Sato").click()
    until(lambda: arcs(page.locator("#decided")).get(1) == (0, "root"), page)
    page.locator('[data-choice="2"] button', has_text="Mori").click()
    page.wait_for_selector("#answer-fault:visible")
    assert "is the root" in page.inner_text("#answer-fault")
    page.locator('[data-choice="2"] button', has_text="Sato").click()
    until(lambda: len(arcs(page.locator("#decided"))) == 3, page)
    found = bench.get(f"/api/projects/{project}/agreement").json
    assert found["differ"][0]["decided"]
    assert page.locator(".queue li.done").count() == 1
    page.reload()
    page.wait_for_selector("#decided g.arc")
    assert page.locator('[data-choice="1"] button.on').inner_text().startswith("← root")


def test_a_label_is_typed_in_annotation(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}&mode=heads")
    page.wait_for_selector("#stage g.arc")
    n = int(page.locator(".queue li.here").get_attribute("data-n"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("l")
    page.keyboard.type("co")
    options = page.locator('#stage [role="option"]')
    until(lambda: options.count() > 0 and options.first.inner_text().startswith("co"), page)
    wanted = options.nth(1).inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    path = f"/api/projects/{project}/sentences/{n}"
    until(lambda: bench.get(path).json["state"].get("labels") == {"1": wanted}, page)
    # A label that the model does not have is taken as it is typed; one that cannot be is refused.
    until(lambda: page.locator('#stage [data-act="label"]').count() == 1, page)
    page.locator('#stage [data-act="label"]').fill("own:kind")
    page.keyboard.press("Enter")
    until(lambda: bench.get(path).json["state"].get("labels") == {"1": "own:kind"}, page)
    until(lambda: page.locator('#stage [data-act="label"]').count() == 1, page)
    page.locator('#stage [data-act="label"]').fill("two words")
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer-fault:visible")
    assert "label" in page.inner_text("#answer-fault")


def test_a_sentence_has_an_address(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}&mode=heads")
    page.wait_for_selector("#stage g.arc")
    last = page.locator(".queue li").last
    n = last.get_attribute("data-n")
    last.click()
    page.wait_for_url(f"**/annotate?project={project}&mode=heads&n={n}")
    other = open_page(page.url.removeprefix(bench.url))
    other.wait_for_selector(f'.queue li.here[data-n="{n}"]')
    words = bench.get(f"/api/projects/{project}/sentences/{n}").json["tokens"]
    until(lambda: other.locator("#stage text.word").all_text_contents() == words, other)


def test_a_file_with_gaps_is_begun_on_the_page(open_page: Any, bench: Client) -> None:
    page = open_page("/annotate")
    if not page.locator("#name").is_visible():
        page.locator("summary").last.click()
    page.fill("#name", "Half")
    page.fill("#new-text", "Rain falls.")
    assert not page.is_visible("#start")
    page.fill("#new-text", HALF.replace("\t2\tnsubj", "\t9\tnsubj"))
    assert page.is_checked("#start")
    page.click("#create")
    page.wait_for_selector("#new-fault:visible")
    assert page.get_attribute("#new-text", "aria-invalid") == "true"
    page.fill("#new-text", HALF)
    assert "3 of 7 words" in page.locator("label", has=page.locator("#start")).inner_text()
    page.click("#create")
    page.wait_for_selector("#stage .choice")
    assert page.inner_text("#count").startswith("1 of 3 main verbs")
    project = [each for each in bench.get("/api/projects").json if each["name"] == "Half"][-1]["id"]
    page = open_page(f"/annotate?project={project}&mode=heads&n=1")
    page.wait_for_selector('#stage g.arc.known[data-arc="1"]')
    # Where the file says what cannot be, the tree obeys.
    until(lambda: arcs(page.locator("#stage")).get(3, (1,))[0] == 0, page)
    assert page.locator("#stage g.arc.known").count() == 1
