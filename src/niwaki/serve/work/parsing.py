"""Parsing for the API: trees with probabilities, k-best lists, both around what is known."""

from __future__ import annotations

from typing import Any

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.work.expressing import shown_meanings
from niwaki.serve.work.loading import model_of
from niwaki.serve.work.reading import Given, all_statements, read_given
from niwaki.serve.work.showing import as_conllu, language_of


def parse(
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    beam: int | None = None,
    retag: bool = False,
    probabilities: bool = True,
    constraints: list[list[Given]] | None = None,
    meaning: bool = False,
    to: str = "json",
) -> Any:
    """Trees of all sentences. Probabilities are left out where a model or constraints have none."""
    pipeline = model_of(model)
    sentences = read_given(given, pipeline, limits)
    parsed = parsed_around(
        pipeline, sentences, constraints, beam=beam, retag=retag, probabilities=probabilities
    )
    if to == "conllu":
        return as_conllu(parsed)
    answers = [
        {**each.to_dict(), "conllu": as_conllu([given_one]).decode("utf-8")}
        for each, given_one in zip(parsed, _tagged(sentences, parsed), strict=True)
    ]
    if meaning:
        for answer, record in zip(answers, shown_meanings(parsed), strict=True):
            answer["meaning"] = record
    return {"sentences": answers, **language_of(pipeline, parsed)}


def parsed_around(
    pipeline: Pipeline,
    sentences: list[Sentence],
    constraints: list[list[Given]] | None,
    *,
    beam: int | None,
    retag: bool,
    probabilities: bool,
) -> list[Sentence]:
    """The trees of sentences, those with constraints around what is known."""
    known = all_statements(constraints, sentences)
    free = iter(
        pipeline.parse(
            [each for each, said in zip(sentences, known, strict=True) if not said],
            beam=beam,
            retag=retag,
            probabilities=probabilities and pipeline.parser.gives_probabilities,
        )
    )
    return [
        _constrained(pipeline, sentence, said, beam, retag) if said else next(free)
        for sentence, said in zip(sentences, known, strict=True)
    ]


def _tagged(sentences: list[Sentence], parsed: list[Sentence]) -> list[Sentence]:
    """The sentences with their tags but without trees: what to send to ask about one again."""
    return [
        one.replace(
            lemmas=other.lemmas,
            upos=other.upos,
            xpos=other.xpos,
            feats=other.feats,
            heads=[-1] * len(one),
            deprels=["_"] * len(one),
        )
        for one, other in zip(sentences, parsed, strict=True)
    ]


def _constrained(
    pipeline: Pipeline, sentence: Sentence, known: Constraints, beam: int | None, retag: bool
) -> Sentence:
    found = pipeline.kbest(sentence, 1, beam=beam, retag=retag, constraints=known)
    return found.sentence.with_tree(found.trees[0])


def kbest(
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    k: int,
    beam: int | None = None,
    retag: bool = False,
    constraints: list[list[Given]] | None = None,
    to: str = "json",
) -> Any:
    """The k best trees of every sentence, with probabilities normalised over the list."""
    pipeline = model_of(model)
    sentences = read_given(given, pipeline, limits)
    known = all_statements(constraints, sentences)
    found = [
        pipeline.kbest(sentence, k, beam=beam, retag=retag, constraints=said or None)
        for sentence, said in zip(sentences, known, strict=True)
    ]
    if to == "conllu":
        return as_conllu([each for one in found for each in one.ranked()])
    return {"sentences": [each.to_dict() for each in found]}
