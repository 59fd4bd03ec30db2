"""Word links: learned from parallel text, combined from two directions, or through a language."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence

from niwaki.data.bilingual.bitext import Links, parse_links, read_filled_bitext
from niwaki.data.bilingual.posteriors import Posteriors, parse_posteriors
from niwaki.data.files import Input, Source
from niwaki.errors import ConfigError, CorpusError, NiwakiError
from niwaki.tasks.align import Aligner, LearnedAlignment, Settings, compose, link, mix, preset
from niwaki.tasks.align.aligner import Words
from niwaki.tasks.align.bridge import DEFAULT_EPSILON, mixing_weights
from niwaki.tasks.align.corpus import LONGEST, Corpus
from niwaki.tasks.align.symmetrize import DEFAULT_THRESHOLD, POSTERIOR
from niwaki.tasks.align.symmetrize import symmetrize as symmetrize_pair
from niwaki.verbs._given import (
    OnError,
    OnFault,
    Watch,
    fault_handler,
    is_source,
    links_of,
    name_of,
    unwatched,
)

Learned = str | os.PathLike[str] | LearnedAlignment
Pairs = Iterable[tuple[Words | str, Words | str]]


def align(
    source: Source | Pairs,
    target: Source | None = None,
    *,
    settings: Settings | str = "default",
    method: str = POSTERIOR,
    threshold: float = DEFAULT_THRESHOLD,
    more: Iterable[tuple[Source, Source]] = (),
    model: Learned | None = None,
    save: str | os.PathLike[str] | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> list[Links]:
    """Word links of parallel text, learned from this text itself, or given by a `model`.

    Two files with a tokenised sentence a line, or pairs of sentences: lists of words, or texts
    whose words have spaces between them. `settings` may
    be the name of a preset. Links are those whose probability reaches the threshold, or by
    another `method`. `more` pairs of files are learned from only. With `on_error="skip"`, a pair
    with an empty side or too many words has no links. What is learned can be written to a file
    (`save`), which is the `model` of other text.

        >>> align([(["a", "pine"], ["matsu"]), (["the", "pine"], ["matsu"])])
        >>> align("text.en", "text.ja", settings="xu2009", method="grow-diag-final-and")
    """
    found = align_probabilities(
        source,
        target,
        settings=settings,
        more=more,
        model=model,
        save=save,
        threads=threads,
        on_error=on_error,
        watch=watch,
    )
    return [link(each, method, threshold) for each in found]


def align_probabilities(
    source: Source | Pairs,
    target: Source | None = None,
    *,
    settings: Settings | str = "default",
    more: Iterable[tuple[Source, Source]] = (),
    model: Learned | None = None,
    save: str | os.PathLike[str] | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> Iterator[Posteriors]:
    """Yield how likely the words of each pair are to be linked, in both directions; see `align`.

    >>> [each.mean for each in align_probabilities("text.en", "text.ja")]
    """
    chosen = preset(settings) if isinstance(settings, str) else settings
    learned = LearnedAlignment.load(model) if isinstance(model, str | os.PathLike) else model
    if learned is not None:
        if more or save is not None:
            raise NiwakiError("a model learns nothing more; leave out what is to be learned")
        chosen = learned.settings
    on_fault = fault_handler(on_error)
    corpus = Corpus(chosen)
    for pair in _pairs(source, target, on_fault):
        corpus.add(*pair)
        watch("reading", 1, 0)
    wanted = corpus.size
    for files in more:
        for pair in _pairs(*files, on_fault):
            corpus.add(*pair)
            watch("reading", 1, 0)
    rounds = chosen.model1_iterations + chosen.hmm_iterations
    aligner = Aligner(
        corpus, chosen, threads, lambda stage, score: watch("learning", 1, rounds), learned
    )
    if save is not None:
        aligner.learned.save(save)
    return _watched(aligner.posteriors(wanted), wanted, watch)


def _pairs(
    source: Source | Pairs, target: Source | None, on_fault: OnFault
) -> Iterable[tuple[Words, Words]]:
    if target is None:
        if is_source(source):
            raise NiwakiError("one file; give the translations, too")
        return map(_words_of_pair, itertools.count(1), source)  # type: ignore[arg-type]
    read = read_filled_bitext(source, target, LONGEST, on_fault)  # type: ignore[arg-type]
    return ((pair.source, pair.target) for pair in read)


def _words_of_pair(number: int, pair: tuple[Words | str, Words | str]) -> tuple[Words, Words]:
    """The words of a pair; texts are split at spaces."""
    if isinstance(pair, str) or len(pair) != 2:
        raise NiwakiError(
            f"pair {number} is none; give (source, target), each a text or a list of words"
        )
    one, other = (side.split() if isinstance(side, str) else side for side in pair)
    return one, other


def _watched(found: Iterator[Posteriors], total: int, watch: Watch) -> Iterator[Posteriors]:
    for each in found:
        yield each
        watch("aligning", 1, total)


def symmetrize(
    forward: Source | Iterable[Links],
    backward: Source | Iterable[Links],
    method: str = "grow-diag-final-and",
) -> Iterator[Links]:
    """Yield the links of two directions combined, both with the source word first.

    Methods are "intersection", "union" and "grow-diag-final-and".

        >>> list(symmetrize("forward.align", "backward.align", "intersection"))
    """
    names = name_of(forward, "forward"), name_of(backward, "backward")
    pairs = itertools.zip_longest(links_of(forward), links_of(backward))
    for number, (one, other) in enumerate(pairs, start=1):
        if one is None or other is None:
            ended = names[0] if one is None else names[1]
            raise NiwakiError(f"{ended} ends after line {number - 1}; give files of one length")
        yield symmetrize_pair(one, other, method)


def bridge(
    source: Source,
    middle: Source,
    target: Source,
    first: Source,
    second: Source,
    *,
    mixed: Sequence[Source] = (),
    weights: Sequence[float] | None = None,
    epsilon: float = DEFAULT_EPSILON,
    method: str = POSTERIOR,
    threshold: float = DEFAULT_THRESHOLD,
) -> list[Links]:
    """Word links of two languages through a third one, mixed with the answers of other systems.

    The first three files hold the same sentences in three languages; `first` aligns source and
    middle, `second` middle and target: links, or probabilities as JSON. Each of `mixed` aligns
    source and target; `weights` are shares of the bridge and of each of them.

        >>> bridge("text.ja", "text.en", "text.ko", "ja-en.jsonl", "en-ko.jsonl")
    """
    found = bridge_probabilities(
        *(source, middle, target, first, second), mixed=mixed, weights=weights, epsilon=epsilon
    )
    return [link(each, method, threshold) for each in found]


def bridge_probabilities(
    source: Source,
    middle: Source,
    target: Source,
    first: Source,
    second: Source,
    *,
    mixed: Sequence[Source] = (),
    weights: Sequence[float] | None = None,
    epsilon: float = DEFAULT_EPSILON,
) -> Iterator[Posteriors]:
    """Yield how likely words are to be linked through a third language; see `bridge`.

    >>> files = "text.ja", "text.en", "text.ko", "ja-en.jsonl", "en-ko.jsonl"
    >>> [each.mean for each in bridge_probabilities(*files)]
    """
    if not 0 <= epsilon <= 1:
        raise ConfigError(f"epsilon is {epsilon}; it must be from 0 to 1")
    shares: list[float] = mixing_weights(1 + len(mixed), weights).tolist()
    return _bridged((source, middle, target), (first, second, *mixed), shares, epsilon)


def _bridged(
    texts: Sequence[Source], answers: Sequence[Source], shares: list[float], epsilon: float
) -> Iterator[Posteriors]:
    streams = [Input(file) for file in (*texts, *answers)]
    try:
        for lines in itertools.zip_longest(*(stream.lines() for stream in streams)):
            number = next(line[0] for line in lines if line)
            if None in lines:
                ended = streams[lines.index(None)]
                raise NiwakiError(
                    f"{ended.name} ends after line {number - 1}; give files of one length"
                )
            source, middle, target = (len(text.split()) for _, text in lines[:3])
            shapes = [(source, middle), (middle, target)]
            shapes += [(source, target)] * (len(answers) - 2)
            first, second, *others = (
                _parsed(text, stream.name, number, shape)
                for (_, text), stream, shape in zip(lines[3:], streams[3:], shapes, strict=True)
            )
            yield mix([compose(first, second, epsilon), *others], shares)
    finally:
        for stream in streams:
            stream.close()


def _parsed(text: str, file: str, line: int, shape: tuple[int, int]) -> Posteriors:
    """Probabilities from a line of JSON or of links."""
    if not text.startswith("{"):
        return Posteriors.from_links(parse_links(text, file, line, shape), shape)
    found = parse_posteriors(text, file, line)
    if found.shape != shape:
        raise CorpusError(
            file,
            line,
            "LINE",
            f"probabilities for {found.shape[0]} and {found.shape[1]} words",
            f"the sentences have {shape[0]} and {shape[1]}",
        )
    return found
