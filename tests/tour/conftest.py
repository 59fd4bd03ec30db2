"""A user: the wheel in a fresh environment, an empty folder, and nothing of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

_PROJECT = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


@dataclass
class User:
    """Someone who has an environment with Niwaki and works in a folder."""

    binaries: Path
    folder: Path

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def niwaki(self, *arguments: str, given: str = "") -> str:
        """What a command prints that does what is asked."""
        done = self._run("niwaki", *arguments, given=given)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *arguments: str, given: str = "") -> str:
        """The one line of a command that cannot do what is asked."""
        done = self._run("niwaki", *arguments, given=given)
        assert done.returncode in (1, 2) and not done.stdout
        assert done.stderr.startswith("niwaki: ") and done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    def python(self, program: str) -> str:
        """What a program prints."""
        done = self._run("python", "-c", program)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def environment(self) -> dict[str, str]:
        """The user's variables; none of the tests', such as PYTHONPATH."""
        path = os.pathsep.join([str(self.binaries), os.defpath])
        return {"PATH": path, "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def _run(self, name: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.binaries / name, *arguments],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self.environment,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the source as it is, with the kernel that the tests run on."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in _PROJECT:
        shutil.copyfile(ROOT / name, source / name)
    # To compile would take minutes. The kernel goes in as it was built here.
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    (source / "MANIFEST.in").write_text(f"recursive-include src/niwaki *{suffix}\n")
    build = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder)
    without = {**os.environ, "NIWAKI_NO_KERNEL": "1"}
    subprocess.run([*_PIP, *build, source], env=without, capture_output=True, check=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment, in which the wheel was installed."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home)
    scripts, python = home / "bin", home / "bin" / "python"
    # Neither is the tests' Niwaki taken for one that is installed there.
    install = ("--python", python, "install", "--no-deps", "--no-index", wheel)
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*_PIP, *install], env=outside, capture_output=True, check=True)
    # What Niwaki needs is not fetched but that of the tests. A folder that is named in a .pth file
    # does not have its own .pth files read: the tests' Niwaki, which is such a file, stays outside.
    (packages,) = (home / "lib").glob("python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return scripts


@pytest.fixture
def user(binaries: Path, tmp_path: Path) -> User:
    """A user in an empty folder."""
    return User(binaries, tmp_path)
