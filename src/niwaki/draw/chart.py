"""Charts as SVG: lines over numbers, and points over bins with names.

Series differ by colour and by the shape of their points. A chart is readable on light and on
dark paper; renderers that know no media queries draw it for light paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from niwaki.draw.layout import text_width
from niwaki.draw.markup import escape

Points = Sequence[tuple[float, float]]
Limits = tuple[float, float]

_RIGHT, _BOTTOM = 16, 46
_TITLE, _LEGEND = 30, 20
_CELL = 6.6  # width of a character of 12 pixels
_LIGHT = ("#1f7a4d", "#c2531f", "#2f62b5", "#97700a", "#7a4fa3", "#4d6672")
_DARK = ("#6fd0a0", "#f0925f", "#8db4f5", "#dcb548", "#c3a0e8", "#a9bfca")
# Bars of how many there are reach at most this share of the height.
_BARS = 0.3
# Points of a line are marked unless there are more than this.
_MARKED = 25


_INK = {
    # What is drawn: on light paper, on dark paper.
    "text": ("fill:#333", "fill:#dde5e0"),
    ".k": ("fill:#666", "fill:#9fada5"),
    ".x": ("stroke:#999", "stroke:#67736c"),
    ".g": ("stroke:#e3e6e4", "stroke:#2c3a33"),
    ".d": ("stroke:#aaa", "stroke:#67736c"),
    ".b": ("fill:#dfe5e1", "fill:#314239"),
    **{
        f".c{number}": tuple(f"stroke:{colour};fill:{colour}" for colour in pair)
        for number, pair in enumerate(zip(_LIGHT, _DARK, strict=True))
    },
    ".s": ("fill:none", "fill:none"),
    ".o": ("fill:#fff", "fill:#16201b"),
}


def _rules(dark: int) -> str:
    # In a page, the style of one picture reaches all others: hence the class in front.
    return "".join(f".chart {what}{{{inks[dark]}}}" for what, inks in _INK.items())


_STYLE = (
    # Names of fonts that are common: a renderer without fontconfig looks for these.
    ".chart text{font-family:system-ui,'Liberation Sans','DejaVu Sans',Arial,Helvetica,"
    "sans-serif;font-size:12px}.chart .t{font-size:13px;font-weight:600}"
    ".chart .k{font-size:11px}.chart .x{fill:none}.chart .d{stroke-dasharray:4 3}"
    ".chart .s{stroke-width:2;stroke-linejoin:round}"
    f"{_rules(0)}@media (prefers-color-scheme:dark){{{_rules(1)}}}"
)


@dataclass(frozen=True)
class Value:
    """A point over a bin: how high, a word about it, and whether it stands on little."""

    y: float
    note: str = ""
    is_faint: bool = False


@dataclass(frozen=True)
class _Frame:
    """Where the plot lies and how numbers become places in it."""

    rows: int  # of the legend
    width: float
    height: float
    x_limits: Limits
    y_limits: Limits

    @property
    def top(self) -> float:
        return _TITLE + _LEGEND * self.rows

    @cached_property
    def left(self) -> float:
        """Room for the numbers of the axis and its name."""
        return max(52.0, 30 + 6.2 * max(len(shown) for _, shown in self._y_ticks))

    @property
    def _y_ticks(self) -> list[tuple[float, str]]:
        return _labelled(ticks(*self.y_limits))

    def across(self, x: float) -> float:
        return self.left + self.width * _share(x, self.x_limits)

    def down(self, y: float) -> float:
        return self.top + self.height * (1 - _share(y, self.y_limits))

    @property
    def floor(self) -> float:
        return self.top + self.height

    def box(self) -> str:
        return (
            f'<path class="x" d="M{self.left:.0f} {self.top:.0f}V{self.floor:.0f}'
            f'H{self.left + self.width:.0f}"/>'
        )

    def y_axis(self, name: str) -> str:
        middle = self.top + self.height / 2
        right = self.left + self.width
        parts = [
            f'<path class="g" d="M{self.left:.0f} {self.down(tick):.1f}H{right:.0f}"/>'
            + _text(self.left - 6, self.down(tick) + 4, shown, "k", "end")
            for tick, shown in self._y_ticks
        ]
        return "".join(parts) + (
            f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">'
            f"{escape(name)}</text>"
        )

    def x_name(self, name: str, below: float = 36) -> str:
        return _text(self.left + self.width / 2, self.floor + below, name)


def line_chart(
    series: Mapping[str, Points],
    *,
    title: str,
    x: str,
    y: str,
    x_limits: Limits = (0.0, 1.0),
    y_limits: Limits = (0.0, 1.0),
    diagonal: bool = False,
    whole_x: bool = False,
    size: tuple[int, int] = (320, 320),
) -> str:
    """One `<svg>` element; `diagonal` draws the line on which x and y are equal.

    `whole_x` puts ticks at whole numbers only, as for things that are counted.
    """
    frame = _Frame(_legend_rows(series, size[0]), *size, x_limits, y_limits)
    parts = [frame.y_axis(y), frame.box(), frame.x_name(x)]
    for tick, shown in _labelled(ticks(*x_limits, least=1.0 if whole_x else 0.0)):
        parts.append(_text(frame.across(tick), frame.floor + 16, shown, "k"))
    if diagonal:
        low, high = max(x_limits[0], y_limits[0]), min(x_limits[1], y_limits[1])
        parts.append(
            f'<path class="d" d="M{frame.across(low):.1f} {frame.down(low):.1f}'
            f'L{frame.across(high):.1f} {frame.down(high):.1f}"/>'
        )
    for number, points in enumerate(series.values()):
        places = [(frame.across(a), frame.down(b)) for a, b in points]
        parts.append(_polyline(places, number))
        if len(points) <= _MARKED:
            parts += [_marker(*place, number) for place in places]
    return _svg(frame, title, [_legend(frame, series), *parts], _BOTTOM)


def binned_chart(
    bins: Sequence[str],
    series: Mapping[str, Sequence[Value | None]],
    *,
    title: str,
    x: str,
    y: str,
    y_limits: Limits,
    counts: Sequence[int] | None = None,
    joined: bool = True,
    first_colour: int = 0,
    size: tuple[int, int] = (350, 220),
) -> str:
    """One `<svg>` element: for each series a point over each bin, joined by lines if `joined`.

    None leaves a gap. `counts` are drawn as grey bars that share the floor of the chart but
    not its scale: they say how much each point stands on.
    """
    rows = _legend_rows(series, size[0])
    frame = _Frame(rows, *size, (0.0, float(max(1, len(bins)))), y_limits)
    step = size[0] / max(1, len(bins))
    slanted = max((_CELL * text_width(name) for name in bins), default=0) > step + 4
    foot = 26 + max((4.4 * text_width(name) for name in bins), default=0) if slanted else _BOTTOM
    parts = []
    if counts is not None:
        parts.append(_bars(frame, bins, counts, step))
    parts += [frame.y_axis(y), frame.box(), frame.x_name(x, foot - 10)]
    for number, name in enumerate(bins):
        place = frame.across(number + 0.5)
        if slanted:
            parts.append(
                f'<text class="k" transform="translate({place + 4:.1f} {frame.floor + 14:.0f}) '
                f'rotate(-35)" text-anchor="end">{escape(name)}</text>'
            )
        else:
            parts.append(_text(place, frame.floor + 16, name, "k"))
    # Points that are not joined stand side by side, so that none hides another.
    spread = 0.0 if joined else min(0.16, 0.6 / max(1, len(series)))
    for number, (name, values) in enumerate(series.items()):
        shift = 0.5 + spread * (number - (len(series) - 1) / 2)
        parts += _binned_series(frame, first_colour + number, name, bins, values, shift, joined)
    return _svg(frame, title, [_legend(frame, series, first_colour), *parts], foot)


def _binned_series(
    frame: _Frame,
    number: int,
    name: str,
    bins: Sequence[str],
    values: Sequence[Value | None],
    shift: float,
    joined: bool,
) -> list[str]:
    parts: list[str] = []
    run: list[tuple[float, float]] = []
    markers = []
    for at, value in enumerate([*values, None]):
        if value is None:
            if joined and len(run) > 1:
                parts.append(_polyline(run, number))
            run = []
            continue
        point = (frame.across(at + shift), frame.down(value.y))
        run.append(point)
        note = f"{name}, {bins[at]}: {value.y:.1f}" + (f" ({value.note})" if value.note else "")
        markers.append(_marker(*point, number, faint=value.is_faint, note=note))
    return parts + markers


def ticks(low: float, high: float, wanted: int = 5, least: float = 0.0) -> list[float]:
    """Round numbers from low to high, about as many as wanted, at least `least` apart.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not high > low:
        return [low]
    step = max(least, _round_step((high - low) / wanted))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Counted in steps and rounded, so that 3 * 0.1 is shown as 0.3.
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(number * step, digits) + 0.0 for number in range(first, last + 1)]


def _labelled(numbers: Sequence[float]) -> list[tuple[float, str]]:
    """Each number with as many decimals as any of them needs."""
    decimals = max((len(f"{n:.10g}".partition(".")[2]) for n in numbers), default=0)
    return [(number, f"{number:,.{decimals}f}") for number in numbers]


def round_limits(values: Sequence[float]) -> Limits:
    """Ticks at or beyond the least and the largest value.

    >>> round_limits([0.0, 0.37])
    (0.0, 0.4)
    """
    low, high = min(values), max(values)
    if not high > low:
        return low, low + 1.0
    step = _round_step((high - low) / 5)
    digits = max(0, 2 - math.floor(math.log10(step)))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return round(first * step, digits) + 0.0, round(last * step, digits) + 0.0


def _round_step(rough: float) -> float:
    """1, 2, 2.5 or 5 times a power of ten, the least that is not below."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * f for f in (1, 2, 2.5, 5, 10) if power * f >= rough * (1 - 1e-9))


def _share(value: float, limits: Limits) -> float:
    low, high = limits
    return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.5


def _svg(frame: _Frame, title: str, parts: list[str], foot: float) -> str:
    width, height = frame.left + frame.width + _RIGHT, frame.floor + foot
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<style>{_STYLE}</style>{_text(frame.left, 18, title, 't', 'start')}"
        f"{''.join(parts)}</svg>"
    )


def _legend_places(names: Iterable[str], width: float) -> Iterator[tuple[str, int, float]]:
    """Each name with its row and its place there, in rows that fit the width."""
    row, across = 0, 0.0
    for name in names:
        needed = 36 + _CELL * text_width(name)
        if across and across + needed > width:
            row, across = row + 1, 0.0
        yield name, row, across
        across += needed


def _legend_rows(names: Iterable[str], width: float) -> int:
    return max((row + 1 for _, row, _ in _legend_places(names, width)), default=0)


def _legend(frame: _Frame, names: Iterable[str], first_colour: int = 0) -> str:
    parts = []
    places = _legend_places(names, frame.width)
    for number, (name, row, across) in enumerate(places, start=first_colour):
        x, y = frame.left + across, _TITLE + 4 + _LEGEND * row
        parts.append(_polyline([(x, y), (x + 16, y)], number))
        parts.append(_marker(x + 8, y, number))
        parts.append(_text(x + 22, y + 4, name, "", "start"))
    return "".join(parts)


def _bars(frame: _Frame, bins: Sequence[str], counts: Sequence[int], step: float) -> str:
    most = max(counts, default=0) or 1
    parts = []
    for number, (name, count) in enumerate(zip(bins, counts, strict=True)):
        height = frame.height * _BARS * count / most
        if count:
            parts.append(
                f'<rect class="b" x="{frame.across(number) + step * 0.14:.1f}" '
                f'y="{frame.floor - height:.1f}" width="{step * 0.72:.1f}" height="{height:.1f}">'
                f"<title>{escape(name)}: {count:,}</title></rect>"
            )
    return "".join(parts)


def _polyline(places: Sequence[tuple[float, float]], number: int) -> str:
    path = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    return f'<polyline class="c{number % len(_LIGHT)} s" points="{path}"/>'


def _marker(across: float, down: float, number: int, *, faint: bool = False, note: str = "") -> str:
    """A small shape, another one for each series; hollow if faint."""
    style = f"c{number % len(_LIGHT)}" + (" o" if faint else "")
    shapes = (
        "m-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0z",  # a circle
        "m-3.4 -3.4h6.8v6.8h-6.8z",
        "m0 -4.6l4.4 8h-8.8z",
        "m0 -4.8l4.8 4.8l-4.8 4.8l-4.8 -4.8z",
        "m0 4.6l4.4 -8h-8.8z",
        "m-1.3 -4.2h2.6v2.9h2.9v2.6h-2.9v2.9h-2.6v-2.9h-2.9v-2.6h2.9z",
    )
    title = f"<title>{escape(note)}</title>" if note else ""
    shape = shapes[number % len(shapes)]
    return f'<path class="{style}" d="M{across:.1f} {down:.1f}{shape}">{title}</path>'


def _text(across: float, down: float, content: str, style: str = "", anchor: str = "middle") -> str:
    kind = f' class="{style}"' if style else ""
    return (
        f'<text{kind} x="{across:.1f}" y="{down:.1f}" text-anchor="{anchor}">'
        f"{escape(content)}</text>"
    )
