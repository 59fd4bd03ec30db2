"""Other files with a thing a line: word clusters, logs of training, examples, links of trees."""

from __future__ import annotations

import contextlib
import gzip
import io

from niwaki.analysis.curves import read_log
from niwaki.data.bilingual.links import link_sentences
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.features.clusters import read_clusters, write_clusters
from niwaki.objectives._examples import read_examples
from tests.fuzz.projects import place

_GZIP = 128


def check(data: bytes) -> None:
    first, rest = (data[0], data[1:]) if data else (0, b"")
    if first & _GZIP:
        rest = gzip.compress(rest, compresslevel=1, mtime=0)
    with contextlib.suppress(NiwakiError):
        READERS[first % _GZIP % len(READERS)](rest)


def _clusters(data: bytes) -> None:
    faults: list[CorpusError] = []
    with contextlib.suppress(NiwakiError):
        read_clusters(io.BytesIO(data), faults.append)
    clusters = read_clusters(io.BytesIO(data))
    assert not faults
    out = io.BytesIO()
    write_clusters(clusters, out)
    again = read_clusters(io.BytesIO(out.getvalue()))
    assert again.paths == clusters.paths


def _log(data: bytes) -> None:
    entries = read_log(io.BytesIO(data))
    assert len({(entry.objective, entry.epoch) for entry in entries}) == len(entries) > 0


def _examples(data: bytes) -> None:
    path = place() / "examples.jsonl"
    path.write_bytes(data)
    for example in read_examples([str(path)]):
        assert all(len(sentence) > 0 for sentence in example.sentences)


def _links(data: bytes) -> None:
    sentences = [Sentence.from_words(["a", "b", "c"]), Sentence.from_words(["d"])]
    faults: list[CorpusError] = []
    kept = list(link_sentences(sentences, io.BytesIO(data), faults.append))
    assert [each.forms for each in kept] == [each.forms for each in sentences]
    assert list(link_sentences(sentences, io.BytesIO(data))) == kept
    assert not faults


READERS = (_clusters, _log, _examples, _links)
