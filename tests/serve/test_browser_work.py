"""Annotate, Compare, Analyze and Adapt in a real Chromium, beside what the API says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.browsing import NASTY, arcs, tree, until
from tests.serve.conftest import Client

# -- annotate -----------------------------------------------------------------------


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


# -- compare, analyze, adapt ----------------------------------------------------------


def test_compare_shows_the_tables_of_the_api(open_page: Any, bench: Client) -> None:
    page = open_page("/compare")
    page.select_option("#corpus", "toy")
    page.select_option('[data-side="a"] [data-field="beam"]', "1")
    page.select_option('[data-side="b"] [data-field="beam"]', "8")
    page.click("#run")
    page.wait_for_selector("#table")
    job = [each for each in bench.get("/api/jobs").json if each["kind"] == "compare"][-1]
    result = bench.get(f"/api/jobs/{job['id']}").json["result"]
    for row in result["table"]:
        cells = page.locator(f'#table tr[data-metric="{row["metric"]}"] td')
        assert cells.nth(1).inner_text() == f"{row['a']:.2f}"
        assert cells.nth(2).inner_text() == f"{row['b']:.2f}"
    changed = [row for row in result["rows"] if row["differ"]]
    assert page.inner_text("#rows-count").startswith(f"{len(changed)} sentence")
    page.select_option("#show", "all")
    page.fill("#word", "garden")
    fitting = [row for row in result["rows"] if "garden" in row["text"].lower()]
    until(lambda: page.locator("tr[data-n]").count() == len(fitting), page)
    page.fill("#cost", "0.2")
    costly = [row for row in fitting if 1 - min(row["a"], row["b"]) >= 0.2]
    assert 0 < len(costly) < len(fitting)
    until(lambda: page.locator("tr[data-n]").count() == len(costly), page)
    page.fill("#cost", "0")
    until(lambda: page.locator("tr[data-n]").count() == len(fitting), page)
    page.locator("tr[data-n]").first.click()
    page.wait_for_selector(".detail g.arc")
    n = int(page.locator("tr[data-n]").first.get_attribute("data-n"))
    systems = [{"model": "en", "beam": 1}, {"model": "en", "beam": 8}]
    found = bench.post("/api/compare-sentence", {"corpus": "toy", "systems": systems, "n": n}).json
    shown = page.locator(".detail .candidate")
    assert [arcs(shown.nth(i)) for i in (0, 1)] == [tree(each) for each in found["systems"]]


def last_job(bench: Client, kind: str) -> Any:
    """The record of the latest job of a kind."""
    name = [each["id"] for each in bench.get("/api/jobs").json if each["kind"] == kind][-1]
    return bench.get(f"/api/jobs/{name}").json


def test_analyze_shows_the_profiles_of_systems(open_page: Any, bench: Client) -> None:
    page = open_page("/analyze")
    page.select_option("#corpus", "toy")
    page.click("#add-system")
    for at, beam in enumerate("18"):
        page.select_option(f'[data-system="{at}"] [data-field="model"]', "en")
        page.select_option(f'[data-system="{at}"] [data-field="beam"]', beam)
    page.uncheck("#punctuation")
    page.click("#run")
    page.wait_for_selector("#factor")
    job = last_job(bench, "analyse")
    assert job["request"]["punctuation"] is False
    result = job["result"]
    for each in result["systems"]:
        cells = page.locator(f'#accuracy tr[data-system="{each["system"]}"] td')
        assert cells.nth(2).inner_text() == f"{each['accuracy']:.2f}"

    def points() -> list[float]:
        found = page.locator("#profile .point").evaluate_all("all => all.map(p => p.dataset.y)")
        return sorted(map(float, found))

    def wanted(factor: str, measure: str, names: list[str], least: int = 0) -> list[float]:
        bins = [each for each in result["profiles"][factor] if each["gold"] >= least]
        cells = [each["systems"][name][measure] for each in bins for name in names]
        return sorted(value for value in cells if value is not None)

    names = [each["system"] for each in result["systems"]]
    assert points() == pytest.approx(wanted("length", "recall", names))
    page.select_option("#measure", "precision")
    assert points() == pytest.approx(wanted("length", "precision", names))
    page.locator(f'[data-toggle="{names[0]}"]').click()
    assert points() == pytest.approx(wanted("length", "precision", names[1:]))
    page.select_option("#factor", "deprel")
    page.fill("#least", "5")
    page.locator("#least").press("Tab")
    assert points() == pytest.approx(wanted("deprel", "precision", names[1:], least=5))


def test_analyze_tells_values_and_picks_sentences(open_page: Any, bench: Client) -> None:
    page = open_page("/analyze")
    page.select_option("#corpus", "toy")
    page.select_option('[data-system="0"] [data-field="beam"]', "1")
    page.click("#run")
    page.wait_for_selector("#factor")
    result = last_job(bench, "analyse")["result"]
    (name,) = result["details"]
    details = result["details"][name]
    assert page.inner_text('[data-score="LAS"]') == f"{details['scores']['LAS']:.2f}"
    # By the pointer and by the arrow keys.
    page.locator("#profile .point").first.hover()
    first = result["profiles"]["length"][0]["systems"][name]
    assert f"recall {first['recall']:.1f}%" in page.inner_text(".tooltip")
    page.mouse.move(0, 0)
    page.locator("#profile svg").focus()
    page.keyboard.press("ArrowRight")
    assert page.is_visible(".tooltip")
    second = result["profiles"]["length"][1]
    assert f"{second['systems'][name]['found']} of {second['gold']}" in page.inner_text(".tooltip")
    page.select_option("#factor", "deprel")
    label = details["examples"][0]["labels"][0]
    page.locator(f'#profile text[data-name="{label}"]').click()
    fitting = [each for each in details["examples"] if label in each["labels"]]
    until(lambda: page.inner_text("#fitting").startswith(f"{len(fitting)} sentence"), page)
    page.locator("tr[data-n]").first.press("Enter")
    page.wait_for_selector(".detail g.arc")
    assert page.locator(".detail g.arc.wrong").count() == fitting[0]["errors"]
    page.locator("tr[data-n]").first.press("Enter")
    until(lambda: page.locator(".detail").count() == 0, page)


def test_analyze_shows_orders(open_page: Any, bench: Client) -> None:
    page = open_page("/analyze")
    page.select_option("#corpus", "pairs")
    page.click("#add-system")
    for at, rules in enumerate(("none", "ja")):
        page.select_option(f'[data-system="{at}"] [data-field="model"]', "en")
        page.select_option(f'[data-system="{at}"] [data-field="rules"]', rules)
    page.click("#run")
    page.wait_for_selector("#scores")
    result = last_job(bench, "analyse")["result"]
    for name, found in result["details"].items():
        shown = page.locator(f'#scores tr[data-system="{name}"] [data-score="frs_linked"]')
        assert shown.inner_text() == f"{found['scores']['frs_linked']:.4f}"


def test_adapt_shows_curves_and_before_and_after(
    open_page: Any, bench: Client, project: str
) -> None:
    page = open_page(f"/annotate?project={project}")
    for number in range(3):
        page.keyboard.press("1")
        until(lambda: page.inner_text("#count").startswith(f"{number + 1} of"), page)  # noqa: B023
    page.goto(f"{bench.url}/adapt")
    page.wait_for_selector("#start")
    choose_only(page, project)
    page.select_option("#treebank", "toy")
    page.fill("#epochs", "2")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_selector("#before-after", timeout=180_000)
    record = last_job(bench, "adapt")
    (task,) = record["result"]["tasks"]
    treebank = record["curves"]
    costs = [{**each["objectives"][0], "epoch": each["epoch"]} for each in treebank]
    assert len(treebank) == 2
    for curve, lines, keys in (
        (task["name"], costs, ("first", "oracle")),
        ("updates", costs, ("updates",)),
        ("updates", treebank, ("updates",)),
        ("las", treebank, ("las", "uas")),
    ):
        shown = page.locator(f'[data-curve="{curve}"] .point').evaluate_all(
            "all => all.map(p => [Number(p.dataset.x), Number(p.dataset.y)])"
        )
        assert all([each["epoch"], each[key]] in shown for each in lines for key in keys)
    assert record["result"]["model"] in page.inner_text("#before-after")
    counts = task["learned"]["counts"]
    cells = page.locator('#before-after tr[data-measure="main words"] td')
    share = [f"{100 * each['roots'] / each['known_roots']:.1f}%" for each in counts]
    assert [cells.nth(at).inner_text() for at in (4, 5)] == share
    las = record["result"]["tradeoff"]["treebank"]["LAS"]
    shown = page.locator('#trade-off tr[data-metric="LAS"] td')
    assert [shown.nth(at).inner_text() for at in (1, 2)] == [f"{las[key]:.2f}" for key in "ab"]
    page.locator("summary", has_text="Log").click()
    assert page.inner_text("#log").splitlines()[0] == record["lines"][0]
    weigh_on_the_page(page, bench, record["result"]["model"], project)


def test_no_treebank_is_learned_unasked(open_page: Any, bench: Client, project: str) -> None:
    """Whoever compares on a treebank must have chosen to learn from it."""
    bench.post(
        f"/api/projects/{project}/sentences/0/answer",
        {"version": 0, "heads": [{"word": 2, "head": 0, "label": "root"}]},
    )
    page = open_page("/adapt")
    choose_only(page, project)
    assert page.input_value("#treebank") == ""
    assert page.input_value("#dev") == ""
    assert not page.is_visible("#treebank_sentences")
    with page.expect_request("**/api/adapt-start") as sent:
        page.fill("#epochs", "1")
        page.click("#start")
    assert not {"treebank", "dev"} & set(sent.value.post_data_json)
    page.wait_for_selector("#before-after", timeout=180_000)


def choose_only(page: Any, project: str) -> None:
    for box in page.locator("input[data-project]").all():
        box.set_checked(box.get_attribute("data-project") == project)


def weigh_on_the_page(page: Any, bench: Client, model: str, project: str) -> None:
    """The trade-off report of the page Analyze, which needs a model that was adapted."""
    page.goto(f"{bench.url}/analyze")
    page.click("#mode-trade-off")
    page.select_option("#before", "en")
    page.select_option("#after", model)
    page.select_option("#task", f"{project}.known")
    page.select_option("#gold", "toy")
    page.click("#run")
    page.wait_for_selector("#trade-off")
    result = last_job(bench, "trade-off")["result"]
    rows = {**result["costs"], **result["treebank"]}
    assert set(rows) == {f"{project}.known", "UAS", "LAS", "UPOS"}
    for name, row in rows.items():
        digits = 4 if name in result["costs"] else 2
        cells = page.locator(f'#trade-off tr[data-metric="{name}"] td')
        assert cells.nth(2).inner_text() == f"{row['b']:.{digits}f}"
    names = page.locator("#shifts .hbar").evaluate_all("all => all.map(b => b.dataset.name)")
    assert names == [each["name"] for each in result["labels"]]
    assert page.locator("#changed tr[data-id]").count() == len(result["changed"])


def test_a_failed_and_a_cancelled_training_are_seen(
    open_page: Any, bench: Client, project: str
) -> None:
    page = open_page(f"/annotate?project={project}")
    page.keyboard.press("1")
    until(lambda: page.inner_text("#count").startswith("1 of"), page)
    page.goto(f"{bench.url}/adapt")
    page.wait_for_selector("#start")
    choose_only(page, project)
    page.select_option("#treebank", "broken")
    page.click("#start")
    page.wait_for_selector('[data-state="failed"] #job-fault:visible')
    assert "2 roots" in page.inner_text("#job-fault")
    page.select_option("#treebank", "toy")
    page.fill("#epochs", "100")
    page.locator("#epochs").press("Tab")
    page.click("#start")
    page.wait_for_selector('[data-state="running"] #cancel:visible')
    page.click("#cancel")
    page.wait_for_selector('[data-state="cancelled"] #job-fault:visible')
