"""Files around parallel text: word links, their probabilities, reference orders, orders."""

from __future__ import annotations

import contextlib
import gzip
import io
from collections.abc import Callable

from niwaki.data.bilingual.bitext import (
    read_bitext,
    read_filled_bitext,
    read_linked_bitext,
    read_links,
    write_links,
)
from niwaki.data.bilingual.orders import read_orders, read_ratings, read_texts
from niwaki.data.bilingual.posteriors import read_posteriors, write_posteriors
from niwaki.data.bilingual.references import Reference, read_references, write_references
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError

_SEPARATOR = b"\x1e"
_GZIP = 128


def check(data: bytes) -> None:
    first, rest = (data[0], data[1:]) if data else (0, b"")
    if first & _GZIP:
        rest = _SEPARATOR.join(gzip.compress(each, 1, mtime=0) for each in rest.split(_SEPARATOR))
    with contextlib.suppress(NiwakiError):
        READERS[first % _GZIP % len(READERS)](rest)


def _links(data: bytes) -> None:
    links = list(read_links(io.BytesIO(data)))
    out = io.BytesIO()
    write_links(links, out)
    assert list(read_links(io.BytesIO(out.getvalue()))) == links


def _pairs(data: bytes) -> None:
    source, target, links, *_ = [*data.split(_SEPARATOR), b"", b""]
    kept = list(
        read_linked_bitext(
            io.BytesIO(source), io.BytesIO(target), io.BytesIO(links), faults=lambda fault: None
        )
    )
    assert all(pair.source and pair.target and pair.links is not None for pair in kept)
    faults: list[CorpusError] = []
    filled = list(read_filled_bitext(io.BytesIO(source), io.BytesIO(target), 3, faults.append))
    assert all(len(pair.source) <= 3 and len(pair.target) <= 3 for pair in filled)
    for pair in read_bitext(io.BytesIO(source), io.BytesIO(target), io.BytesIO(links)):
        assert pair.links is not None
        assert all(i < len(pair.source) and j < len(pair.target) for i, j in pair.links.all)


def _posteriors(data: bytes) -> None:
    posteriors = list(read_posteriors(io.BytesIO(data)))
    out = io.BytesIO()
    write_posteriors(posteriors, out)
    again = list(read_posteriors(io.BytesIO(out.getvalue())))
    assert [each.shape for each in again] == [each.shape for each in posteriors]


def _references(data: bytes) -> None:
    references = list(read_references(io.BytesIO(data)))
    for each in references:
        assert not each.tokens or Sentence.from_words(each.tokens).forms == each.tokens
    out = io.BytesIO()
    write_references(references, out)
    assert list(read_references(io.BytesIO(out.getvalue()))) == references


def _orders(data: bytes) -> None:
    given = [Reference("1", ("a", "b", "c"), (0, 1, 2)), Reference("2", ("a",), (0,))]
    readers: tuple[Callable[..., object], ...] = (read_texts, read_ratings, read_orders)
    for reader in readers:
        found = list(reader(io.BytesIO(data), given))  # type: ignore[call-overload]
        assert len(found) == len(given)


READERS = (_links, _pairs, _posteriors, _references, _orders)
