"""Candidate answers of questions: ranked, learned from, and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePath

from niwaki.data.answers import (
    Judged,
    Question,
    Ranked,
    read_judgments,
    read_questions,
    read_rankings,
)
from niwaki.data.files import Source
from niwaki.data.wordnet import WordNet
from niwaki.errors import NiwakiError
from niwaki.metrics.ranking import RankingEvaluation
from niwaki.metrics.ranking import evaluate_ranking as evaluate_rankings
from niwaki.tasks.answers.learning import learn_answers
from niwaki.tasks.answers.model import AnswerModel, Settings
from niwaki.verbs._given import (
    Model,
    Watch,
    is_source,
    model_of,
    name_of,
    told_of_files,
    unwatched,
)

Questions = Source | Iterable[Question]
Folder = str | os.PathLike[str]


def rank(
    source: Questions,
    model: Folder | AnswerModel,
    *,
    parser: Model | None = None,
    wordnet: Folder | None = None,
    threads: int = 1,
) -> Iterator[tuple[Question, Ranked]]:
    """Yield questions with the scores of their candidates; more is better.

    Trees are the input's, or those of `parser`. `wordnet` is its folder, if the model has learned
    with WordNet and it is not where Debian puts it.

        >>> for question, ranked in rank("questions.jsonl", "answers.niwaki", parser="en"):
        ...     print(question.sentence.text, max(ranked.scores, key=ranked.scores.get))
    """
    ranker = model if isinstance(model, AnswerModel) else AnswerModel.load(model, wordnet)
    return ((each, ranker.rank(each)) for each in questions_of(source, parser, threads))


def train_ranker(
    source: Questions | Iterable[Source],
    output: Folder | None = None,
    *,
    parser: Model | None = None,
    settings: Settings | None = None,
    wordnet: Folder | None = None,
    threads: int = 1,
    watch: Watch = unwatched,
) -> AnswerModel:
    """Learn to rank answers, from questions whose candidates have labels.

    Trees are the input's, or those of `parser`. WordNet is looked for where Debian puts it if no
    folder is given; with `Settings(wordnet=False)` it is not used.

        >>> model = train_ranker("train.jsonl", "answers.niwaki", parser="en")
    """
    settings = settings or Settings()
    words = WordNet(wordnet) if settings.wordnet else None
    made_by = "given" if parser is None else PurePath(name_of(parser, "a model")).name
    files = [source] if is_source(source) else list(source)  # type: ignore[arg-type]
    given = list(questions_of(files, parser, threads))  # type: ignore[arg-type]
    told = lambda total: watch("learning", 1, total)  # noqa: E731
    with told_of_files(files):
        model = learn_answers(given, settings, words, {"trees": made_by}, told)
    if output is not None:
        model.save(output)
    return model


def evaluate_ranking(
    gold: Questions | Iterable[Judged], system: Source | Iterable[Ranked]
) -> RankingEvaluation:
    """Score rankings against labels: of the questions themselves, or of a file of qrels.

    >>> evaluate_ranking("questions.jsonl", "ranked.jsonl").scores["MAP"]
    """
    if is_source(gold):
        judged = read_judgments(gold)  # type: ignore[arg-type]
    else:
        judged = [each.judged if isinstance(each, Question) else each for each in gold]  # type: ignore[union-attr,misc]
    ranked = read_rankings(system) if is_source(system) else list(system)  # type: ignore[arg-type]
    with told_of_files([gold]):
        if not any(len(set(each.right.values())) == 2 for each in judged):
            raise NiwakiError("no question with right and wrong candidates; judge some")
    with told_of_files([system]):
        return evaluate_rankings(judged, ranked)


def questions_of(
    source: Questions | Iterable[Source], parser: Model | None, threads: int
) -> Iterator[Question]:
    """Questions with the trees that they have, or with those of a parser."""
    pipeline = None if parser is None else model_of(parser)
    segmenter = pipeline.segmenter if pipeline else None

    def given() -> Iterator[Question]:
        for each in [source] if is_source(source) else source:  # type: ignore[union-attr]
            if isinstance(each, Question):
                yield each
            else:
                yield from read_questions(each, segmenter)  # type: ignore[arg-type]

    if pipeline is None:
        yield from given()
        return
    questions = list(given())
    words = (sentence for question in questions for sentence in question.sentences)
    # Tags that are given would be better than those of questions to come.
    parsed = pipeline.parse(words, threads=threads, retag=True)
    for question in questions:
        yield question.with_trees(list(islice(parsed, len(question.sentences))))
