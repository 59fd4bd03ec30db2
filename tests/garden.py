"""A small treebank written for the tests: sentences of a garden, with their raw text."""

from __future__ import annotations

from niwaki.data.sentence import Sentence

# A token a word; `+` splits a multiword token, `_` glues a token to the next one.
_LINES = """
The old pine leans over the pond_ .
I do+n't know its age_ , but it+'s tall_ .
Moss grows on the stones_ .
We+'ve pruned it for 3.5 years_ !
Did+n't the monks plant it_ ?
They did_ .
A letter from Mr. Hill came at 5 p.m. today_ .
He writes_ : "_ The garden is n't mine_ . _"
It+'s a well-known tree (_ see below_ )_ .
Who+'s there_ ?
The gardener+'s ladder is long_ .
You ca+n't see the roots_ , can you_ ?
Water costs $_ 3.50 a litre_ .
I+'ll wait_ .
Prune in spring_ ; rest in winter_ .
That has+n't helped_ .
Is n't it green_ ?
She+'s gone to St. Mary_ .
We saw pines_ , maples_ , etc. in May_ .
Good night_ !
"""


def make_sentence(line: str, comments: list[str] | None = None) -> Sentence:
    rows: list[str] = []
    text, word = "", 0
    tokens = line.replace("_ ", " _").split(" ")
    # `a_ .` became `a _.`: the mark now says that no space stands before a token.
    for place, token in enumerate(tokens):
        glued = place + 1 < len(tokens) and tokens[place + 1].startswith("_")
        parts = token.removeprefix("_").split("+")
        form = "".join(parts)
        misc = "SpaceAfter=No" if glued else "_"
        text += form + ("" if glued else " ")
        if len(parts) > 1:
            rows.append(_row(f"{word + 1}-{word + len(parts)}", form, "_", "_", misc))
        for part in parts:
            word += 1
            head, deprel = ("0", "root") if word == 1 else ("1", "dep")
            rows.append(_row(str(word), part, head, deprel, misc if len(parts) == 1 else "_"))
    lines = [f"# {comment}" for comment in [*(comments or []), f"text = {text.rstrip()}"]]
    return Sentence.from_conllu("\n".join([*lines, *rows, "", ""]))


def _row(number: str, form: str, head: str, deprel: str, misc: str) -> str:
    return "\t".join([number, form, "_", "_", "_", "_", head, deprel, "_", misc])


def treebank() -> list[Sentence]:
    """All sentences, four to a paragraph."""
    lines = _LINES.strip().splitlines()
    return [
        make_sentence(line, ["newdoc"] if n == 0 else ["newpar"] if n % 4 == 0 else [])
        for n, line in enumerate(lines)
    ]
