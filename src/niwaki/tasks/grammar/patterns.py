"""Patterns of tagged and parsed sentences, and how often a large text has them.

A pattern is a run of tags, a run of words (those of open classes by their tag), an arc, a word
with the labels of all that hangs from it, a pair of words that may have to agree, or a run of
letters. It is known by a hash of 32 bits; what a text has only once is forgotten, so that tables
stay small.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence

Keys = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

# Runs of so many tags (Wagner et al. 2007: 2 to 7), and of so many words.
TAG_RUNS = range(1, 8)
WORD_RUNS = range(1, 5)
RUNS = tuple(f"tags{n}" for n in TAG_RUNS)
# A form; a form and a word behind it, before it, or on both sides.
FORMS = ("form", "form before", "form after", "form between")
WORDS = (*(f"words{n}" for n in WORD_RUNS), *FORMS)
# An arc between words, without its head, and from a form; a word with the labels below it.
TREES = ("arcs", "arc ends", "arcs of forms", "frames")
# Two words below the same head, or a word and its head, by the relation that makes them agree. Of
# each: both words with their labels, one without the other, and the labels alone.
AGREEING = ("subject", "determiner", "other")
PAIR_PARTS = ("pair", "left", "right", "labels")
PAIRS = tuple(f"{which} {part}" for which in AGREEING for part in PAIR_PARTS)
# Runs of so many letters of words in lower case.
LETTERS = tuple(f"letters{n}" for n in range(1, 5))
KINDS = (*RUNS, *WORDS, *TREES, *PAIRS, *LETTERS)

_CLOSED = frozenset("DET ADP PRON AUX CCONJ SCONJ PART PUNCT".split())
_SUBJECTS = frozenset("nsubj csubj expl".split())
_DETERMINERS = frozenset("det nummod".split())
# Of what hangs from a head, words so near to each other are a pair.
_NEAR = 3
# Before and behind a sentence; no word has a line's end in it.
_BEGIN, _END = "<\n", ">\n"
# Sentences that are looked at together.
_BATCH = 2000
_FACTORS = np.random.default_rng(20070).integers(1, 2**63, 16, dtype=np.uint64) * 2 + 1


@dataclass(frozen=True)
class PatternCounts:
    """How often patterns of each kind were seen: keys in order, and a count for each."""

    tables: Mapping[str, tuple[Keys, NDArray[np.uint32]]]

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> PatternCounts:
        """Counts of the patterns that parsed sentences have more than once."""
        found: dict[str, list[Keys]] = {kind: [] for kind in KINDS}
        for batch in _batches(sentences):
            for kind, (keys, _) in patterns(batch).items():
                found[kind].append(keys)
        tables = {}
        for kind, parts in found.items():
            keys, counts = np.unique(np.concatenate([_NONE, *parts]), return_counts=True)
            often = counts > 1
            tables[kind] = keys[often], counts[often].astype(np.uint32)
        return cls(tables)

    def count(self, kind: str, keys: Keys) -> NDArray[np.int64]:
        """How often each was seen; 0 for what was seen once or never."""
        known, counts = self.tables[kind]
        places = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
        if not len(known):
            return np.zeros(len(keys), dtype=np.int64)
        return np.where(known[places] == keys, counts[places], 0).astype(np.int64)

    def total(self, kind: str) -> int:
        """How many patterns of a kind were seen that are known."""
        return int(self.tables[kind][1].sum(dtype=np.int64))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it."""
        return {
            f"{kind}/{part}": array
            for kind, table in self.tables.items()
            for part, array in zip(("keys", "counts"), table, strict=True)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PatternCounts:
        """Counts of such arrays; raises ValueError if they make none."""
        tables = {}
        for kind in KINDS:
            keys, counts = arrays[f"{kind}/keys"], arrays[f"{kind}/counts"]
            sound = keys.dtype == np.uint32 and counts.dtype == np.uint32 and keys.ndim == 1
            if not sound or keys.shape != counts.shape or (keys[1:] <= keys[:-1]).any():
                raise ValueError(f"counts of {kind} that are out of order")
            tables[kind] = keys, counts
        return cls(tables)


_NONE: Keys = np.zeros(0, dtype=np.uint32)


def _batches(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    rest = iter(sentences)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def patterns(sentences: Sequence[Sentence]) -> dict[str, tuple[Keys, NDArray[np.int64]]]:
    """For each kind the patterns of all sentences, and the number of the sentence of each."""
    tags, shapes, forms = [], [], []
    for sentence in sentences:
        own = [x if x != "_" else u for x, u in zip(sentence.xpos, sentence.upos, strict=True)]
        low = [form.lower() for form in sentence.forms]
        rows = zip(low, own, sentence.upos, strict=True)
        tags += [_BEGIN, *own, _END]
        forms += [_BEGIN, *low, _END]
        shapes += [_BEGIN, *(form if upos in _CLOSED else tag for form, tag, upos in rows), _END]
    sizes = np.array([len(sentence) + 2 for sentence in sentences], dtype=np.int64)
    owner = np.repeat(np.arange(len(sentences)), sizes)
    tag, shape, form = (
        np.array([_hash(x) for x in each], np.uint64) for each in (tags, shapes, forms)
    )
    found = {f"tags{n}": _runs(tag, owner, n) for n in TAG_RUNS}
    found |= {f"words{n}": _runs(shape, owner, n) for n in WORD_RUNS}
    found["form"] = _mixed(form), owner
    inside = owner[1:] == owner[:-1]
    found["form before"] = _mixed(form[:-1], shape[1:])[inside], owner[1:][inside]
    found["form after"] = _mixed(shape[:-1], form[1:])[inside], owner[1:][inside]
    middle = inside[1:] & inside[:-1]
    around = _mixed(shape[:-2], form[1:-1], shape[2:])
    found["form between"] = around[middle], owner[1:-1][middle]
    letters, whose = letter_runs(sentences)
    found |= {kind: (keys, whose[word]) for kind, (keys, word) in letters.items()}
    return found | _of_trees(sentences, sizes, shape, form)


def letter_runs(
    sentences: Sequence[Sentence],
) -> tuple[dict[str, tuple[Keys, NDArray[np.int64]]], NDArray[np.int64]]:
    """Runs of the letters of words in lower case, with an edge before and behind each word: keys,
    and the number of the word of each. And the number of the sentence of each word.
    """
    words = [(n, form) for n, s in enumerate(sentences) for form in s.forms if is_plain(form)]
    text = "".join(f"\n{form}\n" for _, form in words)
    letters = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    sizes = np.array([len(form) + 2 for _, form in words], dtype=np.int64)
    word = np.repeat(np.arange(len(words)), sizes)
    sentence = np.array([n for n, _ in words], dtype=np.int64)
    return {kind: _runs(letters, word, n) for n, kind in enumerate(LETTERS, start=1)}, sentence


def is_plain(form: str) -> bool:
    """Whether a word is all letters in lower case: no name, number or mark."""
    return form.isalpha() and form.islower()


def form_keys(forms: Sequence[str]) -> Keys:
    """Of the pattern "form"."""
    return _mixed(np.array([_hash.__wrapped__(form) for form in forms], np.uint64))


def _of_trees(
    sentences: Sequence[Sentence], sizes: NDArray[np.int64], shape: Hashes, form: Hashes
) -> dict[str, tuple[Keys, NDArray[np.int64]]]:
    starts = np.cumsum(sizes) - sizes
    frames: list[int] = []
    labels: list[int] = []
    for sentence in sentences:
        below: list[list[str]] = [[] for _ in range(len(sentence) + 1)]
        for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            labels.append(_hash(label))
            if label != "punct" and head >= 0:
                below[head].append(label if word + 1 < head else f">{label}")
        frames += [_hash(" ".join(each)) for each in below[1:]]
    words = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    owner = np.repeat(np.arange(len(sentences)), words)
    # A word's place among all, with an edge before and behind each sentence; 0 is the edge before.
    heads = np.concatenate([np.zeros(0, np.int64), *(np.array(s.heads) for s in sentences)])
    firsts = np.repeat(starts, words)
    own = np.arange(len(owner)) - np.repeat(np.cumsum(words) - words, words) + 1
    below_at, above = firsts + own, firsts + np.maximum(heads, 0)
    label = np.array(labels, np.uint64) * _FACTORS[8] + (heads < own).astype(np.uint64)
    return _of_pairs(sentences, label, shape[below_at], owner) | {
        "arcs": (_mixed(shape[above], label, shape[below_at]), owner),
        "arc ends": (_mixed(label, shape[below_at]), owner),
        "arcs of forms": (_mixed(form[above], label, shape[below_at]), owner),
        "frames": (_mixed(shape[below_at], np.array(frames, np.uint64)), owner),
    }


def _of_pairs(
    sentences: Sequence[Sentence], label: Hashes, shape: Hashes, owner: NDArray[np.int64]
) -> dict[str, tuple[Keys, NDArray[np.int64]]]:
    """Of words by their places among all: what may agree, with how often each part is seen.

    A subject agrees with its verb or with an auxiliary or copula below the same verb, a determiner
    with its noun, a reflexive with a subject. Of a subject with conjuncts the number is theirs.
    """
    pairs: dict[str, list[tuple[int, int]]] = {which: [] for which in AGREEING}
    many: list[int] = []
    first = 0
    for sentence in sentences:
        names = [label.partition(":")[0] for label in sentence.deprels]
        below: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
        for word, (head, name) in enumerate(zip(sentence.heads, names, strict=True)):
            if name == "conj" and head > 0:
                many.append(first + head - 1)
            if name != "punct" and head >= 0:
                below[head].append(word)
        for head, words in enumerate(below[1:]):
            for at, word in enumerate(words):
                which = _which(names[word])
                pairs[which].append((first + word, first + head))
                for other in words[at + 1 : at + 1 + _NEAR]:
                    subject = "subject" in (which, _which(names[other]))
                    pairs["subject" if subject else "other"].append((first + word, first + other))
        first += len(sentence)
    several = shape.copy()
    several[many] = _hash("&")
    heads = np.concatenate([np.zeros(0, np.int64), *(np.array(s.heads) for s in sentences)])
    starts = np.searchsorted(owner, owner)
    above = np.where(heads > 0, starts + heads - 1, -1)
    found: dict[str, tuple[Keys, NDArray[np.int64]]] = {}
    for which, places in pairs.items():
        left, right = np.array(places, dtype=np.int64).reshape(-1, 2).T
        # The right one is the head of the left one, or hangs beside it.
        up = above[left] == right
        its_label = np.where(up, np.uint64(0), label[right])
        its_shape = np.where(up, shape[right], several[right])
        keys = (
            _mixed(label[left], several[left], its_label, its_shape),
            _mixed(label[left], several[left], its_label),
            _mixed(label[left], its_label, its_shape),
            _mixed(label[left], its_label),
        )
        for part, key in zip(PAIR_PARTS, keys, strict=True):
            found[f"{which} {part}"] = key, owner[left]
    return found


def _which(name: str) -> str:
    return "subject" if name in _SUBJECTS else "determiner" if name in _DETERMINERS else "other"


def _runs(items: Hashes, owner: NDArray[np.int64], n: int) -> tuple[Keys, NDArray[np.int64]]:
    """All runs of n items within a sentence; a shorter sentence is one run."""
    if len(items) < n:
        return _NONE, np.zeros(0, dtype=np.int64)
    stop = len(items) - n + 1
    keys = _mixed(*(items[at : at + stop] for at in range(n)))
    inside = owner[:stop] == owner[n - 1 :]
    return keys[inside], owner[:stop][inside]


def _mixed(*parts: Hashes) -> Keys:
    total = np.zeros(len(parts[0]), dtype=np.uint64)
    for factor, part in zip(_FACTORS, parts, strict=False):
        total += part * factor
    total ^= total >> np.uint64(31)
    return np.asarray(total * _FACTORS[9] >> np.uint64(32), dtype=np.uint32)


@lru_cache(1 << 18)
def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) + 1
