"""Draws trees and orders: text for the terminal, SVG and HTML for the screen."""

from niwaki.data import sentence as _sentence
from niwaki.draw.chart import line_chart
from niwaki.draw.markup import escape, fragment, html, svg
from niwaki.draw.orders import crossing_lines
from niwaki.draw.terminal import arcs, indented, printable

# From here on a notebook shows a sentence as a picture.
_sentence.html_renderer = fragment

__all__ = [
    "arcs",
    "crossing_lines",
    "escape",
    "fragment",
    "html",
    "indented",
    "line_chart",
    "printable",
    "svg",
]
