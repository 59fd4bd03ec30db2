"""Sound arguments of all sizes and values for the kernel, whose answers are checked.

Where `kernel` and `kernel_tasks` give what no caller should, this gives what callers do give:
tables of weights as they come out of files, tokens to be written, scores of arcs.
"""

from __future__ import annotations

import numpy as np

from niwaki.kernel.batch import Batch
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.conllu import SOUND, read_off, scan
from niwaki.kernel.graph import eisner, spanning
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.segmenting.lines import render
from tests.fuzz.choices import Choices

OPTIONS = ("-max_len=160",)
_CODES = np.array([*range(0x21, 0x7F), 0xE9, 0x3B1, 0x677E, 0x1F333, 0, 0xD800], dtype=np.uint32)
# Any key that is not 0: a step of an odd number goes through all of them.
_STEP = 0x9E3779B97F4A7C15


def check(data: bytes) -> None:
    choices = Choices(data)
    choices.of(TARGETS)(choices)


def _keys(choices: Choices, most: int) -> np.ndarray:
    """Keys without repetition."""
    start, count = choices.byte(), choices.below(most)
    return np.arange(start + 1, start + 1 + count, dtype=np.uint64) * np.uint64(_STEP)


def _compiled(choices: Choices) -> None:
    """A frozen table: scores are sums of what its rows hold."""
    classes = choices.of([1, 2, 15, 16, 17, 64, 128, 129, 300])
    fill = np.frombuffer(choices.take(8).ljust(1, b"\4"), np.uint8) % 17
    rows = int(fill.sum())
    prints = np.arange(1, rows + 1, dtype=np.uint16)
    counts = np.resize(np.frombuffer(choices.take(8).ljust(1, b"\1"), np.uint8) % 5, rows)
    entries = int(counts.sum())
    kinds = np.resize(np.frombuffer(choices.take(12).ljust(1, b"\0"), np.uint8), entries)
    kinds = kinds.astype(np.uint16) % classes
    weights = np.resize(np.frombuffer(choices.take(12).ljust(1, b"\1"), np.int8), entries)
    table = CompiledWeights(
        classes,
        0.5,
        fill,
        prints,
        counts.astype(np.uint16),
        kinds,
        weights,
    )
    keys = _keys(choices, 60)
    scores = table.scores(keys)
    assert scores.shape == (classes,)
    assert np.abs(scores).max() <= 0.5 * 128 * 4 * len(keys)
    apart = sum((table.scores(keys[i : i + 1]) for i in range(len(keys))), np.zeros(classes))
    assert np.array_equal(scores, apart.astype(np.float32))
    if classes <= 128:
        assert all(0 <= slot < 16 * len(fill) for slot in table.find_rows(keys))


def _learned(choices: Choices) -> None:
    """What is exported can be restored, and gives the same scores."""
    classes = 1 + choices.below(80)
    learner = SparseWeights(classes)
    keys = _keys(choices, 20)
    while choices:
        some = keys[choices.below(8) :][: 1 + choices.below(8)]
        if choices.below(2):
            learner.add(some, choices.below(classes), choices.below(9) - 4)
        else:
            learner.climb(some, choices.below(classes), choices.below(9) - 4, 0.1, 1e-3)
        learner.tick()
    again = SparseWeights(classes)
    again.restore(**learner.export())
    assert len(again) == len(learner) <= len(keys)
    assert np.array_equal(again.scores(keys), learner.scores(keys))
    assert np.isfinite(again.scores(keys)).all()


def _rendered(choices: Choices) -> None:
    """Tokens of a text become sound lines, a line for each word."""
    sizes = [1 + choices.below(6) for _ in range(1 + choices.below(8))]
    codes = _CODES[
        np.resize(np.frombuffer(choices.take(40).ljust(1, b"a"), np.uint8), sum(sizes))
        % len(_CODES)
    ]
    ends = np.cumsum(sizes).astype(np.int32)
    starts = (ends - sizes).astype(np.int32)
    count = len(sizes)
    gaps = np.resize(np.frombuffer(choices.take(8).ljust(1, b"\1"), np.uint8) % 3, count)
    rules = np.resize(np.frombuffer(choices.take(8).ljust(1, b"\0"), np.uint8) % 2, count).astype(
        np.int32
    )
    words = {}
    for token in range(count):
        if rules[token] and choices.below(2):
            words[token] = [(b"a", 0, 1), (b"\xc3\xa9", -1, -1), (b"b" * 9, 1, 2)][
                : 2 + choices.below(2)
            ]
    first = choices.below(count)
    stop = first + 1 + choices.below(count - first)
    offset = choices.of([0, 1, 10**9, 2**40])
    written = render(codes, offset, starts, ends, gaps, rules, first, stop, words, b"# a = b\n")
    end, _, verdict = scan(written, 0, 2, True, False)
    assert (end, verdict) == (len(written), SOUND)
    forms = read_off(written)[1]
    more = sum(len(words[token]) - 1 for token in words if first <= token < stop)
    assert len(forms) == stop - first + more
    batch = Batch([written])
    assert batch.words == len(forms)


def _decoded(choices: Choices) -> None:
    """The best tree is a tree, and at least as good as the best projective one."""
    n = 1 + choices.below(7)
    cells = np.frombuffer(choices.take(64).ljust(1, b"\0"), np.uint8).astype("f8") - 128
    arcs = (
        np.resize(cells, (n + 1) * n)
        if choices.below(2)
        else np.resize(cells, (n + 1) * n).round(-1)
    )
    lengths, single = np.array([n], dtype=np.int32), bool(choices.below(2))
    found = []
    for decode in (spanning.decode, lambda *rest: eisner.decode(rest[0], None, *rest[1:])):
        heads = np.full(n, -9, dtype=np.int32)
        decode(arcs, lengths, single, heads)
        assert ((heads >= 0) & (heads <= n)).all()
        assert (heads == 0).sum() == 1 if single else (heads == 0).any()
        for word in range(1, n + 1):
            steps = 0
            while word:
                word, steps = int(heads[word - 1]), steps + 1
                assert steps <= n, "a cycle"
        total = np.zeros(1)
        spanning.scores(arcs, lengths, heads, total)
        found.append(total[0])
    assert found[0] >= found[1]


TARGETS = (_compiled, _learned, _rendered, _decoded)
