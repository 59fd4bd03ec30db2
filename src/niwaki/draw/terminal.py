"""Trees as text for a terminal: arcs beside the words, or an indented tree."""

from __future__ import annotations

from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.data.tree import ROOT, UNKNOWN
from niwaki.draw.layout import Arc, place_arcs, text_width

_NORTH, _SOUTH, _EAST, _WEST = 1, 2, 4, 8
_DEEPEST = 100
_BOX = " ╵╷│╶╰╭├╴╯╮┤─┴┬┼"


def arcs(sentence: Sentence, *, probabilities: bool = False) -> str:
    """One word a line, its arcs at the left; an arrow points at each dependent.

    Crossing arcs and trees with unknown heads can be drawn too. With `probabilities`, that of the
    arc and that of the label stand behind each label, where they are known.
    """
    tree = sentence.tree
    placed = place_arcs(tree)
    canvas = _draw_lines(len(tree), placed)
    ends = ["●" if head == ROOT else "?" if head == UNKNOWN else "▶" for head in tree.heads]
    rows = zip(sentence.forms, sentence.upos, tree.deprels, strict=True)
    words = [[printable(value) for value in row] for row in rows]
    if probabilities:
        words = [[*row, *known] for row, known in zip(words, _known(sentence), strict=True)]
    table = _align(words)
    return "".join(
        f"{line}{end} {row}".rstrip() + "\n"
        for line, end, row in zip(canvas, ends, table, strict=True)
    )


def _draw_lines(words: int, placed: list[Arc]) -> list[str]:
    depth = max((arc.level for arc in placed), default=0)
    width = 2 * depth + 1 if depth else 0
    cells = [[0] * width for _ in range(words)]
    for arc in placed:
        column = 2 * (depth - arc.level)
        for row in range(arc.left - 1, arc.right):
            cells[row][column] |= (_NORTH if row >= arc.left else 0) | (
                _SOUTH if row < arc.right - 1 else 0
            )
        for row in (arc.left - 1, arc.right - 1):
            cells[row][column] |= _EAST
            for between in range(column + 1, width):
                cells[row][between] |= _EAST | _WEST
    return ["".join(_BOX[cell] for cell in row) for row in cells]


def indented(sentence: Sentence, *, probabilities: bool = False) -> str:
    """One word a line below its head, as directories are shown; cut-off words come last.

    Below _DEEPEST levels, words stand below each other with the number of their level.
    `probabilities` are as in `arcs`.
    """
    tree = sentence.tree
    lines: list[str] = []
    known = _known(sentence) if probabilities else [()] * len(tree)

    def label(word: int) -> str:
        values = (sentence.forms[word - 1], sentence.upos[word - 1], tree.deprels[word - 1])
        shown = [printable(value) for value in values if value != "_"]
        return "  ".join([*shown, *known[word - 1]]).rstrip()

    tops = [word for word, head in enumerate(tree.heads, start=1) if head <= ROOT]
    # (word, level, prefix of its line, prefix of the lines below it), last one first.
    todo = [(word, 0, "", "") for word in reversed(tops)]
    while todo:
        word, level, prefix, below = todo.pop()
        lines.append(f"{prefix}{label(word)}\n")
        children = tree.children(word)
        for child in reversed(children):
            if level >= _DEEPEST:
                # Lines as long as the tree is deep would make a picture of its square.
                todo.append((child, level + 1, f"{below}({level + 1}) ", below))
                continue
            last = child == children[-1]
            branch, trunk = ("╰─ ", "   ") if last else ("├─ ", "│  ")
            todo.append((child, level + 1, below + branch, below + trunk))
    return "".join(lines)


def _known(sentence: Sentence) -> list[tuple[str, ...]]:
    """The probabilities of each word's arc and label as text; empty where they are not known."""
    known = known_probabilities(sentence)
    unknown = [None] * len(sentence)
    pairs = zip(known.get("arc", unknown), known.get("label", unknown), strict=True)
    return [tuple("" if p is None else f"{p:.2f}" for p in pair) for pair in pairs]


def _align(rows: list[list[str]]) -> list[str]:
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            value + " " * (width - text_width(value))
            for value, width in zip(row, widths, strict=True)
        )
        for row in rows
    ]


# They join letters or keep them apart (Persian, Hindi, emoji), and do nothing to a terminal.
_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    """Control characters would drive the terminal; each is shown as its escape instead."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in _JOINERS else char.encode("unicode_escape").decode()
        for char in text
    )
