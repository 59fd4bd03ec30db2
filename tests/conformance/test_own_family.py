"""A family of parsers brings a table of keys of its own, and nothing else is edited."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from niwaki.errors import ConfigError
from niwaki.parsers.base import family_names
from niwaki.training.card import card_of, upgraded, used_settings
from niwaki.training.config import continued
from niwaki.training.config_file import make_config, read_config
from tests.toy import TOY

FAMILY = '''
"""Each word hangs from its neighbour."""

from dataclasses import dataclass
from types import SimpleNamespace

from niwaki.keys import WrongKeyError, key


@dataclass(frozen=True)
class NeighbourConfig:
    """A parser that attaches every word to its neighbour."""

    side: str = key("left", "Which neighbour.", choices=lambda: ["left", "right"], init="fixed")
    trust: float = key(0.5, "How sure it is.", above=0, most=1, when={"side": ("left",)})
    labels: str = key("", "A file of labels.", path="file", init="same")
    steps: int = key(2, "Passes.", least=1, table="training", formerly=("walks",))

    def check(self, config):
        if self.steps > config.training.epochs:
            raise WrongKeyError("steps", f"is {self.steps}; give at most training.epochs")


FAMILY = SimpleNamespace(name="neighbour", config=NeighbourConfig)
'''


@pytest.fixture(autouse=True)
def neighbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The family as an installed package has it: a module, and its name as an entry point."""
    (tmp_path / "neighbour_family.py").write_text(FAMILY)
    installed = tmp_path / "neighbour-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: neighbour\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(
        "[niwaki.parsers]\nneighbour = neighbour_family:FAMILY\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("neighbour_family", None)


def test_its_keys_are_read_kept_and_shown() -> None:
    assert family_names() == ["graph", "neighbour", "neural", "transition"]
    record = {
        "model": {"kind": "neighbour", "features": "lean"},
        "neighbour": {"side": "right", "labels": str(TOY)},
        "training": {"steps": 3},
        "objective": [{"data": str(TOY)}],
    }
    config = make_config(record)
    assert (config.family.side, config.family.steps, config.training.epochs) == ("right", 3, 12)
    card = card_of(config)
    assert list(card)[:3] == ["card", "model", "neighbour"]
    assert card["neighbour"] == {"side": "right", "trust": 0.5, "labels": TOY.name}
    assert card["training"]["steps"] == 3
    assert used_settings(upgraded(card))["neighbour"] == {"side": "right", "labels": TOY.name}
    on = continued(make_config({"objective": [{"data": str(TOY)}]}), card)
    assert (on.family.side, on.family.labels, on.family.steps) == ("right", TOY.name, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[model]\nkind = "neighbour"\nbeam = 3', '3: model.beam goes with model.kind = "transit'),
        ("[neighbour]\ntrust = 1", '1: neighbour goes with model.kind = "neighbour"; leave one'),
        ("[training]\nsteps = 1", '2: training.steps goes with model.kind = "neighbour"'),
        ('[model]\nkind = "neighbour"\n[graph]\nk = 3', '3: graph goes with model.kind = "graph"'),
        ('model.kind = "neighbour"\n[neighbour]\ntrust = 2', "3: neighbour.trust is 2.0; give at"),
        ('model.kind = "neighbour"\n[neighbour]\nsid = 2', "3: unknown key neighbour.sid; did you"),
        (
            'model.kind = "neighbour"\n[neighbour]\nside = "right"\ntrust = 0.5',
            '4: neighbour.trust says nothing with side = "right"; leave it out',
        ),
        (
            'model.kind = "neighbour"\ntraining.walks = 2',
            "2: training.walks is now training.steps",
        ),
        (
            'model.kind = "neighbour"\n[training]\nsteps = 3\nepochs = 2',
            "3: training.steps is 3; give at most training.epochs",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f'{text}\n[[objective]]\ndata = "{TOY}"\n', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_config(str(path))
    assert str(caught.value).startswith(f"{path}:{message}")
