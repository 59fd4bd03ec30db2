"""Model files: whole or refused."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.modelfile import read_model_file, write_model_file
from niwaki.errors import ModelError

CONFIG = {"name": "tiny", "scores": {"LAS": 1.0}}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.niwaki"
    weights = {"rows": np.arange(12, dtype=np.int8).reshape(3, 4), "bias": np.float32([1, 2])}
    write_model_file(
        path,
        {"config.json": CONFIG, "weights.safetensors": weights, "vocab/words.bin": b"a\0b"},
    )
    return path


def test_round_trip(model: Path) -> None:
    read = read_model_file(model)
    assert read.config == CONFIG
    assert bytes(read.raw("vocab/words.bin")) == b"a\0b"
    assert read.tensors("weights.safetensors")["rows"].tolist()[2] == [8, 9, 10, 11]
    with pytest.raises(ModelError, match="no part 'x'"):
        read.raw("x")
    with pytest.raises(ModelError, match="not JSON"):
        read.json("vocab/words.bin")
    with pytest.raises(ModelError, match="no tensors"):
        read.tensors("config.json")


def test_the_same_parts_give_the_same_bytes(model: Path, tmp_path: Path) -> None:
    read = read_model_file(model)
    again = {"config.json": read.config, "weights.safetensors": read.tensors("weights.safetensors")}
    write_model_file(
        tmp_path / "b", {**again, "vocab/words.bin": bytes(read.raw("vocab/words.bin"))}
    )
    assert (tmp_path / "b").read_bytes() == model.read_bytes()


def test_every_flipped_bit_is_found(model: Path, tmp_path: Path) -> None:
    data = model.read_bytes()
    path = tmp_path / "flipped"
    assert len(data) > 100
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(ModelError):
            read_model_file(path)


def test_every_truncation_and_extension_is_found(model: Path, tmp_path: Path) -> None:
    data = model.read_bytes()
    path = tmp_path / "cut"
    for changed in [*(data[:size] for size in range(len(data))), data + b"\0"]:
        path.write_bytes(changed)
        with pytest.raises(ModelError):
            read_model_file(path)


def crafted(
    contents: object, version: int = 1, body: bytes = b"", length: int | None = None
) -> bytes:
    """A file whose checksums are right, made by someone who means no good."""
    table = contents if isinstance(contents, bytes) else json.dumps(contents).encode()
    size = len(table) if length is None else length
    head = struct.pack("<8sII", b"\x89NIWAKI\n", version, size) + table
    return head + hashlib.sha256(head).digest() + body


EMPTY = hashlib.sha256(b"").hexdigest()


def entry(name: object, size: object = 0, digest: object = EMPTY) -> dict[str, object]:
    return {"name": name, "size": size, "sha256": digest}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a niwaki model"),
        (b"PK\x03\x04" + b"\0" * 100, "not a niwaki model"),
        (crafted([], version=3), "model format 3, but this niwaki reads formats 1 and 2"),
        (crafted([], length=0xFFFFFFFF), "table of contents of 4294967295 bytes"),
        (crafted(b"["), "cannot be read"),
        (crafted(b"[" * 50_000), "cannot be read"),
        (crafted({"name": "x"}), "cannot be read"),
        (crafted([{"name": "x"}]), "cannot be read"),
        (crafted([entry("../x")]), "a part named"),
        (crafted([entry("/etc/x")]), "a part named"),
        (crafted([entry("a/../b")]), "a part named"),
        (crafted([entry("a//b")]), "a part named"),
        (crafted([entry("a\\b")]), "a part named"),
        (crafted([entry("a\n")]), "a part named"),
        (crafted([entry(7)]), "a part named"),
        (crafted([entry("x"), entry("x")]), "two parts"),
        (crafted([entry("x", 10**30)]), "cut off"),
        (crafted([entry("x", -1)]), "no size"),
        (crafted([entry("x", True)]), "no size"),
        (crafted([entry("x", 0, 5)]), "no size or checksum"),
        (crafted([entry("x", 1)], body=b"a"), "does not match its checksum"),
        (crafted([entry("x")], body=b"a"), "1 bytes too many"),
    ],
)
def test_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message) as caught:
        read_model_file(path)
    assert str(path) in str(caught.value)


def test_a_packed_file_is_smaller_and_holds_the_same(tmp_path: Path) -> None:
    parts = {"config.json": {"a": ["b"] * 100}, "text.bin": b"a pine, a pond " * 20, "x": b"\0"}
    for name, packed in (("one", False), ("two", True), ("three", True)):
        write_model_file(tmp_path / name, parts, packed=packed)
    one, two, three = ((tmp_path / name).read_bytes() for name in ("one", "two", "three"))
    assert len(two) < len(one) / 2
    assert two == three
    assert read_model_file(tmp_path / "one").parts == read_model_file(tmp_path / "two").parts


def deflated_entry(data: bytes, length: object) -> dict[str, object]:
    return {**entry("x", len(data), hashlib.sha256(data).hexdigest()), "length": length}


ZEROS = zlib.compress(bytes(1000))


@pytest.mark.parametrize(
    ("data", "length", "message"),
    [
        (ZEROS, 999, "part x is not of 999 bytes"),
        (ZEROS, 1001, "part x is not of 1001 bytes"),
        (ZEROS + b"more", 1000, "part x is not of 1000 bytes"),
        (ZEROS[:-1], 1000, "part x is not of 1000 bytes"),
        (b"no zlib", 10, "part x cannot be inflated"),
        (ZEROS, -1, "part x grows beyond measure"),
        (ZEROS, 10**9, "part x grows beyond measure"),
        (ZEROS, "1000", "part x grows beyond measure"),
        (ZEROS, True, "part x grows beyond measure"),
    ],
)
def test_hostile_packed_parts(data: bytes, length: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(crafted([deflated_entry(data, length)], version=2, body=data))
    with pytest.raises(ModelError, match=message):
        read_model_file(path)


def test_a_part_that_is_too_regular_is_not_packed(tmp_path: Path) -> None:
    write_model_file(tmp_path / "m", {"config.json": {}, "x": bytes(10**6)}, packed=True)
    assert read_model_file(tmp_path / "m").raw("x") == bytes(10**6)


@given(data=st.binary(max_size=300))
def test_any_bytes_are_refused_politely(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(b"\x89NIWAKI\n" + data)
    with pytest.raises(ModelError):
        read_model_file(path)


def test_a_config_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.json"):
        write_model_file(tmp_path / "x", {})
    with pytest.raises(ValueError, match="cannot name"):
        write_model_file(tmp_path / "x", {"config.json": {}, "../x": b""})
    assert os.listdir(tmp_path) == []
