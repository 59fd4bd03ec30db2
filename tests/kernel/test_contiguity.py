"""Bilingual contiguity against its definition: alone, and as features of states."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.bilingual.links import with_links
from niwaki.data.sentence import Sentence
from niwaki.features.attributes import link_values
from niwaki.features.templates import compile_parser
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.contiguity import Contiguity
from niwaki.kernel.transition.features import Program
from niwaki.kernel.transition.parser import Parser
from niwaki.kernel.transition.systems import load_system, system_names
from tests.kernel.test_parser import Bench, labelled_moves, walk
from tests.reference.contiguity import Link, contiguous, right_contiguous
from tests.reference.features import Symbolic

SYSTEMS = [name for name in system_names() if not load_system(name).nonprojective]
LINES = [
    "contiguous(s1,s0)", "contiguous(s0,b0)", "contiguous(s2,s1)",
    "right-contiguous(s1,s0)", "right-contiguous(s0,b0)", "right-contiguous(s2,s1)",
    "contiguous(s1,s0) + right-contiguous(s0,b0)",
]  # fmt: skip


def spans(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(1, n + 1) for j in range(i, n + 1)]


def check(n: int, links: set[Link]) -> None:
    found = Contiguity(n, links)
    assert spans(n)
    for first, last in spans(n):
        words = range(first, last + 1)
        assert found.contiguous(first, last) == contiguous(words, links), (links, first, last)
        right = right_contiguous(words, links, n)
        assert found.right_contiguous(first, last) == right, (links, first, last)


@pytest.mark.parametrize(("n", "targets"), [(1, 3), (2, 4), (3, 3), (4, 3)])
def test_all_links_of_short_sentences(n: int, targets: int) -> None:
    possible = list(itertools.product(range(1, n + 1), range(1, targets + 1)))
    assert len(possible) == n * targets
    for chosen in itertools.product([False, True], repeat=len(possible)):
        check(n, set(itertools.compress(possible, chosen)))


@given(
    st.integers(1, 24).flatmap(
        lambda n: st.tuples(
            st.just(n), st.sets(st.tuples(st.integers(1, n), st.integers(1, 10**6)), max_size=30)
        )
    )
)
def test_longer_sentences(drawn: tuple[int, set[Link]]) -> None:
    check(*drawn)


def make_bench(system: str, n: int, links: set[Link]) -> Bench:
    """A parser whose templates are `LINES`, and a sentence with links for it."""
    templates = compile_parser("\n".join(LINES))
    classes = labelled_moves(system)
    program = Program(templates.templates, 0)
    parser = Parser(load_system(system), program, SparseWeights(len(classes)), classes, 0, {}, 0)
    sentence = Sentence.from_words(["w"] * n)
    batch = Batch([with_links(sentence, [(i - 1, j - 1) for i, j in links]).source])
    return Bench(parser, batch, link_values(batch), classes, {})


@pytest.mark.parametrize("system", SYSTEMS)
def test_features_of_all_states_are_those_of_the_definition(system: str) -> None:
    random = np.random.default_rng(1)
    lines = sorted(LINES, key=lambda line: line.count(" + "))
    meaning: dict[tuple[int, int], tuple[object, ...]] = {}
    keys_of: dict[tuple[int, tuple[object, ...]], int] = {}
    seen: set[object] = set()
    for _ in range(12):
        n = 4
        links = {(i, j) for i in range(1, n + 1) for j in range(1, 5) if random.random() < 0.3}
        bench = make_bench(system, n, links)
        for moves, slow, labels in walk(bench, system):
            if any(labels.values()):
                continue  # a label changes no span
            _, keys = bench.follow(moves)
            symbolic = Symbolic(slow, labels, {}, links)
            for number, (line, key) in enumerate(zip(lines, keys.tolist(), strict=True)):
                feature = symbolic.feature(line)
                seen.add(feature)
                assert meaning.setdefault((number, key), feature) == feature, (line, links)
                assert keys_of.setdefault((number, feature), key) == key, (line, links)
    assert {(True,), (False,), (None,), (True, False), (False, True)} <= seen


def test_greedy_parsing_of_several_sentences_together_keeps_their_links_apart() -> None:
    """Four sentences in step, with different links, get the trees that they get alone."""
    system = "arc-standard"
    random = np.random.default_rng(2)
    templates = compile_parser("\n".join(LINES))
    classes = labelled_moves(system)
    model = SparseWeights(len(classes))
    program = Program(templates.templates, 0)
    parser = Parser(load_system(system), program, model, classes, 0, {}, 0)
    sentences = []
    for n in (5, 3, 6, 4, 5, 2, 7):
        drawn = [(int(random.integers(n)), int(random.integers(9))) for _ in range(n)]
        sentences.append(with_links(Sentence.from_words(["w"] * n), drawn))
    batches = [Batch([s.source]) for s in sentences]
    for batch in batches:
        for steps in range(3):
            _, keys = parser.follow(batch, 0, link_values(batch), np.zeros(steps, dtype=np.uint8))
            model.add(keys, int(random.integers(len(classes))), int(random.integers(1, 9)))
    whole = Batch([s.source for s in sentences])
    for width in (1, 3):
        alone = [parser.parse(batch, link_values(batch), width)[0] for batch in batches]
        together = parser.parse(whole, link_values(whole), width)[0].tolist()
        assert together == np.concatenate(alone).tolist()


def test_links_are_read_off_notes() -> None:
    notes = ["Links=2,5", "_", "SpaceAfter=No|Links=1", "Links=9|A=b", "MyLinks=7", "XLinks="]
    other = Sentence.from_words(["w"] * 2, misc=["Links=7,999999999,7", "Links=70"])
    batch = Batch([Sentence.from_words(["w"] * 6, misc=notes).source, other.source])
    ends, ranks, bad = batch.links(9)
    assert ends.tolist() == [0, 2, 2, 3, 4, 4, 4, 7, 8]
    assert ranks.tolist() == [1, 2, 0, 3, 0, 2, 0, 1], "of each sentence, in order"
    assert bad == -1
    for wrong in ("Links=", "Links=0", "Links=1,", "Links=x", "Links=1;2", f"Links={10**9}"):
        batch = Batch([Sentence.from_words(["a", "b"], misc=["_", wrong]).source])
        assert batch.links(9)[2] == 1, wrong


def test_refusals() -> None:
    with pytest.raises(ValueError, match="links do not fit"):
        Contiguity(2, [(3, 1)])
    with pytest.raises(ValueError, match=r"no words 2\.\.1"):
        Contiguity(2, []).contiguous(2, 1)
    bench = make_bench("arc-standard", 2, {(1, 1), (2, 1)})
    ends, ranks = bench.values
    for wrong in ([ends[:-1], ranks], [ends, ranks[:-1]], [ends[::-1].copy(), ranks],
                  [ends, ranks + np.uint32(9)]):  # fmt: skip
        with pytest.raises(ValueError, match="links do not fit the words"):
            bench.parser.parse(bench.batch, wrong)
    assert bench.parser.parse(bench.batch, [])[0].tolist(), "without links nothing is known"
    nonprojective = next(name for name in system_names() if load_system(name).nonprojective)
    classes = labelled_moves(nonprojective)
    with pytest.raises(ValueError, match="no template can use links"):
        Parser(
            load_system(nonprojective),
            bench.parser.program,
            SparseWeights(len(classes)),
            classes,
            0,
            {},
            0,
        )
    with pytest.raises(ValueError, match="no neighbours"):
        Program([[(7, 0, 1, 0)]], 0)
