"""The text of a treebank as people would write it, where its text was cut into tokens.

Some treebanks have a space before every full stop. A segmenter that has seen nothing else leaves
the stop at the last word of a sentence, so it also learns from text in which signs are closed up.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from niwaki.data.rawtext import Span, token_spans
from niwaki.data.sentence import Sentence

# Signs that may stand at either of their neighbours, or between them.
_EITHER = frozenset("&@#*/\\%‰†‡§¶·•'")
_QUOTE = '"'
_CLOSING, _OPENING = ("Po", "Pe", "Pf"), ("Ps", "Pi")
# A treebank that has fewer of its signs at their words was cut into tokens, or parts of it were.
_MOSTLY = 0.75
# So many signs can tell.
_ENOUGH = 20


def is_cut_apart(sentences: Iterable[Sentence]) -> bool:
    """Whether signs stand apart that people write at their words."""
    signs = closed = 0
    for sentence in sentences:
        _, spans = token_spans(sentence)
        for place in _attached(spans):
            if place < len(spans):
                signs += 1
                closed += spans[place - 1].end == spans[place].start
    return signs >= _ENOUGH and closed < _MOSTLY * signs


def closed_up(text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """A sentence's text and tokens without the spaces that nobody writes beside signs."""
    attached = _attached(spans)
    written, found = "", []
    for place, span in enumerate(spans):
        if place and place not in attached:
            written += text[spans[place - 1].end : span.start]
        found.append(Span(len(written), len(written) + span.end - span.start, span.token))
        written += text[span.start : span.end]
    return written, found


def _attached(spans: Sequence[Span]) -> set[int]:
    """The tokens, from 0, that stand at the token before."""
    attached, is_quoted = set(), False
    for place, span in enumerate(spans):
        form = span.token.form
        if form == _QUOTE:
            attached.add(place if is_quoted else place + 1)
            is_quoted = not is_quoted
        elif all(map(_closes, form)):
            attached.add(place)
        elif all(unicodedata.category(char) in _OPENING for char in form):
            attached.add(place + 1)
    return attached - {0}


def _closes(char: str) -> bool:
    return unicodedata.category(char) in _CLOSING and char not in _EITHER
