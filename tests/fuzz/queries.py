"""Queries: any text in, words of sentences or a typed error out, the same as by the slow twin."""

from __future__ import annotations

from niwaki.errors import NiwakiError
from niwaki.tasks.find.query import Query
from tests.fuzz.rules import sentences
from tests.reference import queries as slow

# The twin tries all ways to choose words.
_MOST_WORDS = 3


def check(data: bytes) -> None:
    try:
        query = Query(data.decode("utf-8"))
        found = [[tuple(m.words.values()) for m in query.matches(s)] for s in sentences()]
    except (UnicodeDecodeError, NiwakiError):
        return
    pattern = query.pattern
    if max(len(each.words) for each in (pattern, *pattern.without)) <= _MOST_WORDS:
        told = list(query.numbers.values())
        assert found == [slow.matches(pattern, told, sentence) for sentence in sentences()]
