"""Word pieces, windows over them, and encoders that are read from folders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.kernel.batch import Batch
from niwaki.parsers.neural.inputs import Inputs, distance_buckets, in_batches
from niwaki.parsers.neural.pretrained import read_encoder
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.parsers.neural.wordpiece import WordPieces, split_word
from tests.encoders import LAYERS, POSITIONS, WIDTH, vocabulary, write_encoder

PIECES = WordPieces("\n".join(vocabulary("bert")).encode())
NAMES = vocabulary("bert")
Array = np.ndarray[Any, np.dtype[np.float32]]


def pieces(word: str) -> list[str]:
    return [NAMES[number] for number in PIECES.cut(word.encode())]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("the", ["the"]),
        ("The", ["the"]),
        ("watches", ["watch", "##es"]),
        ("Quíetly", ["qu", "##iet", "##ly"]),  # lower case, without accents
        ("quietx", ["[UNK]"]),  # all or nothing
        ("don't", ["[UNK]", "'", "t"]),  # punctuation stands alone
        ("a" * 101, ["[UNK]"]),
        ("水", ["[UNK]"]),
        ("\u200b", ["[UNK]"]),  # nothing is left of it, but a word has a piece
    ],
)
def test_longest_pieces(word: str, found: list[str]) -> None:
    assert pieces(word) == found


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("L'Été", ["l", "'", "ete"]),
        ("日本go", ["日", "本", "go"]),
        ("a\u00adb", ["ab"]),
        ("$5", ["$", "5"]),
        ("…?!", ["…", "?", "!"]),
        ("İ", ["i"]),
        ("한국", ["한국"]),
    ],
)
def test_where_words_are_cut(word: str, parts: list[str]) -> None:
    import unicodedata

    wanted = [unicodedata.normalize("NFD", part) for part in parts]
    assert list(split_word(word)) == wanted


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_word_has_pieces_of_the_vocabulary(word: str) -> None:
    found = PIECES.cut(word.encode())
    assert found and all(0 <= number < len(PIECES) for number in found)


def test_special_pieces_have_the_names_of_their_kind() -> None:
    assert (PIECES.first, PIECES.last, PIECES.unknown) == (2, 3, 1)
    other = WordPieces("\n".join(vocabulary("mpnet")).encode())
    # Of its own vocabulary an MPNet takes <s> and </s>, but BERT's unknown piece.
    assert (other.first, other.last, other.unknown) == (0, 2, 5)
    with pytest.raises(ValueError, match=r"no \[UNK\] or <unk> among the word pieces"):
        WordPieces(b"[CLS]\n[SEP]\nthe\n")


# -- windows -----------------------------------------------------------------------------------


def inputs(kind: str, tmp_path: Path) -> Inputs:
    found = read_encoder(str(write_encoder(tmp_path / kind, kind)))
    spec = NeuralSpec(labels=["a"], **found.settings)  # type: ignore[arg-type]
    spec.check()
    return Inputs(spec, found.pieces)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("words", [1, 7, 16, 17, 18, 19, 40, 100])
def test_each_word_is_read_in_the_middle_of_a_window(kind: str, words: int, tmp_path: Path) -> None:
    made = inputs(kind, tmp_path)
    letters = [f"{'abcdefghij'[n % 10]}" for n in range(words)]
    batch = Batch([Sentence.from_words(letters).source, Sentence.from_words(["the"]).source])
    found = made.padded(made.words(batch), [0, 1])
    names = vocabulary(kind)
    windows, width = found["pieces"].shape
    assert width <= POSITIONS - (2 if kind == "mpnet" else 0)
    assert found["at"].max() < POSITIONS and found["at"].min() == (2 if kind == "mpnet" else 0)
    places = found["first"][0]
    assert [names[number] for number in found["pieces"].ravel()[places]] == letters
    assert names[found["pieces"].ravel()[found["first"][1, 0]]] == "the"
    longest = POSITIONS - 2 - (2 if kind == "mpnet" else 0)
    assert (windows == 2) == (words <= longest)
    if windows > 2:
        # But for the ends of the sentence, there are words on both sides.
        inside = places[longest // 4 : -(longest // 4) or None] % width
        assert (inside > longest // 5).all() and (inside < width - longest // 5).all()


def test_padding_is_marked(tmp_path: Path) -> None:
    made = inputs("bert", tmp_path)
    batch = Batch([Sentence.from_words(words).source for words in (["the"], ["a", "watches"])])
    found = made.padded(made.words(batch), [0, 1])
    assert (found["edges"][:, 0, 0] == 0).tolist() == [[True] * 3 + [False] * 2, [True] * 5]
    assert found["pieces"][0, 3:].tolist() == [0, 0]


def test_distances_near_and_far() -> None:
    found = distance_buckets(300)
    assert found[5, :8].tolist() == [5, 4, 3, 2, 1, 0, 17, 18]
    assert found[:, 0].tolist() == sorted(found[:, 0]) and found[299, 0] == 15
    assert found[0, 299] == 31 and found.min() == 0 and found.max() == 31


def test_batches_hold_sentences_of_about_equal_size(tmp_path: Path) -> None:
    made = inputs("bert", tmp_path)
    lengths = [3, 12, 1, 5, 12, 3, 40]
    words = made.words(Batch([Sentence.from_words(["the"] * n).source for n in lengths]))
    found = list(in_batches(words, range(len(lengths)), 30))
    assert sorted(s for batch in found for s in batch) == list(range(len(lengths)))
    sizes = [[lengths[s] + 2 for s in batch] for batch in found]
    assert sizes == [[3, 5, 5, 7], [14, 14], [42]]


# -- folders -----------------------------------------------------------------------------------


def test_first_layers_only(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "bert")
    whole, half = read_encoder(str(folder)), read_encoder(str(folder / "config.json"), 2)
    assert (whole.settings["layers"], half.settings["layers"]) == (LAYERS, 2)
    assert set(whole.weights) - set(half.weights) == {
        name for name in whole.weights if name.startswith(f"layer{LAYERS - 1}.")
    }
    assert whole.weights["layer0.qkv.weight"].shape == (3 * WIDTH, WIDTH)


def test_weights_below_a_prefix(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "bert")
    plain = read_encoder(str(folder))
    found = safetensors.numpy.load_file(folder / "model.safetensors")
    renamed = {f"bert.{name}": array for name, array in found.items()}
    safetensors.numpy.save_file(renamed, folder / "model.safetensors")
    again = read_encoder(str(folder))
    assert set(again.weights) == set(plain.weights)
    for name, array in plain.weights.items():
        assert np.array_equal(again.weights[name], array)


def break_config(folder: Path) -> None:
    (folder / "config.json").write_text("{")


def break_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\x80\x04pickled")


def other_vocabulary(folder: Path) -> None:
    names = [*vocabulary("bert"), "more"]
    (folder / "vocab.txt").write_text("\n".join(names))


def no_vocabulary(folder: Path) -> None:
    (folder / "vocab.txt").unlink()


def no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def other_order(folder: Path) -> None:
    (folder / "vocab.txt").write_text("\n".join(reversed(vocabulary("bert"))))
    set_config("pad_token_id", 0)(folder)


def no_beginning(folder: Path) -> None:
    names = [f"w{n}" for n in range(len(vocabulary("bert")))]
    (folder / "vocab.txt").write_text("\n".join(names))


def not_text(folder: Path) -> None:
    (folder / "vocab.txt").write_bytes(b"\xff\xfe")


def with_capitals(folder: Path) -> None:
    names = [name if name.startswith("[") else name.title() for name in vocabulary("bert")]
    (folder / "vocab.txt").write_text("\n".join(names))


def set_config(key: str, value: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, key: value}))

    return change


def set_weights(name: str, change: Callable[[Array], Array]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        found = safetensors.numpy.load_file(folder / "model.safetensors")
        found[name] = np.ascontiguousarray(change(found[name]))
        safetensors.numpy.save_file(found, folder / "model.safetensors")

    return changed


_POSITIONS = "embeddings.position_embeddings.weight"
_OUTER = "encoder.layer.1.output.dense.weight"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (break_config, "not an encoder that can be read"),
        (break_weights, "not an encoder that can be read"),
        (other_vocabulary, "word pieces, but vectors of"),
        (no_vocabulary, "a folder has config.json, vocab.txt and model.safetensors"),
        (
            no_weights,
            "model.safetensors; a folder has config.json, vocab.txt and model.safetensors",
        ),
        (other_order, "padding is word piece 56, but 0 in config.json; give the vocabulary"),
        (no_beginning, "no <s> or [CLS] among the word pieces"),
        (not_text, "codec can't decode"),
        (with_capitals, "word pieces with capitals; give an uncased encoder"),
        (set_config("model_type", "gpt2"), "an encoder of type 'gpt2'; give one of bert, mpnet"),
        (set_config("hidden_size", "many"), "not an encoder that can be read"),
        (set_config("hidden_size", 2 * WIDTH), "of shape (57, 16), not (57, 32) as config.json"),
        (set_config("num_attention_heads", 3), "3 heads in a width of 16"),
        (set_config("num_hidden_layers", -1), "layers of -1"),
        (set_config("num_hidden_layers", 9), "no weights encoder.layer.3.attention.self.query"),
        (set_config("layer_norm_eps", 0), "epsilon of 0"),
        (set_weights(_OUTER, np.ravel), "layer1.outer.weight of shape (384,), not (16, 24)"),
        (set_weights(_OUTER, lambda x: x * np.nan), "layer1.outer.weight that are not numbers"),
        (set_weights(_POSITIONS, lambda x: x[:2]), "positions of 2"),
    ],
)
def test_a_bad_encoder_gives_one_line(
    change: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    folder = write_encoder(tmp_path / "bert")
    change(folder)
    with pytest.raises(ConfigError) as caught:
        read_encoder(str(folder))
    text = str(caught.value)
    assert text.startswith(f"neural.encoder {folder}: ") and message in text
    assert "\n" not in text


def test_too_many_layers(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"3 layers, but neural\.layers is 4; choose fewer"):
        read_encoder(str(write_encoder(tmp_path / "bert")), LAYERS + 1)
