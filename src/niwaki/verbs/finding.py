"""Words found in trees by queries, in files, texts and indexes; indexes made."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.tasks.find.index import Index, write_index
from niwaki.tasks.find.query import Query, find_in_sentences
from niwaki.tasks.find.results import Match
from niwaki.tasks.find.sets import QuerySet
from niwaki.verbs._given import (
    GivenTags,
    Model,
    OnError,
    OnFault,
    Sentences,
    fault_handler,
    is_source,
    model_of,
    predicts,
    read_given,
)


def find(
    query: str | Query | QuerySet,
    source: Sentences | Iterable[Sentences] | None = None,
    model: Model | None = None,
    *,
    index: str | os.PathLike[str] | Index | None = None,
    form: str | None = None,
    tags: GivenTags = "predict",
    threads: int = 1,
    on_error: OnError = "fail",
) -> Iterator[Match]:
    """Yield what a query finds in the trees of files or sentences, or in an index.

    A query is one of docs/formats/queries.md, or a set that `load_queries` gives. Without trees,
    sentences are parsed with `model`, which also takes raw text; `form` and `tags` are as for
    `parse`. With `on_error="skip"`, sentences that cannot be read are left out.

        >>> for match in find("VERB >nsubj NOUN=x >obj *=y", "trees.conllu"):
        ...     print(match["x"].lemma, match["y"].lemma)
    """
    if isinstance(query, str):
        query = Query(query)
    queries = query.queries if isinstance(query, QuerySet) else (query,)
    if index is not None:
        if source is not None or model is not None:
            raise NiwakiError("an index has its sentences and trees; give no files and no model")
        opened = index if isinstance(index, Index) else Index(index)
        return opened.find(queries)
    if source is None:
        raise NiwakiError("nothing to look through; give files, sentences or an index")
    return find_in_sentences(
        queries, _trees(source, model, form, tags, threads, fault_handler(on_error))
    )


def index(
    source: Sentences | Iterable[Sentences],
    output: str | os.PathLike[str],
    model: Model | None = None,
    *,
    form: str | None = None,
    tags: GivenTags = "predict",
    threads: int = 1,
    on_error: OnError = "fail",
) -> int:
    """Write an index of the trees of files or sentences, for `find`; returns their number.

    >>> index(["news.conllu", "letters.conllu"], "corpus.index")
    >>> list(find("VERB >obj [lemma=lantern]", index="corpus.index"))
    """
    on_fault = fault_handler(on_error)
    return write_index(_trees(source, model, form, tags, threads, on_fault), output)


def _trees(
    source: Sentences | Iterable[Sentences],
    model: Model | None,
    form: str | None,
    tags: GivenTags,
    threads: int,
    on_fault: OnFault,
) -> Iterator[Sentence]:
    pipeline = None if model is None else model_of(model)
    retag = predicts(tags)

    def read() -> Iterator[Sentence]:
        given: Iterable[Any] = [source] if is_source(source) else source  # type: ignore[assignment]
        for each in given:
            found = read_given(each, pipeline, form, on_fault)
            yield from _with_trees(iter(found)) if is_source(each) and not pipeline else found

    if pipeline is None:
        return read()
    return pipeline.parse(read(), threads=threads, retag=retag)


def _with_trees(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """The sentences of a file; in one without trees nothing would be found, in silence."""
    for first in sentences:
        if all(head < 0 for head in first.heads):
            raise CorpusError(
                first.file, first.line, "HEAD", "no tree", "parse the file first: -m en"
            )
        yield first
        yield from sentences
