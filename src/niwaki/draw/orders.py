"""Two word orders of one sentence as a picture: a line from each word to itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from niwaki.draw.layout import text_width
from niwaki.draw.markup import escape

_CELL = 8.2
_GAP = 14
_HEIGHT = 90

_STYLE = (
    "text{font-family:system-ui,sans-serif;unicode-bidi:plaintext;font-size:15px;fill:currentColor}"
    ".n{font-size:11px;opacity:.6}"
    ".u{opacity:.45}"
    ".k{stroke:#6b7f74;stroke-width:1.2px}"
    ".x{stroke:#b4552d;stroke-width:1.8px}"
    ".u.k{stroke-dasharray:2 3}"
)


def crossing_lines(
    tokens: Sequence[str],
    upper: Sequence[int],
    lower: Sequence[int],
    *,
    names: tuple[str, str] = ("system", "reference"),
    marked: Collection[int] = (),
    faint: Collection[int] = (),
) -> str:
    """An `<svg>` with one order above the other; where they differ, lines cross.

    `upper[p]` and `lower[p]` are the token placed at p. Lines of `marked` tokens stand
    out, `faint` tokens (those without a link) are pale.
    """
    left = 12 + 6.2 * max(map(text_width, names)) + _GAP
    above, width = _centres(tokens, upper, left)
    below, other = _centres(tokens, lower, left)
    parts = [
        f'<text class="n" x="8" y="{y}">{escape(name)}</text>'
        for name, y in zip(names, (20, _HEIGHT + 10), strict=True)
    ]
    # Lines that stand out are drawn last, on top of the others.
    for token in sorted(range(len(tokens)), key=lambda token: token in marked):
        style = ("x" if token in marked else "k") + (" u" if token in faint else "")
        parts.append(
            f'<path class="{style}" d="M{above[token]:.1f} 27L{below[token]:.1f} {_HEIGHT - 6}"/>'
        )
    for centres, y in ((above, 20), (below, _HEIGHT + 10)):
        for token, form in enumerate(tokens):
            style = ' class="u"' if token in faint else ""
            parts.append(
                f'<text{style} x="{centres[token]:.1f}" y="{y}" text-anchor="middle">'
                f"{escape(form)}</text>"
            )
    total, height = max(width, other), _HEIGHT + 22
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" height="{height}" '
        f'viewBox="0 0 {total:.0f} {height}" role="img" '
        f'aria-label="{escape(" ".join(tokens))}"><style>{_STYLE}</style>{"".join(parts)}</svg>'
    )


def _centres(
    tokens: Sequence[str], order: Sequence[int], left: float
) -> tuple[dict[int, float], float]:
    """Where the middle of each token is, and where the row ends."""
    centres = {}
    for token in order:
        width = text_width(tokens[token]) * _CELL
        centres[token] = left + width / 2
        left += width + _GAP
    return centres, left
