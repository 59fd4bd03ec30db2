"""Charts: sound markup, points where the numbers say, ticks at round numbers."""

from __future__ import annotations

import math
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki import draw
from niwaki.draw.chart import round_limits, ticks
from tests.draw.test_draw import clean, nasty

SVG = "{http://www.w3.org/2000/svg}"
numbers = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))


@given(numbers, numbers)
def test_ticks_are_round_and_inside(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    found = ticks(low, high)
    assert 1 <= len(found) <= 7 or high - low < 1e-6
    slack = 1e-6 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in found)
    limits = round_limits([one, other])
    assert limits[0] <= low + slack and high - slack <= limits[1]


def test_ticks() -> None:
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert ticks(70, 90) == [70, 75, 80, 85, 90]
    assert ticks(1, 3, least=1.0) == [1, 2, 3]
    assert ticks(4, 4) == [4]
    assert round_limits([0, 0.37]) == (0, 0.4)
    assert round_limits([3]) == (3, 4)


@given(nasty, nasty, nasty)
def test_names_are_escaped(title: str, name: str, bin_name: str) -> None:
    chart = draw.binned_chart(
        [bin_name, "2"],
        {name: [draw.Value(50, note=title, is_faint=True), None]},
        title=title,
        x=name,
        y=title,
        y_limits=(0, 100),
        counts=[4, 0],
    )
    texts = {node.text for node in ET.fromstring(chart).iter(f"{SVG}text")}
    assert {clean(title), clean(name), clean(bin_name)} <= texts
    line = draw.line_chart({name: [(0, 0), (1, 1)]}, title=title, x=name, y=bin_name)
    assert clean(name) in {node.text for node in ET.fromstring(line).iter(f"{SVG}text")}


def places(chart: str) -> list[list[tuple[float, float]]]:
    """The points of the lines, without those of the legend."""
    lines = [node.get("points", "") for node in ET.fromstring(chart).iter(f"{SVG}polyline")]
    points = [
        [(float(a), float(b)) for a, b in (pair.split(",") for pair in line.split())]
        for line in lines
    ]
    return points[1:]


def test_points_lie_where_the_numbers_say() -> None:
    chart = draw.line_chart(
        {"a": [(0, 0), (5, 10), (10, 20)]},
        title="t",
        x="x",
        y="y",
        x_limits=(0, 10),
        y_limits=(0, 20),
        size=(100, 200),
    )
    (line,) = places(chart)
    assert line[1][0] - line[0][0] == line[2][0] - line[1][0] == 50
    assert line[1][1] - line[0][1] == line[2][1] - line[1][1] == -100
    broken = draw.binned_chart(
        list("12345"),
        {"a": [*map(draw.Value, (1, 2)), None, *map(draw.Value, (3, 4))]},
        title="t",
        x="x",
        y="y",
        y_limits=(0, 4),
        size=(100, 40),
    )
    first, second = places(broken)
    assert [round(b - a) for (a, _), (b, _) in (first, second)] == [20, 20]
    assert [round(a - b) for (_, a), (_, b) in (first, second)] == [10, 10]


def test_nothing_to_draw_is_drawn() -> None:
    for chart in (
        draw.line_chart({}, title="t", x="x", y="y"),
        draw.line_chart({"a": [(2, 3)]}, title="t", x="x", y="y", x_limits=(2, 2)),
        draw.binned_chart([], {"a": []}, title="t", x="x", y="y", y_limits=(0, 100), counts=[]),
    ):
        ET.fromstring(chart)
        assert not re.search(r"nan|inf\b", chart.partition("</style>")[2])


def test_the_styles_of_a_chart_touch_nothing_else() -> None:
    chart = draw.line_chart({"a": [(0, 0)]}, title="t", x="x", y="y")
    style = chart.partition("<style>")[2].partition("</style>")[0]
    rules = re.sub(r"@media [^{]*\{", "", style)
    selectors = re.findall(r"([^{}]+)\{", rules)
    assert selectors and all(selector.startswith(".chart ") for selector in selectors)


def test_png() -> None:
    pytest.importorskip("resvg_py", reason="resvg is missing: pip install niwaki[plots]")
    chart = draw.line_chart({"a": [(0, 0), (1, 1)]}, title="t", x="x", y="y")
    picture = draw.png(chart, zoom=1)
    width, height = struct.unpack(">II", picture[16:24])
    root = ET.fromstring(chart)
    assert (str(width), str(height)) == (root.get("width"), root.get("height"))
    assert picture != draw.png(chart.replace("</svg>", '<circle r="50"/></svg>'), zoom=1)
    assert math.isclose(struct.unpack(">I", draw.png(chart)[16:20])[0], 2 * width)


def test_without_resvg_one_line_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['resvg_py'] = None; from niwaki import draw\n"
        "draw.png(draw.line_chart({}, title='t', x='x', y='y'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "ExtraMissingError: PNG pictures need resvg; run: pip install niwaki[plots]"
    )
