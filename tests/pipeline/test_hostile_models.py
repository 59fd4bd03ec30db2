"""Models whose checksums are right and whose parts are made to do harm: refused in one line."""

from __future__ import annotations

import copy
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.modelfile import read_model_file
from niwaki.errors import ModelError
from niwaki.kernel.batch import short_hashes
from niwaki.pipeline.store import load, pipeline_of
from niwaki.verbs.describing import info
from tests.apart import put_together, taken_apart
from tests.toy import NEW, TOY, quick_model

Parts = dict[str, Any]
Change = Callable[[Parts], None]
KINDS: dict[str, dict[str, Any]] = {
    "transition": {
        "segmenter": {"epochs": 1},
        "training": {"epochs": 1, "greedy_epochs": 1, "dev": str(TOY)},
    },
    "graph": {"model": {"kind": "graph"}, "training": {"epochs": 1}},
    "trigrams": {"tagger": {"learner": "tnt", "folds": 2}},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Parts]:
    folder = tmp_path_factory.mktemp("sound")
    found = {}
    for kind, tables in KINDS.items():
        quick_model(folder / kind, **tables)
        found[kind] = taken_apart(folder / kind)
    return found


def refusal(models: dict[str, Parts], kind: str, change: Change, path: Path) -> str:
    """What is said of a model that was changed."""
    parts = copy.deepcopy(models[kind])
    change(parts)
    put_together(path, parts)
    with pytest.raises(ModelError) as caught:
        load(path)
    said = str(caught.value)
    assert said.startswith(str(path))
    assert said.isprintable()
    assert len(said) < 1000
    return said


def design(name: str, key: str, value: Any) -> Change:
    def change(parts: Parts) -> None:
        assert key in parts["designs.json"][name]
        parts["designs.json"][name][key] = value

    return change


def first(name: str, key: str, value: Any) -> Change:
    """Change the first of a list."""

    def change(parts: Parts) -> None:
        parts["designs.json"][name][key][0] = value

    return change


def clusters(lines: bytes) -> Change:
    def change(parts: Parts) -> None:
        parts["clusters.bin"] = zlib.compress(lines, 9)

    return change


def tensor(part: str, name: str, value: Any) -> Change:
    def change(parts: Parts) -> None:
        old = parts[f"{part}.safetensors"][name]
        parts[f"{part}.safetensors"][name] = np.asarray(value, dtype=old.dtype)

    return change


@pytest.mark.parametrize("kind", KINDS)
def test_taken_apart_and_put_together_a_model_is_sound(
    models: dict[str, Parts], kind: str, tmp_path: Path
) -> None:
    (parsed,) = load(put_together(tmp_path / "same", models[kind])).parse([NEW])
    assert parsed.tree.is_complete


# -- memory ----------------------------------------------------------------------


def buckets(table: str) -> Change:
    def change(parts: Parts) -> None:
        arrays = parts[f"weights-{table}.safetensors"]
        arrays["fill"] = np.concatenate([arrays["fill"], np.zeros(10_000_000, np.uint8)])

    return change


def bomb(parts: Parts) -> None:
    """A quarter of a gigabyte of zeros in a megabyte."""
    stream, zeros = zlib.compressobj(1), b"0" * (1 << 20)
    packed = [stream.compress(zeros) for _ in range(256)]
    parts["clusters.bin"] = b"".join(packed) + stream.flush()


def cut_clusters(parts: Parts) -> None:
    parts["clusters.bin"] = zlib.compress(b"0\ta\n" * 10)[:-3]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("transition", bomb, "word clusters of more than"),
        ("transition", clusters(b"0" + b"\t" * 1_000_000), "a word without letters"),
        ("transition", cut_clusters, "word clusters are cut off"),
        ("transition", clusters(b"0\t\xff\n"), "utf-8"),
        ("transition", buckets("parser"), "buckets for"),
        ("transition", buckets("lemmas"), "buckets for"),
        ("graph", buckets("graph-labels"), "buckets for"),
        ("trigrams", design("tagger", "pairs", [[0, -1]] * 300), "300 tags of trigrams"),
        ("trigrams", design("tagger", "xpos", [str(n) for n in range(2000)]), "2000 XPOS"),
    ],
)
def test_what_a_model_asks_for_is_bounded_by_its_size(
    models: dict[str, Parts], kind: str, change: Change, message: str, tmp_path: Path
) -> None:
    tracemalloc.start()
    try:
        assert message in refusal(models, kind, change, tmp_path / "m")
        largest = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert largest < 1 << 27


# -- what was learned ------------------------------------------------------------


def hashes(written: bytes) -> Change:
    def change(parts: Parts) -> None:
        assert len(parts["learned.bin"]) > 100
        parts["learned.bin"] = written

    return change


def no_record(parts: Parts) -> None:
    del parts["designs.json"]["learned"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (hashes(bytes(6)), "6 bytes of learned sentences"),
        (hashes(b"\1" * 5 + b"\0" * 5), "not in order"),
        (hashes(bytes(10)), "not in order"),
        (hashes(bytes(5 * (1 << 22) + 5)), "20,971,525 bytes of learned sentences"),
        (design("learned", "complete", 1), "bytes of learned sentences"),
        (no_record, "a model without its learned"),
    ],
)
def test_hashes_of_learned_sentences_are_checked(
    models: dict[str, Parts], change: Change, message: str, tmp_path: Path
) -> None:
    assert message in refusal(models, "graph", change, tmp_path / "m")
    with pytest.raises(ModelError, match=message):
        info(tmp_path / "m")


# -- work ------------------------------------------------------------------------


def meeting_words(count: int) -> bytes:
    """Words that all belong to one place of a table, as a cluster."""
    words = [b"%d" % n for n in range(count * 1100)]
    places = np.asarray(short_hashes(words)) % 1024
    chosen = [words[n] for n in np.flatnonzero(places == 5)[:count]]
    assert len(chosen) == count
    return b"0\t" + b"\t".join(chosen) + b"\n"


def meeting_candidates(parts: Parts) -> None:
    parts["candidates-lemmas.safetensors"] = {
        "keys": (np.arange(1, 5001) << 40).astype(np.uint64),
        "counts": np.ones(5000, np.uint16),
        "classes": np.zeros(5000, np.uint16),
    }


def meeting_lexicon(parts: Parts) -> None:
    parts["trigrams-tagger.safetensors"] |= {
        "keys": (np.arange(1, 5001) << 40).astype(np.uint64),
        "sizes": np.ones(5000, np.uint16),
        "tags": np.zeros(5000, np.uint8),
        "counts": np.ones(5000, np.uint32),
    }


TWELVE = "s0.form s1.form b0.form s0.lower s1.lower b0.lower s0.upos s1.upos b0.upos s0.tag s1.tag"
AGAIN = f"combine 11: {TWELVE}\n" * 5000


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("transition", design("parser", "features", "combine 999999999:"), "nothing to combine"),
        ("transition", design("parser", "features", AGAIN), "more than 10000 features"),
        ("transition", design("parser", "features", "#" * 2_000_000), "2,000,000 characters"),
        ("transition", design("parser", "features", "a" * 900_000), "no part is longer"),
        ("transition", design("parser", "system", "a" * 4_000_000), "no transition system"),
        ("transition", design("tagger", "features", "combine 9:\n" * 9), "nothing to combine"),
        ("graph", design("graph", "features", "combine 99999999:"), "nothing to combine"),
        ("graph", design("graph", "label_features", "combine 99:"), "nothing to combine"),
        ("transition", clusters(meeting_words(400)), "too many keys for one place"),
        ("transition", meeting_candidates, "too many keys for one place"),
        ("trigrams", meeting_lexicon, "too many keys for one place"),
        (
            "transition",
            design("segmenter", "rules", [[["", 0, 900, ""]] * 5000]),
            "is not a split rule",
        ),
    ],
)
def test_what_would_take_for_ever_is_refused(
    models: dict[str, Parts], kind: str, change: Change, message: str, tmp_path: Path
) -> None:
    assert message in refusal(models, kind, change, tmp_path / "m")


def test_a_degree_beyond_all_parts_takes_all_of_them(
    models: dict[str, Parts], tmp_path: Path
) -> None:
    parts = copy.deepcopy(models["transition"])
    for name in ("parser", "greedy"):
        record = parts["designs.json"][name]
        record["features"] = "combine degree: s0.form b0.form"
        record["degrees"] = {"degree": 10**30}
    model = load(put_together(tmp_path / "m", parts))
    assert next(iter(model.parse([NEW]))).tree.is_complete


# -- what it would write ---------------------------------------------------------


@pytest.mark.parametrize("text", ["a\tb", "a\n1\tb", "\r", "\0", "\ud800"])
@pytest.mark.parametrize(
    "place",
    [
        lambda text: design("segmenter", "rules", [[[text, 0, 0, ""], ["", 0, None, ""]]]),
        lambda text: design("segmenter", "rules", [[["", 0, 1, text], ["", 1, None, ""]]]),
        lambda text: first("parser", "labels", text),
        lambda text: first("greedy", "labels", text),
        lambda text: first("tagger", "upos", text),
        lambda text: first("tagger", "xpos", text),
        lambda text: first("feats", "values", text),
        lambda text: first("lemmas", "values", f"keep-0+{text}"),
    ],
)
def test_no_model_writes_what_a_field_cannot_hold(
    models: dict[str, Parts], place: Callable[[str], Change], text: str, tmp_path: Path
) -> None:
    refusal(models, "transition", place(text), tmp_path / "m")


@pytest.mark.parametrize("text", ["", "a\n"])
def test_labels_of_a_graph_parser_alike(
    models: dict[str, Parts], text: str, tmp_path: Path
) -> None:
    refusal(models, "graph", first("graph", "labels", text), tmp_path / "m")


def test_an_encoded_label_has_a_plain_one(models: dict[str, Parts], tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        parts["designs.json"]["parser"]["nonprojective"] = "pseudo-projective"
        parts["designs.json"]["parser"]["labels"][0] = "↑nsubj"

    assert "no plain one" in refusal(models, "transition", change, tmp_path / "m")


# -- numbers ---------------------------------------------------------------------

NO_NUMBERS = [1e-320, 1e-30, 0.0, -1.0, 1e30, float("inf"), float("nan")]


def scale(name: str, value: float) -> Change:
    def change(parts: Parts) -> None:
        parts["designs.json"][name]["weights"]["scale"] = value

    return change


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_temperatures_and_scales_are_numbers(
    models: dict[str, Parts], value: float, tmp_path: Path
) -> None:
    def confidence(parts: Parts) -> None:
        parts["confidence.json"]["temperature"] = value

    path = tmp_path / "m"
    assert "a temperature of" in refusal(models, "transition", confidence, path)
    for name in ("temperature", "label_temperature"):
        assert "a temperature of" in refusal(models, "graph", design("graph", name, value), path)
    for name in ("parser", "tagger", "lemmas", "segmenter"):
        assert "a scale cannot be" in refusal(models, "transition", scale(name, value), path)
    if not 0 <= value <= 1:
        smoothing = design("tagger", "smoothing", value)
        assert "a smoothing of" in refusal(models, "trigrams", smoothing, path)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weights", [float("nan")] * 2),
        ("weights", [1.0] * 9),
        ("rates", [2.0]),
        ("rates", []),
        ("rates", [0.9, 0.8]),
        ("knots", [1.0, 0.0]),
        ("knots", [-0.5]),
        ("knots", [float("inf")]),
    ],
)
def test_calibrated_probabilities_are_some(
    models: dict[str, Parts], name: str, values: list[float], tmp_path: Path
) -> None:
    def change(parts: Parts) -> None:
        curve = parts["confidence.json"]["tag"]
        curve[name] = values
        if name != "weights":
            other = "knots" if name == "rates" else "rates"
            curve[other] = curve[other][: len(values)]

    refusal(models, "transition", change, tmp_path / "m")


# -- files -----------------------------------------------------------------------


def test_a_model_is_whole_whatever_becomes_of_its_file(
    models: dict[str, Parts], tmp_path: Path
) -> None:
    path = put_together(tmp_path / "m", models["transition"])
    file = read_model_file(path)
    os.truncate(path, 0)
    assert next(iter(pipeline_of(file).parse([NEW]))).tree.is_complete


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    with pytest.raises(ModelError, match="not a regular file"):
        load(path)


def test_neither_a_folder_nor_a_device_is_a_model(tmp_path: Path) -> None:
    for path in (tmp_path, Path("/dev/zero")):
        with pytest.raises(ModelError, match="not a regular file"):
            load(path)
