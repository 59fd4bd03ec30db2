"""Relations for the API: what connectives join, who did what to whom, and which paths decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from niwaki.data.connectives import ARGUMENTS, Document, Place, documents
from niwaki.data.roles import predicates_of, with_predicates
from niwaki.data.sentence import Sentence
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import connectives_of, labeller_of, model_of
from niwaki.serve.work.ordering import with_trees
from niwaki.serve.work.reading import Given, read_given
from niwaki.serve.work.showing import as_conllu, language_of
from niwaki.tasks.connectives.candidates import DocumentView, anchor
from niwaki.tasks.connectives.model import ConnectiveModel
from niwaki.tasks.connectives.relations import words_of
from niwaki.tasks.roles.facts import facts_of
from niwaki.tasks.roles.model import RoleLabeller
from niwaki.tasks.trees import TreeView

Record = dict[str, Any]


def relate(
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    connectives: str | None = None,
    roles: str | None = None,
    beam: int | None = None,
    reparse: bool = False,
) -> Record:
    """Trees with the relations that the models named find in them; None for those without one."""
    pipeline = model_of(model)
    sentences = read_given(given, pipeline, limits)
    parsed = with_trees(sentences, pipeline, beam, reparse)
    trees = [TreeView(sentence) for sentence in parsed]
    joined: list[list[Record]] | None = None
    told: list[list[Record]] | None = None
    if connectives is not None:
        found = _resolved(sentences, parsed, connectives_of(connectives))
        joined = [rows for each in _numbered(found) for rows in _joined(*each, trees)]
        parsed = [sentence for document in found for sentence in document.marked()]
    if roles is not None:
        labeller = labeller_of(roles)
        parsed = _labelled(sentences, parsed, trees, labeller)
        told = [_facts(number, s, trees, labeller) for number, s in enumerate(parsed)]
    return {
        "sentences": [
            {
                **sentence.to_dict(),
                "connectives": None if joined is None else joined[number],
                "predicates": None if told is None else told[number],
                "conllu": as_conllu([sentence]).decode("utf-8"),
            }
            for number, sentence in enumerate(parsed)
        ],
        **language_of(pipeline, parsed),
    }


# -- connectives -----------------------------------------------------------------------


def _resolved(
    given: Sequence[Sentence], parsed: Sequence[Sentence], model: ConnectiveModel
) -> list[Document]:
    """Documents in which connectives are those that are marked, or if none is, those found."""
    rest = iter(parsed)
    read = [each.with_trees(list(islice(rest, len(each.sentences)))) for each in documents(given)]
    return model.resolve(read, mark=not any(each.connectives for each in read))


def _numbered(found: Iterable[Document]) -> Iterable[tuple[int, Document]]:
    """Each document with the number of its first sentence."""
    first = 0
    for document in found:
        yield first, document
        first += len(document.sentences)


def _joined(first: int, document: Document, trees: Sequence[TreeView]) -> list[list[Record]]:
    """The connectives of each sentence of a document."""
    rows: list[list[Record]] = [[] for _ in document.sentences]
    view = DocumentView(document, {n: trees[first + n] for n in range(len(rows))})
    for each in document.connectives:
        start = Place(each.sentence, anchor(view, each))
        pair = [place for place in (each.arg1, each.arg2) if place is not None]
        arguments = []
        for role, place in zip(ARGUMENTS, pair, strict=True):
            sentence = document.sentences[place.sentence]
            words = words_of(sentence, place, each, pair)
            arguments.append(
                {
                    "role": role,
                    "sentence": first + place.sentence,
                    "head": place.word,
                    "words": words,
                    "text": " ".join(sentence.forms[word - 1] for word in words),
                    "path": _path(trees, _later(start, first), _later(place, first)),
                }
            )
        rows[each.sentence].append(
            {"words": each.words, "text": document.phrase(each), "arguments": arguments}
        )
    return rows


def _later(place: Place, first: int) -> Place:
    return Place(first + place.sentence, place.word)


# -- roles -----------------------------------------------------------------------------


def _labelled(
    given: Sequence[Sentence],
    parsed: Sequence[Sentence],
    trees: Sequence[TreeView],
    labeller: RoleLabeller,
) -> list[Sentence]:
    """Sentences in which predicates are those that are marked, or if none is, those found."""
    marked = [predicates_of(sentence) for sentence in given]
    for number, predicates in enumerate(marked):
        for each in predicates:
            if not labeller.knows(each.roleset):
                raise RequestError(
                    422,
                    f"sentence {number + 1}, word {each.word}: the labeller does not know the "
                    f"roleset {each.roleset}; give another, or leave out all marks",
                )
    found = labeller.label(trees, marked if any(marked) else None)
    return [with_predicates(*each) for each in zip(parsed, found, strict=True)]


def _facts(
    number: int, sentence: Sentence, trees: Sequence[TreeView], labeller: RoleLabeller
) -> list[Record]:
    """The predicates of a sentence that have roles, and the path from each filler."""
    found = list(facts_of(sentence, labeller.frames))
    for fact in found:
        for role in fact["roles"]:
            ends = Place(number, role["head"]), Place(number, fact["word"])
            role["path"] = _path(trees, *ends)
    return found


# -- paths -----------------------------------------------------------------------------


def _path(trees: Sequence[TreeView], start: Place, end: Place) -> list[Record]:
    """The arcs from one word to another, each by the word below it; see /api/relate.

    Between sentences the way goes over their roots, as for candidates of connectives.
    """
    ups = trees[start.sentence].chains[start.word - 1]
    downs = trees[end.sentence].chains[end.word - 1]
    if start.sentence == end.sentence:
        meeting = next(word for word in ups if word in downs)
        ups, downs = ups[: ups.index(meeting)], downs[: downs.index(meeting)]
    else:
        ups, downs = ups[:-2], downs[:-2]
    back = range(start.sentence - 1, end.sentence - 1, -1)
    return [
        *(_step(trees, start.sentence, word, "up") for word in ups),
        *(_step(trees, each, trees[each].heads.index(0) + 1, "before") for each in back),
        *(_step(trees, end.sentence, word, "down") for word in reversed(downs)),
    ]


def _step(trees: Sequence[TreeView], sentence: int, word: int, way: str) -> Record:
    relation = trees[sentence].deprels[word - 1]
    return {"sentence": sentence, "word": word, "relation": relation, "way": way}
