"""What connectives join: found in documents, learned, and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePath
from typing import Any

from niwaki.data.connectives import Document, documents
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.metrics.connectives import ConnectivesEvaluation
from niwaki.metrics.connectives import evaluate_connectives as evaluate_documents
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.model import ConnectiveModel, Settings
from niwaki.tasks.connectives.relations import relations_of
from niwaki.verbs._given import (
    Model,
    Sentences,
    Watch,
    is_source,
    model_of,
    name_of,
    read_given,
    told_of_files,
    unwatched,
)


def connectives(
    source: Sentences,
    model: str | os.PathLike[str] | ConnectiveModel,
    *,
    parser: Model | None = None,
    mark: bool = False,
    threads: int = 1,
) -> Iterator[Sentence]:
    """Yield sentences with the arguments of their connectives in MISC.

    Connectives are those that are marked; if none is, or with `mark`, the model marks them. The
    trees are the input's, or those of `parser`, which also takes raw text.

        >>> for sentence in connectives("trees.conllu", "connectives.niwaki"):
        ...     print([notes.get("Arg1") for notes in sentence.notes])
    """
    found = _resolved(source, model, parser, mark, threads)
    return (sentence for document in found for sentence in document.marked())


def relations(
    source: Sentences,
    model: str | os.PathLike[str] | ConnectiveModel,
    *,
    parser: Model | None = None,
    mark: bool = False,
    threads: int = 1,
) -> Iterator[dict[str, Any]]:
    """Yield a record for each connective whose arguments are found: its words, and theirs.

    >>> for relation in relations("letter.txt", "connectives.niwaki", parser="en"):
    ...     print(relation["connective"], [each["text"] for each in relation["arguments"]])
    """
    for document in _resolved(source, model, parser, mark, threads):
        yield from relations_of(document)


def _resolved(
    source: Sentences,
    model: str | os.PathLike[str] | ConnectiveModel,
    parser: Model | None,
    mark: bool,
    threads: int,
) -> list[Document]:
    finder = model if isinstance(model, ConnectiveModel) else ConnectiveModel.load(model)
    given = _documents([source], parser, threads)
    return finder.resolve(given, mark=mark or not any(each.connectives for each in given))


def train_connectives(
    source: Sentences | Iterable[Sentences],
    output: str | os.PathLike[str] | None = None,
    *,
    parser: Model | None = None,
    settings: Settings | None = None,
    threads: int = 1,
    watch: Watch = unwatched,
) -> ConnectiveModel:
    """Learn to find what connectives join, from CoNLL-U in which both arguments are marked.

    Trees are the input's, or those of `parser`: one that has not learned from these sentences, as
    it will not have learned from those to come.

        >>> model = train_connectives("train.conllu", "connectives.niwaki", parser="en")
    """
    files = [source] if is_source(source) else list(source)  # type: ignore[arg-type]
    given = _documents(files, parser, threads)  # type: ignore[arg-type]
    made_by = "given" if parser is None else PurePath(name_of(parser, "a model")).name
    card = {"trees": made_by}
    with told_of_files(files):
        model = learn_connectives(given, settings, card, lambda total: watch("learning", 1, total))
    if output is not None:
        model.save(output)
    return model


def evaluate_connectives(gold: Sentences, system: Sentences) -> ConnectivesEvaluation:
    """Score connectives and the heads of their arguments against gold ones.

    >>> evaluate_connectives("gold.conllu", "system.conllu").scores["both"]
    """
    right, found = (_documents([each], None, 1) for each in (gold, system))
    with told_of_files([gold]):
        if not any(each.connectives for each in right):
            raise NiwakiError("no connectives, so that there is nothing to score; mark them")
    with told_of_files([system]):
        return evaluate_documents(right, found)


def _documents(
    sources: Iterable[Sentences | Sentence], parser: Model | None, threads: int
) -> list[Document]:
    pipeline = None if parser is None else model_of(parser)
    given: list[Document] = []
    sentences: list[Sentence] = []
    for each in sources:
        if isinstance(each, Sentence):
            sentences.append(each)
        else:
            given += documents(read_given(each, pipeline))
    given += documents(sentences)
    if pipeline is None:
        return given
    # Tags that are given would be better than those of sentences to come.
    words = (s for document in given for s in document.sentences)
    parsed = pipeline.parse(words, threads=threads, retag=True)
    return [each.with_trees(list(islice(parsed, len(each.sentences)))) for each in given]
