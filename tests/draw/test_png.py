"""PNG pictures have their letters, or are not made."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest

from niwaki import NiwakiError, draw
from niwaki.data.conllu import read_conllu
from tests.conftest import ROOT

TREE = next(iter(read_conllu(ROOT / "examples" / "garden.conllu")))

# The function `draw.png` hides its module.
MODULE = sys.modules["niwaki.draw.png"]

pytest.importorskip("resvg_py", reason="resvg is missing: pip install niwaki[plots]")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Fonts are looked for anew, and what a test finds is forgotten."""
    MODULE._family.cache_clear()
    yield
    MODULE._family.cache_clear()


def test_trees_have_letters() -> None:
    picture = draw.svg(TREE)
    without = re.sub(r"<text.*?</text>", "", picture, flags=re.S)
    assert picture != without
    assert draw.png(picture) != draw.png(without)


def test_labels_stand_on_paper() -> None:
    picture = draw.svg(TREE)
    assert draw.png(picture) != draw.png(picture.replace("paint-order:stroke;stroke:", "stroke-x:"))


def test_without_a_font_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_SANS_SERIF", ("No Such Family",))
    with pytest.raises(NiwakiError, match=r"no font for the text of PNG pictures; install one"):
        draw.png(draw.svg(TREE))
