"""The kernel's Python surface with odd arguments, second part: what the tasks call.

Decoders of arcs are called through `niwaki.parsers.decoding`, which checks for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from niwaki.kernel.batch import Batch
from niwaki.kernel.bilingual import orders, reorder
from niwaki.kernel.bilingual.alignment import Table
from niwaki.kernel.transition import constraints
from niwaki.kernel.transition.features import Program
from niwaki.kernel.transition.parser import Parser
from niwaki.kernel.transition.systems import load_system, system_names
from niwaki.parsers import decoding as trees
from tests.fuzz.choices import Choices
from tests.fuzz.kernel import SOUND, _model, _try, numbers, odd, try_one


def check(data: bytes) -> None:
    # Some numbers here ask for thousands of millions of words or trees.
    try_one(data, TARGETS, (_alignment, _limits, _trees))


def square(choices: Choices, side: int, dtype: str) -> Any:
    """A table as charts take them; of another shape now and then."""
    if choices.below(8) == 1:
        return numbers(choices, dtype)
    cells = np.frombuffer(choices.take(36).ljust(1, b"\1"), np.uint8)
    return odd(choices, np.resize(cells, (side, side)).astype(dtype))


def _chart(choices: Choices) -> None:
    side = 1 + choices.below(6)
    chart = constraints.Chart(
        square(choices, side, "u1"),
        square(choices, side, "i4"),
        square(choices, side, "i4"),
        square(choices, side, "i8"),
    )
    tree = chart.tree()
    assert tree is None or len(tree) == side - 1


def _limits(choices: Choices) -> None:
    side = 1 + choices.below(5)
    classes = [(move, 0) for move in range(6)]
    subtrees = numbers(choices, "u1")
    if choices.below(8):
        inside = np.frombuffer(choices.take(8).ljust(1, b"\1"), np.uint8) % 2
        subtrees = np.resize(inside, (choices.below(3), side))
    limits = constraints.Limits(
        square(choices, side, "u1"),
        square(choices, side, "i4"),
        square(choices, side, "i4"),
        odd(choices, np.ones((side, len(classes)), dtype=np.uint8)),
        odd(choices, numbers(choices, "i4", side - 1)),
        odd(choices, subtrees),
        bool(choices.below(2)),
    )
    system = load_system(choices.of(system_names()))
    program = Program([[(0, 1, 0, 0)]], 1)
    parser = Parser(system, program, _model(6), classes, 0, {}, 0)
    batch = Batch([SOUND, b"1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"])
    values = [numbers(choices, "u4", batch.words)]
    limits.kbest(
        parser, batch, odd(choices, 0), odd(choices, values), odd(choices, 2), odd(choices, 2)
    )


def _lengths(choices: Choices, words: int) -> Any:
    """Where sentences of so many words start."""
    cuts = sorted(choices.below(words + 1) for _ in range(choices.below(3)))
    return np.array([0, *cuts, words])


def _alignment(choices: Choices) -> None:
    sides = []
    for _ in range(2):
        words = numbers(choices, "i4", 4)
        size = len(words) if isinstance(words, np.ndarray) and words.ndim == 1 else 4
        if choices.below(4):
            words = words % 3 if isinstance(words, np.ndarray) else words
        sides += [words, odd(choices, _lengths(choices, size))]
    table = Table(*sides, odd(choices, 3), odd(choices, 3))
    _try(table.find, numbers(choices, "i4"), numbers(choices, "i4"))
    _try(table.maximize, 0, 3, 0.1)
    table.clear_counts()
    jumps = np.full((1, 2 * 4 + 3), 0.1)
    classes = np.zeros(3, dtype=np.int32)
    _try(
        table.expect,
        odd(choices, 0),
        odd(choices, table.pairs),
        bool(choices.below(2)),
        bool(choices.below(2)),
        odd(choices, np.full(2, 0.2)),
        odd(choices, jumps if choices.below(2) else numbers(choices, "f8")),
        odd(choices, classes),
        odd(choices, classes),
        odd(choices, np.zeros(jumps.shape, dtype=np.int64)),
        odd(choices, np.zeros(2)),
    )
    _try(table.sum_columns, odd(choices, 0.1))
    _try(table.maximize, odd(choices, 0), odd(choices, 3), odd(choices, 0.1))
    _try(table.maximize_null, odd(choices, 0.1))


def _orders(choices: Choices) -> None:
    words = choices.below(6)
    starts = odd(choices, _lengths(choices, words).astype(np.int32))
    sentences = len(starts) - 1 if isinstance(starts, np.ndarray) else 1
    given = [numbers(choices, "i4", words) for _ in range(2)]
    if choices.below(2):
        given = [np.arange(words, dtype=np.int32) for _ in range(2)]
    orders.compare_orders(
        starts,
        *given,
        odd(choices, numbers(choices, "i4", words)),
        odd(choices, numbers(choices, "u1", words)),
        odd(choices, np.zeros((sentences, 4), dtype=np.int64)),
    )


def _lift(choices: Choices) -> None:
    heads = numbers(choices, "i4")
    if choices.below(4) and isinstance(heads, np.ndarray):
        heads = heads % (heads.size + 1)
    lifted = reorder.lift(heads)
    assert lifted is None or len(lifted) == len(heads)


def _trees(choices: Choices) -> None:
    labels = choices.below(3)
    tables = []
    for _ in range(choices.below(3)):
        n = choices.below(4)
        cells = np.frombuffer(choices.take(24).ljust(1, b"\0"), np.uint8).astype("f8") - 100
        cells[cells == 7] = choices.of([-np.inf, np.inf, np.nan, 1e308, -1e308, 0.0])
        shape = (n + 1, n, labels) if labels else (n + 1, n)
        tables.append(np.resize(cells, shape))
    siblings = None
    if choices.below(4) == 0:
        siblings = [np.ones((t.shape[0], t.shape[1], t.shape[0])) for t in tables]
    scores = trees.Scores.of(odd(choices, tables), siblings)
    options = {"projective": bool(choices.below(2)), "single_root": bool(choices.below(2))}
    for work in (trees.decode, trees.sum_trees, trees.decode_mbr):
        _try(lambda work=work: work(scores, **options))
    _try(lambda: trees.kbest(scores, odd(choices, 3), **options))
    count = odd(choices, 2)
    if isinstance(count, int):
        # Who asks for thousands of millions of trees gets them, if there is the memory.
        count = min(count, 1000)
    _try(lambda: trees.sample(scores, count, np.random.default_rng(1), **options))


TARGETS = (_chart, _limits, _alignment, _orders, _lift, _trees)
