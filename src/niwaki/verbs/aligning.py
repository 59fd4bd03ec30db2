"""Word links: learned from parallel text, combined from two directions, or through a language."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence

from niwaki.data.bilingual.bitext import Links, parse_links, read_filled_bitext
from niwaki.data.bilingual.posteriors import Posteriors, parse_posteriors
from niwaki.data.files import Input, Source
from niwaki.errors import ConfigError, CorpusError, NiwakiError, nearest
from niwaki.tasks.align import (
    Aligner,
    Leaf,
    LeafSettings,
    LearnedAlignment,
    Settings,
    compose,
    link,
    mix,
    preset,
)
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
from niwaki.verbs._hand_aligned import TRIALS, GoldFiles, add_gold, choose_stems
from niwaki.verbs._leaf import word_classes

MODELS = ("hmm", "leaf")
_PATHS = (str, os.PathLike)

Learned = str | os.PathLike[str] | LearnedAlignment
Pairs = Iterable[tuple[Words | str, Words | str]]
# The words of a language between two others, and how they are linked to each of these.
Bridge = tuple[Source, Source, Source]


def align(
    source: Source | Pairs,
    target: Source | None = None,
    *,
    model: str = "hmm",
    settings: Settings | str = "default",
    method: str = POSTERIOR,
    threshold: float = DEFAULT_THRESHOLD,
    more: Iterable[tuple[Source, Source]] = (),
    gold: GoldFiles | None = None,
    leaf: LeafSettings | None = None,
    apply: Learned | None = None,
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
    (`save`) and given to `apply` for other text, which is then not learned from. `gold` files
    (source, target, links) with hand-aligned pairs teach what is right.

    The model "leaf" links many words with many and has no use for method and threshold.

        >>> align([(["a", "pine"], ["matsu"]), (["the", "pine"], ["matsu"])])
        >>> align("text.en", "text.ja", settings="xu2009", method="grow-diag-final-and")
        >>> align("text.en", "text.ja", model="leaf", gold=("some.en", "some.ja", "some.align"))
    """
    given = _Given(model, settings, gold, leaf, apply, save, threads, watch)
    corpus, wanted = given.read(source, target, more, fault_handler(on_error))
    if model == "leaf":
        return list(given.leaf(corpus).links(wanted))
    found = _watched(given.aligner(corpus).posteriors(wanted), wanted, watch)
    return [link(each, method, threshold) for each in found]


def align_probabilities(
    source: Source | Pairs,
    target: Source | None = None,
    *,
    model: str = "hmm",
    settings: Settings | str = "default",
    more: Iterable[tuple[Source, Source]] = (),
    gold: GoldFiles | None = None,
    leaf: LeafSettings | None = None,
    apply: Learned | None = None,
    save: str | os.PathLike[str] | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> Iterator[Posteriors]:
    """Yield how likely the words of each pair are to be linked, in both directions; see `align`.

    Links of the model "leaf" are certain: a word that has several shares itself out evenly.

        >>> [each.mean for each in align_probabilities("text.en", "text.ja")]
    """
    given = _Given(model, settings, gold, leaf, apply, save, threads, watch)
    corpus, wanted = given.read(source, target, more, fault_handler(on_error))
    made = given.leaf(corpus) if model == "leaf" else given.aligner(corpus)
    return _watched(made.posteriors(wanted), wanted, watch)


class _Given:
    """What is asked of an aligner, checked before anything is read."""

    def __init__(
        self,
        model: str,
        settings: Settings | str,
        gold: GoldFiles | None,
        leaf: LeafSettings | None,
        apply: Learned | None,
        save: str | os.PathLike[str] | None,
        threads: int,
        watch: Watch,
    ) -> None:
        if model not in MODELS:
            raise ConfigError(f"no model {model!r}; {nearest(model, MODELS)}")
        if model != "leaf" and leaf is not None:
            raise ConfigError("settings of leaf are for the model leaf; give it, or leave them")
        if model == "leaf" and (apply is not None or save is not None):
            raise ConfigError("what the model leaf learned cannot be kept; save that of hmm")
        self._settings = preset(settings) if isinstance(settings, str) else settings
        self._learned = LearnedAlignment.load(apply) if isinstance(apply, _PATHS) else apply
        if self._learned is not None:
            if save is not None:
                raise NiwakiError("a model learns nothing more; leave out where to save it")
            if gold is not None:
                raise NiwakiError("a model learns nothing more; leave out hand-aligned pairs")
            self._settings = self._learned.settings
        self._save = save
        self._gold, self._leaf = gold, leaf or LeafSettings()
        self._threads, self._watch = threads, watch
        self._links: dict[int, Links] = {}

    def read(
        self,
        source: Source | Pairs,
        target: Source | None,
        more: Iterable[tuple[Source, Source]],
        on_fault: OnFault,
    ) -> tuple[Corpus, int]:
        """All pairs to learn from, and how many of them are wanted."""
        if self._learned is not None and more:
            raise NiwakiError("a model learns nothing more; leave out what is to be learned")
        texts: Sequence[Iterable[tuple[Words, Words]]]
        texts = [_pairs(*files, on_fault) for files in ((source, target), *more)]
        if self._gold is not None:
            texts = self._with_gold(texts)
        corpus = Corpus(self._settings)
        wanted = 0
        for number, text in enumerate(texts):
            for pair in text:
                corpus.add(*pair)
                self._watch("reading", 1, 0)
            if number == 0:
                wanted = corpus.size
        return corpus, wanted

    def _with_gold(
        self, texts: Iterable[Iterable[tuple[Words, Words]]]
    ) -> list[list[tuple[Words, Words]]]:
        """Texts and hand-aligned pairs, by which it is chosen how many letters of words count."""
        assert self._gold is not None
        wanted, *more = [list(text) for text in texts]
        rest = [pair for text in more for pair in text]
        known = wanted + rest
        self._links = add_gold(known, self._gold)
        self._settings = choose_stems(
            known,
            self._links,
            self._settings,
            alpha=self._leaf.alpha,
            threads=self._threads,
            tried=lambda: self._watch("choosing", 1, TRIALS),
        )
        return [wanted, known[len(wanted) :]]

    def aligner(self, corpus: Corpus, *, is_start: bool = False) -> Aligner:
        rounds = self._settings.model1_iterations + self._settings.hmm_iterations
        aligner = Aligner(
            corpus,
            self._settings,
            self._threads,
            lambda stage, score: self._watch("learning", 1, rounds),
            self._learned,
            None if is_start else self._links,
        )
        if self._save is not None:
            aligner.learned.save(self._save)
        return aligner

    def leaf(self, corpus: Corpus) -> Leaf:
        # Weights are chosen on the hand-aligned pairs, which the start must not know better than
        # it will know others.
        aligner = self.aligner(corpus, is_start=True)
        classes = word_classes(corpus.source), word_classes(corpus.target)
        return Leaf(aligner, classes, self._leaf, self._links, self._threads, self._watch)


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
    via: Sequence[Bridge] = (),
    mixed: Sequence[Source] = (),
    weights: Sequence[float] | None = None,
    epsilon: float = DEFAULT_EPSILON,
    method: str = POSTERIOR,
    threshold: float = DEFAULT_THRESHOLD,
) -> list[Links]:
    """Word links of two languages through a third one, mixed with the answers of other systems.

    The first three files hold the same sentences in three languages; `first` aligns source and
    middle, `second` middle and target: links, or probabilities as JSON. Each of `via` is another
    bridge (middle, first, second), each of `mixed` aligns source and target; `weights` are shares
    of the bridge, of each of `via` and of each of `mixed`.

        >>> bridge("text.ja", "text.en", "text.ko", "ja-en.jsonl", "en-ko.jsonl")
    """
    found = bridge_probabilities(
        *(source, middle, target, first, second),
        via=via,
        mixed=mixed,
        weights=weights,
        epsilon=epsilon,
    )
    return [link(each, method, threshold) for each in found]


def bridge_probabilities(
    source: Source,
    middle: Source,
    target: Source,
    first: Source,
    second: Source,
    *,
    via: Sequence[Bridge] = (),
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
    bridges = [(middle, first, second), *via]
    shares: list[float] = mixing_weights(len(bridges) + len(mixed), weights).tolist()
    return _bridged((source, target), bridges, mixed, shares, epsilon)


def _bridged(
    texts: tuple[Source, Source],
    bridges: Sequence[Bridge],
    mixed: Sequence[Source],
    shares: list[float],
    epsilon: float,
) -> Iterator[Posteriors]:
    files = [*texts, *(file for each in bridges for file in each), *mixed]
    streams = [Input(file) for file in files]
    # Of each bridge three files stand behind the two texts: the words between, and two answers.
    direct = 2 + 3 * len(bridges)
    try:
        for lines in itertools.zip_longest(*(stream.lines() for stream in streams)):
            number = next(line[0] for line in lines if line)
            if None in lines:
                ended = streams[lines.index(None)]
                raise NiwakiError(
                    f"{ended.name} ends after line {number - 1}; give files of one length"
                )
            found = [text for _, text in lines]
            names = [stream.name for stream in streams]
            source, target = (len(text.split()) for text in found[:2])
            answers = []
            for at in range(2, direct, 3):
                middle = len(found[at].split())
                first = _parsed(found[at + 1], names[at + 1], number, (source, middle))
                second = _parsed(found[at + 2], names[at + 2], number, (middle, target))
                answers.append(compose(first, second, epsilon))
            for text, name in zip(found[direct:], names[direct:], strict=True):
                answers.append(_parsed(text, name, number, (source, target)))
            yield mix(answers, shares)
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
