"""SVG as PNG by resvg: one small wheel that draws what the page shows (extra `plots`)."""

from __future__ import annotations

from functools import cache

from niwaki.errors import ExtraMissingError, NiwakiError

# What pictures call sans-serif is a family that is there: resvg knows Arial by that name alone,
# which few Linux systems have, and leaves out what it has no font for without a word.
_SANS_SERIF = (
    *("Liberation Sans", "DejaVu Sans", "Arial", "Helvetica", "Noto Sans"),
    *("Open Sans", "FreeSans", "Ubuntu", "Cantarell", "Segoe UI"),
)
_PAPER = "#ffffff"
_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>'
_LETTER = '<text y="30" font-family="sans-serif">n</text>'


def png(svg: str, zoom: float = 2.0) -> bytes:
    """The picture on white paper, `zoom` times as large as the SVG says."""
    try:
        import resvg_py
    except ImportError as error:
        raise ExtraMissingError(
            "PNG pictures need resvg; run: pip install niwaki[plots]"
        ) from error
    family = _family()
    # resvg knows no variables: the paper around labels would be lost, and arcs run through them.
    svg = svg.replace("var(--paper,#fff)", _PAPER)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, zoom=zoom, background=_PAPER, sans_serif_family=family
        )
    )


@cache
def _family() -> str:
    """The first family in which a letter is drawn."""
    import resvg_py

    def drawn(inside: str, family: str) -> bytes:
        picture = _PICTURE.format(inside)
        return bytes(resvg_py.svg_to_bytes(svg_string=picture, sans_serif_family=family))

    for family in _SANS_SERIF:
        if drawn(_LETTER, family) != drawn("", family):
            return family
    raise NiwakiError(
        "no font for the text of PNG pictures; install one, such as DejaVu Sans "
        "(Debian: apt-get install fonts-dejavu-core)"
    )
