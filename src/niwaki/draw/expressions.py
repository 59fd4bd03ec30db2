"""Expressions as pictures: an outline for the terminal, an SVG, and a page beside the trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from niwaki.data.expressions import BRACKETS, Expression
from niwaki.data.meaning import Meaning
from niwaki.draw.layout import text_width
from niwaki.draw.markup import escape, svg
from niwaki.draw.page import page
from niwaki.draw.terminal import printable

_CELL, _GAP, _LEVEL, _TOP = 8.2, 22.0, 54, 22

_STYLE = (
    "text{font-family:system-ui,sans-serif;unicode-bidi:plaintext}"
    ".w{font-size:15px;fill:currentColor}.b{font-size:15px;fill:#b4552d}"
    ".l{font-size:12px;fill:#2f6f4f;paint-order:stroke;stroke:var(--paper,#fff);stroke-width:4px}"
    ".a{stroke:#6b7f74;stroke-width:1.3px}"
)


def outline(meaning: Meaning) -> str:
    """An expression a part a line, below what it is part of, under its text."""
    lines = [f"# {printable(str(meaning))}\n"]
    forms = meaning.sentence.forms
    todo: list[tuple[str, Expression | str, str, str]] = []
    if meaning.expression is not None:
        todo.append(("", meaning.expression, "", ""))
    while todo:
        relation, node, prefix, below = todo.pop()
        lines.append(f"{prefix}{relation}{printable(name_of(node, forms))}\n")
        parts = list(parts_of(node))
        for number, (how, part) in reversed(list(enumerate(parts))):
            last = number == len(parts) - 1
            branch, trunk = ("╰─ ", "   ") if last else ("├─ ", "│  ")
            todo.append((f"{how} ", part, below + branch, below + trunk))
    return "".join(lines)


def expression_svg(meaning: Meaning) -> str:
    """An expression as a tree of its parts, in one `<svg>` element without outside references."""
    top = None if meaning.expression is None else _box(meaning.expression, meaning.sentence.forms)
    placed, width = _placed(top)
    parts = []
    for box in placed:
        for how, other in box.parts:
            start, stop = (box.x, box.y + 6), (other.x, other.y - 15)
            parts.append(
                f'<line class="a" x1="{start[0]:.1f}" y1="{start[1]:.0f}" '
                f'x2="{stop[0]:.1f}" y2="{stop[1]:.0f}"/>'
            )
            middle = ((start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2 + 4)
            parts.append(_text(*middle, "l", how))
    parts += [_text(box.x, box.y, "b" if box.is_bracket else "w", box.name) for box in placed]
    height = max((box.y for box in placed), default=_TOP) + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(str(meaning))}">'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>"
    )


def meanings(found: Iterable[Meaning], title: str = "What sentences mean") -> str:
    """A page with the expression of each sentence, as text and drawn, and the tree that says it."""
    figures = "\n".join(
        f"<figure><figcaption>{escape(each.sentence.id or str(number))}: "
        f"{escape(each.sentence.text)}</figcaption>\n<p><code>{escape(str(each))}</code></p>\n"
        f"<div>{expression_svg(each)}</div><div>{svg(each.sentence)}</div></figure>"
        for number, each in enumerate(found, start=1)
    )
    return page(title, figures)


@dataclass
class _Box:
    """A part of a picture; places are found when all parts are known."""

    name: str
    is_bracket: bool
    depth: int
    parts: list[tuple[str, _Box]] = field(default_factory=list)
    x: float = 0.0

    @property
    def y(self) -> float:
        return _TOP + _LEVEL * self.depth


def name_of(node: Expression | str, forms: tuple[str, ...]) -> str:
    """What is written at a part: its word, its bracket, or the sign of a blank."""
    if isinstance(node, str):
        return node
    return forms[node.word - 1] if node.word else f"{node.bracket} {BRACKETS[node.bracket]}"


def parts_of(node: Expression | str) -> Iterator[tuple[str, Expression | str]]:
    """What a part is made of, with how: the place in its bracket, or a connective."""
    if not isinstance(node, str):
        yield from ((str(place), item) for place, item in enumerate(node.items))
        yield from node.joined


def _box(expression: Expression, forms: tuple[str, ...]) -> _Box:
    def made(node: Expression | str, depth: int) -> _Box:
        is_bracket = isinstance(node, Expression) and not node.word
        return _Box(name_of(node, forms), is_bracket, depth)

    top = made(expression, 0)
    todo: list[tuple[Expression | str, _Box]] = [(expression, top)]
    while todo:
        node, box = todo.pop()
        for how, part in parts_of(node):
            below = made(part, box.depth + 1)
            box.parts.append((how, below))
            todo.append((part, below))
    return top


def _placed(top: _Box | None) -> tuple[list[_Box], float]:
    """All boxes, each after what it is part of, and the width of the picture.

    Columns go to those without parts, from left to right; the others stand in the middle of theirs.
    """
    order: list[_Box] = []
    todo = [] if top is None else [top]
    while todo:
        box = todo.pop()
        order.append(box)
        todo += [part for _, part in reversed(box.parts)]
    right = _GAP / 2
    for box in order:
        if not box.parts:
            width = max(text_width(box.name) * _CELL, 14.0)
            box.x = right + width / 2
            right += width + _GAP
    for box in reversed(order):
        if box.parts:
            box.x = (box.parts[0][1].x + box.parts[-1][1].x) / 2
    edges = [box.x + text_width(box.name) * _CELL / 2 + _GAP / 2 for box in order]
    return order, max([40.0, right, *edges])


def _text(x: float, y: float, style: str, content: str) -> str:
    return (
        f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">'
        f"{escape(content)}</text>"
    )
