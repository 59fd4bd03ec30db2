"""Teaches the segmenter from the text behind a treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from niwaki.data.rawtext import Span, SurfaceToken, paragraphs, surface_tokens, token_spans
from niwaki.data.sentence import Sentence
from niwaki.features.weights import compress
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.segmenting.characters import kinds_of
from niwaki.kernel.segmenting.segmenter import PAIR_KINDS, ending_of
from niwaki.learning.corpus import Corpus
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.lexicon import KnownWords
from niwaki.segmenting.segmenter import Needs, Segmenter, codes_of, segmenting_features
from niwaki.segmenting.splits import Rule, find_rules
from niwaki.segmenting.typography import closed_up, is_cut_apart

Advance = Callable[[int], None]
# A sentence's text and tokens, as they are written in some way.
Writing = Callable[[str, Sequence[Span]], tuple[str, Sequence[Span]]]

# Sentences that are learned from at once; longer paragraphs are cut.
_PIECE = 50
# Where fewer tokens end than one in so many pairs of characters, none is looked for.
_RARE = 2000
# If more of the sentences begin a paragraph, half of the paragraphs are joined: where all
# sentences stand alone, nothing can be learned about where they end.
_MOSTLY_ALONE = 0.6
# Words hold spaces if at least one in so many does.
_SPACED = 500
# Text is without spaces if so large a share of the tokens has none behind it.
_UNSPACED = 0.5
# If so large a share of the tokens is several words, one after the other, rules that split tokens
# as a whole are too many, and it is learned between which characters words end.
_CUT = 0.1
# If fewer sentences begin with a capital, other things tell where they begin.
_CAPITALS = 0.5
_SPLIT_ROWS = 15_000
_TOKEN_END, _SENTENCE_END = 1, 2


def can_segment(corpus: Corpus) -> bool:
    """Whether a corpus tells what its text was."""
    return any(
        "text" in sentence.metadata or any("SpaceAfter=No" in misc for misc in sentence.misc)
        for sentence in corpus.sentences
    )


def train_segmenter(
    corpus: Corpus, config: SegmenterConfig, seed: int, advance: Advance
) -> Segmenter:
    """A compressed segmenter; the same for the same corpus, configuration and seed."""
    needs = needs_of(corpus.sentences)
    examples = _Examples(corpus.sentences, cuts=needs.cuts)
    sentences = list(_pieces(corpus.sentences, seed))
    writings = [_as_it_is, closed_up] if is_cut_apart(corpus.sentences) else [_as_it_is]
    ways = [
        [_training_text(piece, examples, writing) for writing in writings] for piece in sentences
    ]
    forms = ((form for each in piece for form in each.forms) for piece in sentences)
    lexicon = KnownWords.of(forms) if needs.lexicon else None
    learner = SparseWeights(1, config.min_updates)
    split_learner = SparseWeights(1 + len(examples.rules)) if examples.rules else None
    segmenter = Segmenter(
        learner,
        split_learner,
        examples.rules,
        _open_pairs([piece for pieces in ways for piece in pieces]),
        examples.endings,
        segmenting_features(needs),
        lexicon,
    )
    for epoch in range(config.epochs):
        for number in np.random.default_rng([seed, epoch]).permutation(len(ways)).tolist():
            # Each piece is learned in all ways of writing, one an epoch.
            piece = ways[number][(epoch + number) % len(writings)]
            segmenter.kernel.learn(
                piece.codes,
                piece.ends,
                piece.rules,
                piece.cuts,
                config.learning_rate,
                config.adagrad_epsilon,
                number + 1,
            )
            advance(piece.sentences)
    split_model = None
    if split_learner is not None:
        split_model = compress(split_learner.export(), split_learner.classes, _SPLIT_ROWS)
    return segmenter.with_models(compress(learner.export(), 1, config.max_rows), split_model)


def needs_of(sentences: Sequence[Sentence]) -> Needs:
    """What the text of a treebank asks of its segmenter."""
    tokens = spaced = glued = cut = capitals = 0
    for sentence in sentences:
        found = surface_tokens(sentence)
        tokens += len(found)
        spaced += sum(" " in token.form for token in found)
        glued += sum(not token.space_after for token in found)
        cut += sum(_is_cut(sentence, token) for token in found)
        capitals += found[0].form[0].isupper()
    return Needs(
        unspaced=glued > _UNSPACED * tokens,
        plain=capitals < _CAPITALS * len(sentences),
        joins=spaced * _SPACED > tokens,
        cuts=cut > _CUT * tokens,
    )


def _is_cut(sentence: Sentence, token: SurfaceToken) -> bool:
    """Whether the words of a token stand in it one after the other."""
    return token.last > token.first and "".join(_words(sentence, token)) == token.form


class _Examples:
    """The multiword tokens of a treebank: the rules that split them, and their endings.

    With `cuts`, no rule is for tokens whose words stand in them one after the other.
    """

    def __init__(self, sentences: Sequence[Sentence], *, cuts: bool) -> None:
        self._cuts = cuts
        tokens: Counter[tuple[str, tuple[str, ...]]] = Counter()
        for sentence in sentences:
            if sentence.ranges:
                for token in surface_tokens(sentence):
                    if token.last > token.first and not self.is_cut(sentence, token):
                        tokens[token.form, _words(sentence, token)] += 1
        # Of the rules that explain a token, the one that explains most tokens.
        possible = {key: find_rules(key[0], list(key[1])) for key in tokens}
        common: Counter[Rule] = Counter()
        for key, rules in possible.items():
            common.update(dict.fromkeys(rules, tokens[key]))
        chosen = {
            key: max(rules, key=common.__getitem__) for key, rules in possible.items() if rules
        }
        counts: Counter[Rule] = Counter()
        for key, rule in chosen.items():
            counts[rule] += tokens[key]
        self.rules = [rule for rule, count in counts.most_common(0xFFFF) if count > 1]
        numbers = {rule: number for number, rule in enumerate(self.rules, start=1)}
        self._numbers = {key: numbers.get(rule, 0) for key, rule in chosen.items()}
        split = [form for (form, _), number in self._numbers.items() if number]
        self.endings = sorted({ending_of(codes_of(form)) for form in split})

    def is_cut(self, sentence: Sentence, token: SurfaceToken) -> bool:
        return self._cuts and _is_cut(sentence, token)

    def rule(self, sentence: Sentence, token: SurfaceToken) -> int:
        """The number of the rule that splits a token; 0 if it stays whole."""
        if token.last == token.first:
            return 0
        return self._numbers.get((token.form, _words(sentence, token)), 0)


def _words(sentence: Sentence, token: SurfaceToken) -> tuple[str, ...]:
    return sentence.forms[token.first - 1 : token.last]


@dataclass(frozen=True)
class _TrainingText:
    """A piece of text: after which characters tokens and sentences end, how tokens split, and
    after which characters within tokens words end."""

    codes: NDArray[np.uint32]
    ends: NDArray[np.uint8]
    rules: NDArray[np.int32]
    cuts: NDArray[np.uint8]
    sentences: int


def _pieces(sentences: Sequence[Sentence], seed: int) -> Iterator[list[Sentence]]:
    """Paragraphs, cut where they are long."""
    whole = list(paragraphs(sentences))
    if len(whole) > _MOSTLY_ALONE * len(sentences):
        joined = np.random.default_rng(seed).random(len(whole)) < 0.5
        merged: list[list[Sentence]] = []
        for paragraph, join in zip(whole, joined.tolist(), strict=True):
            if join and merged:
                merged[-1].extend(paragraph)
            else:
                merged.append(paragraph)
        whole = merged
    for paragraph in whole:
        for start in range(0, len(paragraph), _PIECE):
            yield paragraph[start : start + _PIECE]


def _as_it_is(text: str, spans: Sequence[Span]) -> tuple[str, Sequence[Span]]:
    return text, spans


def _training_text(
    sentences: list[Sentence], examples: _Examples, writing: Writing
) -> _TrainingText:
    text = ""
    ends: list[tuple[int, int, int]] = []
    cuts: list[int] = []
    for sentence in sentences:
        own, spans = writing(*token_spans(sentence))
        for span in spans:
            rule = examples.rule(sentence, span.token)
            kind = _SENTENCE_END if span is spans[-1] else _TOKEN_END
            ends.append((len(text) + span.end - 1, kind, rule))
            if examples.is_cut(sentence, span.token):
                lengths = [len(word) for word in _words(sentence, span.token)]
                begin = len(text) + span.start - 1
                cuts += [begin + place for place in accumulate(lengths[:-1])]
        text += own + (" " if spans[-1].token.space_after else "")
    piece = _TrainingText(
        codes_of(text),
        np.zeros(len(text), dtype=np.uint8),
        np.zeros(len(text), dtype=np.int32),
        np.zeros(len(text), dtype=np.uint8),
        len(sentences),
    )
    piece.cuts[cuts] = 1
    for place, kind, rule in ends:
        piece.ends[place] = kind
        piece.rules[place] = rule
    return piece


def _open_pairs(pieces: Sequence[_TrainingText]) -> NDArray[np.uint8]:
    """Between which kinds of characters tokens end; between those never seen, they may."""
    pairs = np.zeros(PAIR_KINDS * PAIR_KINDS, dtype=np.int64)
    ends = np.zeros_like(pairs)
    for piece in pieces:
        kinds = kinds_of(piece.codes).astype(np.int64)
        pair = kinds[:-1] * PAIR_KINDS + kinds[1:]
        pairs += np.bincount(pair, minlength=len(pairs))
        ends += np.bincount(pair[piece.ends[:-1] > 0], minlength=len(pairs))
    return np.asarray((pairs == 0) | (ends * _RARE > pairs), dtype=np.uint8)
