"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from niwaki.data.files import atomic_write


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
    full = tmp_path / "full"
    with pytest.raises(OSError, match="full") as no_space, atomic_write(full):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert no_space.value.filename == str(full)
    assert os.listdir(tmp_path) == []


def test_devices_are_written_to() -> None:
    with atomic_write("/dev/null") as file:
        file.write(b"gone")
