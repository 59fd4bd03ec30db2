"""Words found in trees for the API: matches, counts, and where a query goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import QueryError
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import model_of, trees_of
from niwaki.serve.work.ordering import with_trees
from niwaki.serve.work.reading import Given, read_given
from niwaki.serve.work.showing import as_conllu, language_of
from niwaki.tasks.find.query import Query, find_in_sentences
from niwaki.tasks.find.results import Match, by_sentence, marked, read_fields
from niwaki.tasks.find.sets import QuerySet, load_queries

# Rows of a table of counts that are told; the rest is long and rare.
_COUNTED = 200


def find(
    limits: dict[str, int],
    *,
    first: int,
    query: str = "",
    queries: str | None = None,
    count: str = "",
    given: Given | None = None,
    model: str | None = None,
    file: str | None = None,
    to: str = "json",
) -> Any:
    """What a query or a set of them finds in given sentences, or in a treebank.

    All is counted; of the sentences that have a match, the first ones are shown with their trees.
    """
    asked = _asked(query) if queries is None else load_queries(queries)
    fields = read_fields(count, asked.names) if count else []
    wanted = asked.queries if isinstance(asked, QuerySet) else (asked,)
    sentences = _sentences(given, model, file, limits)
    groups = list(by_sentence(find_in_sentences(wanted, sentences)))
    if to == "conllu":
        return as_conllu([marked(group[0].sentence, group) for group in groups])
    matches = [match for group in groups for match in group]
    return {
        "names": list(asked.names),
        "sentences": len(sentences),
        "with": len(groups),
        "matches": len(matches),
        "fields": [name if kind == "form" else f"{name}.{kind}" for name, kind in fields],
        "counts": _counts(matches, fields),
        "examples": [_example(group) for group in groups[:first]],
        **({} if model is None else language_of(model_of(model), sentences)),
    }


def _asked(text: str) -> Query:
    try:
        return Query(text)
    except QueryError as error:
        # The page shows it beside the character.
        message = f"{error.found}; {error.advice}"
        raise RequestError(422, str(error), column=error.column, found=message) from error


def _sentences(
    given: Given | None, model: str | None, file: str | None, limits: dict[str, int]
) -> list[Sentence]:
    """Sentences that have trees: their own, or the model's."""
    if file is not None:
        return [each for each in trees_of(file) if UNKNOWN not in each.heads]
    assert model is not None
    pipeline = model_of(model)
    return with_trees(read_given(given or {}, pipeline, limits), pipeline, None, False)


def _counts(matches: Sequence[Match], fields: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    if not fields:
        return []
    found = Counter(tuple(match.field(*each) for each in fields) for match in matches)
    ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return [{"values": list(values), "count": count} for values, count in ranked[:_COUNTED]]


def _example(group: Sequence[Match]) -> dict[str, Any]:
    matches = [{"query": match.query, "words": dict(match.words)} for match in group]
    return {**group[0].sentence.to_dict(), "matches": matches}
