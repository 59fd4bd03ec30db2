"""Line charts as SVG: named series of points over two axes from 0 to 1, or to what is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from niwaki.draw.markup import escape

Points = Sequence[tuple[float, float]]

_SIZE = 320
_MARGIN = 52
_LEGEND = 18
_COLOURS = ("#2f6f4f", "#b4552d", "#3b5b92", "#8a6d1b", "#6b4e87", "#5b6b73")
_STYLE = (
    "text{font-family:system-ui,sans-serif;font-size:12px;fill:#333}"
    ".x{stroke:#bbb;fill:none}.d{stroke:#bbb;stroke-dasharray:4 3}.s{fill:none;stroke-width:2}"
)


def line_chart(
    series: Mapping[str, Points],
    *,
    title: str,
    x: str,
    y: str,
    limits: tuple[float, float] = (1.0, 1.0),
    diagonal: bool = False,
) -> str:
    """One `<svg>` element; `diagonal` draws the line on which x and y are equal."""
    height = _SIZE + 2 * _MARGIN + _LEGEND * len(series)
    width = _SIZE + 2 * _MARGIN

    def place(point: tuple[float, float]) -> str:
        across = _MARGIN + _SIZE * min(1.0, point[0] / limits[0])
        down = _MARGIN + _SIZE * (1 - min(1.0, point[1] / limits[1]))
        return f"{across:.1f},{down:.1f}"

    parts = [
        f'<text x="{width / 2:.0f}" y="24" text-anchor="middle">{escape(title)}</text>',
        f'<rect class="x" x="{_MARGIN}" y="{_MARGIN}" width="{_SIZE}" height="{_SIZE}"/>',
        _axis_texts(x, y, limits),
    ]
    if diagonal:
        start, stop = place((0, 0)).split(","), place(limits).split(",")
        parts.append(
            f'<line class="d" x1="{start[0]}" y1="{start[1]}" x2="{stop[0]}" y2="{stop[1]}"/>'
        )
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(map(place, points))
        down = _SIZE + 2 * _MARGIN + _LEGEND * number
        parts.append(f'<polyline class="s" stroke="{colour}" points="{path}"/>')
        parts.append(f'<rect fill="{colour}" x="{_MARGIN}" y="{down - 4}" width="14" height="4"/>')
        parts.append(f'<text x="{_MARGIN + 22}" y="{down + 3}">{escape(name)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}"><style>{_STYLE}</style>{"".join(parts)}</svg>'
    )


def _axis_texts(x: str, y: str, limits: tuple[float, float]) -> str:
    parts = []
    for step in range(6):
        share = step / 5
        across, down = _MARGIN + _SIZE * share, _MARGIN + _SIZE * (1 - share)
        parts.append(
            f'<text x="{across:.0f}" y="{_MARGIN + _SIZE + 16}" text-anchor="middle">'
            f"{share * limits[0]:.4g}</text>"
            f'<text x="{_MARGIN - 6}" y="{down + 4:.0f}" text-anchor="end">'
            f"{share * limits[1]:.4g}</text>"
        )
    middle = _MARGIN + _SIZE / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{_MARGIN + _SIZE + 34}" text-anchor="middle">{escape(x)}</text>'
        f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y)}</text>"
    )
    return "".join(parts)
