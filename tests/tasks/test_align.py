"""The aligner as a whole: what it finds, heuristics, bridges, settings."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import niwaki
from niwaki.data.bilingual.bitext import Links, parse_links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.errors import ConfigError, NiwakiError
from niwaki.tasks.align import PRESETS, Settings, compose, link, mix, symmetrize, train
from niwaki.tasks.align.aligner import estimate_jumps
from niwaki.tasks.align.corpus import LONGEST

NOUNS = {"pine": "matsu", "pond": "ike", "stone": "ishi", "monk": "sou", "gate": "mon"}
VERBS = {"sees": "miru", "paints": "kaku", "likes": "konomu", "leaves": "saru"}


def garden() -> tuple[list[tuple[list[str], list[str]]], list[set[tuple[int, int]]]]:
    """Subject verb object becomes subject object verb, with particles nobody says in English."""
    pairs, right = [], []
    for subject, s in NOUNS.items():
        for verb, v in VERBS.items():
            for thing, t in NOUNS.items():
                if subject != thing:
                    pairs.append(([subject, verb, thing], [s, "ga", t, "wo", v]))
                    right.append({(0, 0), (1, 4), (2, 2)})
    return pairs, right


def links(text: str) -> Links:
    return parse_links(text, "test", 1)


def test_a_language_with_another_order_is_aligned() -> None:
    pairs, right = garden()
    found = niwaki.align(pairs)
    assert [set(each.all) for each in found] == right


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("method", ["intersection", "grow-diag-final-and"])
def test_presets_and_heuristics_find_the_content_words(preset: str, method: str) -> None:
    pairs, right = garden()
    assert right
    for found, expected in zip(
        niwaki.align(pairs, settings=preset, method=method), right, strict=True
    ):
        assert found.all >= expected


def test_threads_give_the_same_bytes() -> None:
    random = np.random.default_rng(2)
    pairs = [
        tuple(random.choice([f"w{k}" for k in range(60)], size).tolist() for size in (40, 30))
        for _ in range(300)
    ]
    made = []
    for threads in (1, 3):
        aligner = train(pairs, Settings(model1_iterations=2, hmm_iterations=2), threads)
        made.append([(p.forward.tobytes(), p.backward.tobytes()) for p in aligner.posteriors()])
    assert made[0] == made[1]


def test_posteriors_are_probabilities() -> None:
    pairs, _ = garden()
    found = list(train(pairs[:9]).posteriors())
    assert len(found) == 9
    for each in found:
        assert each.shape == (3, 5)
        assert (each.forward.sum(axis=0) <= 1 + 1e-5).all()
        assert (each.backward.sum(axis=1) <= 1 + 1e-5).all()


def test_likelihood_rises() -> None:
    pairs, _ = garden()
    seen: list[tuple[str, float]] = []
    settings = Settings(agreement=False, same_word=0, smoothing=0)
    train(pairs, settings, report=lambda stage, score: seen.append((stage, score)))
    assert [stage for stage, _ in seen] == [
        *(f"Model 1 {k}/5" for k in range(1, 6)),
        *(f"HMM {k}/5" for k in range(1, 6)),
    ]
    scores = [score for _, score in seen]
    assert scores[:5] == sorted(scores[:5])
    assert scores[5:] == sorted(scores[5:])


def test_pairs_with_an_empty_side_get_no_links() -> None:
    pairs, right = garden()
    found = niwaki.align([([], ["x"]), *pairs[:30], (["x"], []), ([], []), *pairs[30:]])
    assert [not each.all for each in found[:1] + found[31:33]] == [True] * 3
    assert [set(each.all) for each in found[1:31] + found[33:]] == right


def test_text_can_be_learned_from_without_being_aligned() -> None:
    pairs, right = garden()
    aligner = train(pairs)
    assert len(list(aligner.posteriors(7))) == 7
    assert [set(link(each).all) for each in aligner.posteriors(7)] == right[:7]


def test_case_and_prefixes_fold_words() -> None:
    pairs = [(["Pine", "pines"], ["Matsu"]), (["PINE"], ["matsu"]), (["pond"], ["ike"])]
    types = lambda **change: len(  # noqa: E731
        train(pairs, dataclasses.replace(Settings(), **change))._corpus.source.types
    )
    assert (types(), types(lower=False), types(source_prefix=4), types(source_prefix=1)) == (
        3,
        4,
        2,
        1,
    )


def test_equal_words_attract_each_other() -> None:
    pairs = [(["a", "1603"], ["b", "1603"])] * 2
    assert link(next(train(pairs).posteriors())).all == {(0, 0), (1, 1)}
    without = next(train(pairs, Settings(same_word=0)).posteriors())
    assert without.forward[1, 1] < 0.75


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(NiwakiError, match="no sentence pair"):
        niwaki.align([([], [])])
    with pytest.raises(NiwakiError, match="pair 1 has 1001 and 1 words"):
        niwaki.align([(["a"] * (LONGEST + 1), ["b"])])


# ---- heuristics ----


@pytest.mark.parametrize(
    ("method", "expected"),
    [("intersection", "0-0"), ("union", "0-0 0-1 1-1 3-3"), ("forward", "0-0 0-1 3-3")],
)
def test_set_operations(method: str, expected: str) -> None:
    made = symmetrize(links("0-0 0-1 3-3"), links("0-0 1-1"), method)
    assert str(made) == expected


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        # A neighbour in the same row or column links a word that has no link yet.
        ("0-0 0-1", "0-0", "0-0 0-1"),
        # A diagonal neighbour.
        ("0-0 1-1", "0-0", "0-0 1-1"),
        # Neither word is free: 0-1 stands between two links and links nothing new.
        ("0-0 1-1 0-1", "0-0 1-1", "0-0 1-1"),
        # Growing goes on from what was added.
        ("0-0 1-1 2-2", "0-0", "0-0 1-1 2-2"),
        # final-and: far away, both words are free.
        ("0-0 4-5", "0-0", "0-0 4-5"),
        # Far away and only one word is free: left out.
        ("0-0 0-5", "0-0", "0-0"),
        # final-and takes the forward direction first.
        ("0-0 4-5", "0-0 4-7", "0-0 4-5"),
        ("", "", ""),
        ("0-0", "1-1", "0-0 1-1"),
    ],
)
def test_grow_diag_final_and(forward: str, backward: str, expected: str) -> None:
    made = symmetrize(links(forward), links(backward), "grow-diag-final-and")
    assert str(made) == expected


link_sets = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)


@given(link_sets, link_sets)
def test_heuristics_lie_between_intersection_and_union(forward, backward) -> None:
    made = symmetrize(Links(forward), Links(backward), "grow-diag-final-and").all
    assert forward & backward <= made <= forward | backward


def test_best_links_leave_words_to_the_null() -> None:
    forward = np.array([[0.6, 0.2, 0.0], [0.3, 0.3, 0.1]], np.float32)
    backward = np.array([[0.9, 0.0, 0.0], [0.1, 0.1, 0.7]], np.float32)
    both = Posteriors(forward, backward)
    assert link(both, "forward").all == {(0, 0)}
    assert link(both, "backward").all == {(0, 0), (1, 2)}
    assert link(both, "posterior", 0.4).all == {(0, 0), (1, 2)}
    assert link(both, "posterior", 0.5).all == {(0, 0)}


# ---- bridges ----


def test_composition_by_hand() -> None:
    """One target word that is mostly bridge word 0, which is mostly source word 1."""
    near = Posteriors(
        np.array([[0.1, 0.4], [0.8, 0.4]], np.float32), np.array([[0, 1], [0.5, 0.2]], np.float32)
    )
    far = Posteriors(np.array([[0.7], [0.1]], np.float32), np.array([[0.9], [0.6]], np.float32))
    made = compose(near, far, epsilon=0.5)
    # Null of the target word: 0.2, half of which is shared by the two source words.
    assert made.forward[:, 0].tolist() == pytest.approx([0.07 + 0.04 + 0.05, 0.56 + 0.04 + 0.05])
    # Source word 1 has 0.3 left for the null, half of which goes to the one target word.
    assert made.backward[:, 0].tolist() == pytest.approx([0.6, 0.45 + 0.12 + 0.15])
    turned = compose(far.reversed, near.reversed, epsilon=0.5)
    assert np.allclose(turned.reversed.forward, made.forward)
    assert compose(near, far, epsilon=1).forward[0, 0] == pytest.approx(0.11)


def test_composed_columns_sum_to_one_with_their_null() -> None:
    random = np.random.default_rng(4)

    def posteriors(rows: int, columns: int) -> Posteriors:
        return Posteriors(
            random.dirichlet(np.ones(rows + 1), columns)[:, :-1].T.astype(np.float32),
            random.dirichlet(np.ones(columns + 1), rows)[:, :-1].astype(np.float32),
        )

    near, far = posteriors(3, 4), posteriors(4, 2)
    made = compose(near, far, epsilon=0)
    null_of_bridge = 1 - near.forward.sum(axis=0)
    assert np.allclose(1 - made.forward.sum(axis=0), null_of_bridge @ far.forward, atol=1e-6)


def test_mixing() -> None:
    one = Posteriors(*np.full((2, 1, 1), 0.8, np.float32))
    other = Posteriors(*np.full((2, 1, 1), 0.2, np.float32))
    assert mix([one, other]).forward[0, 0] == pytest.approx(0.5)
    assert mix([one, other], [3, 1]).backward[0, 0] == pytest.approx(0.65)
    for weights in ([1], [1, -1], [0, 0], [1, float("nan")]):
        with pytest.raises(ConfigError, match="weights"):
            mix([one, other], weights)


# ---- settings ----


def test_the_preset_of_the_paper() -> None:
    xu = PRESETS["xu2009"]
    assert (xu.model1_iterations, xu.hmm_iterations) == (3, 2)
    assert "hmm_iterations=2" in xu.signature


@pytest.mark.parametrize(
    "change",
    [
        {"model1_iterations": 0},
        {"hmm_iterations": -1},
        {"empty": 1.0},
        {"smoothing": -1},
        {"jump_classes": -1},
        {"jump_support": 0},
        {"source_prefix": 0},
        {"same_word": float("nan")},
    ],
)
def test_settings_that_cannot_be(change: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(change))):
        Settings(**change)


def test_names_that_are_not_known() -> None:
    pairs, _ = garden()
    with pytest.raises(ConfigError, match="did you mean 'xu2009'"):
        niwaki.align(pairs, settings="xu2008")
    with pytest.raises(ConfigError, match="did you mean 'union'"):
        niwaki.align(pairs, method="unions")
    with pytest.raises(ConfigError, match="threshold"):
        niwaki.align(pairs, threshold=0)


def test_jumps_of_a_class_lean_on_all() -> None:
    counts = np.zeros((2, 4, 101))
    counts[:, 1, 51] = 90
    counts[:, 2, 49] = 10
    weights = estimate_jumps(counts, support=10)
    assert weights[0, 1, 51] > weights[0, 2, 51] > weights[0, 2, 53] > 0
    # Long jumps of about the same length are alike; short ones are not.
    counts[:, 1, 50 + 10] = 8
    weights = estimate_jumps(counts, support=10)
    assert weights[0, 1, 50 + 10] == weights[0, 1, 50 + 12] > weights[0, 1, 50 + 13]
    assert weights[0, 1, 50 + 10] > weights[0, 1, 50 - 10]
