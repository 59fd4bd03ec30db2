"""The pages in a real Chromium: what is on the screen is what the API says."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.serve.conftest import Client

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is missing: pip install niwaki[dev]"
)

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = os.environ.get("NIWAKI_BROWSER") or next(filter(None, map(shutil.which, _NAMES)), None)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium found: install it, or name it in NIWAKI_BROWSER"
)

SENTENCE = "The gardener shapes old pines."
# Fields are foreign text: none of it may become markup.
NASTY = '<img src=x onerror=alert(1)> & "pines" \'</script>'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def open_page(browser: Any, bench: Client) -> Iterator[Any]:
    """Opens pages of the workbench; whatever goes wrong in them fails the test."""
    contexts, faults = [], []

    def open_one(path: str, context: Any = None) -> Any:
        if context is None:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.append(m.text) if "Security Policy" in m.text else None)
        page.on("dialog", lambda dialog: (faults.append("a dialog"), dialog.dismiss()))
        page.goto(bench.url + path)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not faults


def arcs(place: Any) -> dict[int, tuple[int, str]]:
    """The tree on the screen: head and label of each word."""
    rows = place.locator("g.arc").evaluate_all(
        "all => all.map(g => [g.dataset.arc, g.dataset.head, g.dataset.label])"
    )
    return {int(word): (int(head), label) for word, head, label in rows}


def tree(record: Any) -> dict[int, tuple[int, str]]:
    pairs = zip(record["heads"], record["deprels"], strict=True)
    return dict(enumerate(pairs, start=1))


def until(condition: Any, page: Any) -> None:
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not come about")


_DROP = """([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(".drop").dispatchEvent(drop);
}"""

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
    page.evaluate(_DROP, ["a" * (4 * 2**20 + 1), NASTY])
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


def test_a_dropped_file_is_parsed(open_page: Any) -> None:
    page = open_page("/")
    rows = [["1", "Rain", "_", "NOUN"], ["2", "falls", "_", "VERB"]]
    text = "".join("\t".join([*row, *["_"] * 6]) + "\n" for row in rows) + "\n"
    page.evaluate(_DROP, [text, "a.conllu"])
    page.wait_for_selector(".sentence g.arc")
    assert page.locator("text.word").all_text_contents() == ["Rain", "falls"]
    # From the keyboard, one is chosen instead.
    with page.expect_file_chooser() as chosen:
        page.keyboard.press("o")
    other = {"name": "b.txt", "mimeType": "text/plain", "buffer": b"Snow melts."}
    chosen.value.set_files([other])
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
    page.wait_for_selector(".order.tall")
    card = page.locator("article.card").first
    sizes = card.locator(".order").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert sizes[0] <= sizes[1] + 1
    (wanted,) = bench.post("/api/reorder", {"text": text, "rules": "ja"}).json["sentences"]
    # The words of the second column, from top to bottom.
    shown = card.locator("text.token").evaluate_all(
        "all => all.map(t => [Number(t.getAttribute('x')), Number(t.getAttribute('y')),"
        " t.textContent])"
    )
    right = max(x for x, _, _ in shown)
    column = sorted((y, word) for x, y, word in shown if x == right)
    assert [word for _, word in column] == wanted["reordered"]


# -- annotate -----------------------------------------------------------------------


@pytest.fixture
def project(bench: Client) -> str:
    text = "The gardener shapes old pines. Rain falls. Two herons stand in the water."
    made = bench.post("/api/projects-create", {"name": NASTY, "text": text}).json["id"]
    while not bench.get(f"/api/projects/{made}").json["ranked"]:
        time.sleep(0.05)
    return str(made)


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
    page = open_page(f"/annotate?project={project}")
    n = int(page.locator(".queue li.here").get_attribute("data-n"))
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("1")
    page.wait_for_selector(".toast.bad")
    assert "does not answer" in page.inner_text(".toast.bad")
    assert int(page.locator(".queue li.here").get_attribute("data-n")) == n
    until(lambda: "does not answer" in page.inner_text("#saved"), page)
    path = f"/api/projects/{project}/sentences/{n}"
    assert bench.get(path).json["state"] == {}
    page.unroute("**/api/**")
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
    for curve, name, keys in (
        (task["name"], task["name"], ("first_cost", "oracle_cost")),
        ("updates", task["name"], ("updates",)),
        ("updates", "treebank", ("updates",)),
        ("las", "treebank", ("las", "uas")),
    ):
        shown = page.locator(f'[data-curve="{curve}"] .point').evaluate_all(
            "all => all.map(p => [Number(p.dataset.x), Number(p.dataset.y)])"
        )
        lines = [each for each in record["curves"] if each["objective"].endswith(f": {name}")]
        assert lines
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


def test_every_page_has_its_keys_and_both_themes(open_page: Any) -> None:
    for name in ("parse", "reorder", "annotate", "adapt", "compare", "analyze", "api"):
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
