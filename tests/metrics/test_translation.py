"""Scores of translations: against sacrebleu where it has them, against slow twins else."""

from __future__ import annotations

import functools
import math
import random
import sys

import numpy as np
import pytest

from niwaki.data.bilingual.overlap import Reference, bleu, smoothed_bleu
from niwaki.errors import ExtraMissingError, NiwakiError
from niwaki.metrics.edits import block_distance, edit_distance, unordered_errors
from niwaki.metrics.significance import compare
from niwaki.metrics.translation import SCORES, evaluate_translation

sacrebleu = pytest.importorskip(
    "sacrebleu", reason="sacrebleu is not installed: pip install niwaki[mt]"
)
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402


def texts(seed: int, count: int = 40, longest: int = 12) -> tuple[list[str], list[str]]:
    """References, and translations that share much with them; some sides are empty."""
    rng = random.Random(seed)
    words = ["der", "Garten", "im", "Regen", "松", "の", "木", "ist", "alt", "."]
    references, found = [], []
    for _ in range(count):
        line = [rng.choice(words) for _ in range(rng.randrange(longest))]
        references.append(" ".join(line))
        moved = line[rng.randrange(3) :] + line[: rng.randrange(3)]
        found.append(" ".join(w if rng.random() < 0.8 else rng.choice(words) for w in moved))
    return references, found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("characters", [False, True])
def test_bleu_and_chrf_are_sacrebleus(seed: int, characters: bool) -> None:
    # Few sentences, so that some n-grams never match.
    references, found = texts(seed, count=3 + 4 * seed)
    scores = evaluate_translation(references, found, characters=characters).scores
    judge = BLEU(tokenize="char" if characters else "none")
    assert scores["BLEU"] == pytest.approx(judge.corpus_score(found, [references]).score)
    assert scores["chrF"] == pytest.approx(CHRF().corpus_score(found, [references]).score)


def test_ter_is_sacrebleus() -> None:
    references, found = texts(1)
    expected = TER(case_sensitive=True).corpus_score(found, [references]).score
    assert evaluate_translation(references, found).scores["TER"] == pytest.approx(expected)


def slow_distance(made: tuple[str, ...], right: tuple[str, ...], jump: int | None) -> int:
    """Shortest way over (words of the translation, words of the reference), by relaxing all."""
    costs = {(i, j): math.inf for i in range(len(made) + 1) for j in range(len(right) + 1)}
    costs[0, 0] = 0
    for _ in range(len(made) + len(right) + 2):
        for (i, j), cost in list(costs.items()):
            steps = [((i + 1, j), 1), ((i, j + 1), 1)]
            if i < len(made) and j < len(right):
                steps.append(((i + 1, j + 1), int(made[i] != right[j])))
            if jump is not None:
                steps += [((other, j), jump) for other in range(len(made) + 1)]
            for place, price in steps:
                if place in costs and cost + price < costs[place]:
                    costs[place] = cost + price
    return int(costs[len(made), len(right)])


def test_distances_are_shortest_ways() -> None:
    rng = random.Random(7)
    jumped = 0
    for _ in range(150):
        made = tuple(rng.choice("abc") for _ in range(rng.randrange(6)))
        right = tuple(rng.choice("abc") for _ in range(rng.randrange(6)))
        assert edit_distance(made, right) == slow_distance(made, right, None)
        assert block_distance(made, right) == slow_distance(made, right, 1)
        jumped += block_distance(made, right) < edit_distance(made, right)
    assert jumped > 10


def test_distances_by_hand() -> None:
    assert edit_distance("a b c d".split(), "c d a b".split()) == 4
    assert block_distance("a b c d".split(), "c d a b".split()) == 3
    assert unordered_errors("a b c d".split(), "c d a b".split()) == 0
    assert unordered_errors("a a b".split(), "a b c d".split()) == 2
    assert edit_distance([], ["a", "b"]) == 2
    assert block_distance(["a", "b"], []) == 1


def test_nist_by_hand() -> None:
    # Unigrams: a 2 of 4 words carries 1 bit, b and c 2 bits; `a b` and `a c` 1 bit each.
    references = ["a b", "a c"]
    perfect = evaluate_translation(references, references, scores=["NIST"]).scores["NIST"]
    assert perfect == pytest.approx((1 + 2 + 1 + 2) / 4 + (1 + 1) / 2)
    # 2 of 3 matching unigrams and no bigram; two thirds of the length halve it.
    found = evaluate_translation(["a b c"], ["a d"], scores=["NIST"]).scores["NIST"]
    assert found == pytest.approx(math.log2(3) / 2 * 0.5)


def test_a_perfect_translation_has_no_errors() -> None:
    references = [text for text in texts(3)[0] if len(text.split()) > 3]
    scores = evaluate_translation(references, references).scores
    assert [scores[name] for name in ("TER", "WER", "PER", "CDER")] == [0, 0, 0, 0]
    assert scores["BLEU"] == pytest.approx(100)
    assert scores["chrF"] == pytest.approx(100)


def test_smoothed_bleu_by_hand() -> None:
    row = Reference("a b c d e".split()).counts("a b c x".split())
    assert row == [4, 5, 3, 2, 1, 0, 4, 3, 2, 1]
    expected = (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25 * math.exp(1 - 5 / 4)
    assert smoothed_bleu(np.array(row)) == pytest.approx(expected)
    assert smoothed_bleu(np.array(Reference(["a"]).counts(["b"]))) == 0
    assert smoothed_bleu(np.array(Reference(["a"]).counts([]))) == 0
    rows = np.array([row, Reference(["b"] * 5).counts(["b"] * 5)])
    assert bleu(rows).tolist() == pytest.approx([float(bleu(each)) for each in rows])


def test_paired_bootstrap_over_sentences() -> None:
    references, found = texts(5)
    scored = functools.partial(evaluate_translation, references, scores=("BLEU", "WER"))
    good, bad = scored(references), scored(found)
    differences = {each.metric: each for each in compare(bad, good, 300)}
    assert differences["BLEU"].low > 0
    assert differences["WER"].high < 0


def test_what_does_not_fit() -> None:
    with pytest.raises(NiwakiError, match="1 references but 2 translations"):
        evaluate_translation(["a"], ["a", "b"])
    with pytest.raises(NiwakiError, match="no score 'BLUE'; did you mean 'BLEU'"):
        evaluate_translation(["a"], ["a"], scores=["BLUE"])


def test_without_sacrebleu_all_but_ter_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(ExtraMissingError, match=r"pip install niwaki\[mt\]"):
        evaluate_translation(["a"], ["a"])
    others = [name for name in SCORES if name != "TER"]
    assert list(evaluate_translation(["a"], ["a"], scores=others).scores) == others
