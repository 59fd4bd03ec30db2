"""Annotate in a real Chromium: one key an answer, and no key answers what it was not meant for."""

from __future__ import annotations

from typing import Any

from tests.serve.browsing import NASTY, arcs, until
from tests.serve.conftest import Client


def test_one_keystroke_answers_and_goes_on(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}")
    assert NASTY in page.inner_text("h1")
    order = [row["n"] for row in bench.get(f"/api/projects/{project}").json["rows"]]
    shown = page.locator(".queue li").evaluate_all("all => all.map(li => Number(li.dataset.n))")
    assert shown == order
    for number, n in enumerate(order):
        words = page.locator(".choice")
        key = words.nth(1).locator("kbd").inner_text()
        page.keyboard.press(key)
        until(lambda: page.inner_text("#count").startswith(f"{number + 1} of"), page)  # noqa: B023
        state = bench.get(f"/api/projects/{project}/sentences/{n}").json["state"]
        assert state["heads"] == {"2": 0}
    page.keyboard.press("u")
    until(lambda: page.inner_text("#count").startswith("2 of"), page)
    assert bench.get(f"/api/projects/{project}/sentences/{order[-1]}").json["state"] == {}


class Unranked:
    """Holds the doubts of a project back, as if the model were still looking for them."""

    def __init__(self, project: str) -> None:
        self.held = True
        self.routes = {f"**/api/projects/{project}?by=*": self._answer}

    def _answer(self, route: Any) -> None:
        response = route.fetch()
        found = response.json()
        if self.held:
            found["ranked"] = False
            found["rows"] = sorted(({**row, "doubt": 0} for row in found["rows"]), key=_number)
        route.fulfill(response=response, json=found)


def _number(row: Any) -> int:
    return int(row["n"])


def queue(page: Any) -> list[int]:
    found = page.locator(".queue li").evaluate_all("all => all.map(li => Number(li.dataset.n))")
    return [int(each) for each in found]


def here(page: Any) -> int:
    return int(page.locator(".queue li.here").get_attribute("data-n"))


def test_the_order_never_changes_under_a_person(
    open_page: Any, bench: Client, project: str
) -> None:
    """Begun before the doubts are there: the list stays, and a better one is taken on asking."""
    by_doubt = [row["n"] for row in bench.get(f"/api/projects/{project}").json["rows"]]
    doubts = Unranked(project)
    page = open_page(f"/annotate?project={project}", routes=doubts.routes)
    assert page.locator(".choice").count() == 0  # nothing is asked in an order that will change
    page.keyboard.press("Enter")
    page.wait_for_selector(".choice")
    assert queue(page) == [0, 1, 2]
    page.keyboard.press("1")
    until(lambda: page.inner_text("#count").startswith("1 of"), page)
    assert here(page) == 1
    doubts.held = False
    page.wait_for_selector("#reorder:visible")
    assert (queue(page), here(page)) == ([0, 1, 2], 1)
    page.keyboard.press("o")
    until(lambda: not page.is_visible("#reorder"), page)
    # What is shown stays; then comes what the model is least sure of; what has an answer is last.
    rest = [n for n in by_doubt if n not in (0, 1)]
    until(lambda: queue(page) == [1, *rest, 0], page)
    assert here(page) == 1
    for number in (2, 3):
        page.keyboard.press("2")
        until(lambda: page.inner_text("#count").startswith(f"{number} of"), page)  # noqa: B023
    versions = [row["version"] for row in bench.get(f"/api/projects/{project}").json["rows"]]
    assert versions == [1, 1, 1]


def test_doubts_come_first_for_who_waits(open_page: Any, bench: Client, project: str) -> None:
    by_doubt = [row["n"] for row in bench.get(f"/api/projects/{project}").json["rows"]]
    doubts = Unranked(project)
    page = open_page(f"/annotate?project={project}", routes=doubts.routes)
    page.keyboard.press("1")
    doubts.held = False
    page.wait_for_selector(".choice")
    assert (queue(page), here(page)) == (by_doubt, by_doubt[0])
    # The key that came before any question has answered none.
    assert bench.get(f"/api/projects/{project}").json["annotated"] == 0


def test_a_key_for_the_next_one_never_falls_on_an_answer(
    open_page: Any, bench: Client, project: str
) -> None:
    """Two quick keys, and keys when everything has an answer."""
    held: list[Any] = []
    routes = {"**/answer": lambda route: route.continue_() if held else held.append(route)}
    page = open_page(f"/annotate?project={project}", routes=routes)
    order = queue(page)
    page.keyboard.press("1")
    until(lambda: held, page)
    page.keyboard.press("2")
    page.keyboard.press("2")
    held[0].continue_()
    page.wait_for_selector(f'.queue li.here[data-n="{order[1]}"]')
    page.keyboard.press("2")
    until(lambda: page.inner_text("#count").startswith("2 of"), page)
    page.keyboard.press("2")
    page.wait_for_selector("#finished:visible")
    for key in ("1", "2", "s", "Enter", "n"):
        page.keyboard.press(key)
    rows = bench.get(f"/api/projects/{project}").json["rows"]
    assert [row["version"] for row in rows] == [1, 1, 1]
    state = bench.get(f"/api/projects/{project}/sentences/{order[0]}").json["state"]
    first = page.locator(".queue li").nth(0)
    assert first.get_attribute("data-n") == str(order[0])
    assert list(state["heads"].values()) == [0]
    # Whoever goes to an answer on purpose can change it.
    first.click()
    page.wait_for_selector(".choice.chosen")
    page.locator(".choice").nth(2).click()
    path = f"/api/projects/{project}/sentences/{order[0]}"
    until(lambda: bench.get(path).json["version"] == 2, page)


def test_the_next_question_without_an_answer_is_found(
    open_page: Any, bench: Client, project: str
) -> None:
    page = open_page(f"/annotate?project={project}")
    order = queue(page)
    page.locator(".queue li").nth(1).click()
    page.wait_for_selector(f'.queue li.here[data-n="{order[1]}"]')
    page.keyboard.press("1")
    page.wait_for_selector(f'.queue li.here[data-n="{order[2]}"]')
    page.keyboard.press("1")
    # Past the end and past what has an answer, back to the most doubtful one.
    page.wait_for_selector(f'.queue li.here[data-n="{order[0]}"]')
    assert queue(page) == order
    page.keyboard.press("1")
    page.wait_for_selector("#finished:visible")


def test_each_question_has_its_own_counter(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}")
    page.keyboard.press("1")
    until(lambda: page.inner_text("#count").startswith("1 of 3 main verbs"), page)
    page = open_page(f"/annotate?project={project}&mode=heads")
    assert page.inner_text("#count").startswith("0 of 3 whole trees")
    page.wait_for_selector("#stage g.arc")
    page.keyboard.press("a")
    until(lambda: page.inner_text("#count").startswith("1 of 3 whole trees"), page)
    page = open_page("/annotate")
    card = page.inner_text(f'[data-project="{project}"]')
    assert "main verb" in card and "1 whole trees" in card


def test_who_skips_a_sentence_loses_nothing(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}")
    n = here(page)
    path = f"/api/projects/{project}/sentences/{n}"
    said = {"version": 0, "heads": [{"word": 1, "head": 2, "label": "det"}]}
    assert bench.post(f"{path}/answer", said).status == 200
    page.reload()
    page.wait_for_selector(".choice")
    assert here(page) == n
    page.keyboard.press("s")
    until(lambda: bench.get(path).json["state"].get("skipped"), page)
    state = bench.get(path).json["state"]
    assert (state["heads"], state["labels"]) == ({"1": 2}, {"1": "det"})


def test_skipping_and_reaching_any_word(open_page: Any, bench: Client, project: str) -> None:
    page = open_page(f"/annotate?project={project}")
    rows = bench.get(f"/api/projects/{project}").json["rows"]
    page.keyboard.press("s")
    until(lambda: bench.get(f"/api/projects/{project}").json["skipped"] == 1, page)
    page.wait_for_selector(f'.queue li.here[data-n="{rows[1]["n"]}"]')
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    until(lambda: bench.get(f"/api/projects/{project}").json["annotated"] == 1, page)
    found = bench.get(f"/api/projects/{project}/sentences/{rows[1]['n']}").json
    assert found["state"]["heads"] == {"3": 0}


def test_two_tabs_see_the_conflict(open_page: Any, bench: Client, project: str) -> None:
    first = open_page(f"/annotate?project={project}")
    second = open_page(f"/annotate?project={project}", first.context)
    n = bench.get(f"/api/projects/{project}").json["rows"][0]["n"]
    first.locator('.choice[data-word="1"]').click()
    until(lambda: first.inner_text("#count").startswith("1 of"), first)
    second.locator('.choice[data-word="2"]').click()
    second.wait_for_selector("#conflict")
    assert "changed this sentence first" in second.inner_text("#conflict")
    path = f"/api/projects/{project}/sentences/{n}"
    assert bench.get(path).json["state"]["heads"] == {"1": 0}
    second.click("#mine")
    until(lambda: bench.get(path).json["state"].get("heads") == {"2": 0}, second)


def test_an_answer_that_could_not_be_written_is_not_lost_in_silence(
    open_page: Any, bench: Client, project: str
) -> None:
    """The server is away for a while: the page says so, stays, and goes on when it is back."""
    away = False
    routes = {"**/api/**": lambda route: route.abort() if away else route.continue_()}
    page = open_page(f"/annotate?project={project}", routes=routes)
    n = int(page.locator(".queue li.here").get_attribute("data-n"))
    away = True
    page.keyboard.press("1")
    page.wait_for_selector(".toast.bad")
    assert "does not answer" in page.inner_text(".toast.bad")
    assert int(page.locator(".queue li.here").get_attribute("data-n")) == n
    until(lambda: "does not answer" in page.inner_text("#saved"), page)
    path = f"/api/projects/{project}/sentences/{n}"
    assert bench.get(path).json["state"] == {}
    away = False
    page.keyboard.press("1")
    until(lambda: page.inner_text("#count").startswith("1 of"), page)
    assert bench.get(path).json["state"]["heads"]


def test_heads_are_corrected_and_the_tree_follows(
    open_page: Any, bench: Client, project: str
) -> None:
    page = open_page(f"/annotate?project={project}&mode=heads")
    page.wait_for_selector("#stage g.arc")
    n = int(page.locator(".queue li.here").get_attribute("data-n"))
    path = f"/api/projects/{project}/sentences/{n}"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    until(lambda: bench.get(path).json["state"].get("heads") == {"1": 0}, page)
    until(lambda: arcs(page.locator("#stage")).get(1, (None,))[0] == 0, page)
    page.keyboard.press("a")
    words = len(bench.get(path).json["tokens"])
    until(lambda: len(bench.get(path).json["state"]["heads"]) == words, page)
    assert bench.get(path).json["state"]["heads"]["1"] == 0
    assert bench.get(f"/api/projects/{project}").json["annotated"] == 1


def test_words_are_linked_by_click_and_by_key(open_page: Any, bench: Client) -> None:
    request = {"name": "Pairs", "source": "old pine\nrain", "target": "古い 松\n雨"}
    made = bench.post("/api/projects-create", request).json["id"]
    path = f"/api/projects/{made}/sentences/0"
    page = open_page(f"/annotate?project={made}")
    page.keyboard.press("Enter")
    until(lambda: bench.get(path).json["state"].get("links") == [[0, 0]], page)
    page.locator('[data-side="0"][data-at="1"]').click()
    page.locator('[data-side="1"][data-at="1"]').click()
    until(lambda: bench.get(path).json["state"].get("links") == [[0, 0], [1, 1]], page)
    shown = page.locator("[data-link]")
    until(lambda: shown.count() == 2, page)
    assert shown.evaluate_all("all => all.map(p => p.dataset.link)") == ["0-0", "1-1"]
    pharaoh = bench.get(f"/api/projects/{made}/files/links.pharaoh").data.decode()
    assert pharaoh == "0-0 1-1\n\n"


def test_a_late_answer_does_not_move_the_aim(open_page: Any, bench: Client) -> None:
    request = {"name": "Late", "source": "old pine", "target": "古い 松"}
    made = bench.post("/api/projects-create", request).json["id"]
    path = f"/api/projects/{made}/sentences/0"
    held: list[Any] = []
    # The first answer is held back.
    routes = {"**/answer": lambda route: route.continue_() if held else held.append(route)}
    page = open_page(f"/annotate?project={made}", routes=routes)
    page.keyboard.press("Enter")
    until(lambda: held, page)
    page.locator('[data-side="0"][data-at="1"]').click()
    held[0].continue_()
    page.wait_for_selector('[data-link="0-0"]', state="attached")
    page.locator('[data-side="1"][data-at="1"]').click()
    until(lambda: bench.get(path).json["state"].get("links") == [[0, 0], [1, 1]], page)


def test_a_project_is_begun_on_the_page(open_page: Any, bench: Client) -> None:
    page = open_page("/annotate")
    if not page.locator("#name").is_visible():
        page.locator("summary").last.click()
    page.fill("#name", "From the page")
    page.fill("#new-text", "Rain falls. Snow falls.")
    page.click("#create")
    page.wait_for_selector(".choice")
    made = [each for each in bench.get("/api/projects").json if each["name"] == "From the page"]
    assert made[0]["sentences"] == 2
