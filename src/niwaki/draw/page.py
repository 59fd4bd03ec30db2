"""The frame of every HTML page that Niwaki writes: one file, light and dark, nothing loaded."""

from __future__ import annotations

from collections.abc import Iterable

from niwaki.data.sentence import Sentence
from niwaki.draw.markup import direction, escape, svg

_STYLE = (
    ":root{color-scheme:light dark;--paper:#fff;--card:#f6f8f6;--line:#8884}"
    "@media (prefers-color-scheme:dark){:root{--paper:#16201b;--card:#1d2923}"
    ".l:not(.u){fill:#8fd0ae!important}.u{fill:#f0925f!important}}"
    "body{font-family:system-ui,sans-serif;margin:2rem;background:var(--paper)}"
    "h1{font-size:1.3rem;font-weight:600}h2{font-size:1.05rem;margin-top:2rem}"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px solid var(--line)}"
    "td:first-child,th:first-child{text-align:left}"
    "figure{margin:1.2rem 0 2.2rem}figcaption{font-size:.85rem;opacity:.75}"
    "figure div{overflow-x:auto}svg{max-width:100%;height:auto}figure div svg{max-width:none}"
    ".signature{font-size:.75rem;opacity:.6;overflow-wrap:anywhere}"
)


def page(title: str, body: str, style: str = "") -> str:
    """A whole page; `body` is markup, `style` is added to what all pages have."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def html(
    sentences: Iterable[Sentence], title: str = "Trees", *, probabilities: bool = False
) -> str:
    """A page with one picture a sentence; wide ones scroll, nothing is loaded from elsewhere."""
    figures = "\n".join(
        f'<figure><figcaption dir="auto">{escape(sentence.id or str(number))}</figcaption>\n'
        f"<div{direction(sentence)}>{svg(sentence, probabilities=probabilities)}</div></figure>"
        for number, sentence in enumerate(sentences, start=1)
    )
    return page(title, figures)
