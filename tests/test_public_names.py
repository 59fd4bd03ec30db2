"""The public list is what it says, and each name can be explained."""

from __future__ import annotations

import importlib
import sys

import pytest

import niwaki
from niwaki.errors import KernelMissingError


def test_all_names_exist_and_are_documented() -> None:
    assert sorted(niwaki.__all__) == niwaki.__all__
    for name in niwaki.__all__:
        assert getattr(niwaki, name).__doc__, name


def test_names_that_others_rely_on() -> None:
    assert {"read_conllu", "write_conllu", "validate", "Sentence", "Tree", "Candidates"} <= set(
        niwaki.__all__
    )


def test_a_missing_kernel_names_the_build_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "niwaki.kernel.conllu", None)
    with pytest.raises(KernelMissingError, match="make build"):
        importlib.reload(sys.modules["niwaki.kernel"])
