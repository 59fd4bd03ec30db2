"""Sentences broken on purpose, and how well formed sentences are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import CorpusError
from niwaki.tasks.grammar.corrupt import ERRORS, broken_once, broken_variants, check_kinds
from niwaki.tasks.grammar.lexicon import Lexicon
from niwaki.verbs._given import Model, Sentences, is_source, model_of


def corrupt(
    source: Sentences,
    kinds: Sequence[str] = tuple(ERRORS),
    *,
    seed: int = 1,
    once: bool = False,
    parser: Model | None = None,
    threads: int = 1,
) -> Iterator[Sentence]:
    """Yield each sentence broken in each way that is possible, or `once`, in one of them.

    `Clean=3` in MISC says which clean word a word is, 0 that it was added. Tags and trees are the
    input's, or those of `parser`, which also takes raw text.

        >>> for sentence in corrupt("trees.conllu", ["missing", "lower-case"]):
        ...     print(sentence.text)
    """
    check_kinds(kinds)
    given = _tagged(source, parser, threads)
    lexicon = Lexicon.of(given)
    if not once:
        return broken_variants(given, kinds, lexicon, seed)
    found = (broken_once(sentence, kinds, lexicon, seed) for sentence in given)
    return (sentence for sentence in found if sentence is not None)


def _tagged(source: Sentences, parser: Model | None, threads: int) -> list[Sentence]:
    """The sentences with tags: their own, or those of a parser."""
    pipeline = None if parser is None else model_of(parser)
    segmenter = pipeline.segmenter if pipeline else None
    read = read_sentences(source, segmenter=segmenter) if is_source(source) else source  # type: ignore[arg-type]
    given: list[Sentence] = list(read)  # type: ignore[arg-type]
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
