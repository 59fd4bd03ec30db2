"""Pictures of the trees of a file."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Literal

from niwaki import draw
from niwaki.data.conllu import read_stream
from niwaki.data.files import Input
from niwaki.data.given import sentences_given
from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.errors import NiwakiError
from niwaki.verbs._given import OnError, OnFault, Sentences, fault_handler, is_source, name_of


def draw_trees(
    trees: Sentences,
    style: Literal["arcs", "tree", "svg", "html"] = "arcs",
    *,
    id: str | None = None,  # noqa: A002
    first: int | None = None,
    probabilities: bool = False,
    on_error: OnError = "fail",
) -> Iterator[str]:
    """Yield a picture of each tree, or one self-contained page of all ("html").

    "arcs" and "tree" are text for a terminal, under the sentence. `id` draws only the sentence
    with this `sent_id`, `first` only so many. With `probabilities`, those in MISC are drawn
    too (see `parse`). With `on_error="skip"`, trees that cannot be read are left out. The functions
    of `niwaki.draw` draw one sentence.

        >>> print("\\n".join(draw_trees("trees.conllu", first=3)))
        >>> Path("trees.html").write_text(next(draw_trees("trees.conllu", "html")))
    """
    if style not in ("arcs", "tree", "svg", "html"):
        raise NiwakiError(f"no style {style!r}; give arcs, tree, svg or html")
    sentences = _read(trees, fault_handler(on_error))
    if id is not None:
        sentences = (sentence for sentence in sentences if sentence.id == id)
    chosen: Iterator[Sentence] = itertools.islice(sentences, first)
    if probabilities:
        chosen = map(_certain, chosen)
    if style in ("arcs", "tree"):
        return (_in_terminal(sentence, style == "tree", probabilities) for sentence in chosen)
    found = list(chosen)
    if not found:
        name = name_of(trees, "the trees")
        raise NiwakiError(f"{name}: no sentence {id!r}; check its # sent_id")
    if style == "svg":
        return (draw.svg(sentence, probabilities=probabilities) for sentence in found)
    title = name_of(trees, "Trees")
    return iter([draw.html(found, title=title, probabilities=probabilities)])


def _read(trees: Sentences, on_fault: OnFault) -> Iterator[Sentence]:
    """A file is opened when the first tree is asked for."""
    given: Any = trees
    yield from read_stream(Input(given), on_fault) if is_source(given) else sentences_given(given)


def _certain(sentence: Sentence) -> Sentence:
    if "arc" not in known_probabilities(sentence):
        raise NiwakiError(
            f"{sentence.file}:{sentence.line}: no ArcProb in MISC; "
            "parse with --probabilities, or draw without"
        )
    return sentence


def _in_terminal(sentence: Sentence, tree: bool, probabilities: bool) -> str:
    draw_one = draw.indented if tree else draw.arcs
    picture = draw_one(sentence, probabilities=probabilities)
    return f"# {draw.printable(sentence.text)}\n{picture}"
