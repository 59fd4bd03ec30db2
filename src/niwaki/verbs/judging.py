"""Sentences broken on purpose, and how well formed sentences are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

import numpy as np

from niwaki.data.judged import breakage_of
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.metrics.judging import JudgingEvaluation, evaluate_judging
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.grammar.broken import with_whole_tree
from niwaki.tasks.grammar.corrupt import (
    ERRORS,
    JUDGED,
    broken_once,
    broken_variants,
    check_kinds,
)
from niwaki.tasks.grammar.features import K, Look
from niwaki.tasks.grammar.judge import Judge, Settings
from niwaki.tasks.grammar.lexicon import Lexicon
from niwaki.tasks.grammar.patterns import PatternCounts
from niwaki.verbs._given import (
    Model,
    Sentences,
    Watch,
    is_source,
    model_of,
    name_of,
    read_given,
    unwatched,
)

# Sentences that are judged together.
_BATCH = 256


def corrupt(
    source: Sentences,
    kinds: Sequence[str] = tuple(ERRORS),
    *,
    seed: int = 1,
    once: bool = False,
    whole: bool = False,
    parser: Model | None = None,
    threads: int = 1,
) -> Iterator[Sentence]:
    """Yield each sentence broken in each way that is possible, or `once`, in one of them.

    `Clean=3` in MISC says which clean word a word is, 0 that it was added; that has no head, or
    with `whole` the word before it. Tags and trees are the input's, or those of `parser`, which
    also takes raw text.

        >>> for sentence in corrupt("trees.conllu", ["missing", "lower-case"]):
        ...     print(sentence.text)
    """
    check_kinds(kinds)
    given = _tagged(source, parser, threads)
    lexicon = Lexicon.of(given)
    found = broken_variants(given, kinds, lexicon, seed)
    if once:
        chosen = (broken_once(sentence, kinds, lexicon, seed) for sentence in given)
        found = (sentence for sentence in chosen if sentence is not None)
    return map(with_whole_tree, found) if whole else found


def judge(
    source: Sentences,
    judge: str | os.PathLike[str] | Judge,
    parser: Model = "en",
    *,
    form: str | None = None,
    threads: int = 1,
) -> Iterator[tuple[Sentence, float]]:
    """Yield each sentence with the probability that it is well formed.

    The parser is the one with which the judge learned; a file is read as by `parse`, in a
    `form` such as "lines", a sentence each.

        >>> for sentence, probability in judge("mails.txt", "judge.niwaki"):
        ...     print(f"{probability:.2f}", sentence.text)
    """
    reader = judge if isinstance(judge, Judge) else Judge.load(judge)
    pipeline = _parser_of(parser)
    learned_with, given = reader.card.get("parser"), _name(parser)
    if isinstance(learned_with, str) and given != learned_with and not isinstance(parser, Pipeline):
        raise NiwakiError(
            f"this judge learned with the parser {learned_with}, and {given} was given; "
            "parse with the same (--parser)"
        )
    return _judged(read_given(source, pipeline, form), reader, pipeline, threads)


def train_judge(
    source: Sentences | Iterable[Sentences],
    reference: Sentences | Iterable[Sentences],
    output: str | os.PathLike[str] | None = None,
    *,
    parser: Model = "en",
    kinds: Sequence[str] = JUDGED,
    settings: Settings | None = None,
    seed: int = 1,
    threads: int = 1,
    watch: Watch = unwatched,
) -> Judge:
    """Learn to judge sentences, from clean ones that are broken here, each in every way.

    Sentences with a comment `broken =` are taken as they are; then none is broken. `reference` is a
    large text in which patterns are counted, and none of the sentences stands. Take a parser
    that has not learned from the sentences.

        >>> judge = train_judge("clean.conllu", "large.conllu.gz", "judge.niwaki")
    """
    check_kinds(kinds)
    pipeline = _parser_of(parser)
    text = _read_all(reference, pipeline)
    if not text:
        raise NiwakiError("no sentence in the reference; give a large text to count patterns in")
    parsed = pipeline.parse(text, threads=threads, retag=True)
    counts = PatternCounts.of(_watched(parsed, watch, "counting"))
    given = _read_all(source, pipeline)
    if not any(map(breakage_of, given)):
        given = list(pipeline.parse(given, threads=threads, retag=True))
        lexicon = Lexicon.of(given)
        given += list(broken_variants(given, kinds, lexicon, seed))
    clean = np.array([breakage_of(sentence) is None for sentence in given], dtype=np.bool_)
    looks = list(_watched(looks_of(given, pipeline, threads), watch, "parsing"))
    card = {"parser": _name(parser), "sentences": len(given), "kinds": list(kinds)}
    made = Judge.learn(looks, clean, counts, settings, card)
    if output is not None:
        made.save(output)
    return made


def evaluate_judge(gold: Sentences, system: Sentences) -> JudgingEvaluation:
    """Score judgements of clean and broken sentences, as `niwaki judge --to conllu` writes them.

    >>> evaluate_judge("both.conllu", "judged.conllu").scores["accuracy"]
    """
    return evaluate_judging(_all(gold), _all(system))


def looks_of(sentences: Iterable[Sentence], pipeline: Pipeline, threads: int = 1) -> Iterator[Look]:
    """What a judge looks at: each sentence as the parser sees it, and how sure it is."""
    rest = iter(sentences)
    while batch := list(islice(rest, _BATCH)):
        parsed = pipeline.parse(batch, threads=threads, retag=True, probabilities=True)
        for sentence, tree in zip(batch, parsed, strict=True):
            best = pipeline.kbest(sentence, K, retag=True)
            yield Look(tree, best.scores.astype(np.float64), best.probabilities)


def _judged(
    sentences: Iterable[Sentence], reader: Judge, pipeline: Pipeline, threads: int
) -> Iterator[tuple[Sentence, float]]:
    rest = iter(sentences)
    while batch := list(islice(rest, _BATCH)):
        looks = list(looks_of(batch, pipeline, threads))
        yield from zip(batch, reader.probabilities(looks).tolist(), strict=True)


def _parser_of(given: Model) -> Pipeline:
    pipeline = model_of(given)
    if not pipeline.parser.gives_probabilities:
        raise NiwakiError(
            f"{_name(given)} gives no probabilities; a judge needs a parser that was calibrated "
            "(training.dev)"
        )
    return pipeline


def _name(parser: Model) -> str:
    return PurePath(name_of(parser, "a model")).name.removesuffix(".niwaki")


def _tagged(source: Sentences, parser: Model | None, threads: int) -> list[Sentence]:
    """The sentences with tags: their own, or those of a parser."""
    pipeline = None if parser is None else model_of(parser)
    given = list(read_given(source, pipeline))
    if pipeline is not None:
        return list(pipeline.parse(given, threads=threads, retag=True))
    for sentence in given:
        if all(tag == "_" for tag in sentence.upos):
            raise CorpusError(
                sentence.file,
                sentence.line,
                "UPOS",
                "no tags",
                "give sentences with tags, or a parser that makes them (--parser en)",
            )
    return given


def _read_all(sources: Any, pipeline: Pipeline) -> list[Sentence]:
    """The sentences of one source, or of several."""
    found: list[Sentence] = []
    for each in [sources] if is_source(sources) else sources:
        found += read_given(each, pipeline)
    return found


def _all(given: Sentences) -> list[Sentence]:
    """All sentences of a file, of whose trees nothing need be known."""
    return list(read_given(given, None, "conllu"))


def _watched(items: Iterable[Any], watch: Watch, stage: str) -> Iterator[Any]:
    for item in items:
        yield item
        watch(stage, 1, 0)
