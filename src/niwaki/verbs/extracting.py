"""Answers of questions: extracted from candidate sentences, and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from niwaki.data.answers import Question
from niwaki.data.extraction import Extracted, Patterns, read_extracted, read_patterns
from niwaki.data.files import Source
from niwaki.data.roles import Roleset, read_rolesets
from niwaki.data.wordnet import WordNet
from niwaki.metrics.extraction import ExtractionEvaluation, evaluate_extraction
from niwaki.tasks.extraction.model import AnswerExtractor, Settings
from niwaki.tasks.roles.model import IN_THE_BOX, RoleLabeller
from niwaki.verbs._given import Model, is_source, told_of_files
from niwaki.verbs.ranking import Questions, questions_of


def extract_answers(
    source: Questions,
    *,
    parser: Model | None = None,
    settings: Settings | None = None,
    labeller: str | os.PathLike[str] | RoleLabeller = IN_THE_BOX,
    frames: Source | Mapping[str, Roleset] | None = None,
    wordnet: str | os.PathLike[str] | WordNet | None = None,
    threads: int = 1,
) -> Iterator[tuple[Question, Extracted]]:
    """Yield questions with the phrases of their candidates that may answer them, best first.

    Trees are the input's, or those of `parser`. Phrases are entities, if any are given, or else
    names, numbers and noun phrases. `frames` are PropBank's rolesets, whose links join predicates
    of one frame; `wordnet` is WordNet or its folder, to know forms of words and related ones.

        >>> for question, found in extract_answers("questions.jsonl", parser="en"):
        ...     print(question.sentence.text, [answer.text for answer in found.answers[:3]])
    """
    settings = settings or Settings()
    if not isinstance(labeller, RoleLabeller) and "roles" in settings.by:
        labeller = RoleLabeller.load(labeller)
    known = frames if isinstance(frames, Mapping) or frames is None else read_rolesets(frames)
    reader = labeller if isinstance(labeller, RoleLabeller) else None
    words = wordnet if isinstance(wordnet, WordNet | None) else WordNet(wordnet)
    extractor = AnswerExtractor(settings, reader, known, words)
    return ((each, extractor.extract(each)) for each in questions_of(source, parser, threads))


def evaluate_answers(
    gold: Source | Iterable[Patterns], system: Source | Iterable[Extracted]
) -> ExtractionEvaluation:
    """Score extracted answers by patterns of right ones.

    >>> evaluate_answers("patterns.txt", "extracted.jsonl").scores["top1"]
    """
    patterns = read_patterns(gold) if is_source(gold) else list(gold)  # type: ignore[arg-type]
    found = read_extracted(system) if is_source(system) else list(system)  # type: ignore[arg-type]
    with told_of_files([gold]):
        return evaluate_extraction(patterns, found)
