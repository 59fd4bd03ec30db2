"""Word clusters of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from niwaki.data.files import Source
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import NiwakiError
from niwaki.features.brown import MIN_COUNT
from niwaki.features.brown import cluster as cluster_words
from niwaki.features.clusters import WordClusters
from niwaki.features.tag_classes import untagged
from niwaki.verbs._given import (
    Model,
    OnError,
    OnFault,
    Watch,
    fault_handler,
    is_source,
    model_of,
    name_of,
    unwatched,
)


def cluster(
    text: Source | Iterable[Source] | Iterable[Sentence],
    clusters: int = 1000,
    *,
    min_count: int = MIN_COUNT,
    lowercase: bool = False,
    by_tags: bool = False,
    form: str | None = None,
    model: Model = "en",
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> WordClusters:
    """Sort words into clusters by what stands beside them (Brown et al. 1992).

    Text is a file, several files, or sentences. `form` is "text", "lines", "tokens" or "conllu"
    (default: by its look); raw text is split by the segmenter of `model`. Words that occur less
    than `min_count` times are left out. With `by_tags`, bits that tell the tags of a word come
    before the others. With `on_error="skip"`, sentences that cannot be read (or have no tags,
    with `by_tags`) are left out. See `niwaki.features.brown.cluster` for how it is done.

        >>> found = cluster("news.txt", 200)
        >>> found.paths["pine"], found.counts["pine"]
    """
    given = [text] if is_source(text) else text
    sentences = _Sentences(form, model, by_tags, fault_handler(on_error))
    return cluster_words(
        sentences.of(given),  # type: ignore[arg-type]
        clusters,
        min_count=min_count,
        lowercase=lowercase,
        by_tags=by_tags,
        watch=watch,
    )


class _Sentences:
    """The sentences of files, or those that are given."""

    def __init__(self, form: str | None, model: Model, by_tags: bool, on_fault: OnFault) -> None:
        self._form, self._model, self._by_tags, self._on_fault = form, model, by_tags, on_fault

    def of(self, given: Iterable[Source | Sentence]) -> Iterator[Sentence]:
        for each in given:
            if isinstance(each, Sentence):
                yield from self._usable([each])
                continue
            words = 0
            for sentence in self._usable(self._read(each)):
                words += len(sentence)
                yield sentence
            if not words:
                raise NiwakiError(f"{name_of(each, 'the file')}: no words; give text")

    def _read(self, file: Source) -> Iterator[Sentence]:
        segmenter = None
        if self._form not in ("tokens", "conllu"):
            segmenter = model_of(self._model).segmenter
        return read_sentences(file, self._form, segmenter, on_fault=self._on_fault)

    def _usable(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Without those that have no tags, if faults are told to someone."""
        for sentence in sentences:
            if self._by_tags and self._on_fault and (fault := untagged(sentence)):
                self._on_fault(fault)
            else:
                yield sentence
