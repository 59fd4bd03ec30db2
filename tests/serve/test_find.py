"""Find over HTTP and in a real Chromium: captures, counts, marks, and where a query goes wrong."""

from __future__ import annotations

from typing import Any

from niwaki.data.conllu import read_conllu
from niwaki.tasks.find.query import Query
from tests.serve.browsing import until
from tests.serve.conftest import Client
from tests.toy import TOY

QUERY = "VERB=v >nsubj NOUN=x"


def expected(query: str) -> list[dict[str, int]]:
    asked = Query(query)
    return [dict(match.words) for each in read_conllu(TOY) for match in asked.matches(each)]


def test_a_treebank_is_searched_and_counted(bench: Client) -> None:
    request = {"query": QUERY, "corpus": "toy", "count": "x.lemma", "first": 1000}
    found = bench.post("/api/find", request).json
    wanted = expected(QUERY)
    assert wanted
    assert [match["words"] for each in found["examples"] for match in each["matches"]] == wanted
    assert (found["names"], found["matches"]) == (["v", "x"], len(wanted))
    assert found["with"] == len(found["examples"]) < found["sentences"]
    assert found["fields"] == ["x.lemma"]
    assert sum(row["count"] for row in found["counts"]) == len(wanted)
    counts = [row["count"] for row in found["counts"]]
    assert counts == sorted(counts, reverse=True)


def test_given_trees_are_kept_and_text_is_parsed(bench: Client) -> None:
    rows = [("1", "Rain", "2", "nsubj"), ("2", "falls", "0", "root")]
    conllu = "".join(f"{n}\t{w}\t_\tX\t_\t_\t{h}\t{r}\t_\t_\n" for n, w, h, r in rows) + "\n"
    request = {"query": "*=h >nsubj *=d", "conllu": conllu}
    (example,) = bench.post("/api/find", request).json["examples"]
    assert example["matches"] == [{"query": "", "words": {"h": 2, "d": 1}}]
    text = "The gardener shapes old pines."
    (parsed,) = bench.post("/api/parse", {"text": text}).json["sentences"]
    found = bench.post("/api/find", {"query": "*=h > *=d", "text": text}).json["examples"][0]
    arcs = {(match["words"]["h"], match["words"]["d"]) for match in found["matches"]}
    assert arcs == {(head, word) for word, head in enumerate(parsed["heads"], 1) if head}
    marked = bench.post("/api/find", {"query": "*=h > *=d", "text": text, "to": "conllu"})
    assert marked.headers["content-type"].startswith("text/plain")
    assert b"Found=1:h" in marked.data


def test_a_mistake_has_its_place_and_requests_are_checked(bench: Client) -> None:
    reply = bench.post("/api/find", {"query": "VERB >nsubj (NOUN", "text": "Rain falls."})
    assert (reply.status, reply.json["column"]) == (422, 18)
    assert reply.json["found"] in reply.json["error"]
    for wrong in (
        {"text": "Rain."},
        {"query": "*", "set": "facts", "text": "Rain."},
        {"query": "*", "text": "Rain.", "corpus": "toy"},
        {"query": "*=x", "text": "Rain.", "count": "y.lemma"},
    ):
        assert bench.post("/api/find", wrong).status == 422
    assert bench.post("/api/find", {"query": "*", "corpus": "pairs"}).status == 404
    facts = bench.post("/api/find", {"set": "facts", "corpus": "toy"}).json
    assert {"subject", "verb", "object"} <= set(facts["names"])


def test_captures_are_marked_and_counted_on_the_page(open_page: Any, bench: Client) -> None:
    page = open_page("/find")
    page.select_option("#corpus", "toy")
    page.fill("#query", QUERY)
    page.fill("#count", "x.lemma")
    found = bench.post("/api/find", {"query": QUERY, "corpus": "toy", "count": "x.lemma"}).json
    said = f"{found['matches']} matches in {found['with']} of {found['sentences']}"
    until(lambda: said in page.inner_text("#status"), page)
    rows = page.locator("#counts tbody tr")
    until(lambda: rows.count() == len(found["counts"]), page)
    assert rows.first.inner_text().split() == [
        *found["counts"][0]["values"],
        str(found["counts"][0]["count"]),
    ]
    first = page.locator(".found").first
    marks = first.locator("mark").evaluate_all("all => all.map(m => Number(m.dataset.word))")
    wanted = {word for match in found["examples"][0]["matches"] for word in match["words"].values()}
    assert set(marks) == wanted
    first.locator("summary").click()
    page.wait_for_selector(".found g.arc")
    spans = first.locator("g.span").evaluate_all("all => all.map(g => g.dataset.span)")
    assert sorted(spans) == ["v", "x"]


def test_an_error_stands_beside_what_caused_it(open_page: Any) -> None:
    page = open_page("/find")
    page.fill("#query", "VERB >nsubj )")
    page.wait_for_selector("#query-fault:visible")
    assert page.locator("#query-fault mark").inner_text() == ")"
    assert page.inner_text("#query-fault").count("Character 13:") == 1
    assert page.get_attribute("#query", "aria-invalid") == "true"
    page.fill("#query", "VERB=v")
    page.fill("#count", "w.lemma")
    page.wait_for_selector("#count-fault:visible")
    assert "w" in page.inner_text("#count-fault") and not page.is_visible("#query-fault")
    page.fill("#count", "")
    page.fill("#text", "a " * 1001)
    page.wait_for_selector("#fault:visible")
    assert "1001 words" in page.inner_text("#fault") and not page.is_visible("#count-fault")
    # What was asked is still there after a reload.
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.input_value("#query") == "VERB=v"
