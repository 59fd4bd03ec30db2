"""The kernel's Python surface with odd arguments.

Besides NiwakiError, ValueError (documented), TypeError and BufferError (a thing of another
kind) and OverflowError (a number too large for the machine) are answers; anything else is a
find, above all a crash.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from niwaki.errors import NiwakiError
from niwaki.kernel import conllu
from niwaki.kernel.batch import Batch, Symbols, short_hashes
from niwaki.kernel.compiled import CompiledWeights, buckets_of
from niwaki.kernel.features.words import ATTRIBUTE_NAMES, Clusters, analyse, word_values
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.segmenting import lines, segmenter
from niwaki.kernel.segmenting.characters import Text, kinds_of
from niwaki.kernel.segmenting.contexts import Templates
from niwaki.kernel.segmenting.lexicon import Lexicon
from niwaki.kernel.tagging import lexicon_classifier, tagger
from niwaki.kernel.tagging.window import Window
from niwaki.kernel.transition import confidence
from niwaki.kernel.transition.features import KINDS, SLOT_NAMES, Program
from niwaki.kernel.transition.parser import Parser
from niwaki.kernel.transition.systems import load_system, system_names
from tests.fuzz.choices import ODD, Choices

ALLOWED = (NiwakiError, ValueError, TypeError, OverflowError, BufferError)
ROW = b"%d\ta\t_\t_\t_\t_\t%d\t_\t_\t_\n"
SOUND = b"".join(ROW % (i + 1, i) for i in range(3)) + b"\n"


Target = Callable[[Choices], None]


def try_one(data: bytes, targets: Sequence[Target], large: Sequence[Target]) -> None:
    """One of the targets, with what the data chooses; only large ones may run out of memory."""
    choices = Choices(data)
    target = choices.of(targets)
    try:
        target(choices)
    except ALLOWED:
        pass
    except MemoryError:
        assert target in large


def check(data: bytes) -> None:
    # Some numbers here ask for a beam of millions of states.
    try_one(data, TARGETS, (_parser, _linear))


def odd(choices: Choices, usual: Any) -> Any:
    """Mostly what is wanted."""
    return usual if choices.below(8) else choices.of(ODD)


def numbers(choices: Choices, dtype: str, size: int | None = None) -> Any:
    """An array; of another kind, shape or length now and then."""
    data = choices.take(24)
    array = np.frombuffer(data, dtype=np.uint8).astype(dtype)
    if choices.below(3) == 0 and array.size:
        array.flat[0] = np.array(choices.byte() - 200).astype(dtype)
    if size is not None and choices.below(8):
        array = np.resize(array, size) if array.size else np.zeros(size, dtype=dtype)
    kind = choices.below(16)
    if kind == 1:
        return array.astype(choices.of(["u1", "i4", "u8", "f4"]))
    if kind == 2:
        return array[::2]
    if kind == 3:
        return array[None]
    if kind == 4:
        return choices.of(ODD)
    return array


def source(choices: Choices) -> Any:
    """A sentence, sound or not."""
    kind = choices.below(6)
    if kind == 0:
        return choices.take(60)
    if kind == 1:
        return choices.of([None, "", b"", b"\n", bytearray(SOUND), b"1\t", b"\xef\xbb\xbf", 7])
    if kind == 2:
        at = choices.below(len(SOUND))
        return SOUND[:at] + choices.take(6) + SOUND[at + choices.below(4) :]
    return SOUND


def some_batch(choices: Choices) -> Batch:
    return Batch([source(choices) for _ in range(choices.below(5))])


def _batch(choices: Choices) -> None:
    sources = [source(choices) for _ in range(choices.below(5))]
    batch = Batch(odd(choices, sources))
    sources.clear()
    symbols = Symbols([choices.take(4) for _ in range(choices.below(4))])
    column = odd(choices, choices.below(12))
    for method in (batch.blanks, batch.texts_of, batch.hashes):
        _try(method, column)
    _try(batch.numbers, column, odd(choices, symbols))
    columns = {}
    for _ in range(choices.below(4)):
        kind = choices.below(3)
        values: Any = numbers(choices, "i4", batch.words)
        if kind == 1:
            values = (values, odd(choices, symbols))
        elif kind == 2:
            values = [odd(choices, choices.take(5)) for _ in range(batch.words)]
        columns[odd(choices, choices.below(11)) if choices.below(9) else 1] = values
    batch.render(columns)


def _symbols(choices: Choices) -> None:
    names = [odd(choices, choices.take(4)) for _ in range(choices.below(20))]
    _try(short_hashes, odd(choices, names))
    given = odd(choices, names)
    assert len(Symbols(given)) == len(given)


def _conllu(choices: Choices) -> None:
    text = odd(choices, source(choices))
    start, flags = odd(choices, choices.below(4)), odd(choices, choices.below(4))
    _try(conllu.scan, text, start, flags, choices.below(2), choices.below(2))
    _try(conllu.read_off, text)
    columns: list[Any] = [None] * 10
    for _ in range(choices.below(4)):
        column = [odd(choices, choices.take(4)) for _ in range(choices.below(5))]
        columns[choices.below(10)] = choices.of([column, tuple(column), column])
    conllu.splice(text, odd(choices, columns))


def _words(choices: Choices) -> None:
    paths = [choices.of([b"", b"0", b"0110", b"2", b"1" * 31]) for _ in range(choices.below(5))]
    lines = b"".join(path + b"\t" + choices.take(6) + b"\n" for path in paths)
    clusters = Clusters(odd(choices, lines)) if choices.below(2) else None
    _try(analyse, odd(choices, choices.take(80)), choices.below(2), odd(choices, clusters))
    names = [odd(choices, choices.of(ATTRIBUTE_NAMES)) for _ in range(choices.below(6))]
    word_values(some_batch(choices), odd(choices, names), bool(choices.below(2)), clusters)


def _linear(choices: Choices) -> None:
    learner = SparseWeights(odd(choices, 1 + choices.below(5)), odd(choices, 1))
    for _ in range(choices.below(6)):
        keys, action = numbers(choices, "u8"), odd(choices, choices.below(6))
        _try(learner.add, keys, action, odd(choices, 1.5))
        _try(learner.climb, keys, action, odd(choices, 1.0), odd(choices, 0.1), odd(choices, 0.1))
        _try(learner.scores, keys)
    learned: Any = learner.export()
    if choices.below(2):
        learned[choices.of(sorted(learned))] = numbers(choices, "u8")
    _try(lambda: SparseWeights(choices.below(6)).restore(**learned))
    _try(buckets_of, numbers(choices, "u8"), odd(choices, 3))
    arrays = [numbers(choices, kind) for kind in ("u1", "u2", "u2", "u2", "i1")]
    frozen = CompiledWeights(odd(choices, 1 + choices.below(200)), odd(choices, 0.5), *arrays)
    _try(frozen.scores, numbers(choices, "u8"))
    _try(frozen.find_rows, numbers(choices, "u8"))
    _try(frozen.gather, numbers(choices, "i8"), numbers(choices, "i4"))


@cache
def _model(classes: int) -> SparseWeights:
    learner = SparseWeights(classes)
    for action in range(classes):
        learner.add(np.arange(1, 90, dtype=np.uint64) * (action + 7), action, 0.25 * action)
    return learner


def _parser(choices: Choices) -> None:
    system = load_system(choices.of(system_names()))
    templates: list[Any] = [
        [
            tuple(odd(choices, choices.below(n)) for n in (len(KINDS), len(SLOT_NAMES), 9, 2))
            for _ in range(choices.below(4) or 1)
        ]
        for _ in range(choices.below(4) or 1)
    ]
    program = Program(templates if choices.below(3) else [[(0, 1, 0, 0)]], odd(choices, 2))
    classes = [(move, odd(choices, 0)) for move in range(6)]
    classes += [(odd(choices, choices.below(6)), choices.below(5) - 1) for _ in range(2)]
    rare = {(odd(choices, choices.below(9)), choices.byte()): odd(choices, 2) for _ in range(2)}
    parser = Parser(
        system, program, _model(8), classes, odd(choices, 1), odd(choices, rare), odd(choices, 1)
    )
    batch = some_batch(choices)
    values = [numbers(choices, "u4", batch.words) for _ in range(2)]
    width = odd(choices, 1 + choices.below(5))
    _try(parser.parse, batch, odd(choices, values), width)
    _try(parser.kbest, batch, odd(choices, 0), values, odd(choices, 2), width)
    _try(parser.follow, batch, odd(choices, 0), values, numbers(choices, "u1"))
    _try(confidence.weigh, parser, batch, values, width, odd(choices, 1.0))


def _window(choices: Choices) -> Window:
    return Window(
        [
            [
                (odd(choices, choices.below(5)), odd(choices, choices.below(5) - 2), 0)
                for _ in range(choices.below(3) or 1)
            ]
            for _ in range(choices.below(3) or 1)
        ]
        if choices.below(3)
        else [[(0, 0, 0)]],
        bool(choices.below(2)),
    )


def _tagger(choices: Choices) -> None:
    window = _window(choices)
    pairs = [(odd(choices, i % 3), odd(choices, choices.below(3) - 1)) for i in range(4)]
    made = tagger.Tagger(
        _model(5), window, odd(choices, pairs), odd(choices, 3), [odd(choices, i) for i in range(4)]
    )
    batch = some_batch(choices)
    none = numbers(choices, "i4", batch.words)
    _try(made.tag, batch, none, numbers(choices, "i4", batch.words))
    _try(made.distribution, batch)
    _try(made.learn, batch, none, numbers(choices, "i4"), 0.1, 0.1, 1.0)
    _try(
        lambda: lexicon_classifier.Candidates(
            *(numbers(choices, kind) for kind in ("u8", "u2", "u2"))
        )
    )
    one = np.ones(1, dtype=np.uint16)
    few = lexicon_classifier.Candidates(one.astype("u8"), one, one)
    _try(lambda: lexicon_classifier.Factors(numbers(choices, "u2"), numbers(choices, "u2")))
    factors = lexicon_classifier.Factors(one, odd(choices, one))
    choose = lexicon_classifier.LexiconClassifier(
        _model(5), window, _window(choices), few, choices.of([None, factors])
    )
    feats = choices.of([None, numbers(choices, "u8", batch.words)])
    _try(choose.choose, batch, numbers(choices, "u8", batch.words), feats)
    _try(choose.learn, batch, numbers(choices, "u8"), none, numbers(choices, "i4"), 0.1, 0.1, feats)
    _try(choose.level_keys, batch, numbers(choices, "u8", batch.words))


def _segmenter(choices: Choices) -> None:
    templates = [[odd(choices, choices.below(40)) for _ in range(2)] for _ in range(3)]
    made = [Templates(odd(choices, templates), odd(choices, kind), 40) for kind in range(5)]
    lexicon = Lexicon(np.unique(numbers(choices, "u8")))
    pairs = np.resize(np.frombuffer(choices.take(9) or b"\1", "u1") % 2, segmenter.PAIR_KINDS**2)
    split = _model(3) if choices.below(2) else None
    kernel = segmenter.Segmenter(
        _model(1),
        split,
        *made[:3],
        odd(choices, pairs),
        np.ones(segmenter.ENDING_COUNT, dtype=np.uint8),
        odd(choices, np.array([0, 1, 2] if split else [0], dtype=np.int32)),
        *(choices.of([each, None]) for each in (*made[3:], lexicon)),
    )
    codes = numbers(choices, "u4")
    _try(Text, codes, bool(choices.below(2)))
    _try(kinds_of, codes)
    _try(segmenter.ending_of, codes)
    found = kernel.segment(codes, bool(choices.below(2)), bool(choices.below(2)))
    starts, ends, gaps, _, rules, _ = found
    arrays = [odd(choices, array) for array in (starts, ends, gaps, rules)]
    words = {choices.below(4): [(odd(choices, choices.take(4)), odd(choices, 0), 1)]}
    first, stop = odd(choices, 0), odd(choices, len(starts))
    _try(lines.render, codes, odd(choices, 5), *arrays, first, stop, words, choices.take(9))


def _try(function: Callable[..., Any], *arguments: Any) -> None:
    """Go on after an error that is an answer, so that one input tries much."""
    with contextlib.suppress(ALLOWED):
        function(*arguments)


TARGETS = (_batch, _symbols, _conllu, _words, _linear, _parser, _tagger, _segmenter)
