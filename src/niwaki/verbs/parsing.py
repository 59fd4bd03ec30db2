"""Trees for sentences: the best one of each, or the k best.

What is parsed is a file (or `-` for stdin), or what `niwaki.load()` takes: sentences, texts, lists
of words; as a string is the name of a file, a single text is `[text]`. A model is its
name, its file or a `Pipeline`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from niwaki.data.constraints import Constraints
from niwaki.data.files import Source
from niwaki.data.given import sentences_given
from niwaki.data.hyphens import split_hyphens as split_at_hyphens
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import NiwakiError
from niwaki.parsers.base import Search
from niwaki.pipeline.ensemble import Ensemble
from niwaki.pipeline.lengths import LONGER, MAX_LENGTH, LengthLimit, skip
from niwaki.pipeline.pipeline import Pipeline
from niwaki.verbs._given import (
    GivenTags,
    Model,
    OnError,
    OnFault,
    Sentences,
    check_uses_links,
    fault_handler,
    is_source,
    linked,
    model_of,
    predicts,
)


def parse(
    source: Sentences,
    model: Model | Sequence[Model] = "en",
    *,
    form: str | None = None,
    split_hyphens: bool = False,
    links: Source | None = None,
    threads: int = 1,
    beam: int | None = None,
    decode: str | None = None,
    tags: GivenTags = "predict",
    probabilities: bool = False,
    constrain: bool = False,
    max_length: int = MAX_LENGTH,
    longer: str = LONGER[0],
    blend: Sequence[float] = (),
    votes: bool = False,
    on_error: OnError = "fail",
) -> Iterator[Sentence]:
    """Yield the sentences of a file with tags, lemmas and trees, in order.

    `form` is "text", "lines", "tokens" or "conllu" (default: by its look). `links` is a file of
    links of the words to a translation, for a model that looks at them. Several models parse
    together: `blend` says how much each is believed, with `votes` each speaks for its best tree
    only. Tags, features and lemmas that are given are predicted anew, or with `tags="keep"` kept,
    as in `evaluate`. The rest is as for `Pipeline.parse`.

    With `on_error="skip"`, sentences that cannot be read are left out, and lines of links that
    do not fit; with links, a sentence that cannot be read is an error: the lines would slip.

        >>> write_conllu(parse("letter.txt", form="text"), "letter.conllu")
        >>> list(parse("gold.conllu", ["en", "graph.niwaki"], blend=[1, 1.5]))
    """
    models = _models(model)
    reading = _Reading(form, split_hyphens, links, on_error)
    if len(models) == 1:
        if blend or votes:
            raise NiwakiError("blend and votes are for several models; give more than one")
        return models[0].parse(
            reading.sentences(source, models[0]),
            threads=threads,
            beam=beam,
            retag=predicts(tags),
            probabilities=probabilities,
            max_length=max_length,
            longer=longer,
            constrain=constrain,
            decode=decode,
        )
    for name, given in (
        ("beam", beam),
        ("probabilities", probabilities),
        ("constrain", constrain),
        ("links", links),
    ):
        if given:
            raise NiwakiError(f"{name} is for a single model; leave it out, or give one model")
    ensemble = Ensemble(models, blend, votes=votes, projective=_is_projective(decode))
    return ensemble.parse(reading.sentences(source, models[0]), retag=predicts(tags))


def kbest(
    source: Sentences,
    k: int,
    model: Model = "en",
    *,
    form: str | None = None,
    split_hyphens: bool = False,
    links: Source | None = None,
    beam: int | None = None,
    decode: str | None = None,
    tags: GivenTags = "predict",
    probabilities: bool = False,
    constrain: bool = False,
    max_length: int = MAX_LENGTH,
    longer: str = LONGER[0],
    on_error: OnError = "fail",
) -> Iterator[KBest]:
    """Yield the k best trees of each sentence of a file, best first.

    With `constrain`, what a sentence says about its tree is obeyed. A sentence of more than
    `max_length` words gets one tree, found with a beam of 1, or none (`longer="skip"`). With
    `probabilities`, those of tags are known, and of arcs, labels and tree those of the tree
    that `parse` gives. The rest is as for `parse`.

        >>> for candidates in kbest("gold.conllu", 5):
        ...     print(candidates.probabilities, candidates.trees[0].heads)
    """
    limit = LengthLimit(max_length, longer)
    if longer == "split":
        raise NiwakiError("longer: pieces of a sentence give one tree without a score; skip it")
    if probabilities and constrain:
        raise NiwakiError(
            "probabilities are not known where trees are constrained; ask for one of the two"
        )
    retag = predicts(tags)
    pipeline = model_of(model)
    pipeline.parser.check(Search(beam, decode))
    reading = _Reading(form, split_hyphens, links, on_error)

    def found(sentence: Sentence) -> KBest:
        is_long = limit.is_exceeded_by(sentence)
        if is_long and longer == "skip":
            return KBest.of_trees([], []).of(skip(sentence))
        width = 1 if is_long and "beam" in pipeline.parser.options else beam
        best = pipeline.kbest(
            sentence,
            1 if is_long else k,
            beam=width,
            retag=retag,
            constraints=Constraints.of(sentence) if constrain else None,
            decode=decode,
        )
        if not probabilities:
            return best
        (sure,) = pipeline.parse(
            [sentence],
            beam=width,
            retag=retag,
            probabilities=True,
            max_length=max_length,
            decode=decode,
        )
        return best.of(sure)

    return map(found, reading.sentences(source, pipeline))


@dataclass(frozen=True)
class _Reading:
    """How the input is read."""

    form: str | None
    split_hyphens: bool
    links: Source | None
    on_error: OnError

    def __post_init__(self) -> None:
        if self.links is not None and self.split_hyphens:
            raise NiwakiError("links need the words as they are; do not split hyphens")

    def sentences(self, source: Sentences, model: Pipeline) -> Iterator[Sentence]:
        check_uses_links(model, self.links)
        return self._read(source, model, fault_handler(self.on_error))

    def _read(self, source: Sentences, model: Pipeline, on_fault: OnFault) -> Iterator[Sentence]:
        """A file is opened when the first sentence is asked for, so that none stays open."""
        read: Iterable[Sentence]
        if is_source(source):
            # Without a sentence that cannot be read, the lines of links would slip.
            told = on_fault if self.links is None else None
            read = read_sentences(source, self.form, model.segmenter, on_fault=told)  # type: ignore[arg-type]
        else:
            read = sentences_given(source, model.read_text)  # type: ignore[arg-type]
        if self.split_hyphens:
            read = map(split_at_hyphens, read)
        yield from linked(read, self.links, on_fault)


def _models(given: Model | Sequence[Model]) -> list[Pipeline]:
    if isinstance(given, str | os.PathLike | Pipeline):
        return [model_of(given)]
    models = [model_of(each) for each in given]
    if not models:
        raise NiwakiError("no model; give at least one")
    return models


def _is_projective(decode: str | None) -> bool:
    """Several models choose by beliefs in arcs, for which there are two ways."""
    if decode not in (None, "mst", "eisner"):
        raise NiwakiError(
            f"decode {decode!r} is for a single model; several choose among all trees (mst) "
            "or the projective ones (eisner)"
        )
    return decode == "eisner"
