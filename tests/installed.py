"""The package of models that `make languages` installs, which tests do without."""

from __future__ import annotations

from importlib import metadata

import pytest


def hide_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `niwaki-models` not be installed."""
    found = metadata.entry_points

    def others(**wanted: str) -> metadata.EntryPoints:
        return metadata.EntryPoints(
            each for each in found(**wanted) if each.name != "niwaki-models"
        )

    monkeypatch.setattr(metadata, "entry_points", others)
