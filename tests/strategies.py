"""Hypothesis strategies that write CoNLL-U."""

from __future__ import annotations

from hypothesis import strategies as st

from niwaki.data.constraints import (
    Constraints,
    FixedHead,
    ForbiddenHead,
    Labels,
    Statement,
    Subtree,
)

# Everything that may stand in a field: no tab, no line end, no NUL, no surrogate.
_CHARACTERS = st.characters(codec="utf-8", exclude_characters="\t\n\r\0")
field = st.one_of(st.just("_"), st.text(_CHARACTERS, min_size=1, max_size=8))
newline = st.sampled_from(["\n", "\r\n"])


@st.composite
def heads(draw: st.DrawFn, words: int) -> list[int]:
    """A random tree with one root: each word hangs below one that was placed before it."""
    order = draw(st.permutations(range(1, words + 1)))
    result = [0] * words
    for place, word in enumerate(order[1:], start=1):
        result[word - 1] = order[draw(st.integers(0, place - 1))]
    return result


@st.composite
def sentence_text(draw: st.DrawFn, end: str, partial: bool = False) -> str:
    """A sound sentence with comments, ranges and empty nodes, without its blank line."""
    words = draw(st.integers(1, 8))
    comments = draw(st.lists(st.text(_CHARACTERS, max_size=12), max_size=3))
    lines = [f"#{comment}" for comment in comments]
    tree: list[int | str] = list(draw(heads(words)))
    if partial:
        for unknown in draw(st.sets(st.integers(0, words - 1))):
            tree[unknown] = draw(st.sampled_from(["_", "-1"]))
    range_end = 0

    def row(identifier: str, head: str) -> str:
        fields = draw(st.lists(field, min_size=8, max_size=8))
        return "\t".join([identifier, *fields[:5], head, *fields[5:]])

    for empty in range(draw(st.integers(0, 1))):
        lines.append(row(f"0.{empty + 1}", "_"))
    for word in range(1, words + 1):
        if word > range_end and draw(st.integers(0, 4)) == 0:
            range_end = draw(st.integers(word, words))
            lines.append(row(f"{word}-{range_end}", "_"))
        lines.append(row(str(word), str(tree[word - 1])))
        for empty in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            lines.append(row(f"{word}.{empty + 1}", "_"))
    return "".join(line + end for line in lines)


@st.composite
def conllu_files(draw: st.DrawFn, partial: bool = True) -> bytes:
    """A valid file: any mix of byte order mark, line ends and a missing last newline."""
    bom = draw(st.sampled_from(["", "\ufeff"]))
    mixed = draw(st.booleans())
    end = draw(newline)
    text = bom + draw(st.sampled_from(["", "", end]))
    for _ in range(draw(st.integers(1, 4))):
        if mixed:
            end = draw(newline)
        text += draw(sentence_text(end, partial)) + end * draw(st.integers(1, 2))
    cut = draw(st.integers(0, 2))
    if cut:
        text = text.rstrip("\r\n")
    if cut == 1:
        text += end
    return text.encode("utf-8")


# Valid files with a few bytes changed: near misses find more than noise does.
@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(conllu_files()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        kind = draw(st.sampled_from(["replace", "insert", "delete"]))
        piece = draw(
            st.sampled_from(
                [b"\t", b"\n", b"\r", b"\0", b"#", b"-", b".", b"0", b"9", b"_", b"\xff"]
            )
        )
        if kind == "replace":
            data[at : at + 1] = piece
        elif kind == "insert":
            data[at:at] = piece
        else:
            del data[at : at + draw(st.integers(1, 6))]
    return bytes(data)


@st.composite
def constraint_sets(draw: st.DrawFn, words: int, labels: tuple[str, ...]) -> Constraints:
    """Any statements about some words, many of them contradicting each other."""
    word = st.integers(1, words)
    head = st.integers(0, words)
    name = st.sampled_from([*labels, "unheard-of"])
    statement: st.SearchStrategy[Statement] = st.one_of(
        st.builds(FixedHead, word, head),
        st.builds(ForbiddenHead, word, head),
        st.builds(ForbiddenHead, word, head),
        st.builds(Labels, word, st.lists(name, max_size=3, unique=True).map(tuple)),
        st.builds(Subtree, st.sets(word, min_size=1).map(lambda group: tuple(sorted(group)))),
        st.builds(lambda a, b: Subtree(tuple(range(min(a, b), max(a, b) + 1))), word, word),
    )
    return Constraints(words, tuple(draw(st.lists(statement, max_size=6))))
