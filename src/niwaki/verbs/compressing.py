"""Shorter sentences: made, learned, and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Literal

from niwaki.data.compressions import (
    Compression,
    Kept,
    kept_of,
    marked,
    read_compressions,
    shortened,
)
from niwaki.data.documents import cut_at_documents
from niwaki.data.files import Source
from niwaki.data.given import Given
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.data.wordnet import WordNet
from niwaki.errors import NiwakiError, shown
from niwaki.errors import nearest as nearest_name
from niwaki.metrics.compression import CompressionEvaluation, nearest
from niwaki.metrics.compression import evaluate_compression as evaluate_choices
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.compress.learning import learn_compressor
from niwaki.tasks.compress.model import Compressor, Settings
from niwaki.verbs._given import Model, Watch, is_source, model_of, name_of, read_given, unwatched

Compressions = Source | Iterable[Compression | Sentence]
# A share of the words; or "gold": as many as the reference that the input has.
Rate = float | Literal["gold"]
METHODS = ("rules", "ilp")
# The system that drops nothing: what any other must be laid beside.
COPY = "copy-all"


def compress(
    source: Compressions | Given,
    model: str | os.PathLike[str] | Compressor,
    *,
    parser: Model | None = None,
    rate: Rate | None = None,
    document: bool = False,
    method: Literal["rules", "ilp"] = "rules",
    wordnet: str | os.PathLike[str] | None = None,
    threads: int = 1,
) -> Iterator[Sentence]:
    """Yield sentences with `Keep=0` in MISC of the words that should be dropped.

    `rate` is the share of words that is kept: of each sentence, or with `document` of each
    document, some of whose sentences then lose more than others. Without it as many are
    kept as score best. The trees are the input's, or those of `parser`, which also takes raw text.

    The method `ilp` is an integer programme (`pip install 'niwaki[ilp]'`), which asks only which
    words are likely in a row and which matter; with `document` it keeps what sentences share, words
    that the WordNet of a folder relates among it.

        >>> for sentence in compress("letter.txt", "short.niwaki", parser="en", rate=0.7):
        ...     print([f for f, n in zip(sentence.forms, sentence.notes) if "Keep" not in n])
    """
    compressor = model if isinstance(model, Compressor) else Compressor.load(model)
    if isinstance(rate, float | int) and not 0 < rate <= 1:
        raise NiwakiError(f"rate is {rate}; give a share of the words above 0, such as 0.7")
    if method not in METHODS:
        raise NiwakiError(f"no method {shown(method)}; {nearest_name(method, METHODS)}")
    if document and method == "rules" and not isinstance(rate, float | int):
        raise NiwakiError(
            "whole documents share out a rate; give one such as 0.7, or each sentence by itself"
        )
    if wordnet is not None and not (method == "ilp" and document):
        raise NiwakiError(
            "a WordNet says which words the sentences of a document share; give it with the method "
            "ilp and whole documents"
        )
    related = None if wordnet is None else WordNet(wordnet)
    pipeline = None if parser is None else model_of(parser)
    given = _compressions(_with_texts_read(source, pipeline), pipeline, threads)
    if rate == "gold" and given and all(all(_reference(each)) for each in given):
        raise NiwakiError(
            "nobody has dropped a word of the input, so there is no gold rate; give `keep`, Keep=0 "
            "in MISC, or a rate such as 0.7"
        )
    by_sentence = {id(each.sentence): each for each in given}
    for block in cut_at_documents(each.sentence for each in given):
        sizes = None
        share = None if rate == "gold" else rate
        if rate == "gold":
            sizes = [sum(_reference(by_sentence[id(sentence)])) for sentence in block]
        if method == "rules":
            kept = compressor.compress(block, share, document=document, sizes=sizes)
        else:
            kept = compressor.programme(
                block, share, discourse=document, sizes=sizes, wordnet=related
            )
        yield from map(marked, block, kept)


def train_compressor(
    source: Compressions | Iterable[Source],
    output: str | os.PathLike[str] | None = None,
    *,
    parser: Model | None = None,
    settings: Settings | None = None,
    text: Iterable[Source] = (),
    threads: int = 1,
    watch: Watch = unwatched,
) -> Compressor:
    """Learn which words to drop, from JSON Lines or CoNLL-U in which people have dropped some.

    Trees are the input's, or those of `parser`. `text` are files in which words in a row are
    counted for the method `ilp`, beside the data: CoNLL-U, or words with spaces between them.

        >>> model = train_compressor("pairs.jsonl", "short.niwaki", parser="en")
    """
    given = _compressions(source, parser, threads)
    made_by = "given" if parser is None else PurePath(name_of(parser, "a model")).name
    settings = settings or Settings()
    told = lambda gap: watch("learning", 1, settings.rounds)  # noqa: E731
    more = (sentence.forms for file in text for sentence in read_sentences(file))
    model = learn_compressor(given, settings, {"trees": made_by}, told, more)
    if output is not None:
        model.save(output)
    return model


def evaluate_compression(
    gold: Compressions, system: Compressions, *, parser: Model | None = None, threads: int = 1
) -> CompressionEvaluation:
    """Score which words were kept against what people kept; of several references the nearest.

    `system` may be "copy-all", which drops nothing. With `parser`, relations of the shorter
    sentences are scored as well, in its trees of both.

        >>> evaluate_compression("gold.jsonl", "system.conllu").scores["F1"]
    """
    right = _compressions(gold)
    found = right if system == COPY else _compressions(system)
    for one, other in zip(right, found, strict=False):
        if one.sentence.forms != other.sentence.forms:
            where = f"{one.sentence.file}:{one.sentence.line}"
            raise NiwakiError(f"{where}: other words in the system; compare the same sentences")
    kept = [(True,) * len(each.sentence) if system == COPY else _reference(each) for each in found]
    if parser is None or len(right) != len(found):
        return evaluate_choices(right, kept)
    pipeline = model_of(parser)
    nearer = [nearest(each, choice) for each, choice in zip(right, kept, strict=True)]
    of_people, of_system = (
        list(
            pipeline.parse(
                [shortened(each.sentence, k) for each, k in zip(right, choices, strict=True)],
                threads=threads,
                retag=True,
            )
        )
        for choices in (nearer, kept)
    )
    return evaluate_choices(right, kept, (of_people, of_system))


def _reference(given: Compression) -> Kept:
    if not given.references:
        where = f"{given.sentence.file}:{given.sentence.line}"
        raise NiwakiError(f"{where}: nobody has said what is kept; give `keep`, or Keep=0 in MISC")
    return given.references[0]


def _with_texts_read(source: Compressions | Given, pipeline: Pipeline | None) -> Compressions:
    if is_source(source):
        return source  # type: ignore[return-value]
    items: list[Any] = list(source)  # type: ignore[arg-type]
    if any(isinstance(each, str | list | tuple) for each in items):
        return read_given(items, pipeline)
    return items


def _compressions(
    source: Compressions | Iterable[Source], parser: Model | None = None, threads: int = 1
) -> list[Compression]:
    pipeline = None if parser is None else model_of(parser)
    segmenter = pipeline.segmenter if pipeline else None
    given: list[Compression] = []
    for each in [source] if is_source(source) else source:  # type: ignore[union-attr]
        if isinstance(each, Compression):
            given.append(each)
        elif isinstance(each, Sentence):
            given.append(Compression(each, (kept_of(each),)))
        else:
            given += read_compressions(each, segmenter)  # type: ignore[arg-type]
    if pipeline is None:
        return given
    # Tags that are given would be better than those of sentences to come.
    words = [each.sentence for each in given]
    parsed = pipeline.parse(words, threads=threads, retag=True)
    return [replace(each, sentence=sentence) for each, sentence in zip(given, parsed, strict=True)]
