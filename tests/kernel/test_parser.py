"""Search against enumeration, and features against their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.features.templates import compile_parser, load_feature_set, read_lines
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.features import Program
from niwaki.kernel.transition.learning import TransitionLearner
from niwaki.kernel.transition.parser import Parser
from niwaki.kernel.transition.systems import MOVES, load_system, system_names
from tests.reference.features import Symbolic
from tests.reference.systems import SLOW, Slow

LABELS = 2
SYSTEMS = system_names()
RICH = load_feature_set("rich")


@dataclass
class Bench:
    """A small parser with random weights, and a sentence for it."""

    parser: Parser
    batch: Batch
    values: list[np.ndarray]
    classes: list[tuple[int, int]]
    words: dict[str, list[str]]

    def follow(self, moves: list[int]) -> tuple[float, np.ndarray]:
        return self.parser.follow(self.batch, 0, self.values, np.array(moves, dtype=np.uint8))


def labelled_moves(system: str) -> list[tuple[int, int]]:
    names = load_system(system).moves
    plain = [(MOVES.index(name), 0) for name in names if name in ("shift", "reduce", "swap")]
    arcs = [(MOVES.index(name), label) for name in names for label in range(LABELS)]
    return plain + [arc for arc in arcs if MOVES[arc[0]] in ("left", "right", "root")]


def make_bench(system: str, n: int, seed: int = 1, features: str = RICH) -> Bench:
    templates = compile_parser(features)
    classes = labelled_moves(system)
    learner = SparseWeights(len(classes))
    parser = Parser(
        load_system(system), Program(templates.templates, len(templates.attributes)),
        learner, classes, 0, {}, 0,
    )  # fmt: skip
    random = np.random.default_rng(seed)
    words = {
        name: [f"{name}{random.integers(3)}" for _ in range(n)] for name in templates.attributes
    }
    values = [
        np.array([16 + hash((name, w)) % 10**6 for w in words[name]], dtype=np.uint32)
        for name in templates.attributes
    ]
    batch = Batch([Sentence.from_words(["w"] * n).source])
    bench = Bench(parser, batch, values, classes, words)
    for moves, slow, _ in walk(bench, system):
        if slow.moves() and random.integers(2):
            _, keys = bench.follow(moves)
            learner.add(keys, int(random.integers(len(classes))), int(random.integers(-9, 9)) or 1)
    return bench


def walk(bench: Bench, system: str) -> Iterator[tuple[list[int], Slow, dict[int, int]]]:
    """All sequences of labelled moves, with the slow state and the labels after each."""
    todo = [([], SLOW[system].start(bench.batch.words), {})]
    while todo:
        moves, slow, labels = todo.pop()
        yield moves, slow, labels
        for name, after in slow.moves().items():
            for number, (move, label) in enumerate(bench.classes):
                if MOVES[move] == name:
                    made = after.arcs - slow.arcs
                    new = {dependent: label for _, dependent in made}
                    todo.append(([*moves, number], after, {**labels, **new}))


Tree = tuple[tuple[int, ...], tuple[int, ...]]


def all_parses(bench: Bench, system: str) -> dict[Tree, float]:
    """Every labelled tree with the score of its best derivation."""
    best: dict[Tree, float] = {}
    for moves, slow, labels in walk(bench, system):
        if not slow.moves():
            heads = slow.heads()
            tree = heads, tuple(labels.get(word, 0) for word in range(1, slow.n + 1))
            score, _ = bench.follow(moves)
            best[tree] = max(score, best.get(tree, -np.inf))
    return best


def found(bench: Bench, k: int, width: int) -> list[tuple[Tree, float]]:
    heads, labels, scores, _ = bench.parser.kbest(bench.batch, 0, bench.values, k, width)
    return [
        ((tuple(tree), tuple(arcs)), float(score))
        for tree, arcs, score in zip(heads.tolist(), labels.tolist(), scores, strict=True)
    ]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_wide_beam_finds_all_trees_in_order(system: str, n: int) -> None:
    for seed in range(3):
        bench = make_bench(system, n, seed)
        expected = all_parses(bench, system)
        result = found(bench, 10_000, 10_000)
        assert dict(result) == pytest.approx(expected, abs=1e-3)
        assert [score for _, score in result] == sorted(expected.values(), reverse=True)


@pytest.mark.parametrize("system", SYSTEMS)
def test_lists_are_prefixes_of_longer_lists(system: str) -> None:
    bench = make_bench(system, 3)
    for width in (4, 16):
        whole = found(bench, width, width)
        for k in range(1, width):
            assert found(bench, k, width) == whole[:k]
    assert len(found(bench, 9, 2)) == len({tree for tree, _ in found(bench, 9, 2)})
    assert found(bench, 9, 2) == found(bench, 9, 9), "a beam narrower than k is widened"


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_are_those_of_the_moves(system: str) -> None:
    bench = make_bench(system, 3)
    heads, _, scores, moves = bench.parser.kbest(bench.batch, 0, bench.values, 8, 8)
    for history, score in zip(moves, scores, strict=True):
        assert bench.parser.follow(bench.batch, 0, bench.values, history)[0] == pytest.approx(score)
    best, _ = bench.parser.parse(bench.batch, bench.values, 8)
    assert best.tolist() == heads[0].tolist()


@pytest.mark.parametrize("system", SYSTEMS)
def test_greedy_search_takes_the_best_move_each_time(system: str) -> None:
    bench = make_bench(system, 3)
    moves: list[int] = []
    slow = SLOW[system].start(3)
    while slow.moves():
        options = [c for c, (move, _) in enumerate(bench.classes) if MOVES[move] in slow.moves()]
        before = bench.follow(moves)[0]
        gains = [bench.follow([*moves, option])[0] - before for option in options]
        moves.append(options[int(np.argmax(gains))])
        slow = slow.moves()[MOVES[bench.classes[moves[-1]][0]]]
    heads, _ = bench.parser.parse(bench.batch, bench.values, 1)
    assert tuple(heads.tolist()) == slow.heads()


@pytest.mark.parametrize("system", SYSTEMS)
def test_keys_are_equal_exactly_where_the_template_says_so(system: str) -> None:
    """Each template's key stands for what its text says, in all states of a sentence."""
    text = "\n".join(
        [RICH, "s2.left.tag", "s2.right.label", "s1.label", "b0.rights", "s2.rights",
         "s0.form + s1.form + s2.form + b0.form + b1.form", "distance(s2,b1)",
         "s0.form + s1.tag + s2.form + b0.tag + b1.form + b2.tag"]
    )  # fmt: skip
    # Swaps make many more states.
    bench = make_bench(system, 3 if system == "arc-standard-swap" else 4, features=text)
    # Without clusters, features of them are left out.
    known = (" + ".join(parts) for parts in read_lines(text))
    lines = sorted((x for x in known if "cluster" not in x), key=lambda t: t.count(" + "))
    meaning: dict[tuple[int, int], tuple[object, ...]] = {}
    keys_of: dict[tuple[int, tuple[object, ...]], int] = {}
    states = list(walk(bench, system))
    assert len(states) > 100
    for moves, slow, labels in states[:: max(1, len(states) // 4000)]:
        _, keys = bench.follow(moves)
        symbolic = Symbolic(slow, labels, bench.words)
        for number, (line, key) in enumerate(zip(lines, keys.tolist(), strict=True)):
            feature = symbolic.feature(line)
            assert meaning.setdefault((number, key), feature) == feature, line
            assert keys_of.setdefault((number, feature), key) == key, line


def test_hundreds_of_trees() -> None:
    bench = make_bench("arc-hybrid", 4)
    long = Batch([Sentence.from_words(["w"] * 30).source])
    values = [np.tile(v, 8)[:30].copy() for v in bench.values]
    heads, _, scores, _ = bench.parser.kbest(long, 0, values, 512, 8)
    assert len(heads) > 200
    assert (np.diff(scores) <= 0).all()


def test_rare_labels_are_told_by_the_dependent() -> None:
    system = load_system("arc-hybrid")
    program = Program(compile_parser("s0.form").templates, 1)
    shift, left, right, root = (MOVES.index(name) for name in system.moves)
    classes = [(shift, 0), (left, -1), (right, -1), (root, 4)]
    rare = {(1, 0): 5, (1, 77): 6, (2, 0): 7}
    parser = Parser(system, program, SparseWeights(4), classes, 4, rare, 0)
    batch = Batch([Sentence.from_words(["a", "b", "c"]).source])
    for value, label in ((77, 6), (78, 5)):
        values = [np.array([value, 20, 21], dtype=np.uint32)]
        trees, labels, _, _ = parser.kbest(batch, 0, values, 99, 99)
        assert len(trees) == 7
        for heads, found_labels in zip(trees.tolist(), labels.tolist(), strict=True):
            for word, (head, one) in enumerate(zip(heads, found_labels, strict=True), start=1):
                expected = 4 if head == 0 else 7 if head < word else label if word == 1 else 5
                assert one == expected


def test_refusals() -> None:
    bench = make_bench("arc-hybrid", 2)
    parser, batch, values = bench.parser, bench.batch, bench.values
    with pytest.raises(ValueError, match="attributes, but the templates use"):
        parser.parse(batch, values[:-1])
    with pytest.raises(ValueError, match="values for 2 words"):
        parser.parse(batch, [values[0][:1], *values[1:]])
    with pytest.raises(ValueError, match="at least one state"):
        parser.parse(batch, values, 0)
    with pytest.raises(ValueError, match="at least 1"):
        parser.kbest(batch, 0, values, 0, 1)
    with pytest.raises(ValueError, match="no sentence 1"):
        parser.kbest(batch, 1, values, 1, 1)
    with pytest.raises(ValueError, match="move 0 is not possible"):
        bench.follow([1])
    with pytest.raises(ValueError, match="labelled moves for a model"):
        Parser(parser.system, parser.program, SparseWeights(1), bench.classes, 0, {}, 0)
    with pytest.raises(ValueError, match="different parts"):
        Program([[(0, 0, 0, 0), (0, 0, 0, 0)]], 1)
    with pytest.raises(ValueError, match="no attribute 1"):
        Program([[(0, 0, 0, 1)]], 1)
    move_learner = TransitionLearner(parser, {})
    moves = np.array([0, 0, 3, 3], dtype=np.uint8)
    with pytest.raises(ValueError, match="not possible"):
        move_learner.update(batch, 0, values, moves, moves)
    with pytest.raises(ValueError, match="more moves than 1"):
        move_learner.update(batch, 0, values, moves[:1], moves)
