"""Draws docs/images/adapted.svg, the README's picture: a note before and after adapting to notes.

.venv/bin/python tools/make_hero.py

It runs `niwaki adapt en --for examples/notes.toml`, as `make demo` does, and draws what that gave.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import niwaki

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "images" / "adapted.svg"
NOTE = "water ferns before frost"  # not among the notes that are learned from
WIDTH, PANEL, HEIGHT = 860, 410, 248


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/notes.niwaki"
        found = niwaki.adapt("en", ROOT / "examples" / "notes.toml", model, minutes=0.1)
        [score] = found.costs
        [sizes] = found.examples.values()
        panels = [
            panel(0, "the bundled model", score.a, tree("en")),
            panel(1, "after niwaki adapt", score.b, tree(model)),
        ]
    TARGET.write_text(picture(panels, sizes), encoding="utf-8")


def tree(model: str) -> str:
    [sentence] = niwaki.load(model).parse([niwaki.Sentence.from_words(NOTE.split())])
    return niwaki.draw.svg(sentence)


def panel(place: int, title: str, wrong: float, drawn: str) -> str:
    """A tree in a box, with a title and the share of held-out notes with a wrong root."""
    size = re.search(r'width="(\d+)" height="(\d+)"', drawn)
    assert size is not None
    left = 15 + place * (PANEL + 10)
    across = left + (PANEL - int(size[1])) / 2
    colour = ("#b4552d", "#2f6f4f")[place]
    return (
        f'<rect x="{left}" y="15" width="{PANEL}" height="{HEIGHT - 62}" rx="10" class="box"/>'
        f'<text x="{left + 16}" y="42" class="title">{title}</text>'
        f'<text x="{left + PANEL - 16}" y="42" text-anchor="end" class="share" fill="{colour}">'
        f"wrong main verb: {wrong:.0%}</text>"
        + drawn.replace("<svg ", f'<svg x="{across:.0f}" y="{54 + 136 - int(size[2])}" ', 1)
    )


def picture(panels: list[str], sizes: Mapping[str, int]) -> str:
    foot = (
        f"Adapted on {sizes['learned']} notes, of which only the main verb was known. "
        f"Percent of {sizes['reporting']} held-out notes."
    )
    style = (
        ".paper{fill:#fbfaf6}.box{fill:#fff;stroke:#ddd8cc}.title{font-size:15px;font-weight:600}"
        ".share{font-size:13px}.foot{font-size:13px;fill:#5f6b64}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" color="#20261f" fill="#20261f" '
        f'aria-label="{NOTE}: before adapting ferns is the root, after it water">'
        f"<style>{style}text{{font-family:system-ui,sans-serif}}</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" class="paper"/>'
        + "".join(panels)
        + f'<text x="{WIDTH / 2}" y="{HEIGHT - 18}" text-anchor="middle" class="foot">{foot}</text>'
        "</svg>\n"
    )


if __name__ == "__main__":
    main()
