"""Compare, Analyze and Adapt in a real Chromium, beside what the API says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.browsing import arcs, tree, until
from tests.serve.conftest import Client, annotate


def test_compare_shows_the_tables_of_the_api(open_page: Any, bench: Client) -> None:
    page = open_page("/compare")
    page.select_option("#corpus", "toy")
    for side, beam in (("a", "1"), ("b", "8")):
        page.select_option(f'[data-side="{side}"] [data-field="model"]', "en")
        page.select_option(f'[data-side="{side}"] [data-field="beam"]', beam)
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
    assert len(result["details"]) == 2
    for name, found in result["details"].items():
        shown = page.locator(f'#scores tr[data-system="{name}"] [data-score="frs_linked"]')
        assert shown.inner_text() == f"{found['scores']['frs_linked']:.4f}"


def test_adapt_shows_trials_and_before_and_after(open_page: Any, bench: Client, stops: str) -> None:
    page = open_page("/adapt")
    choose_only(page, stops)
    assert page.input_value("#minutes") == "3"
    page.fill("#minutes", "2.5")
    page.locator("#minutes").press("Tab")
    with page.expect_request("**/api/adapt-start") as sent:
        page.click("#start")
    assert sent.value.post_data_json["minutes"] == 2.5
    # Trials come one by one, with the time that is left.
    page.wait_for_selector("#left")
    page.wait_for_selector("#before-after", timeout=180_000)
    record = last_job(bench, "adapt")
    report = record["result"]["report"]
    assert page.locator("#trials tr[data-trial]").count() == len(record["trials"])
    for each in record["trials"]:
        cells = page.locator(f'#trials tr[data-trial="{each["number"]}"] td')
        assert cells.nth(0).inner_text().startswith(each["name"])
        assert cells.nth(1).inner_text() == f"{each['costs']['0 partial']:.4f}"
    best = page.locator("#trials tr[data-trial] b")
    assert best.inner_text() == record["trials"][report["chosen"] + 1]["name"]
    assert record["result"]["model"] in page.inner_text("#before-after")
    assert page.locator("#nothing-gained").count() == 0
    cost = report["costs"]["0 partial"]
    cells = page.locator('#before-after tr[data-metric="Stops"] td')
    assert [cells.nth(at).inner_text() for at in (1, 2)] == [f"{cost[key]:.4f}" for key in "ab"]
    assert f"{cost['low']:.4f}".strip("-") in cells.nth(4).inner_text()
    assert f"{report['examples']['0 partial']['reporting']} to report on" in page.inner_text(
        "#before-after"
    )
    page.locator("summary", has_text="Log").click()
    assert page.inner_text("#log").splitlines()[0] == record["lines"][0]
    weigh_on_the_page(page, bench, record["result"]["model"], stops)


def test_where_nothing_is_gained_the_page_says_so(open_page: Any, bench: Client) -> None:
    """What is said in the end are the main words that the model finds."""
    made = annotate(bench, "Own", "en", lambda words: {"word": 1, "head": 0, "label": "root"})
    for n in range(len(bench.get(f"/api/projects/{made}").json["rows"])):
        path = f"/api/projects/{made}/sentences/{n}"
        found = bench.get(path).json
        parsed = bench.post("/api/parse", {"tokens": [found["tokens"]]}).json["sentences"][0]
        heads = [{"word": parsed["heads"].index(0) + 1, "head": 0, "label": "root"}]
        said = {"version": found["version"], "heads": heads}
        assert bench.post(f"{path}/answer", said).status == 200
    before = len(bench.get("/api/models").json)
    page = open_page("/adapt")
    choose_only(page, made)
    page.fill("#minutes", "0")
    page.locator("#minutes").press("Tab")
    page.click("#start")
    page.wait_for_selector("#nothing-gained", timeout=180_000)
    said = page.inner_text("#nothing-gained")
    assert "Nothing was gained, the model is left as it is: no trial cost less" in said
    assert page.locator("#job-fault").is_hidden()
    assert page.locator("#trials tr[data-trial]").count() == 2
    assert "no time" in page.inner_text("#trials")
    assert len(bench.get("/api/models").json) == before


def test_too_few_sentences_are_said_before_anything_is_started(
    open_page: Any, bench: Client, project: str
) -> None:
    page = open_page(f"/annotate?project={project}")
    page.keyboard.press("1")
    until(lambda: page.inner_text("#count").startswith("1 of"), page)
    page.goto(f"{bench.url}/adapt")
    page.wait_for_selector("#start")
    choose_only(page, project)
    assert "1 sentence of 25 that are needed" in page.inner_text("fieldset")
    page.click("#start")
    page.wait_for_selector("#job-fault:visible")
    assert "has 1 of the 25 annotated sentences" in page.inner_text("#job-fault")


def test_no_treebank_is_learned_unasked(open_page: Any, stops: str) -> None:
    """Whoever compares on a treebank must have chosen to learn from it."""
    page = open_page("/adapt")
    choose_only(page, stops)
    assert page.input_value("#treebank") == ""
    assert page.input_value("#dev") == ""
    assert not page.is_visible("#treebank_sentences")
    with page.expect_request("**/api/adapt-start") as sent:
        page.fill("#minutes", "0")
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


def test_a_failed_and_a_cancelled_run_are_seen(open_page: Any, bench: Client, stops: str) -> None:
    page = open_page("/adapt")
    choose_only(page, stops)
    page.select_option("#treebank", "broken")
    page.click("#start")
    page.wait_for_selector('[data-state="failed"] #job-fault:visible')
    assert "2 roots" in page.inner_text("#job-fault")
    page.select_option("#treebank", "toy")
    page.click("#start")
    page.wait_for_selector('[data-state="running"] #cancel:visible')
    page.click("#cancel")
    page.wait_for_selector('[data-state="cancelled"] #job-fault:visible')
