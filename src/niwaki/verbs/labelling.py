"""Who did what to whom: roles found in sentences, learned, and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from niwaki.data.files import Source
from niwaki.data.roles import Roleset, predicates_of, read_rolesets, with_predicates, with_table
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.metrics.roles import RolesEvaluation
from niwaki.metrics.roles import evaluate_roles as evaluate_sentences
from niwaki.tasks.roles.facts import facts_of
from niwaki.tasks.roles.learning import learn_roles
from niwaki.tasks.roles.model import IN_THE_BOX, RoleLabeller, Settings
from niwaki.tasks.trees import TreeView
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

Labeller = str | os.PathLike[str] | RoleLabeller

# Sentences that are labelled together.
_BATCH = 256


def roles(
    source: Sentences,
    labeller: Labeller = IN_THE_BOX,
    *,
    parser: Model | None = None,
    find: bool = False,
    threads: int = 1,
) -> Iterator[Sentence]:
    """Yield sentences with predicates, rolesets and roles in MISC.

    Predicates are those that are marked; if none is, or with `find`, they are found. The trees are
    the input's, or those of `parser`, which also takes raw text.

        >>> for sentence in roles("letter.txt", parser="en"):
        ...     print([notes.get("Roles") for notes in sentence.notes])
    """
    reader = _labeller(labeller)
    given = _parsed([source], parser, threads)
    marked = [predicates_of(sentence) for sentence in given]
    find = find or not any(marked)
    for at in range(0, len(given), _BATCH):
        some, known = given[at : at + _BATCH], marked[at : at + _BATCH]
        if not find:
            for sentence in some:
                _check_known(sentence, reader)
        found = reader.label([TreeView(s) for s in some], None if find else known)
        for sentence, predicates in zip(some, found, strict=True):
            yield with_predicates(sentence, predicates)


def facts(
    source: Sentences,
    labeller: Labeller = IN_THE_BOX,
    *,
    parser: Model | None = None,
    find: bool = False,
    threads: int = 1,
) -> Iterator[dict[str, Any]]:
    """Yield a record for each predicate that has roles: the words, and what they are to it.

    >>> for fact in facts("letter.txt", parser="en"):
    ...     print(fact["predicate"], {role["role"]: role["text"] for role in fact["roles"]})
    """
    reader = _labeller(labeller)
    for sentence in roles(source, reader, parser=parser, find=find, threads=threads):
        yield from facts_of(sentence, reader.frames)


def train_roles(
    source: Sentences | Iterable[Sentences],
    output: str | os.PathLike[str] | None = None,
    *,
    table: Source | None = None,
    frames: Source | Mapping[str, Roleset] | None = None,
    parser: Model | None = None,
    settings: Settings | None = None,
    card: Mapping[str, Any] | None = None,
    threads: int = 1,
    watch: Watch = unwatched,
) -> RoleLabeller:
    """Learn to label roles, from CoNLL-U with roles in MISC, or in a `table` beside it.

    Heads of fillers are those of the given trees. With `parser`, the labeller then learns from that
    parser's trees: one that has not learned from these sentences. `frames` are PropBank's rolesets;
    `card` is kept in the file, such as {"licences": [...]}.

        >>> labeller = train_roles("train.conllu", "roles.niwaki", table="train.roles.tsv")
    """
    files = [source] if is_source(source) else list(source)  # type: ignore[arg-type]
    given = _parsed(files, parser, threads, table)  # type: ignore[arg-type]
    known = frames if isinstance(frames, Mapping) or frames is None else read_rolesets(frames)
    made_by = "given" if parser is None else PurePath(name_of(parser, "a model")).name
    about = {"card": dict(card or {}), "trees": made_by}
    told = lambda total: watch("learning", 1, total)  # noqa: E731
    with told_of_files(files):
        labeller = learn_roles(given, settings, known, about, told)
    if output is not None:
        labeller.save(output)
    return labeller


def evaluate_roles(
    gold: Sentences, system: Sentences, *, table: Source | None = None
) -> RolesEvaluation:
    """Score predicates and roles against gold ones; `table` has the gold ones beside the trees.

    >>> evaluate_roles("gold.conllu", "system.conllu").scores["roles"]
    """
    right, found = _parsed([gold], None, 1, table), _parsed([system], None, 1)
    with told_of_files([gold]):
        if not any(map(predicates_of, right)):
            raise NiwakiError("no predicates, so that there is nothing to score; mark Roleset=")
    with told_of_files([system]):
        return evaluate_sentences(right, found)


def _labeller(given: Labeller) -> RoleLabeller:
    return given if isinstance(given, RoleLabeller) else RoleLabeller.load(given)


def _parsed(
    sources: Iterable[Sentences | Sentence],
    parser: Model | None,
    threads: int,
    table: Source | None = None,
) -> list[Sentence]:
    """Sentences with the roles that are known; these are found before others make the trees."""
    pipeline = None if parser is None else model_of(parser)
    given: list[Sentence] = []
    for each in sources:
        given += read_given(each, pipeline)
    if table is not None:
        given = list(with_table(given, table))
    if pipeline is None:
        return given
    # What is marked refers to the given trees; tags that are given would be better than those of
    # sentences to come.
    marked = (with_predicates(s, predicates_of(s)) for s in given)
    return list(pipeline.parse(marked, threads=threads, retag=True))


def _check_known(sentence: Sentence, labeller: RoleLabeller) -> None:
    for each in predicates_of(sentence):
        if not labeller.knows(each.roleset):
            raise CorpusError(
                sentence.file,
                sentence.line,
                "MISC",
                f"unknown roleset {each.roleset} of word {each.word}",
                "give one that the labeller knows, or have predicates found (--find)",
            )
