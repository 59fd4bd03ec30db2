"""Trees as SVG pictures; every field is escaped."""

from __future__ import annotations

import html as _html
import re
from collections.abc import Sequence

from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.data.tree import ROOT, Tree
from niwaki.draw.layout import Arc, is_right_to_left, place_arcs, text_width

_FONT = 15
_CELL = 8.2  # width of a terminal cell at that size, in a proportional font
_SMALL_CELL = 6.0
_GAP = 18
_LEVEL = 26
_TAG_LINE = 18
_FOOT = 6  # distance between the feet of arcs at one word
# An arc that is less probable has its label in another colour.
_DOUBTFUL = 0.8

_STYLE = (
    # A word is written in its own direction, whatever stands around it.
    "text{font-family:system-ui,sans-serif;unicode-bidi:plaintext}"
    ".w{font-size:15px;fill:currentColor}"
    ".t{font-size:11px;fill:currentColor;opacity:.65}"
    ".l{font-size:11px;fill:#2f6f4f;paint-order:stroke;stroke:var(--paper,#fff);stroke-width:4px}"
    ".a{fill:none;stroke:#6b7f74;stroke-width:1.3px}"
    ".h{fill:#6b7f74}"
    ".r{stroke:#b4552d;stroke-dasharray:3 2}"
    ".u{fill:#b4552d}"
)

# Characters that XML 1.0 does not allow, in any form.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Safe as SVG or HTML content and as a quoted attribute."""
    return _html.escape(_ILLEGAL.sub("\ufffd", text), quote=True)


def svg(sentence: Sentence, *, probabilities: bool = False) -> str:
    """The tree as arcs above the words, in one `<svg>` element without outside references.

    A sentence that is written from right to left is drawn so. With `probabilities`, that of the arc
    stands behind its label, where it is known; those of doubtful arcs stand out.
    """
    certain = known_probabilities(sentence).get("arc") if probabilities else None
    tree = sentence.tree if certain is None else _with_numbers(sentence.tree, certain)
    doubtful = {word for word, p in enumerate(certain or (), 1) if p is not None and p < _DOUBTFUL}
    placed = place_arcs(tree)
    centres, width = _word_positions(sentence, placed)
    base = _LEVEL * (max((arc.level for arc in placed), default=0) + 1) + 8
    feet = _feet(placed, len(tree))
    if is_right_to_left(sentence.forms):
        centres = [width - centre for centre in centres]
        feet = {arc: -offset for arc, offset in feet.items()}
    parts = []
    for word, head in enumerate(tree.heads, start=1):
        if head == ROOT:
            style = _label_style(word in doubtful)
            parts.append(_root_arc(centres[word - 1], base, tree.deprels[word - 1], style))
    # Long arcs first, so that the labels of short ones stay on top.
    for arc in sorted(placed, key=lambda arc: -arc.level):
        start = centres[arc.head - 1] + feet[arc.head, arc.dependent]
        stop = centres[arc.dependent - 1]
        parts.append(_arc(start, stop, base, arc, _label_style(arc.dependent in doubtful)))
    for centre, form, tag in zip(centres, sentence.forms, sentence.upos, strict=True):
        parts.append(_text(centre, base + 20, "w", form))
        if tag != "_":
            parts.append(_text(centre, base + 20 + _TAG_LINE, "t", tag))
    height = base + 20 + _TAG_LINE + 10
    title = escape(sentence.text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{title}">'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>"
    )


def fragment(sentence: Sentence) -> str:
    """What a notebook shows for a sentence."""
    return f'<div style="overflow-x:auto"{direction(sentence)}>{svg(sentence)}</div>'


def direction(sentence: Sentence) -> str:
    """An attribute of what a picture scrolls in: it begins where the sentence does."""
    return ' dir="rtl"' if is_right_to_left(sentence.forms) else ""


def _word_positions(sentence: Sentence, placed: list[Arc]) -> tuple[list[float], float]:
    """Centres of the words, far enough apart for words, tags and labels of short arcs."""
    widths = [
        max(text_width(form) * _CELL, text_width(tag) * _SMALL_CELL)
        for form, tag in zip(sentence.forms, sentence.upos, strict=True)
    ]
    needed = {
        arc.left: text_width(arc.label) * _SMALL_CELL + 26 + 4 * _FOOT
        for arc in placed
        if arc.right == arc.left + 1
    }
    centres: list[float] = []
    right = 12.0  # right edge of the word before
    for word, width in enumerate(widths, start=1):
        centre = right + width / 2
        if centres:
            centre = max(centre, centres[-1] + needed.get(word - 1, 0))
        centres.append(centre)
        right = centre + width / 2 + _GAP
    return centres, max(right, 40.0)


def _feet(placed: list[Arc], words: int) -> dict[tuple[int, int], float]:
    """Horizontal offset at which each arc leaves its head.

    Seen from the head outwards, longer arcs start nearer to its centre;
    otherwise a long arc's rise would cut the short arcs below it.
    """
    feet = {}
    for side in (-1, 1):
        by_head: dict[int, list[Arc]] = {}
        for arc in placed:
            if (arc.dependent - arc.head) * side > 0:
                by_head.setdefault(arc.head, []).append(arc)
        for head, arcs in by_head.items():
            arcs.sort(key=lambda arc: -arc.level)
            for place, arc in enumerate(arcs, start=1):
                feet[head, arc.dependent] = float(side * _FOOT * min(place, 4))
    return feet


def _with_numbers(tree: Tree, probabilities: Sequence[float | None]) -> Tree:
    """The tree with the probability of each arc behind its label."""
    pairs = zip(tree.deprels, probabilities, strict=True)
    return Tree(tree.heads, tuple(x if p is None else f"{x} {p:.2f}" for x, p in pairs))


def _label_style(is_doubtful: bool) -> str:
    return "l u" if is_doubtful else "l"


def _arc(start: float, stop: float, base: int, arc: Arc, style: str) -> str:
    top = base - _LEVEL * arc.level
    turn = 8 if stop > start else -8
    return (
        f'<path class="a" d="M{start:.1f} {base}V{top + 8}Q{start:.1f} {top} {start + turn:.1f} '
        f'{top}H{stop - turn:.1f}Q{stop:.1f} {top} {stop:.1f} {top + 8}V{base - 4}"/>'
        f"{_arrow(stop, base)}{_text((start + stop) / 2, top + 4, style, arc.label)}"
    )


def _root_arc(centre: float, base: int, label: str, style: str) -> str:
    return (
        f'<path class="a r" d="M{centre:.1f} 12V{base - 4}"/>{_arrow(centre, base)}'
        f"{_text(centre, 14, style, label)}"
    )


def _arrow(x: float, y: int) -> str:
    return f'<path class="h" d="M{x:.1f} {y}l-3.5 -7h7z"/>'


def _text(x: float, y: float, style: str, content: str) -> str:
    return (
        f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">'
        f"{escape(content)}</text>"
    )
