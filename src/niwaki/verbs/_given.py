"""What verbs are given: files or what such a file holds, models, and what to do about faults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, Literal

from niwaki.data.bilingual.bitext import Links, read_links
from niwaki.data.bilingual.links import link_sentences
from niwaki.data.bilingual.references import Reference, read_references
from niwaki.data.conllu import read_conllu
from niwaki.data.files import Source
from niwaki.data.given import Given, sentences_given
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import CorpusError, ModelError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load

Sentences = Source | Given
Model = str | os.PathLike[str] | Pipeline
Trees = Sentences | Pipeline
# What has a name of its own, or a path whose last part is its name.
Named = Source | tuple[str, Any]

# "fail" raises the first fault. "skip" leaves out what is faulty; so does a function, which is
# told of each fault.
OnError = Literal["fail", "skip"] | Callable[[CorpusError], None]
OnFault = Callable[[CorpusError], None] | None

# What is done with tags, features and lemmas that are given: they are predicted anew, so that
# trees are those of bare words, or kept, and the parser uses them. One default for all verbs:
# else a model's scores would not be those of its output.
GivenTags = Literal["predict", "keep"]
TAGS: tuple[GivenTags, ...] = ("predict", "keep")

# Told how far a stage has come: its name, what was done since, and what there is to do (0 if
# that is not known).
Watch = Callable[[str, int, int], None]


def unwatched(stage: str, done: int, total: int) -> None:
    """The `Watch` of nobody."""


def predicts(tags: GivenTags) -> bool:
    if tags not in TAGS:
        raise NiwakiError(f"tags is {tags!r}; give 'predict' or 'keep'")
    return tags == "predict"


def fault_handler(on_error: OnError) -> OnFault:
    """What is told of faults; None if the first one is to be raised."""
    if callable(on_error):
        return on_error
    if on_error not in ("fail", "skip"):
        raise NiwakiError(f"on_error is {on_error!r}; give 'fail', 'skip' or a function")
    return None if on_error == "fail" else lambda fault: None


def is_source(given: object) -> bool:
    return isinstance(given, str | os.PathLike) or hasattr(given, "read")


def sentences_of(given: Any) -> Iterable[Sentence]:
    return read_conllu(given, multi_root=True) if is_source(given) else sentences_given(given)


def read_given(
    given: Any, pipeline: Pipeline | None, form: str | None = None, on_fault: OnFault = None
) -> Iterable[Sentence]:
    """The sentences of a file, or of what is given in Python; a pipeline also reads texts."""
    if is_source(given):
        segmenter = None if pipeline is None else pipeline.segmenter
        return read_sentences(given, form, segmenter, on_fault=on_fault)
    return sentences_given(given, None if pipeline is None else pipeline.read_text)


@contextmanager
def told_of_files(given: Iterable[Any]) -> Iterator[None]:
    """What is wrong with files as a whole names them; a fault that has a place is left as it is."""
    try:
        yield
    except NiwakiError as error:
        names = [os.fspath(each) for each in given if isinstance(each, str | os.PathLike)]
        if type(error) is not NiwakiError or not names:
            raise
        raise NiwakiError(f"{', '.join(names)}: {error}") from error


def links_of(given: Any) -> Iterable[Links]:
    return read_links(given) if is_source(given) else given


def references_of(given: Any) -> Iterable[Reference]:
    return read_references(given) if is_source(given) else given


def model_of(given: Model) -> Pipeline:
    return given if isinstance(given, Pipeline) else load(given)


def model_among_trees(given: Trees) -> Pipeline | None:
    """The model, if it is one; a name that no file has is a model's."""
    if isinstance(given, Pipeline):
        return given
    if isinstance(given, str | os.PathLike) and given != "-":
        path = Path(given)
        if path.suffix == ".niwaki" or not path.exists():
            return load(given)
    return None


def name_of(given: Any, otherwise: str) -> str:
    return os.fspath(given) if isinstance(given, str | os.PathLike) else otherwise


def last_part(given: Source) -> str:
    return PurePath(name_of(given, "system")).name.removesuffix(".niwaki")


def short_names(files: Sequence[str]) -> list[str]:
    """File names without their ending, with as many folders as make them differ."""
    paths = [Path(file).with_suffix("").parts for file in files]
    for depth in range(1, max(map(len, paths)) + 1):
        names = ["/".join(parts[-depth:]) for parts in paths]
        if len(set(names)) == len(names):
            return names
    # The same file twice, or files that differ in their ending alone.
    return [f"{name} ({number})" for number, name in enumerate(files, start=1)]


def named_trees(
    given: Named, words: list[Sentence], beam: int | None = None, threads: int = 1
) -> tuple[str, list[Sentence]]:
    """Trees under their name; a model makes them of the words."""
    name, trees = given if isinstance(given, tuple) else (last_part(given), given)
    model = model_among_trees(trees)
    if model is None:
        return name, list(sentences_of(trees))
    return name, list(model.parse(words, beam=beam, threads=threads))


def check_uses_links(model: Pipeline, links: Source | None) -> None:
    """Refuse links that say nothing to a model, before a file is opened."""
    if links is not None and not model.parser.uses_links:
        raise ModelError(
            "this model does not look at links; give none, "
            "or train it with features such as contiguous(s1,s0)"
        )


def linked(
    sentences: Iterable[Sentence], links: Source | None, on_fault: OnFault
) -> Iterator[Sentence]:
    """The sentences with links of their words to a translation, if a file is given.

    A line that does not fit its sentence is a fault; the sentence then goes without.
    """
    return iter(sentences) if links is None else link_sentences(sentences, links, on_fault)
