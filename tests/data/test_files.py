"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import os
import resource
import stat
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.files import Input, atomic_write, open_to_append, read_text, read_whole
from niwaki.errors import CorpusError
from niwaki.kernel.conllu import MAX_LINE


class Endless(io.RawIOBase):
    """Bytes without an end; counts what was read of them."""

    def __init__(self, start: bytes) -> None:
        self._start, self.given = start, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start[: len(buffer)] or b"x" * len(buffer)
        self._start = self._start[len(buffer) :]
        buffer[:] = data.ljust(len(buffer), b"x")
        self.given += len(buffer)
        return len(buffer)


def test_a_line_is_bounded(tmp_path: Path) -> None:
    stream = Endless(b"one\ntwo\n")
    lines = Input(stream).lines()
    assert [next(lines), next(lines)] == [(1, "one"), (2, "two")]
    with pytest.raises(CorpusError) as caught:
        next(lines)
    assert (caught.value.line, caught.value.column) == (3, "LINE")
    assert str(MAX_LINE) in str(caught.value)
    assert stream.given < 2 * MAX_LINE


def test_what_a_compressed_line_expands_to_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"first\n")
        for _ in range(12):
            file.write(bytes(1 << 20))
    with Input(path) as stream, pytest.raises(CorpusError, match=r"bomb.gz:2:LINE: a line of more"):
        list(stream.lines())


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_the_longest_line_is_read(end: bytes) -> None:
    for size, sound in ((MAX_LINE, True), (MAX_LINE + 1, False)):
        told: list[CorpusError] = []
        found = list(Input(io.BytesIO(b"a\n" + b"x" * size + end)).lines(told.append))
        assert [len(line) for _, line in found] == [1, size if sound else 0]
        assert [fault.line for fault in told] == ([] if sound else [2])


def test_a_line_that_is_too_long_can_be_passed_over() -> None:
    told: list[CorpusError] = []
    data = b"a\n" + b"x" * (3 * MAX_LINE) + b"\r\nb\n" + b"y" * (2 * MAX_LINE) + b"\n\nc"
    found = list(Input(io.BytesIO(data)).lines(told.append))
    # An empty line in its place: files that are read side by side stay in step.
    assert found == [(1, "a"), (2, ""), (3, "b"), (4, ""), (5, ""), (6, "c")]
    assert [fault.line for fault in told] == [2, 4]


def test_a_file_written_by_hand_is_bounded() -> None:
    with pytest.raises(CorpusError, match=r"/dev/zero.*more than"):
        read_whole("/dev/zero")


def test_a_file_written_by_hand_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "features.txt"
    path.write_bytes(b"s0.form\n\xff")
    with pytest.raises(CorpusError, match=r"features.txt:2:LINE: invalid UTF-8"):
        read_text(path)


def test_the_old_file_survives_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), atomic_write(path) as file:
        file.write(b"half of the new")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


def test_links_and_modes_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "model", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    with atomic_write(tmp_path / "new"):
        pass
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_errors_name_the_target(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "such"
    with pytest.raises(FileNotFoundError) as caught, atomic_write(missing):
        pass
    assert caught.value.filename == str(missing)
    with pytest.raises(IsADirectoryError), atomic_write(tmp_path):
        pass
    assert os.listdir(tmp_path) == []


def test_a_file_that_grows_too_large_is_named(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="large") as caught, atomic_write(path) as file:
            file.write(bytes(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["large"]


def test_a_full_device_is_named() -> None:
    for open_file in (atomic_write, open_to_append):
        with pytest.raises(OSError, match="/dev/full"), open_file("/dev/full") as file:
            file.write(b"x")


def test_errors_from_elsewhere_keep_their_names(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="other") as caught, atomic_write(tmp_path / "new"):
        raise OSError(errno.EIO, "Input/output error", "other")
    assert caught.value.filename == "other"


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "model"
    left = tmp_path / ".model.0123abcd.tmp"
    others = [tmp_path / name for name in (".model.note.tmp", ".model2.0123abcd.tmp")]
    for file in (left, *others):
        file.write_bytes(b"half")
    with atomic_write(path) as first:
        first.write(b"first")
        # Somebody else is about to write the same file.
        with atomic_write(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert not left.exists()
    assert all(file.exists() for file in others)


def test_devices_are_written_to() -> None:
    with atomic_write("/dev/null") as file:
        assert file.write(b"gone") == 4
    assert Path("/dev/null").is_char_device(), "it was not replaced by a file"
