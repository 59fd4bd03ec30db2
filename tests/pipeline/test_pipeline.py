"""A trained model: what it keeps, what it never does, and that nothing around it matters."""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.modelfile import read_model_file, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.kernel.batch import Batch
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline import batching
from niwaki.pipeline import pipeline as module
from niwaki.pipeline.lengths import LengthLimit
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from tests.strategies import field, heads, sentence_text
from tests.toy import quick_model, without

BEAMS = [1, 2, 4, 9]


def sources(sentences: list[Sentence]) -> list[bytes]:
    return [sentence.source for sentence in sentences]


def bare(toy: list[Sentence]) -> list[Sentence]:
    """Words without anything that a model predicts."""
    return without(toy, "lemmas", "upos", "xpos", "feats")


# -- trees -----------------------------------------------------------------------


@pytest.mark.parametrize("beam", BEAMS)
def test_trees_are_whole_and_single_rooted(model: Pipeline, toy: list[Sentence], beam: int) -> None:
    parsed = list(model.parse(bare(toy), beam=beam))
    assert len(parsed) == len(toy) == 33
    for sentence in parsed:
        assert sentence.tree.is_complete
        assert sentence.tree.is_projective


def test_it_says_what_it_is(model: Pipeline) -> None:
    cards = [{"name": "toy"}, {"name": "te", "language": "Telugu\n"}, None, ["x"]]
    said = [repr(dataclasses.replace(model, config={"card": card})) for card in cards]
    assert said[:2] == ["<Pipeline 'toy'>", r"<Pipeline 'te', 'Telugu\n'>"]
    assert said[2:] == ["<Pipeline >", "<Pipeline >"]


def test_it_has_learned_something(model: Pipeline, toy: list[Sentence]) -> None:
    scores = evaluate(toy, model.parse(bare(toy))).scores
    assert scores["LAS"] > 70
    assert min(scores[name] for name in ("UPOS", "XPOS", "FEATS", "LEMMA")) > 90
    assert evaluate(toy, model.parse(bare(toy), beam=1)).scores["LAS"] > 70


words = st.lists(field, min_size=1, max_size=12)


@given(words, st.data())
@settings(max_examples=60)
def test_unknown_words_tags_and_labels_never_fail(
    model: Pipeline, forms: list[str], data: st.DataObject
) -> None:
    columns = {
        name: data.draw(st.lists(field, min_size=len(forms), max_size=len(forms)))
        for name in ("lemmas", "upos", "xpos", "feats", "deprels")
    }
    sentence = Sentence.from_words(forms, heads=data.draw(heads(len(forms))), **columns)
    for beam in (1, 3):
        (parsed,) = model.parse([sentence], beam=beam)
        assert parsed.forms == tuple(forms)
        assert parsed.tree.is_complete
        for name in ("lemmas", "upos", "xpos", "feats"):
            for given_value, value in zip(columns[name], getattr(parsed, name), strict=True):
                assert value == given_value or given_value == "_"
        (retagged,) = model.parse([sentence], beam=beam, retag=True)
        assert set(retagged.upos) <= set(model.tagger.upos.names if model.tagger else [])
        assert retagged.tree.is_complete


def test_ranges_empty_nodes_and_comments_stay(model: Pipeline, fixtures: Path) -> None:
    text = (fixtures / "phenomena.conllu").read_text(encoding="utf-8")
    blocks = text.strip().split("\n\n")
    assert len(blocks) > 5
    for block in blocks:
        sentence = Sentence.from_conllu(f"{block}\n\n")
        (parsed,) = model.parse([sentence])
        assert parsed.comments == sentence.comments
        assert parsed.ranges == sentence.ranges
        assert parsed.empty_nodes == sentence.empty_nodes
        assert (parsed.forms, parsed.misc) == (sentence.forms, sentence.misc)


def test_a_long_sentence(model: Pipeline) -> None:
    long = Sentence.from_words(["the", "old", "pine"] * 2000)
    for beam in (1, 4):
        (parsed,) = model.parse([long], beam=beam)
        assert parsed.tree.is_complete


# -- what is given ---------------------------------------------------------------


def test_given_tags_and_lemmas_are_kept_unless_retag(model: Pipeline) -> None:
    sentence = Sentence.from_words(
        ["The", "pine", "leans", "."],
        upos=["_", "VERB", "FOO", "_"],
        xpos=["_", "_", "BAR", "_"],
        feats=["_", "Number=Plur", "_", "_"],
        lemmas=["_", "pain", "_", "_"],
    )
    (kept,) = model.parse([sentence])
    assert kept.upos[1:3] == ("VERB", "FOO")
    assert kept.xpos[2] == "BAR"
    assert kept.xpos[1].startswith("VB"), "what is not given goes with what is"
    assert kept.feats[1] == "Number=Plur"
    assert kept.lemmas[1] == "pain"
    assert (kept.upos[0], kept.upos[3], kept.lemmas[0]) == ("DET", "PUNCT", "the")
    (retagged,) = model.parse([sentence], retag=True)
    assert (retagged.upos[1], retagged.lemmas[1]) == ("NOUN", "pine")
    assert "FOO" not in retagged.upos and "BAR" not in retagged.xpos
    (fresh,) = model.parse(bare([sentence]))
    assert retagged == fresh


def test_nothing_given_passes_as_predicted(model: Pipeline, toy: list[Sentence]) -> None:
    assert model.unpredicted == ()
    without = dataclasses.replace(model, morphology=None)
    assert without.unpredicted == ("LEMMA", "FEATS")
    for parsed in without.parse(toy, retag=True):
        assert set(parsed.feats) == set(parsed.lemmas) == {"_"}
        assert "_" not in parsed.upos
    tagless = dataclasses.replace(without, tagger=None)
    assert tagless.unpredicted == ("LEMMA", "UPOS", "XPOS", "FEATS")
    given = [s.replace(xpos=["BAR"] * len(s)) for s in toy]
    for parsed in tagless.parse(given, retag=True):
        assert set(parsed.feats) == set(parsed.lemmas) == set(parsed.upos) == {"_"}
        assert set(parsed.xpos) == {"_"}
    assert next(iter(tagless.parse(given))).xpos[0] == "BAR"


def test_heads_and_labels_of_the_input_do_not_matter(model: Pipeline, toy: list[Sentence]) -> None:
    parsed = list(model.parse(bare(toy)))
    elsewhere = [s.replace(heads=[-1] * len(s), deprels=["odd"] * len(s)) for s in bare(toy)]
    assert sources(list(model.parse(elsewhere))) == sources(parsed)


def test_parsing_twice_changes_nothing(model: Pipeline, toy: list[Sentence]) -> None:
    once = list(model.parse(toy))
    assert sources(list(model.parse(once))) == sources(once)


# -- batches and threads ---------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 4])
def test_a_sentence_is_parsed_alike_in_any_company(
    model: Pipeline, toy: list[Sentence], beam: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = bare(toy)
    alone = [next(model.parse([sentence], beam=beam)).source for sentence in sentences]
    for size in (1, 2, 7, 256):
        monkeypatch.setattr(batching, "_SENTENCES", size)
        assert sources(list(model.parse(sentences, beam=beam))) == alone
        backwards = list(model.parse(sentences[::-1], beam=beam))
        assert sources(backwards[::-1]) == alone
    monkeypatch.setattr(batching, "_BYTES", 1)
    assert sources(list(model.parse(sentences, beam=beam))) == alone


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_give_the_same_bytes_in_order(
    model: Pipeline, toy: list[Sentence], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = bare(toy) * 4
    expected = sources(list(model.parse(sentences)))
    monkeypatch.setattr(batching, "_SENTENCES", 3)
    assert sources(list(model.parse(sentences, threads=threads))) == expected
    assert list(model.parse([], threads=threads)) == []


@given(
    texts=st.lists(sentence_text("\n"), min_size=1, max_size=12),
    cuts=st.lists(st.integers(1, 5), min_size=12, max_size=12),
    beam=st.sampled_from([1, 3]),
    threads=st.sampled_from([1, 2]),
)
@settings(max_examples=40)
def test_any_sentences_in_any_batches_give_the_same_bytes(
    model: Pipeline, texts: list[str], cuts: list[int], beam: int, threads: int
) -> None:
    sentences = [Sentence.from_conllu(text + "\n") for text in texts]
    alone = [next(model.parse([sentence], beam=beam)).source for sentence in sentences]
    sizes = iter(cuts)

    def in_batches(read: Iterable[Sentence], limit: LengthLimit) -> Iterator[list[Sentence]]:
        rest = iter(read)
        while batch := list(itertools.islice(rest, next(sizes, 1))):
            yield batch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "in_batches", in_batches)
        parsed = list(model.parse(sentences, beam=beam, threads=threads))
    assert sources(parsed) == alone


def test_many_threads_may_call_at_once(model: Pipeline, toy: list[Sentence]) -> None:
    """Greedily and with beams, trees and candidates, words and text, all mixed."""
    sentences = bare(toy)
    text = " ".join(word for sentence in sentences[:8] for word in sentence.forms)

    def work(number: int) -> object:
        kind = number % 5
        if kind == 3:
            found = model.kbest(sentences[number % len(sentences)], 4)
            return found.trees, found.scores.tolist()
        if kind == 4:
            return sources(list(model.parse(text)))
        return sources(list(model.parse(sentences, beam=(1, 3, 8)[kind], threads=1 + number % 2)))

    numbers = list(range(40))
    expected = [work(number) for number in numbers]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, numbers)) == expected
    finally:
        sys.setswitchinterval(interval)


def test_sentences_are_read_as_they_are_needed(
    model: Pipeline, toy: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "_SENTENCES", 2)
    read: list[Sentence] = []

    def endless() -> Iterator[Sentence]:
        for sentence in itertools.cycle(toy):
            read.append(sentence)
            yield sentence

    for threads in (1, 2):
        read.clear()
        assert len(list(itertools.islice(model.parse(endless(), threads=threads), 9))) == 9
        assert len(read) < 30


def test_impossible_arguments(model: Pipeline, toy: list[Sentence]) -> None:
    for arguments in ({"beam": 0}, {"beam": -3}, {"threads": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            model.parse(toy, **arguments)
    for k, beam in ((0, 4), (-1, 4), (1, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            model.kbest(toy[0], k, beam=beam)


# -- k-best ----------------------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 4, 8])
def test_candidates_are_distinct_sorted_whole_trees(
    model: Pipeline, toy: list[Sentence], beam: int
) -> None:
    assert len(toy) > 12
    for sentence in bare(toy[:12]):
        found = model.kbest(sentence, 8, beam=beam)
        assert 1 <= len(found) <= 8
        assert len(set(found.trees)) == len(found)
        assert list(found.scores) == sorted(found.scores, reverse=True)
        assert list(found.probabilities) == sorted(found.probabilities, reverse=True)
        assert sum(found.probabilities) == pytest.approx(1)
        assert all(tree.is_complete for tree in found)
        assert len({moves.tobytes() for moves in found.histories}) == len(found)


def test_the_list_for_k_is_a_prefix_of_that_for_more(model: Pipeline, toy: list[Sentence]) -> None:
    assert len(toy) > 8
    for sentence in bare(toy[:8]):
        lists = [model.kbest(sentence, k, beam=8) for k in range(1, 9)]
        for short, long in itertools.pairwise(lists):
            assert long.trees[: len(short)] == short.trees
            assert long.scores[: len(short)].tolist() == short.scores.tolist()
            pairs = zip(long.histories, short.histories, strict=False)
            assert all(np.array_equal(one, other) for one, other in pairs)
            assert len(short) <= len(long)


def test_the_best_candidate_is_what_parse_gives(model: Pipeline, toy: list[Sentence]) -> None:
    assert toy
    for sentence in bare(toy):
        (parsed,) = model.parse([sentence], beam=4)
        found = model.kbest(sentence, 1, beam=4)
        assert found.trees[0] == parsed.tree
        assert found.sentence.with_tree(found.trees[0]) == parsed


def test_a_k_beyond_the_beam_widens_it(model: Pipeline, toy: list[Sentence]) -> None:
    assert len(toy) > 6
    for sentence in bare(toy[:6]):
        widened = model.kbest(sentence, 20, beam=2)
        wide = model.kbest(sentence, 20, beam=20)
        assert widened.trees == wide.trees
        assert widened.scores.tolist() == wide.scores.tolist()
        assert len(widened) > 2


def test_512_best(model: Pipeline, toy: list[Sentence]) -> None:
    longest = max(bare(toy), key=len)
    found = model.kbest(longest, 512)
    assert 256 < len(found) <= 512
    assert len(set(found.trees)) == len(found)
    assert all(tree.is_complete for tree in found)
    assert list(found.scores) == sorted(found.scores, reverse=True)


def test_a_short_sentence_has_few_trees(model: Pipeline) -> None:
    """All single-rooted trees of one word: one with each label that a root can have."""
    found = model.kbest(Sentence.from_words(["Welcome"]), 100)
    assert {tree.heads for tree in found} == {(0,)}
    assert len(found) == len({tree.deprels for tree in found}) < 100


def test_histories_lead_to_their_trees_and_scores(model: Pipeline, toy: list[Sentence]) -> None:
    sentence = bare(toy)[5]
    found = model.kbest(sentence, 8)
    assert len(found) == 8
    batch = Batch([sentence.source])
    engine = model.parser.model
    values = engine.attribute_values(batch, model.tag(batch))
    for moves, score in zip(found.histories, found.scores, strict=True):
        again, _ = engine.kernel.follow(batch, 0, values, moves)
        assert again == pytest.approx(score, rel=1e-5)


# -- tags ------------------------------------------------------------------------


def test_likely_tags(model: Pipeline, toy: list[Sentence]) -> None:
    assert model.tagger is not None
    everything = len(model.tagger.pairs)
    for sentence in bare(toy[:10]):
        (parsed,) = model.parse([sentence])
        for k in (1, 3, everything, everything + 5):
            likely = model.likely_tags(sentence, k)
            assert len(likely) == len(sentence)
            for word, tags in enumerate(likely):
                chances = [chance for _, _, chance in tags]
                assert len(tags) == min(k, everything)
                assert chances == sorted(chances, reverse=True)
                assert min(chances) >= 0
                assert sum(chances) <= 1 + 1e-5
                assert len({(upos, xpos) for upos, xpos, _ in tags}) == len(tags)
                assert tags[0][:2] == (parsed.upos[word], parsed.xpos[word])
        assert sum(chance for _, _, chance in likely[0]) == pytest.approx(1, abs=1e-4)


# -- files -----------------------------------------------------------------------


def test_save_and_load(
    model: Pipeline, model_path: Path, toy: list[Sentence], tmp_path: Path
) -> None:
    again = tmp_path / "again.niwaki"
    model.save(again)
    assert again.read_bytes() == model_path.read_bytes()
    other = load(again)
    assert other.parser.ways == model.parser.ways
    for beam in (1, 4):
        one, two = (list(each.parse(bare(toy), beam=beam)) for each in (model, other))
        assert sources(one) == sources(two)
    assert other.kbest(toy[3], 5).trees == model.kbest(toy[3], 5).trees
    assert other.likely_tags(toy[3], 3) == model.likely_tags(toy[3], 3)


def test_the_trained_pipeline_is_the_saved_one(tmp_path: Path, toy: list[Sentence]) -> None:
    path = tmp_path / "m.niwaki"
    trained = quick_model(path, training={"epochs": 1, "greedy_epochs": 1})
    assert sources(list(load(path).parse(bare(toy)))) == sources(list(trained.parse(bare(toy))))


def test_the_card_names_no_folder(model_path: Path) -> None:
    """Where the data lay on somebody's disk is nobody's business."""
    text = json.dumps(load(model_path).config)
    assert "toy.conllu" in text
    assert "/" not in text


def test_models_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model 'nowhere': neither a file nor bundled"):
        load("nowhere")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.niwaki")


def test_damaged_files(model_path: Path, tmp_path: Path) -> None:
    data = model_path.read_bytes()
    path = tmp_path / "damaged.niwaki"
    damages = [
        (b"", "not a niwaki model"),
        (b"PK" + data[2:], "not a niwaki model"),
        (data[:-1], "damaged"),
        (data + b"x", "damaged"),
        (data[:5000] + bytes([data[5000] ^ 1]) + data[5001:], "damaged"),
        (data[:-5000] + bytes([data[-5000] ^ 1]) + data[-4999:], "damaged"),
    ]
    for damaged, message in damages:
        path.write_bytes(damaged)
        with pytest.raises(ModelError) as caught:
            load(path)
        assert str(caught.value).startswith(str(path))
        assert message in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"designs.json": None}, "no part 'designs.json'"),
        ({"weights-parser.safetensors": None}, "no part 'weights-parser.safetensors'"),
        ({"candidates-lemmas.safetensors": None}, "no part"),
        ({"designs.json": []}, "train it again"),
        ({"designs.json": {}}, "without its parser"),
        ({"designs.json": {"parser": 3}}, "train it again"),
        ({"designs.json": {"parser": {"system": "arc-standard"}}}, "train it again"),
        ({"designs.json": b"{"}, "is not JSON"),
        ({"weights-parser.safetensors": b"??"}, "holds no tensors"),
        ({"weights-parser.safetensors": {}}, "train it again"),
        ({"config.json": {"name": "no tables"}}, "train it again"),
    ],
)
def test_files_of_something_else(
    model_path: Path, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    """The checksums are right, but what is inside is not a model."""
    parts: dict[str, object] = {
        name: bytes(part) for name, part in read_model_file(model_path).parts.items()
    }
    parts.update(change)
    path = tmp_path / "other.niwaki"
    write_model_file(path, {name: part for name, part in parts.items() if part is not None})
    with pytest.raises(ModelError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1


# -- case ------------------------------------------------------------------------


def test_without_case_capitals_do_not_matter(toy: list[Sentence], tmp_path: Path) -> None:
    path = tmp_path / "lower.niwaki"
    quick_model(path, model={"case": "insensitive"})
    model = load(path)
    variants = [
        [s.replace(forms=[change(form) for form in s.forms]) for s in bare(toy)]
        for change in (str.lower, str.upper, str.title, str.swapcase)
    ]
    plain, *others = [list(model.parse(each)) for each in variants]
    assert len(plain) == len(toy) and len(others) == 3
    for changed in others:
        for one, other in zip(plain, changed, strict=True):
            assert one.upos == other.upos
            assert one.xpos == other.xpos
            assert one.feats == other.feats
            assert one.tree == other.tree


def test_with_case_capitals_matter(model: Pipeline, toy: list[Sentence]) -> None:
    upper = [s.replace(forms=[form.upper() for form in s.forms]) for s in bare(toy)]
    plain = [s.replace(forms=[form.lower() for form in s.forms]) for s in bare(toy)]
    differences = [
        one.tree != other.tree or one.upos != other.upos
        for one, other in zip(model.parse(upper), model.parse(plain), strict=True)
    ]
    assert any(differences)
