"""Draws trees, expressions, orders, charts: text for terminals; SVG, HTML and PNG for screens."""

from niwaki.data import sentence as _sentence
from niwaki.draw.chart import Value, binned_chart, line_chart, round_limits
from niwaki.draw.expressions import expression_svg, meanings, outline
from niwaki.draw.markup import escape, fragment, svg
from niwaki.draw.orders import crossing_lines
from niwaki.draw.page import html, page
from niwaki.draw.png import png
from niwaki.draw.terminal import arcs, indented, printable

# From here on a notebook shows a sentence as a picture.
_sentence.html_renderer = fragment

__all__ = [
    "Value",
    "arcs",
    "binned_chart",
    "crossing_lines",
    "escape",
    "expression_svg",
    "fragment",
    "html",
    "indented",
    "line_chart",
    "meanings",
    "outline",
    "page",
    "png",
    "printable",
    "round_limits",
    "svg",
]
