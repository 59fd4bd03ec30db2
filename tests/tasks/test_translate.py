"""Phrase tables, systems, their training and pre-ordering."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.bilingual.bitext import Links
from niwaki.errors import ConfigError, ModelError, NiwakiError
from niwaki.tasks.align.corpus import Side
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.translate import training
from niwaki.tasks.translate.decoder import Decoder, SearchSettings
from niwaki.tasks.translate.features import SENSE, default_weights, feature_names, write_weights
from niwaki.tasks.translate.language_model import train
from niwaki.tasks.translate.phrases import (
    Ngrams,
    Occurrences,
    find_occurrences,
    linked_arrays,
    score_pairs,
)
from niwaki.tasks.translate.preorder import Preorderer, retokenize
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.table import Options, PhraseTable, make_table
from niwaki.tasks.translate.training import Bitext, TrainSettings, train_system
from tests.translated import table_of
from tests.translating import pairs


def side_of(sentences: Sequence[str]) -> Side:
    side = Side(False, None)
    for text in sentences:
        side.add(text.split())
    return side


def occurrences(texts: Sequence[tuple[str, str, str]]) -> tuple[Occurrences, Side, Side]:
    source, target = side_of([each[0] for each in texts]), side_of([each[1] for each in texts])
    links = [
        Links(frozenset((int(a), int(b)) for a, b in (link.split("-") for link in each[2].split())))
        for each in texts
    ]
    return find_occurrences(source, target, linked_arrays(links)), source, target


def test_ngrams_know_their_words() -> None:
    side = side_of(["a b a b", "b", "a b c"])
    grams = Ngrams.of(side.words, side.starts, 3)
    assert [len(keys) for keys in grams.keys] == [3, 3, 3]
    words, starts = grams.words(np.arange(9))
    found = [tuple(words[a:b].tolist()) for a, b in itertools.pairwise(starts)]
    assert found == [(0,), (1,), (2,), (0, 1), (1, 0), (1, 2), (0, 1, 0), (0, 1, 2), (1, 0, 1)]


def test_scores_are_relative_frequencies_and_lexical_weights() -> None:
    found, source, target = occurrences(
        [("a b", "x y", "0-0 1-1"), ("a", "x", "0-0"), ("a c", "z", "0-0 1-0")]
    )
    table = make_table(found, score_pairs(found), (list(source.types), list(target.types)), 20)
    options = table.find(("a", "c"))
    by_target = {
        (tuple(options.spans[o].tolist()), options.target(o)): table.scores[options.rows[o]]
        for o in range(len(options))
        if options.rows[o] >= 0
    }
    # `a` alone became x twice; links of `a`: x, x, z. No other phrase became x.
    assert by_target[(0, 1), ("x",)] == pytest.approx([0, 0, 0, math.log(2 / 3)])
    # z has the links a and c: its weight is the mean of w(z|a) = 1/3 and w(z|c) = 1.
    backward = 2 * math.log(1 / 2)
    assert by_target[(0, 2), ("z",)] == pytest.approx([0, 0, backward, math.log(2 / 3)])
    # c is not in the table by itself: it may be copied.
    copied = [o for o in range(len(options)) if options.rows[o] < 0]
    assert [options.target(o) for o in copied] == [("c",)]


def test_a_table_keeps_the_likeliest_options_of_a_phrase() -> None:
    texts = [("a", "x", "0-0")] * 3 + [("a", "y", "0-0")] * 2 + [("a", "z", "0-0")]
    found, source, target = occurrences(texts)
    vocabularies = list(source.types), list(target.types)
    table = make_table(found, score_pairs(found), vocabularies, 2)
    options = table.find(("a",))
    assert [options.target(o) for o in range(len(options))] == [("x",), ("y",)]
    assert table.scores[:, 1] == pytest.approx(np.log([1 / 2, 1 / 3]))


def test_a_table_finds_the_options_of_all_phrases() -> None:
    chance = random.Random(5)
    for _ in range(30):
        texts = []
        for _ in range(6):
            n, m = chance.randint(1, 6), chance.randint(1, 6)
            links = {(chance.randrange(n), chance.randrange(m)) for _ in range(4)}
            words = " ".join(chance.choices("abc", k=n)), " ".join(chance.choices("xyz", k=m))
            texts.append((*words, " ".join(f"{i}-{j}" for i, j in links)))
        found, source, target = occurrences(texts)
        vocabularies = list(source.types), list(target.types)
        table = make_table(found, score_pairs(found), vocabularies, 100)
        tokens = texts[0][0].split()
        options = table.find(tokens)
        seen = {
            (tuple(tokens[a:b]), options.target(o))
            for o, (a, b) in enumerate(options.spans.tolist())
            if options.rows[o] >= 0
        }
        words, starts = found.source_ngrams.words(found.source)
        there, ends = found.target_ngrams.words(found.target)
        every = {
            (
                tuple(vocabularies[0][w] for w in words[starts[o] : starts[o + 1]]),
                tuple(vocabularies[1][w] for w in there[ends[o] : ends[o + 1]]),
            )
            for o in range(len(found.source))
        }
        text = " ".join(tokens)
        assert seen == {(a, b) for a, b in every if f" {' '.join(a)} " in f" {text} "}


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    table = table_of({("a",): [(("x",), (0.0,) * 4, (0.0,) * 6)]})
    table.save(tmp_path / "table")
    assert PhraseTable.load(tmp_path / "table").find(("a",)).target(0) == ("x",)
    wrong = PhraseTable(
        *[*vars(table).values()][:5], table.targets + 7, *[*vars(table).values()][6:10]
    )
    wrong.save(tmp_path / "wrong")
    with pytest.raises(ModelError, match=r"damaged phrase table .*; train the system again"):
        PhraseTable.load(tmp_path / "wrong")


def toy_decoder(settings: SearchSettings, senses: object = None) -> Decoder:
    none = (0.0,) * 6
    entries = {
        ("a",): [(("x",), (-1.0,) * 4, none), (("y",), (-1.5,) * 4, none)],
        ("b",): [(("z",), (-1.0,) * 4, none)],
    }
    names = feature_names(msd=False, jumps=False, senses=senses is not None)
    lm = train([["x", "z"], ["z", "x"], ["y", "z"]], 2)
    return Decoder(table_of(entries), lm, default_weights(names), None, settings, senses)  # type: ignore[arg-type]


def test_unknown_words_are_copied_and_no_words_stay_none() -> None:
    decoder = toy_decoder(SearchSettings(0))
    (found,) = decoder.translate(("Niwaki", "b"))
    assert found.tokens == ("Niwaki", "z")
    assert found.features[decoder.names.index("unknown-penalty")] == -1
    assert found.phrases == ((0, 1, 0, 1), (1, 2, 1, 2))
    assert decoder.translate(())[0].tokens == ()


def test_distinct_lists_have_no_string_twice() -> None:
    decoder = toy_decoder(SearchSettings(6))
    every = [each.tokens for each in decoder.translate(("a", "a"), 50, distinct=False)]
    some = [each.tokens for each in decoder.translate(("a", "a"), 50)]
    assert len(every) > len(set(every)) == len(some)
    assert some == list(dict.fromkeys(every))


def test_scores_of_occurrences_are_one_more_feature() -> None:
    def senses(options: Options) -> np.ndarray:
        return np.array([-9.0 if options.target(o) == ("x",) else 0.0 for o in range(len(options))])

    assert toy_decoder(SearchSettings()).translate(("a",))[0].tokens == ("x",)
    decoder = toy_decoder(SearchSettings(), senses)
    first, second = decoder.translate(("a",), 2)
    assert (first.tokens, second.tokens) == (("y",), ("x",))
    assert second.features[decoder.names.index(SENSE)] == -9


def test_long_sentences_and_threads_give_the_same() -> None:
    chance = random.Random(1)
    texts = [chance.choices("abc", k=length) for length in (1000, 1, 0, 300, *range(2, 40))]
    decoder = toy_decoder(SearchSettings(4, 20))
    one, two = (
        [each.hypotheses[0].text for each in decoder.translate_all(texts, threads=threads)]
        for threads in (1, 2)
    )
    assert one == two
    assert len(one[0].split()) == 1000
    with pytest.raises(NiwakiError, match="a sentence of 1001 words; give at most 1000"):
        decoder.translate(["a"] * 1001)


@pytest.mark.parametrize(("limit", "stack"), [(-1, 1), (65, 1), (6, 0)])
def test_settings_of_a_search_that_are_wrong(limit: int, stack: int) -> None:
    with pytest.raises(ConfigError, match="it must be from"):
        SearchSettings(limit, stack)


# ---- systems ----


def toy_text() -> Bitext:
    return Bitext([tuple(a.split()) for a, _ in pairs()], [tuple(b.split()) for _, b in pairs()])


@pytest.mark.parametrize("reordering", ["none", "msd", "maxent"])
def test_a_trained_system_translates(tmp_path: Path, reordering: str) -> None:
    text = toy_text()
    system = train_system(text, tmp_path / "toy", TrainSettings(reordering=reordering))
    decoder = system.decoder()
    found = [decoder.translate(words)[0].tokens for words in text.source]
    right = sum(one == other for one, other in zip(found, text.target, strict=True))
    assert right > 30
    assert not (tmp_path / "toy.part").exists()
    kept = {"config.json", "weights.json", "phrases", "language-model"}
    jumps = {"jumps"} if reordering == "maxent" else set()
    assert {each.name for each in (tmp_path / "toy").iterdir()} == kept | jumps


def test_training_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train_system(toy_text(), tmp_path / "whole", TrainSettings())

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(training, "make_table", stopped)
        with pytest.raises(KeyboardInterrupt):
            train_system(toy_text(), tmp_path / "toy", TrainSettings())
    assert not (tmp_path / "toy").exists()
    with monkeypatch.context() as patched:
        patched.setattr(training, "Aligner", stopped)
        system = train_system(toy_text(), tmp_path / "toy", TrainSettings())
    assert np.array_equal(system.table.scores, whole.table.scores)
    assert system.settings == whole.settings


def test_other_inputs_are_trained_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(training, "make_table", stopped)
        with pytest.raises(KeyboardInterrupt):
            train_system(toy_text(), tmp_path / "toy", TrainSettings())
    text = toy_text()
    text.source[0] = ("another", *text.source[0])
    with monkeypatch.context() as patched:
        patched.setattr(training, "Aligner", stopped)
        with pytest.raises(KeyboardInterrupt):
            train_system(text, tmp_path / "toy", TrainSettings())


def test_a_system_in_place_of_another(tmp_path: Path) -> None:
    train_system(toy_text(), tmp_path / "toy", TrainSettings(reordering="msd"))
    train_system(toy_text(), tmp_path / "toy", TrainSettings(reordering="none"))
    assert System.load(tmp_path / "toy").table.msd is None
    assert [each.name for each in tmp_path.iterdir()] == ["toy"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear", encoding="utf-8")
    with pytest.raises(ConfigError, match="something else stands there"):
        train_system(toy_text(), tmp_path / "mine", TrainSettings())


def test_folders_that_are_no_systems(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no translation system; give a folder"):
        System.load(tmp_path)
    train_system(toy_text(), tmp_path / "toy", TrainSettings())
    system = System.load(tmp_path / "toy")
    write_weights({**system.weights, "distance": math.nan}, tmp_path / "toy" / "weights.json")
    with pytest.raises(ModelError, match="the weight of distance is 'nan'"):
        System.load(tmp_path / "toy")
    write_weights({**system.weights, "distanse": 1.0}, tmp_path / "toy" / "weights.json")
    with pytest.raises(ModelError, match="did you mean 'distance'"):
        System.load(tmp_path / "toy")
    (tmp_path / "toy" / "phrases").write_bytes(b"")
    with pytest.raises(ModelError, match="not the file that was trained"):
        System.load(tmp_path / "toy")
    config = json.loads((tmp_path / "toy" / "config.json").read_bytes())
    config["files"]["../secret"] = ""
    (tmp_path / "toy" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match="no translation system"):
        System.load(tmp_path / "toy")


# ---- word order ----


@pytest.mark.parametrize(
    ("tokens", "words", "positions"),
    [
        ("he didn 't care", "he did n't care", (0, 1, 2, 3)),
        ("I can't .", "I ca n't .", (0, 1, 1, 2)),
        ("it's what we 've", "it 's what we 've", (0, 0, 1, 2, 3)),
        ("won 't WON 'T", "wo n't WO N'T", (0, 1, 2, 3)),
        ("'t n 't 's n't", "'t n 't 's n't", (0, 1, 2, 3, 4)),
        ("", "", ()),
    ],
)
def test_tokens_become_words_of_universal_dependencies(
    tokens: str, words: str, positions: tuple[int, ...]
) -> None:
    found = retokenize(tokens.split())
    assert (" ".join(found.tokens), found.positions) == (words, positions)


def test_links_that_are_given_move_with_their_words(tmp_path: Path) -> None:
    """Whatever the rules do to the order, `did` and `n't` have the links of `didn't`."""
    text = Bitext([("he", "didn't", "go")], [("x", "y")], [Links(frozenset({(1, 1), (2, 0)}))])
    rules = load_rules("ja")

    def parse(sentences):  # type: ignore[no-untyped-def]
        return (
            each.replace(heads=[0, 1, 2, 3], deprels=["root", "dep", "dep", "dep"])
            for each in sentences
        )

    preorderer = Preorderer(parse, rules)
    system = train_system(
        text, tmp_path / "toy", TrainSettings(reordering="none"), preorderer=preorderer, parser="en"
    )
    assert system.parser == "en"
    assert system.rules is not None
    options = system.table.find(("did", "n't"))
    found = {(tuple(options.spans[o].tolist()), options.target(o)) for o in range(len(options))}
    assert ((0, 2), ("y",)) in found
