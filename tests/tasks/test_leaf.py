"""LEAF as a whole: where it starts, what it counts, how it weighs, and what it finds."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

import niwaki
from niwaki.data.bilingual.bitext import Links, parse_links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.errors import ConfigError, NiwakiError
from niwaki.kernel.bilingual.alignment import Table
from niwaki.kernel.bilingual.leaf import LARGEST_CEPT, LONGEST_MOVE, WEIGHTS, Climber
from niwaki.tasks.align import LeafSettings
from niwaki.tasks.align.leaf.alignments import Alignments, joined
from niwaki.tasks.align.leaf.counts import Words, count
from niwaki.tasks.align.leaf.start import common, of_links, variants
from niwaki.tasks.align.leaf.tables import tables
from niwaki.tasks.align.leaf.weights import Candidates, best_step, f_alpha, optimise
from tests.reference import leaf as slow
from tests.tasks.test_align import garden

TYPES, CLASSES = 5, 3


def tuples(alignment: Alignments) -> slow.Alignment:
    return slow.Alignment(*(tuple(each.tolist()) for each in alignment.arrays))


# ---- the start ----


def test_common_links_are_heads_and_other_links_fill_their_cepts() -> None:
    # Target 1 comes from source 0 as target 0 does; source 2 comes from target 2 as 1 does.
    forward, backward = {0: 0, 1: 0, 2: 1}, {0: 0, 1: 2, 2: 2}
    (made,) = variants(forward, backward, 3, 3)
    assert tuples(made) == ((0, 1, 1), (0, 0, 2), (0, 2, -1))
    assert tuples(common(forward, backward, 3, 3)) == ((0, 1, -1), (0, -1, 2), (0, 2, -1))


def test_a_cept_without_a_common_link_has_each_word_as_head_in_turn() -> None:
    made = [tuples(each) for each in variants({0: 1, 2: 1}, {}, 2, 3)]
    assert made == [((-1, 1), (0, -1, 0), (-1, 0)), ((-1, 1), (2, -1, 2), (-1, 2))]
    turned = [tuples(each) for each in variants({}, {0: 1, 2: 1}, 3, 2)]
    assert turned == [((0, -1, 0), (-1, 1), (1, -1, -1)), ((2, -1, 2), (-1, 1), (-1, -1, 1))]


def test_heads_take_turns_as_often_as_each_other() -> None:
    made = variants({0: 0, 1: 0, 2: 1, 3: 1, 4: 1}, {}, 2, 5)
    assert len(made) == 6
    heads = [Counter(int(each.mates[i]) for each in made) for i in range(2)]
    assert heads == [{0: 3, 1: 3}, {2: 2, 3: 2, 4: 2}]


def test_links_of_people_become_cepts_with_the_likeliest_heads() -> None:
    """Blocks stay blocks; the link that both directions find likeliest is that of the heads."""
    forward = np.array([[0.1, 0.2, 0.0], [0.6, 0.3, 0.0], [0.0, 0.1, 0.9]])
    backward = np.array([[0.2, 0.1, 0.6], [0.7, 0.1, 0.1], [0.0, 0.5, 0.4]])
    links = parse_links("0-0 0-1 1-0 1-1 2p2", "test", 1)
    (made,) = of_links(Posteriors(forward, backward), links)
    assert tuples(made) == ((1, 1, 2), (0, 0, 2), (-1, 0, 2))
    assert {(i, j) for i, j in np.argwhere(made.cells).tolist()} == links.all
    # What the HMM does not believe at all is a link nevertheless, and without links there is none.
    (far,) = of_links(Posteriors(np.zeros((2, 2)), np.zeros((2, 2))), parse_links("1-0", "test", 1))
    assert tuples(far) == ((-1, 1), (0, -1), (-1, 0))
    (none,) = of_links(Posteriors(forward, backward), Links(frozenset()))
    assert not none.cells.any()


def test_any_links_of_two_directions_make_alignments() -> None:
    random = np.random.default_rng(3)
    makes = []
    for _ in range(300):
        sizes = random.integers(1, 7, 2).tolist()
        forward, backward = (
            {k: int(w) for k, w in enumerate(random.integers(-1, sizes[1 - d], sizes[d])) if w >= 0}
            for d in (1, 0)
        )
        found = {tuples(each) for each in variants(forward, backward, *sizes)}
        makes.append(len(found))
        for each in found:
            assert all(h < 0 or each.mates[h] >= 0 for h in each.sources)
            assert all(h < 0 or h in each.mates for h in each.targets)
            linked = [j for j in each.mates if j >= 0]
            assert len(set(linked)) == len(linked)
    assert max(makes) > 1


# ---- counts and tables ----


def random_case(seed: int) -> tuple[list[tuple[list[int], list[int], slow.Alignment]], Table]:
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(12):
        sizes = random.integers(1, 4, 2).tolist()
        choices = slow.all_alignments(*sizes)
        words = [random.integers(0, TYPES, size).tolist() for size in sizes]
        pairs.append((*words, choices[random.integers(len(choices))]))
    flat = []
    for side in (0, 1):
        words = [pair[side] for pair in pairs]
        flat += [np.concatenate(words).astype(np.int32), np.cumsum([0, *map(len, words)])]
    return pairs, Table(*flat, TYPES, TYPES)


def twin_counts(x, y, a: slow.Alignment, x_classes, y_classes, add) -> None:
    """Events of one pair in one direction, by the definition."""
    last, centre = -1, 0
    for i, head in enumerate(a.sources):
        add("kind", (x[i], 0 if head < 0 else 1 if head == i else 2))
        if head >= 0 and head != i:
            add("choice", (x_classes[x[i]], head - i + LONGEST_MOVE))
    for i, j in enumerate(a.mates):
        if j < 0:
            continue
        cept = [k for k, head in enumerate(a.targets) if head == j]
        others = [k for k in cept if k != j]
        kind = y_classes[y[j]]
        add("head", (x[i], y[j]))
        add("size", (x[i], min(2, a.sources.count(i)) - 1, len(cept) - 1))
        row = 0 if last < 0 else 1 + x_classes[x[last]]
        add("first", (row, kind, j + 1 - centre + LONGEST_MOVE))
        for n, k in enumerate(others):
            before = j if n == 0 else others[n - 1]
            add("second" if n == 0 else "later", (kind, k - before + LONGEST_MOVE))
            add("non_head", (x[i], y[k], kind))
        for k in cept:
            add("word", (x[i], y[k]))
        last, centre = i, -(-sum(k + 1 for k in cept) // len(cept))
    for k, head in enumerate(a.targets):
        if head < 0:
            add("spurious", (y[k],))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("turned", [False, True])
def test_counts_are_those_of_the_definition(seed: int, turned: bool) -> None:
    pairs, table = random_case(seed)
    random = np.random.default_rng(seed)
    classes = random.integers(0, CLASSES, (2, TYPES)).astype(np.int32)
    amounts = random.uniform(0.1, 1, len(pairs))
    alignments = [a.turned if turned else a for *_, a in pairs]
    heads = [np.concatenate(side).astype(np.int32) for side in zip(*alignments, strict=True)]
    sides = [
        (table.source_words, table.source_starts, classes[0]),
        (table.target_words, table.target_starts, classes[1]),
    ]
    one, other = sides[::-1] if turned else sides
    x = Words(one[0], one[1], heads[0], one[2], CLASSES)
    y = Words(other[0], other[1], heads[1], other[2], CLASSES)
    found = count(x, y, heads[2], table, turned, amounts)

    expected: dict[str, dict[tuple[int, ...], float]] = defaultdict(lambda: defaultdict(float))
    for (*words, _), alignment, amount in zip(pairs, alignments, amounts, strict=True):

        def add(name: str, event: tuple[int, ...], amount: float = amount) -> None:
            expected[name][event] += amount

        mine, theirs = words[::-1] if turned else words
        twin_counts(mine, theirs, alignment, one[2], other[2], add)
    rows = np.repeat(np.arange(TYPES), np.diff(table.rows)).tolist()
    entries = list(zip(rows, table.columns.tolist(), strict=True))
    if turned:
        entries = [(t, s) for s, t in entries]
    for name in ("kind", "choice", "size", "first", "second", "later", "spurious"):
        array = getattr(found, name)
        assert array.sum() == pytest.approx(sum(expected[name].values()))
        for event, amount in expected[name].items():
            assert array[event] == pytest.approx(amount), (name, event)
    for name in ("head", "word"):
        made = {e: v for e, v in zip(entries, getattr(found, name).tolist(), strict=True) if v}
        assert made == pytest.approx(dict(expected[name]))
    non_heads: dict[tuple[int, ...], float] = defaultdict(float)
    lists = found.non_head_entries, found.non_head_classes, found.non_head_amounts
    for entry, kind, amount in zip(*(each.tolist() for each in lists), strict=True):
        non_heads[(*entries[entry], kind)] += amount
    assert non_heads == pytest.approx(dict(expected["non_head"]))


def test_tables_are_probabilities_and_fit_the_kernel() -> None:
    pairs, table = random_case(9)
    classes = np.arange(TYPES, dtype=np.int32) % CLASSES
    made = []
    for turned in (False, True):
        alignments = [a.turned if turned else a for *_, a in pairs]
        heads = [np.concatenate(side).astype(np.int32) for side in zip(*alignments, strict=True)]
        sides = [
            (table.source_words, table.source_starts),
            (table.target_words, table.target_starts),
        ]
        one, other = sides[::-1] if turned else sides
        x, y = Words(*one, heads[0], classes, CLASSES), Words(*other, heads[1], classes, CLASSES)
        found = tables(count(x, y, heads[2], table, turned, np.ones(len(pairs))), table, turned)
        for name in ("kind", "choice", "size", "size_alone", "size_word", "first", "second"):
            assert np.exp(found[name]).sum(axis=-1) == pytest.approx(1, abs=1e-5), name
        rows = np.repeat(np.arange(TYPES), np.diff(table.rows))
        for name in ("head", "word"):
            sums = np.bincount(table.columns if turned else rows, np.exp(found[name]))
            assert sums[sums > 0] == pytest.approx(1, abs=1e-5), name
        assert np.exp(found["spurious_rate"]).sum() == pytest.approx(1)
        assert found["size"].shape == (TYPES, 2, LARGEST_CEPT)
        made.append(found)
    climber = Climber(table, classes, classes, *made)
    first = joined(
        [Alignments(*(np.array(each, np.int32) for each in alignment)) for *_, alignment in pairs]
    )
    assert np.isfinite(climber.features(0, len(pairs), *first.arrays)).all()


# ---- weights ----


def candidates(seed: int) -> Candidates:
    random = np.random.default_rng(seed)
    right = random.integers(0, 6, (15, 7))
    counts = np.stack([right + random.integers(0, 4, (15, 7)), right, right], axis=2)
    return Candidates(random.normal(0, 1, (15, 7, WEIGHTS)), counts, 80, 0.4)


@pytest.mark.parametrize("seed", range(6))
def test_a_line_search_finds_what_trying_many_steps_finds(seed: int) -> None:
    given = candidates(seed)
    random = np.random.default_rng(seed)
    weights, direction = random.normal(0, 1, (2, WEIGHTS))
    values, slopes = given.features @ weights, given.features @ direction
    step, reached = best_step(given, values, slopes)
    assert given.score(weights + step * direction) == pytest.approx(reached)
    tried = [given.score(weights + t * direction) for t in np.linspace(-20, 20, 4001)]
    assert reached >= max(tried) - 1e-12


def test_equal_candidates_leave_nothing_to_choose() -> None:
    given = candidates(1)
    same = Candidates(given.features[:, :1].repeat(3, axis=1), given.counts[:, :3], 80, 0.4)
    step, reached = best_step(same, same.features @ np.ones(WEIGHTS), same.features[:, :, 0])
    assert (step, reached) == (0.0, same.score(np.ones(WEIGHTS)))


def test_weights_get_no_worse() -> None:
    given = candidates(2)
    start = np.ones(WEIGHTS)
    found = optimise(given, start, np.random.default_rng(1))
    assert given.score(found) > given.score(start)
    again = optimise(given, start, np.random.default_rng(1))
    assert (found == again).all()


def test_f_of_alpha() -> None:
    # Precision 3/4, recall 2/5.
    assert f_alpha(np.array([4, 2, 3]), 5, 0.4) == pytest.approx(1 / (0.4 / 0.75 + 0.6 / 0.4))
    assert f_alpha(np.array([0, 0, 0]), 5, 0.4) == 0


# ---- the aligner ----


def test_the_garden_is_aligned() -> None:
    pairs, right = garden()
    found = niwaki.align(pairs, model="leaf")
    assert len(found) == len(right) > 0
    for each, expected in zip(found, right, strict=True):
        assert each.all >= expected


def gold_files(folder: Path, pairs, links) -> tuple[Path, Path, Path]:
    texts = (
        (" ".join(source) for source, _ in pairs),
        (" ".join(target) for _, target in pairs),
        (str(Links(frozenset(each))) for each in links),
    )
    for name, lines in zip("stl", texts, strict=True):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder / "s", folder / "t", folder / "l"


def test_words_that_stand_apart_are_linked_as_people_show(tmp_path: Path) -> None:
    verbs = {"sees": "voit", "likes": "aime", "hears": "entend", "wants": "veut"}
    nouns = {"cats": "chats", "birds": "oiseaux", "trees": "arbres"}
    pairs = [
        (["never", verb, noun], ["ne", v, "jamais", n])
        for verb, v in verbs.items()
        for noun, n in nouns.items()
    ]
    pairs += [([verb, noun], [v, n]) for verb, v in verbs.items() for noun, n in nouns.items()]
    right = {(0, 0), (0, 2), (1, 1), (2, 3)}
    assert niwaki.align(pairs, model="leaf")[-13].all != right
    gold = gold_files(tmp_path, pairs[:12], [right] * 12)
    found = niwaki.align(pairs, model="leaf", gold=gold)
    assert [set(each.all) for each in found] == [right] * 12 + [{(0, 0), (1, 1)}] * 12


def test_hand_aligned_pairs_change_the_links(tmp_path: Path) -> None:
    """People who link particles to the noun before them are followed."""
    pairs, right = garden()
    marked = [expected | {(0, 1), (2, 3)} for expected in right]
    gold = [Links(frozenset(each)) for each in marked]
    plain = niwaki.align(pairs, model="leaf")
    found = niwaki.align(pairs, model="leaf", gold=gold_files(tmp_path, pairs, marked))
    before, after = (
        niwaki.evaluate_alignment(gold, each, alpha=0.4).scores["F"] for each in (plain, found)
    )
    assert before < after == pytest.approx(100)


@pytest.mark.parametrize("model", ["hmm", "leaf"])
def test_links_of_people_are_counted(model: str, tmp_path: Path) -> None:
    """What two words become is seen in other pairs, although their statistics are the same."""
    random = np.random.default_rng(4)
    frames = [f"w{k}" for k in range(20)]
    # `ka` and `ki` always come together with `red` and `car`: only people know which is which.
    pairs = []
    for _ in range(60):
        some = random.choice(frames, 2, replace=False).tolist()
        pairs.append(
            ([some[0], "red", "car", some[1]], [some[0].upper(), "ka", "ki", some[1].upper()])
        )
    right = {(0, 0), (1, 2), (2, 1), (3, 3)}
    gold = gold_files(tmp_path, pairs[:30], [right] * 30)
    found = niwaki.align(pairs, model=model, gold=gold)
    assert [set(each.all) for each in found[30:]] == [right] * 30


def test_threads_give_the_same_links() -> None:
    random = np.random.default_rng(2)
    pairs = [
        tuple(random.choice([f"w{k}" for k in range(30)], size).tolist() for size in (12, 9))
        for _ in range(150)
    ]
    one, other = (niwaki.align(pairs, model="leaf", threads=n) for n in (1, 3))
    assert one == other
    assert any(each.all for each in one)


def test_pairs_without_words_have_no_links() -> None:
    pairs = [("a b", "x y"), ("", "z"), ("a", "x")]
    found = niwaki.align(pairs, model="leaf")
    assert [bool(each.all) for each in found] == [True, False, True]
    shapes = [each.shape for each in niwaki.align_probabilities(pairs, model="leaf")]
    assert shapes == [(2, 2), (0, 1), (1, 1)]


def test_probabilities_share_words_out() -> None:
    pairs, _ = garden()
    links = niwaki.align(pairs[:20], model="leaf")
    found = list(niwaki.align_probabilities(pairs[:20], model="leaf"))
    assert len(found) == 20
    for each, expected in zip(found, links, strict=True):
        assert {(i, j) for i, j in np.argwhere(each.mean > 0).tolist()} == expected.all


def test_what_is_wrong_is_refused() -> None:
    pairs, _ = garden()
    with pytest.raises(ConfigError, match=r"no model 'leave'; .*leaf"):
        niwaki.align(pairs, model="leave")
    with pytest.raises(ConfigError, match="for the model leaf"):
        niwaki.align(pairs, leaf=LeafSettings())
    with pytest.raises(ConfigError, match="iterations is 0; it must be at least 1"):
        LeafSettings(iterations=0)
    with pytest.raises(ConfigError, match="alpha is 2; it must be from 0 to 1"):
        LeafSettings(alpha=2)
    with pytest.raises(NiwakiError, match="no sentence pair"):
        niwaki.align([], model="leaf")


def test_linked_cepts_are_blocks_of_links() -> None:
    made = Alignments(*(np.array(each, np.int32) for each in ((0, 0, -1), (1, 1), (1, -1, -1))))
    rows, columns = np.nonzero(made.cells)
    assert (
        set(zip(rows.tolist(), columns.tolist(), strict=True))
        == parse_links("0-0 0-1 1-0 1-1", "test", 1).all
    )
