"""Error analysis of word orders, and the report."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from niwaki.analysis.orders import (
    System,
    analyse,
    compare_systems,
    correlations,
    rule_system,
    significance_mark,
)
from niwaki.analysis.orders_report import Report
from niwaki.analysis.reordering import misplaced_positions, parse_error_costs, rule_effects
from niwaki.data.bilingual.references import Reference, check_same_sentences
from niwaki.data.sentence import Sentence
from niwaki.draw import crossing_lines
from niwaki.errors import CorpusError
from niwaki.metrics.reordering import evaluate_orders
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules

JA = load_rules("ja")
SENTENCES = [example.sentence for example in JA.examples]
REFERENCES = [
    Reference(str(number), each.sentence.forms, each.order)
    for number, each in enumerate(Reorderer(JA).reorder(SENTENCES))
]


def test_misplaced_words() -> None:
    wanted = Reference("r", tuple("abcde"), (0, 1, 2, 3, 4))
    assert misplaced_positions(wanted, (0, 1, 4, 2, 3)) == [4, 2]
    assert misplaced_positions(wanted, wanted.order) == []
    grouped = Reference("r", tuple("abc"), (0, 1, 2), ((0, 1),), (0, 1, 2))
    assert misplaced_positions(grouped, (1, 0, 2)) == []


def test_effects_of_rules() -> None:
    effects = {each.what: each for each in rule_effects(REFERENCES, SENTENCES, JA)}
    assert effects["verb"].gain < -0.1
    assert effects["verb"].count == len(SENTENCES)
    assert effects["symbol"].gain == 0
    assert any(name.startswith('verb: label = "nsubj"') for name in effects)


def test_costs_of_parse_errors() -> None:
    hit = SENTENCES[0]
    wrong = hit.replace(deprels=["nsubj", "aux", "root", "det", "conj", "punct"])
    assert parse_error_costs(REFERENCES[:1], [hit], [hit], JA) == []
    (cost,) = parse_error_costs(REFERENCES[:1], [hit], [wrong], JA)
    assert (cost.what, cost.count) == ("label obj taken for conj", 1)
    assert cost.gain > 0
    loose = hit.replace(heads=[3, 5, 0, 5, 3, 3])
    (cost,) = parse_error_costs(REFERENCES[:1], [hit], [loose], JA)
    assert cost.what == "head of aux"
    # Correcting "b" alone would make a cycle, so only what can be corrected is.
    gold = Sentence.from_words(
        "a b".split(), upos=["X", "X"], heads=[2, 0], deprels=["dep", "root"]
    )
    parsed = gold.replace(heads=[0, 1], deprels=["root", "dep"])
    reference = Reference("r", ("a", "b"), (0, 1))
    (cost,) = parse_error_costs([reference], [gold], [parsed], JA)
    assert cost.what == "head of root taken for dep"


@pytest.fixture
def report() -> Report:
    systems = [
        rule_system(f"gold + {name}", REFERENCES, SENTENCES, load_rules(name))
        for name in ("none", "ja")
    ]
    systems.append(System("file", evaluate_orders(REFERENCES, [r.order for r in REFERENCES])))
    return Report(
        systems,
        [system.evaluation.to_json(200, 1) for system in systems],
        compare_systems(systems, 200, 1),
        analyse(systems[0], REFERENCES, 2, SENTENCES),
        {"none, ratings": correlations(systems[0].evaluation, [1, 2, 3, 4, 5, 6])},
    )


def test_report_as_text(report: Report) -> None:
    text = report.to_text()
    assert re.search(r"^gold \+ ja +1\.0000", text, re.M)
    assert "+**" in text
    assert "Misplaced most often, by word" in text
    assert "  reference " in text and "●" in text
    assert text.endswith("|bootstrap=200|seed=1\n")


def test_report_as_json(report: Report) -> None:
    record = json.loads(json.dumps(report.to_json()))
    assert [each["system"] for each in record["systems"]] == ["gold + none", "gold + ja", "file"]
    assert record["systems"][1]["frs"] == 1
    assert len(record["differences"]) == 3
    assert record["analysis"]["worst"][0]["misplaced"]
    single = Report(report.systems[:1], report.records[:1], {}).to_json()
    assert {"frs", "frs_linked", "exact", "exact_linked", "tau", "sentences", "signature"} <= set(
        single
    )


def test_report_as_a_page(report: Report) -> None:
    page = report.to_html("<&>")
    assert page.startswith("<!doctype html>")
    assert "<title>&lt;&amp;&gt;</title>" in page
    assert not re.search(r"(?:src|href)=", page)
    pictures = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(pictures) == 4
    for picture in pictures:
        ElementTree.fromstring(picture)


def test_crossing_lines_cross_where_orders_differ() -> None:
    def lines(upper: list[int], lower: list[int]) -> list[tuple[float, float]]:
        picture = crossing_lines(["a", "<b>"], upper, lower, marked={1}, faint={0})
        assert "&lt;b&gt;" in picture
        ends = re.findall(r'd="M([\d.]+) 27L([\d.]+) ', picture)
        return sorted((float(x), float(y)) for x, y in ends)

    straight, crossed = lines([0, 1], [0, 1]), lines([0, 1], [1, 0])
    assert [x == y for x, y in straight] == [True, True]
    assert (crossed[0][1] - crossed[1][1]) > 0


def test_marks() -> None:
    systems = [
        rule_system(name, REFERENCES * 10, SENTENCES * 10, load_rules(name))
        for name in ("none", "ja")
    ]
    pairs = compare_systems(systems, 200, 1)
    assert {significance_mark(d) for d in pairs[0, 1] if d.metric == "frs"} == {"+**"}
    same = compare_systems([systems[0], systems[0]], 200, 1)
    assert {significance_mark(each) for each in same[0, 1]} == {"0"}


def test_sentences_must_be_the_same() -> None:
    with pytest.raises(CorpusError, match="1 trees for 2 references"):
        check_same_sentences(REFERENCES[:2], SENTENCES[:1])
    with pytest.raises(CorpusError, match="a tree without a reference"):
        check_same_sentences(REFERENCES[:1], SENTENCES[:2])
    with pytest.raises(CorpusError, match="not those of reference '0'"):
        check_same_sentences(REFERENCES[:1], SENTENCES[1:2])
