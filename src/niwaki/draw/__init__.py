"""Draws trees: `arcs` and `indented` for the terminal, `svg` and `html` for the screen."""

from niwaki.data import sentence as _sentence
from niwaki.draw.chart import line_chart
from niwaki.draw.markup import escape, fragment, html, svg
from niwaki.draw.terminal import arcs, indented, printable

# From here on a notebook shows a sentence as a picture.
_sentence.html_renderer = fragment

__all__ = ["arcs", "escape", "fragment", "html", "indented", "line_chart", "printable", "svg"]
