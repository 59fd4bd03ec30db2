"""SVG as PNG by resvg: one small wheel that draws what the page shows (extra `plots`)."""

from __future__ import annotations

from functools import cache

from niwaki.errors import ExtraMissingError, NiwakiError

_TEXT = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>',
    "<text y=\"30\" font-family=\"'Liberation Sans','DejaVu Sans',Arial,Helvetica,sans-serif\">"
    "n</text>",
)


def png(svg: str, zoom: float = 2.0) -> bytes:
    """The picture on white paper, `zoom` times as large as the SVG says."""
    try:
        import resvg_py
    except ImportError as error:
        raise ExtraMissingError(
            "PNG pictures need resvg; run: pip install niwaki[plots]"
        ) from error
    _check_fonts()
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, background="#ffffff"))


@cache
def _check_fonts() -> None:
    """Where there is no font, resvg leaves text out without a word."""
    import resvg_py

    with_text, without = (
        bytes(resvg_py.svg_to_bytes(svg_string=_TEXT[0].format(text))) for text in (_TEXT[1], "")
    )
    if with_text == without:
        raise NiwakiError(
            "no font for the text of PNG pictures; install one, such as DejaVu Sans "
            "(Debian: apt-get install fonts-dejavu-core)"
        )
