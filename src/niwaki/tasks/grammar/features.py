"""What a judge of sentences looks at: how rare their patterns are, and how sure a parser is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.tasks.grammar.patterns import (
    AGREEING,
    LETTERS,
    PAIR_PARTS,
    RUNS,
    TREES,
    WORDS,
    PatternCounts,
    form_keys,
    is_plain,
    letter_runs,
    patterns,
)
from niwaki.typing import FloatArray

# Trees that are asked of the parser.
K = 5

_SURE = (
    *("words", "score", "score over expected", "lead", "best share", "entropy", "tree"),
    *(f"{what} {how}" for what in ("tag", "arc", "label") for how in ("least", "second", "mean")),
)
_HOW = ("least", "second", "mean")
# The numbers by what they need: tags, words, trees, letters, trees again.
GROUPS: dict[str, tuple[str, ...]] = {
    "ngrams": tuple(f"{kind} least" for kind in RUNS[1:]),
    "words": (
        *(f"{kind} mean" for kind in RUNS[1:]),
        *(f"{kind} {how}" for kind in WORDS for how in ("least", "mean")),
        *(f"{what} {how}" for what in ("next tag", "next word") for how in _HOW),
        *(f"fit {where} {how}" for where in ("after", "before", "between") for how in _HOW),
    ),
    "parser": (
        *_SURE,
        *(f"{kind} {how}" for kind in TREES for how in ("least", "mean")),
        *(f"fit below {how}" for how in _HOW),
    ),
    "letters": (
        *("unknown", "unknown share", "neighbour"),
        *(f"next letter {how}" for how in _HOW),
    ),
    "agreement": tuple(f"fit {which} {how}" for which in AGREEING for how in _HOW),
}
NAMES = tuple(name for names in GROUPS.values() for name in names)

_LEAST_PROBABILITY = 1e-4
# As if a pattern were never rare: what is not there is not wrong.
_OFTEN = 12.0
_L2 = 10.0
# What is added to counts, so that what was never seen is no more than unlikely.
_DOUBT = 0.5
_BACK_OFF = 0.4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
# Shorter words have neighbours by chance.
_SHORTEST = 4


@dataclass(frozen=True)
class Look:
    """A sentence with its best tree and the probabilities of all in it; scores of the k best."""

    sentence: Sentence
    scores: FloatArray
    shares: FloatArray


@dataclass(frozen=True)
class Expected:
    """The score of the best tree of a well-formed sentence, by its tags.

    A sum of what each word adds, by its tag: longer sentences and others than of nouns and verbs
    have other scores, and neither is a fault.
    """

    weights: Mapping[str, float]
    spread: float

    @classmethod
    def of(cls, looks: Sequence[Look]) -> Expected:
        """The weights of least squares over well-formed sentences."""
        names = sorted({tag for look in looks for tag in _tags(look.sentence)})
        places = {name: at for at, name in enumerate(names)}
        rows, scores = np.zeros((len(looks), len(names))), np.zeros(len(looks))
        for at, look in enumerate(looks):
            for tag, count in Counter(_tags(look.sentence)).items():
                rows[at, places[tag]] = count
            # Each word makes the sum less certain: a sum of n words varies by the root of n.
            scale = 1 / np.sqrt(len(look.sentence))
            rows[at] *= scale
            scores[at] = look.scores[0] * scale
        square = rows.T @ rows + _L2 * np.eye(len(names))
        weights = np.linalg.solve(square, rows.T @ scores)
        spread = float(np.std(scores - rows @ weights)) or 1.0
        return cls(dict(zip(names, weights.tolist(), strict=True)), spread)

    def over(self, look: Look) -> float:
        """How much the score is above what is expected, in standard deviations."""
        usual = sum(self.weights.values()) / max(len(self.weights), 1)
        total = sum(self.weights.get(tag, usual) for tag in _tags(look.sentence))
        return float((look.scores[0] - total) / np.sqrt(len(look.sentence)) / self.spread)


def _tags(sentence: Sentence) -> tuple[str, ...]:
    return sentence.upos


def numbers_of(
    looks: Sequence[Look], counts: PatternCounts, expected: Expected
) -> dict[str, FloatArray]:
    """Every number of `NAMES`, for each sentence."""
    found: dict[str, FloatArray] = {}
    seen = {
        kind: _Seen(counts.count(kind, keys), owner, len(looks))
        for kind, (keys, owner) in patterns([look.sentence for look in looks]).items()
    }
    for kind, each in seen.items():
        found[f"{kind} least"], _, found[f"{kind} mean"] = each.spread(np.log1p(each.counts))
    for what, kind in (("next tag", "tags"), ("next word", "words")):
        runs = [seen[f"{kind}{n}"] for n in range(1, 5)]
        values = runs[0].spread(_next(runs, counts.total(f"{kind}1")))
        found |= {f"{what} {how}": each for how, each in zip(_HOW, values, strict=True)}
    for what, values in _fits(looks, seen, counts).items():
        found |= {f"{what} {how}": each for how, each in zip(_HOW, values, strict=True)}
    sentences = [look.sentence for look in looks]
    found |= _unknown(sentences, counts) | _letters(sentences, counts)
    rows = np.array([_sureness(look, expected) for look in looks]).reshape(-1, len(_SURE))
    return found | dict(zip(_SURE, rows.T, strict=True))


def _unknown(sentences: Sequence[Sentence], counts: PatternCounts) -> dict[str, FloatArray]:
    """How many words in lower case were never seen, and whether a slip makes one of a frequent
    word: the log of how often the most frequent word was seen that is one letter apart.
    """
    number, neighbour = np.zeros(len(sentences)), np.zeros(len(sentences))
    plain = [[form for form in s.forms if is_plain(form)] for s in sentences]
    every = sorted({form for forms in plain for form in forms})
    seen = counts.count("form", form_keys(every))
    new = {form for form, times in zip(every, seen.tolist(), strict=True) if not times}
    near = {
        form: float(np.log1p(counts.count("form", form_keys(_one_apart(form))).max()))
        for form in new
        if len(form) >= _SHORTEST
    }
    for at, forms in enumerate(plain):
        number[at] = sum(form in new for form in forms)
        neighbour[at] = max((near.get(form, 0.0) for form in forms), default=0.0)
    sizes = np.array([max(len(forms), 1) for forms in plain], dtype=np.float64)
    return {"unknown": number, "unknown share": number / sizes, "neighbour": neighbour}


def _letters(sentences: Sequence[Sentence], counts: PatternCounts) -> dict[str, FloatArray]:
    """How likely the letters of words follow each other: the mean of a word, in logs."""
    runs, sentence = letter_runs(sentences)
    seen = [_Seen(counts.count(kind, runs[kind][0]), runs[kind][1], len(sentence)) for kind in runs]
    *_, words = seen[0].spread(_next(seen, counts.total(LETTERS[0])))
    values = _Seen(np.zeros(0, np.int64), sentence, len(sentences)).spread(words)
    return {f"next letter {how}": each for how, each in zip(_HOW, values, strict=True)}


def _one_apart(word: str) -> list[str]:
    """What a letter lost, added, changed, or two swapped make of a word."""
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    lost = [a + b[1:] for a, b in halves if b]
    swapped = [a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1]
    changed = [a + letter + b[1:] for a, b in halves if b for letter in _ALPHABET]
    return lost + swapped + changed + [a + letter + b for a, b in halves for letter in _ALPHABET]


@dataclass(frozen=True)
class _Seen:
    """How often each pattern was seen, in the order of sentences, and whose it is."""

    counts: NDArray[np.int64]
    owner: NDArray[np.int64]
    sentences: int

    def spread(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The least and second least value of each sentence, and the mean."""
        least, second = np.full(self.sentences, _OFTEN), np.full(self.sentences, _OFTEN)
        sizes = np.bincount(self.owner, minlength=self.sentences)
        order = np.lexsort((values, self.owner))
        firsts = np.cumsum(sizes) - sizes
        some, more = sizes > 0, sizes > 1
        least[some] = values[order[firsts[some]]]
        second[some] = least[some]
        second[more] = values[order[firsts[more] + 1]]
        sums = np.bincount(self.owner, values, minlength=self.sentences)
        return least, second, sums / np.maximum(sizes, 1)

    def fit(self, usual: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The spread of log (seen / usual)."""
        return self.spread(np.log((self.counts + _DOUBT) / (usual + _DOUBT)))

    def inner(self) -> NDArray[np.int64]:
        """The counts without those of the first and the last pattern of each sentence."""
        first, last = np.diff(self.owner, prepend=-1), np.diff(self.owner, append=self.sentences)
        return np.asarray(self.counts[(first == 0) & (last == 0)])

    def but_first(self) -> NDArray[np.int64]:
        """The counts without those of the first pattern of each sentence."""
        return np.asarray(self.counts[np.diff(self.owner, prepend=-1) == 0])

    def but_last(self) -> NDArray[np.int64]:
        return np.asarray(self.counts[np.diff(self.owner, append=self.sentences) == 0])


def _fits(
    looks: Sequence[Look], seen: Mapping[str, _Seen], counts: PatternCounts
) -> dict[str, tuple[FloatArray, FloatArray, FloatArray]]:
    """How much more often two parts were seen together than if they knew nothing of each other:
    a form and the word before it, behind it, both of them; a form and what hangs from it; and words
    that may have to agree.
    """
    form, shape, total = seen["form"], seen["words1"], max(counts.total("form"), 1)
    after, before, between = (seen[f"form {where}"] for where in ("after", "before", "between"))
    # Of n forms with those at the edges, n - 2 stand between two words.
    own = np.maximum(form.inner(), 1)
    heads = np.concatenate(
        [np.zeros(0, np.int64), *(np.maximum(look.sentence.heads, 0) for look in looks)]
    )
    arcs = seen["arcs of forms"]
    starts = np.flatnonzero(np.diff(form.owner, prepend=-1))
    above = form.counts[starts[arcs.owner] + heads] if len(arcs.owner) else arcs.counts
    return {
        "fit after": after.fit(shape.but_last() * form.but_first() / total),
        "fit before": before.fit(form.but_last() * shape.but_first() / total),
        "fit between": between.fit(after.but_last() * before.but_first() / own),
        "fit below": arcs.fit(above * seen["arc ends"].counts / total),
        **{f"fit {which}": _agreement(seen, which) for which in AGREEING},
    }


def _agreement(seen: Mapping[str, _Seen], which: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of two words how much more often they were seen than if only their labels had to fit."""
    pair, left, right, labels = (seen[f"{which} {part}"] for part in PAIR_PARTS)
    return pair.fit(left.counts * right.counts / np.maximum(labels.counts, 1))


def _next(runs: Sequence[_Seen], total: int) -> FloatArray:
    """log of how often an item follows those before it, by the longest run that was seen.

    Each item that is given up costs as much again ("stupid" back-off, Brants et al. 2007).
    """
    best = np.log((runs[0].counts + _DOUBT) / (total + 1))
    ends = np.arange(len(best))
    for n, run in enumerate(runs[1:], start=2):
        # Where runs of n items end: all but the first n - 1 of a sentence.
        at_start = _place(runs[0].owner) < n - 1
        ends = np.flatnonzero(~at_start)
        given = runs[n - 2].but_last()
        seen = run.counts > 0
        best[ends] += np.log(_BACK_OFF)
        best[ends[seen]] = np.log(run.counts[seen] / np.maximum(given[seen], run.counts[seen]))
    return best


def _place(owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each pattern in its sentence, from 0."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    sizes = np.diff(starts, append=len(owner))
    return np.arange(len(owner)) - np.repeat(starts, sizes)


def table_of(numbers: Mapping[str, FloatArray], groups: Sequence[str]) -> FloatArray:
    """The numbers of some groups: sentences x names."""
    return np.stack([numbers[name] for group in groups for name in GROUPS[group]], axis=1)


def _sureness(look: Look, expected: Expected) -> list[float]:
    """The numbers of `_SURE`, of one sentence."""
    words = len(look.sentence)
    shares = look.shares[look.shares > 0]
    lead = float(look.scores[0] - look.scores[1]) if len(look.scores) > 1 else 0.0
    known = known_probabilities(look.sentence)
    row = [float(words), float(look.scores[0]) / words, expected.over(look), lead]
    row += [float(look.shares[0]), float(-(shares * np.log(shares)).sum())]
    row.append(float(np.log(max(known.get("tree") or 0.0, 1e-12))) / words)
    for what in ("tag", "arc", "label"):
        row += _least(np.array(known.get(what, [1.0] * words), dtype=np.float64))
    return row


def _least(probabilities: NDArray[np.float64]) -> list[float]:
    """Logarithms of the two smallest, and their mean."""
    logs = np.sort(np.log(np.maximum(probabilities, _LEAST_PROBABILITY)))
    return [float(logs[0]), float(logs[min(1, len(logs) - 1)]), float(logs.mean())]
