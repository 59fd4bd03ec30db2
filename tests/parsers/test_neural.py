"""Neural parsers: the network in torch and in ONNX, trees, tags, hard inputs, missing extras."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.faults import COLUMNS
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ExtraMissingError, ModelError
from niwaki.kernel.batch import Batch
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.calibration import measure
from niwaki.parsers.neural import family as neural_family
from niwaki.parsers.neural import model as neural_model
from niwaki.parsers.neural.inputs import Inputs
from niwaki.parsers.neural.model import NeuralParser, OnnxEncoder
from niwaki.parsers.neural.network import initial_weights, label_scores, shapes
from niwaki.parsers.neural.pretrained import read_encoder
from niwaki.parsers.neural.spec import ENCODERS, NeuralSpec
from niwaki.parsers.neural.weights import quantized, restored, stored
from niwaki.parsers.neural.wordpiece import WordPieces
from niwaki.pipeline.ensemble import Ensemble
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from tests.apart import put_together, taken_apart
from tests.encoders import write_encoder
from tests.toy import NEW, QUICK_NEURAL, TOY, quick_config, quick_model, skip_without_extras

skip_without_extras("neural")

CLASSES = {
    "lemmas": ["keep-0+", "lower-0+"],
    "upos": ["NOUN", "PUNCT", "VERB"],
    "feats": ["_", "X=Y"],
}
TEXTS = [["The", "gardener", "shapes", "old", "pines", "."], ["Herons"], ["She", "watches", "Ж"]]


def untrained(
    encoder: str, folder: Path, is_quantized: bool
) -> tuple[NeuralSpec, dict[str, Any], WordPieces | None]:
    """A network with random weights."""
    settings: dict[str, Any] = {"width": 16, "layers": 5}
    weights, pieces = {}, None
    if encoder != "letters":
        found = read_encoder(str(write_encoder(folder / encoder, encoder)))
        settings, weights, pieces = dict(found.settings), dict(found.weights), found.pieces
    spec = NeuralSpec(
        labels=["dep", "obj", "root"],
        classes=CLASSES,
        quantized=is_quantized,
        letter_rows=64,
        arc_width=12,
        label_width=8,
        tag_width=8,
        **settings,
    )
    weights = {**initial_weights(spec, 1), **weights}
    random = np.random.default_rng(5)
    weights["labels.mix"] = random.normal(0, 0.2, weights["labels.mix"].shape).astype(np.float32)
    return spec, weights, pieces


def batch_of(texts: list[list[str]]) -> Batch:
    return Batch([Sentence.from_words(words).source for words in texts])


# -- one network, two ways to compute it -------------------------------------------------------


@pytest.mark.parametrize("encoder", ENCODERS)
def test_torch_and_onnx_say_the_same(encoder: str, tmp_path: Path) -> None:
    from niwaki.parsers.neural.torch_ops import TorchOps, as_tensors, run

    spec, weights, pieces = untrained(encoder, tmp_path, False)
    made, batch = Inputs(spec, pieces), batch_of([*TEXTS, ["old"] * 45])
    session = OnnxEncoder(spec, stored(spec, weights), pieces)
    words = made.words(batch)
    wanted = run(spec, TorchOps(as_tensors(weights)), made.padded(words, range(len(words))))
    encoded = session.encode(batch)
    assert len(encoded) == 4
    for s, found in enumerate(encoded):
        n = batch.lengths[s]
        assert found.arcs.shape == (n + 1, n) and np.ptp(found.arcs) > 0.01
        close = {"rtol": 1e-4, "atol": 1e-4}
        assert np.allclose(found.arcs, wanted.arcs[s, : n + 1, :n], **close)
        assert np.allclose(found.label_heads, wanted.label_heads[s, : n + 1], **close)
        assert np.allclose(found.label_words, wanted.label_words[s, :n], **close)
        assert set(found.classes) == set(CLASSES)
        for kind, scores in found.classes.items():
            assert np.allclose(scores, wanted.classes[kind][s, :n], **close)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_rounded_weights_say_nearly_the_same(encoder: str, tmp_path: Path) -> None:
    spec, weights, pieces = untrained(encoder, tmp_path, True)
    kept = stored(spec, weights)
    rounded = OnnxEncoder(spec, kept, pieces)
    plain = NeuralSpec.from_json({**spec.to_json(), "quantized": False})
    exact = OnnxEncoder(plain, stored(plain, restored(spec, kept)), pieces)
    batch = batch_of(TEXTS)
    pairs = list(zip(rounded.encode(batch), exact.encode(batch), strict=True))
    assert len(pairs) == len(TEXTS)
    for one, other in pairs:
        assert not np.array_equal(one.arcs, other.arcs)
        assert np.corrcoef(one.arcs.ravel(), other.arcs.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("is_quantized", [False, True])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_sentence_does_not_depend_on_others(
    encoder: str, is_quantized: bool, tmp_path: Path
) -> None:
    spec, weights, pieces = untrained(encoder, tmp_path, is_quantized)
    session = OnnxEncoder(spec, stored(spec, weights), pieces)
    together = session.encode(batch_of([*TEXTS, ["watches"] * 30]))
    for words, found in zip(TEXTS, together, strict=False):
        (alone,) = session.encode(batch_of([words]))
        assert np.allclose(alone.arcs, found.arcs, atol=1e-5)


def test_labels_are_scored_by_their_definition() -> None:
    random = np.random.default_rng(1)
    heads, words = random.normal(size=(2, 4, 3)).astype(np.float32)
    mix = random.normal(size=(5, 4, 4)).astype(np.float32)
    arcs = np.array([2, 0, 2, 3, 0, 2]), np.array([0, 1, 1, 2, 3, 3])
    found = label_scores(heads, words, mix, arcs)
    for arc, (row, place) in enumerate(zip(*arcs, strict=True)):
        h, d = np.append(heads[row], 1), np.append(words[place], 1)
        assert found[arc] == pytest.approx([d @ each @ h for each in mix], abs=1e-5)
    torch = pytest.importorskip("torch")
    from niwaki.parsers.neural import torch_ops

    chosen = (heads[arcs[0]], words[arcs[1]], mix)
    again = torch_ops.label_scores(*map(torch.from_numpy, chosen))
    assert np.allclose(again.numpy(), found, atol=1e-5)


def test_rows_are_rounded_by_their_own_scale() -> None:
    array = np.array([[1.0, -2.0, 0.5], [0.001, 0.0, 0.0005], [0, 0, 0]], dtype=np.float32)
    whole, scale = quantized(array)
    assert whole.tolist() == [[64, -127, 32], [127, 0, 64], [0, 0, 0]]
    assert np.abs(whole * scale[:, None] - array).max() <= 2.0 / 254 + 1e-6


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    spec, weights, _ = untrained("letters", tmp_path, True)
    kept = stored(spec, weights)
    assert set(restored(spec, kept)) == set(shapes(spec))
    for name, array in (
        ("root", np.zeros(3, np.float32)),
        ("arcs.mix.weight", kept["arcs.mix.weight"].astype(np.float32)),
        ("arcs.mix.weight.scale", np.ones(1, np.float32)),
        ("root", np.full(16, np.nan, np.float32)),
    ):
        with pytest.raises(ValueError, match=name.removesuffix(".scale")):
            restored(spec, {**kept, name: array})


# -- models --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("neural") / "neural.niwaki"
    table = {**QUICK_NEURAL, "quantized": True}
    training = {"epochs": 30, "dev": str(TOY)}
    quick_model(path, model={"kind": "neural"}, neural=table, training=training)
    return path


@pytest.fixture(scope="module")
def neural(path: Path) -> Pipeline:
    return load(path)


def bare(sentences: list[Sentence]) -> list[Sentence]:
    return [Sentence.from_words(sentence.forms) for sentence in sentences]


def test_it_has_learned_trees_and_tags(neural: Pipeline, toy: list[Sentence]) -> None:
    scores = evaluate(toy, list(neural.parse(bare(toy)))).scores
    assert {name for name, value in scores.items() if value > 85} >= {
        *("UAS", "LAS", "UPOS", "XPOS", "FEATS", "LEMMA")
    }, scores
    assert neural.unpredicted == ()
    assert neural.morphology is None and neural.tagger is not None
    assert neural.config["scores_on_dev"]["mst"]["LAS"] > 85


def test_trees_may_cross(neural: Pipeline, toy: list[Sentence]) -> None:
    crossing = next(s for s in toy if not s.tree.is_projective)
    (parsed,) = neural.parse(bare([crossing]))
    assert parsed.heads == crossing.heads
    (flat,) = neural.parse(bare([crossing]), decode="eisner")
    assert flat.tree.is_projective


@pytest.mark.parametrize("decode", ["mst", "eisner", "mbr"])
def test_ways_to_decode(neural: Pipeline, toy: list[Sentence], decode: str) -> None:
    parsed = list(neural.parse(bare(toy), decode=decode))
    assert all(sentence.tree.is_complete for sentence in parsed)
    assert evaluate(toy, parsed).scores["UAS"] > 80
    with pytest.raises(ModelError, match="beam says nothing"):
        list(neural.parse(bare(toy), beam=3))


def test_batches_and_threads_change_no_tree(neural: Pipeline, toy: list[Sentence]) -> None:
    together = [s.source for s in neural.parse(bare(toy))]
    assert [s.source for s in neural.parse(bare(toy), threads=3)] == together
    assert [next(neural.parse([s])).source for s in bare(toy)] == together


def test_probabilities_fit(neural: Pipeline, toy: list[Sentence]) -> None:
    parsed = list(neural.parse(bare(toy), probabilities=True))
    scores = measure(toy, parsed).scores
    # Of the data that it was calibrated on; a network at no temperature would be off further.
    assert scores["arc_ECE"] < 0.1 and scores["label_ECE"] < 0.1, scores


def test_given_tags_stay_and_words_are_computed_once(
    neural: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(neural.parser, NeuralParser)
    encoder = neural.parser.encoder
    assert isinstance(encoder, OnnxEncoder)
    runs = []
    original = encoder._encode

    def counted(batch: Batch) -> Any:
        runs.append(batch.words)
        return original(batch)

    monkeypatch.setattr(encoder, "_encode", counted)
    given = NEW.replace(upos=["_", "X", "_", "PROPN", "_", "_"], lemmas=["_", "lemma", *"____"])
    (parsed,) = neural.parse([given], probabilities=True)
    assert runs == [len(NEW)]
    assert parsed.upos[1] == "X" and parsed.upos[3] == "PROPN" and parsed.lemmas[1] == "lemma"
    assert "_" not in parsed.upos and "_" not in parsed.lemmas
    (again,) = neural.parse([given], retag=True)
    assert again.upos[1] != "X" and again.lemmas[1] != "lemma"


def test_likely_tags(neural: Pipeline, toy: list[Sentence]) -> None:
    found = neural.likely_tags(toy[0], 3)
    assert len(found) == len(toy[0])
    for tags in found:
        assert len(tags) == 3 and tags[0][2] >= tags[1][2] >= tags[2][2]
        assert sum(share for _, _, share in tags) <= 1 + 1e-6


def test_an_ensemble_with_another_family(
    neural: Pipeline, model: Pipeline, toy: list[Sentence]
) -> None:
    for members in ([neural, model], [model, neural]):
        parsed = list(Ensemble(members).parse(bare(toy)))
        assert evaluate(toy, parsed).scores["UAS"] > 80


# -- hard inputs ---------------------------------------------------------------------------------


def test_nothing_and_very_much(neural: Pipeline) -> None:
    assert list(neural.parse([])) == []
    long_word = Sentence.from_words(["x" * 5000, "grows", "é" * 3000])
    many_words = Sentence.from_words(["pine", "tree"] * 1000)
    too_many = Sentence.from_words(["pine"] * 2100)
    for sentence in (long_word, many_words, too_many):
        (parsed,) = neural.parse([sentence])
        assert parsed.forms == sentence.forms and parsed.tree.is_complete


def test_windows_in_which_no_word_begins_are_not_read(tmp_path: Path) -> None:
    spec, weights, pieces = untrained("bert", tmp_path, False)
    made, words = Inputs(spec, pieces), ["old", "'" * 400, "pines"]
    longest = spec.positions - 2
    read = made.padded(made.words(batch_of([words])), [0])
    # One for the word and its neighbour, one for what follows; 43 more would cover it all.
    assert read["pieces"].shape == (2, longest + 2)
    assert pieces is not None
    firsts = read["pieces"].ravel()[read["first"][0]].tolist()
    assert firsts == [pieces.cut(word.encode())[0] for word in words]
    (found,) = OnnxEncoder(spec, stored(spec, weights), pieces).encode(batch_of([words]))
    assert found.arcs.shape == (4, 3) and np.isfinite(found.arcs).all()


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_a_pretrained_encoder_is_trained_and_reads_in_windows(kind: str, tmp_path: Path) -> None:
    table = {"encoder": str(write_encoder(tmp_path / kind, kind)), "layers": 2, "arc_width": 16}
    path = tmp_path / "m.niwaki"
    config = make_config(
        {
            "model": {"kind": "neural"},
            "neural": {**table, "label_width": 8, "letter_rows": 64, "batch_words": 60},
            "objective": [{"data": str(TOY)}],
            "training": {"epochs": 1},
        }
    )
    from niwaki.training.run import train

    train(config, path, threads=1)
    found = load(path)
    assert found.parser.facts["encoder"] == kind and found.parser.facts["layers"] == 2
    assert found.config["neural"]["encoder"] == kind, "where it lay is nobody's business"
    (parsed,) = found.parse([Sentence.from_words(["pines", "watches"] * 60)])
    assert parsed.tree.is_complete
    assert len(found.kbest(NEW, 3)) == 3


def test_a_name_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no network here: what the hub's library would be asked is seen, and what it says."""
    asked = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        asked.append((name, sorted(allow_patterns)))
        if name == "nobody/nothing":
            raise OSError("404 Not Found")
        return str(write_encoder(tmp_path / "kept", "bert"))

    hub = types.ModuleType("huggingface_hub")
    monkeypatch.setattr(hub, "snapshot_download", snapshot_download, raising=False)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    # Pickles are never asked for.
    files = ["config.json", "model.safetensors", "vocab.txt"]
    assert read_encoder("somebody/small", 1) is not None
    assert asked == [("somebody/small", files)]
    with pytest.raises(ConfigError, match=r"^neural\.encoder nobody/nothing: neither a folder nor"):
        read_encoder("nobody/nothing", 1)


# -- what is refused ---------------------------------------------------------------------------


def test_without_onnxruntime(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_model, "onnxruntime", None)
    with pytest.raises(ExtraMissingError, match=r"pip install 'niwaki\[accurate\]'"):
        load(path)


def test_without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_family, "find_spec", lambda name: None)
    with pytest.raises(ExtraMissingError, match=r"pip install 'niwaki\[neural\]'"):
        quick_model(tmp_path / "m", model={"kind": "neural"})


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"tagger": {"folds": 2}}, "tagger.folds says nothing with"),
        ({"model": {"kind": "neural", "features": "lean"}}, "model.features says nothing with"),
        ({"neural": {"encoder_learning_rate": 0.1}}, "says nothing without encoder"),
    ],
)
def test_keys_that_say_nothing(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        quick_config(**{"model": {"kind": "neural"}, **tables})


def test_columns_are_those_of_the_file() -> None:
    from niwaki.parsers.neural.tagger import _COLUMNS

    names = {kind: COLUMNS[column] for kind, column in _COLUMNS.items()}
    assert names == {"lemmas": "LEMMA", "upos": "UPOS", "xpos": "XPOS", "feats": "FEATS"}


# -- files that are whole, but say something else ----------------------------------------------


def set_record(name: str, value: Any) -> Any:
    def change(parts: dict[str, Any]) -> None:
        assert name in parts["designs.json"]["neural"]
        parts["designs.json"]["neural"][name] = value

    return change


def set_classes(kind: str, names: list[str]) -> Any:
    def change(parts: dict[str, Any]) -> None:
        parts["designs.json"]["neural"]["classes"][kind] = names

    return change


def set_weights(name: str, value: Any) -> Any:
    def change(parts: dict[str, Any]) -> None:
        weights = parts["weights-neural.safetensors"]
        weights[name] = np.full_like(weights[name], value)

    return change


def without_weights(parts: dict[str, Any]) -> None:
    del parts["weights-neural.safetensors"]["arcs.prior.bias"]


@pytest.mark.parametrize(
    "change",
    [
        set_record("layers", "many"),
        set_record("layers", 10**9),
        set_record("layers", 3),
        set_record("encoder", "bert"),
        set_record("encoder", "gpt"),
        set_record("letter_rows", 1 << 40),
        set_record("width", 0),
        set_record("order", 2),
        set_record("quantized", False),
        set_record("labels", ["dep", "dep"]),
        set_record("classes", {"mood": ["a"]}),
        set_record("temperature", 0),
        set_record("epsilon", "small"),
        set_classes("upos", ["X"]),
        set_classes("lemmas", ["no rule"]),
        set_weights("root", np.nan),
        without_weights,
    ],
)
def test_a_strange_model_is_refused(change: Any, path: Path, tmp_path: Path) -> None:
    parts = taken_apart(path)
    change(parts)
    strange = put_together(tmp_path / "strange.niwaki", parts)
    with pytest.raises(ModelError) as caught:
        load(strange)
    text = str(caught.value)
    assert text.startswith(str(strange)) and text.isprintable() and len(text) < 1000
