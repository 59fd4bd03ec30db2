"""Hashes of the sentences that a model learned from: which they are, how they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline import learned as module
from niwaki.pipeline.learned import LearnedSentences, Overlap, hashes_of, overlap_of
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.apart import put_together, taken_apart
from tests.saving import saved
from tests.toy import NEW, TOY, Log, quick_model, write


def words(text: str) -> Sentence:
    return Sentence.from_words(text.split())


A, B, C = words("Trees grow ."), words("Rain falls ."), words("Who waits ?")


def test_a_sentence_is_its_characters() -> None:
    assert hashes_of([words("Do n't wait .")]) == hashes_of([words("Don't wait.")])
    assert hashes_of([words("caf\u00e9")]) == hashes_of([words("cafe\u0301")])
    assert hashes_of([Sentence.from_words(["a\u00a0b", "c"])]) == hashes_of([words("ab c")])
    assert hashes_of([A.replace(upos=["X"] * 3, heads=[0, 1, 1])]) == hashes_of([A])
    assert len({*hashes_of([A, B, C, words("trees grow .")]).tolist()}) == 4
    assert all(0 <= each < 1 << 40 for each in hashes_of([A, B, C]).tolist())


def test_what_is_kept_can_be_read_again() -> None:
    for complete in (True, False):
        kept = LearnedSentences(LearnedSentences.of([A, B, A]).hashes, complete)
        again = LearnedSentences.load(saved(kept.parts()))
        assert again is not None and len(again) == 2
        assert again.hashes.tolist() == kept.hashes.tolist()
        assert again.complete is complete
        assert again.knows([C, B, A]).tolist() == [False, True, True]
    assert len(LearnedSentences.of([])) == 0


def test_a_start_is_learned_too() -> None:
    both = LearnedSentences.of([A]).after(LearnedSentences.of([A, B]))
    assert both.complete and both.knows([A, B, C]).tolist() == [True, True, False]
    unknown = LearnedSentences.of([A]).after(None)
    assert not unknown.complete and unknown.knows([A]).all()
    assert not LearnedSentences.of([B]).after(unknown).complete


def test_of_too_many_the_first_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    assert LearnedSentences.of([A, A, B]).complete
    kept = LearnedSentences.of([C, C, A, B])
    assert len(kept) == 2 and not kept.complete
    assert kept.knows([A, B, C]).tolist() == [True, False, True]
    later = LearnedSentences.of([B]).after(kept)
    assert len(later) == 2 and later.knows([B]).all()


# -- what is scored ------------------------------------------------------------------


def test_how_many_were_learned() -> None:
    knows = LearnedSentences.of([A, B])
    partly = knows.after(None)
    assert overlap_of([knows, None, partly], [A, C, B])[1] == Overlap(3, (2, None, 2))
    # Of a sentence that a model may have learned nothing is said.
    assert overlap_of([knows, partly], [C])[1].learned == (0, None)
    assert overlap_of([], [C]) == ([0], Overlap(1, ()))


def test_what_is_unseen() -> None:
    knows = LearnedSentences.of([A])
    other = LearnedSentences.of([B])
    assert overlap_of([knows], [A, C, B], unseen=True) == ([1, 2], Overlap(2, (0,), 1))
    assert overlap_of([knows, other, None], [A, C, B], unseen=True) == (
        [1],
        Overlap(1, (0, 0, None), 2),
    )
    with pytest.raises(NiwakiError, match=r"^unseen: none is left of 1, all were learned"):
        overlap_of([knows], [A], unseen=True)
    with pytest.raises(NiwakiError, match=r"^unseen: it is not recorded what was learned"):
        overlap_of([None], [A], unseen=True)
    with pytest.raises(NiwakiError, match=r"^unseen is for models"):
        overlap_of([], [A], unseen=True)


def test_an_example_was_learned_if_one_of_its_sentences_was() -> None:
    groups = [(0, 1), (2,), ()]
    knows = LearnedSentences.of([B])
    assert overlap_of([knows], [A, B, C], groups=groups)[1] == Overlap(3, (1,))
    assert overlap_of([knows], [A, B, C], groups=groups, unseen=True)[0] == [1, 2]


def test_a_note_says_who_learned_what() -> None:
    assert Overlap(9, (0,)).note() == Overlap(9, (None,)).note() == ""
    assert Overlap(1200, (1100,)).note() == (
        "note: 1,100 of 1,200 sentences were learned by this model; scores on them say how well "
        "they are remembered. --unseen leaves them out"
    )
    several = Overlap(9, (None, 9, 3)).note(["x", "y", "z"], "examples")
    assert several.startswith("note: 9 of 9 examples were learned by y, 3 by z; scores")


# -- models --------------------------------------------------------------------------


def test_trees_examples_and_the_start_are_learned_and_the_development_data_is_not(
    toy: list[Sentence], tmp_path: Path
) -> None:
    parts = {"nine": toy[:9], "dev": toy[9:12], "cost": toy[12:14]}
    files = {name: write(tmp_path / name, found) for name, found in parts.items()}
    quick = {"epochs": 1, "greedy_epochs": 1, "dev": str(files["dev"])}
    start = quick_model(tmp_path / "m", files["nine"], training=quick)
    assert start.learned is not None
    assert start.learned.knows(toy).tolist() == [number < 9 for number in range(len(toy))]
    cost = {"kind": "arc-length", "data": str(files["cost"])}
    config = make_config({"objective": [cost], "training": {"epochs": 1}})
    after = train(config, tmp_path / "on", Log(), init=load(tmp_path / "m"), threads=1)
    assert after.learned is not None
    known = {*range(9), 12, 13}
    assert after.learned.knows(toy).tolist() == [number in known for number in range(len(toy))]
    loaded = load(tmp_path / "on").learned
    assert loaded is not None and loaded.hashes.tolist() == after.learned.hashes.tolist()


def test_an_older_model_does_not_know(model_path: Path, tmp_path: Path) -> None:
    parts = taken_apart(model_path)
    del parts["learned.bin"], parts["designs.json"]["learned"]
    old = load(put_together(tmp_path / "old", parts))
    assert old.learned is None
    assert next(iter(old.parse([NEW]))).tree.is_complete
    config = make_config({"objective": [{"data": str(TOY)}], "training": {"epochs": 1}})
    after = train(config, tmp_path / "on", Log(), init=old, threads=1).learned
    assert after is not None and not after.complete and len(after)
