"""Word order for the API: orders, which rule moved what, scores and their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.reordering import evaluate_orders
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import model_of, references_of, rules_of
from niwaki.serve.work.reading import Given, read_given
from niwaki.serve.work.showing import as_conllu, language_of
from niwaki.tasks.reorder.reorderer import Reorderer, Reordering
from niwaki.tasks.reorder.rulefile import parse_rules
from niwaki.tasks.reorder.rules import RuleSet

SCORES = ("frs", "frs_linked", "tau", "exact", "exact_linked", "chunks", "chunks_linked")


def reorder(
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    rules: str | None = None,
    rules_text: str | None = None,
    references: list[Given | None] | None = None,
    beam: int | None = None,
    reparse: bool = False,
) -> dict[str, Any]:
    """Orders of all sentences; those that come with trees keep them unless `reparse`."""
    chosen = _rules(rules, rules_text)
    pipeline = model_of(model)
    sentences = with_trees(read_given(given, pipeline, limits), pipeline, beam, reparse)
    found = list(Reorderer(chosen).reorder(sentences))
    targets = _references(references, sentences)
    answers = []
    for reordering, reference in zip(found, targets, strict=True):
        record = shown_reordering(reordering)
        record["conllu"] = as_conllu([reordering.sentence]).decode("utf-8")
        if reference is not None:
            record["reference"] = scored(reference, reordering.order)
        answers.append(record)
    names = [rule.name for rule in chosen.rules]
    return {"rules": names, "sentences": answers, **language_of(pipeline, sentences)}


def _rules(path: str | None, text: str | None) -> RuleSet:
    if (path is None) == (text is None):
        raise RequestError(422, "give either rules or rules_text")
    if text is not None:
        return parse_rules(text, "rules", "edited")
    assert path is not None
    return rules_of(path)


def with_trees(
    sentences: list[Sentence], pipeline: Pipeline, beam: int | None, reparse: bool
) -> list[Sentence]:
    needed = [reparse or any(head < 0 for head in each.heads) for each in sentences]
    wanted = [each for each, need in zip(sentences, needed, strict=True) if need]
    parsed = iter(pipeline.parse(wanted, beam=beam))
    return [next(parsed) if need else each for each, need in zip(sentences, needed, strict=True)]


def _references(rows: list[Given | None] | None, sentences: list[Sentence]) -> list[Any]:
    if rows is None:
        return [None] * len(sentences)
    if len(rows) != len(sentences):
        raise RequestError(
            422, f"references: found {len(rows)} entries for {len(sentences)} sentences"
        )
    return [
        None if row is None else _reference(row, sentence, number)
        for number, (row, sentence) in enumerate(zip(rows, sentences, strict=True))
    ]


def _reference(row: Given, sentence: Sentence, number: int) -> Reference:
    try:
        return Reference(
            str(row.get("id", number + 1)),
            tuple(sentence.forms),
            tuple(row["order"]),
            tuple(map(tuple, row.get("groups", []))),
            None if row.get("linked") is None else tuple(row["linked"]),
        )
    except (ValueError, CorpusError) as error:
        raise RequestError(422, f"references[{number}]: {error}") from error


def shown_reordering(found: Reordering) -> dict[str, Any]:
    """The order and what each rule did; words in moves count from 1, positions from 0."""
    sentence = found.sentence
    return {
        "id": sentence.id,
        "text": sentence.text,
        "tokens": sentence.forms,
        "upos": sentence.upos,
        "heads": sentence.heads,
        "deprels": sentence.deprels,
        "order": found.order,
        "reordered": found.tokens,
        "moves": [move.record for move in found.moves()],
    }


def scored(reference: Reference, order: Sequence[int]) -> dict[str, Any]:
    """Scores of one order, the reference itself, and the runs that both have in common."""
    scores = evaluate_orders([reference], [order]).scores
    return {
        "id": reference.id,
        "order": reference.order,
        "groups": reference.groups,
        "linked": reference.linked,
        "scores": {name: scores[name] for name in SCORES},
        "chunks": chunks(reference, order),
    }


def chunks(reference: Reference, order: Sequence[int]) -> list[list[int]]:
    """The linked words of an order, cut into maximal runs that the reference has as well.

    These are the chunks that `frs_linked` counts. Members of a group take the places
    that the group holds in the reference, in the order in which the system has them.
    """
    everything = range(len(reference.tokens))
    linked = set(everything if reference.linked is None else reference.linked)
    group = {each: n for n, members in enumerate(reference.groups) for each in members}
    free: dict[int, list[int]] = {}
    places: dict[int, int] = {}
    for place, position in enumerate(each for each in reference.order if each in linked):
        if position in group:
            free.setdefault(group[position], []).append(place)
        else:
            places[position] = place
    runs: list[list[int]] = []
    before = None
    for position in (each for each in order if each in linked):
        place = free[group[position]].pop(0) if position in group else places[position]
        if before is None or place != before + 1:
            runs.append([])
        runs[-1].append(position)
        before = place
    return runs


def references(file: str, start: int, count: int) -> dict[str, Any]:
    """Some references of a file."""
    found = references_of(file)
    return {
        "total": len(found),
        "references": [
            {
                "id": each.id,
                "tokens": each.tokens,
                "order": each.order,
                "groups": each.groups,
                "linked": each.linked,
            }
            for each in found[start : start + count]
        ],
    }
