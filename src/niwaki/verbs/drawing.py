"""Pictures of the trees of a file."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal

from niwaki import draw
from niwaki.data.conllu import read_stream
from niwaki.data.files import Input
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.verbs._given import OnError, OnFault, Sentences, fault_handler, is_source, name_of


def draw_trees(
    trees: Sentences,
    style: Literal["arcs", "tree", "svg", "html"] = "arcs",
    *,
    id: str | None = None,  # noqa: A002
    first: int | None = None,
    on_error: OnError = "fail",
) -> Iterator[str]:
    """Yield a picture of each tree, or one self-contained page of all ("html").

    "arcs" and "tree" are text for a terminal, under the sentence. `id` draws only the sentence
    with this `sent_id`, `first` only so many. With `on_error="skip"`, trees that cannot be read
    are left out. The functions of `niwaki.draw` draw one sentence.

        >>> print("\\n".join(draw_trees("trees.conllu", first=3)))
        >>> Path("trees.html").write_text(next(draw_trees("trees.conllu", "html")))
    """
    if style not in ("arcs", "tree", "svg", "html"):
        raise NiwakiError(f"no style {style!r}; give arcs, tree, svg or html")
    sentences = _read(trees, fault_handler(on_error))
    if id is not None:
        sentences = (sentence for sentence in sentences if sentence.id == id)
    chosen = itertools.islice(sentences, first)
    if style in ("arcs", "tree"):
        return (_in_terminal(sentence, style == "tree") for sentence in chosen)
    found = list(chosen)
    if not found:
        name = name_of(trees, "the trees")
        raise NiwakiError(f"{name}: no sentence {id!r}; check its # sent_id")
    if style == "svg":
        return map(draw.svg, found)
    return iter([draw.html(found, title=name_of(trees, "Trees"))])


def _read(trees: Sentences, on_fault: OnFault) -> Iterator[Sentence]:
    """A file is opened when the first tree is asked for."""
    yield from read_stream(Input(trees), on_fault) if is_source(trees) else trees  # type: ignore[arg-type, misc]


def _in_terminal(sentence: Sentence, tree: bool) -> str:
    picture = draw.indented(sentence) if tree else draw.arcs(sentence)
    return f"# {draw.printable(sentence.text)}\n{picture}"
