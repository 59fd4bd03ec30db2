"""Phrases of sentences that may answer a question, and where each of them is mentioned.

Phrases are entities of the types that are asked for. Where no sentence has entities, they are runs
of names and numbers, or else noun phrases, told by tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from niwaki.data.answers import NO_ENTITY, Question
from niwaki.data.sentence import Sentence
from niwaki.data.wordnet import WordNet
from niwaki.tasks.answers.words import WordView
from niwaki.tasks.extraction.types import ANY, NUMBERS, Types, asked_phrase, types_asked
from niwaki.tasks.trees import TreeView

_ARTICLES = frozenset(("the", "a", "an"))
_NAMES = frozenset(("PROPN", "NUM"))
_NOMINAL = frozenset(("ADJ", "NOUN", "PROPN", "NUM"))
_NOUNS = frozenset(("NOUN", "PROPN"))


class Text:
    """A sentence as extractors see it: its words and its tree."""

    def __init__(self, sentence: Sentence, wordnet: WordNet | None = None) -> None:
        self.tree, self.words = TreeView(sentence), WordView(sentence, wordnet)

    def __len__(self) -> int:
        return len(self.tree.forms)


@dataclass(frozen=True)
class Mention:
    """Words `first` to `last` (from 1) of a sentence, and the one of them that heads the others."""

    sentence: int
    first: int
    last: int
    head: int


@dataclass(frozen=True)
class Candidate:
    """A phrase, the type of most of its mentions ("" if it is not known), and its mentions."""

    text: str
    type: str
    mentions: tuple[Mention, ...]


class Asked:
    """A question with the sentences that may answer it, and the phrases that may."""

    def __init__(self, given: Question, wordnet: WordNet | None = None) -> None:
        self.question = Text(given.sentence, wordnet)
        self.sentences = [Text(answer.sentence, wordnet) for answer in given.answers]
        self.phrase = asked_phrase(self.question.tree)
        self.types: Types = types_asked(self.question.tree)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """In the order in which they are first mentioned; what the question says is none."""
        known = frozenset(self.question.words.forms)
        found: dict[str, list[tuple[str, Mention]]] = {}
        for number, text in enumerate(self.sentences):
            for first, last, kind in self._spans(text):
                forms = text.words.forms[first - 1 : last]
                content = text.words.content[first - 1 : last]
                words = [form for form, counts in zip(forms, content, strict=True) if counts]
                if words and not known.issuperset(words):
                    mention = Mention(number, first, last, head_of(text.tree, first, last))
                    found.setdefault(_name(forms), []).append((kind, mention))
        return [_candidate(self.sentences, rows) for rows in found.values()]

    def _spans(self, text: Text) -> Iterator[tuple[int, int, str]]:
        if not self._has_entities:
            yield from _tagged_spans(text.tree.upos, self.types)
            return
        for first, last, kind in _runs(text.words.entities):
            if kind != NO_ENTITY and (self.types == ANY or kind in self.types):
                yield first, last, kind

    @cached_property
    def _has_entities(self) -> bool:
        return any(e != NO_ENTITY for text in self.sentences for e in text.words.entities)


def head_of(tree: TreeView, first: int, last: int) -> int:
    """The first word of a span whose head stands outside."""
    return next(w for w in range(first, last + 1) if not first <= tree.heads[w - 1] <= last)


def _candidate(texts: Sequence[Text], rows: Sequence[tuple[str, Mention]]) -> Candidate:
    kinds = [kind for kind, _ in rows]
    mention = rows[0][1]
    forms = texts[mention.sentence].tree.forms[mention.first - 1 : mention.last]
    kind = max(dict.fromkeys(kinds), key=kinds.count)
    return Candidate(" ".join(forms), kind, tuple(mention for _, mention in rows))


def _name(forms: Sequence[str]) -> str:
    """What mentions of one phrase have in common."""
    return " ".join(forms[1:] if len(forms) > 1 and forms[0] in _ARTICLES else forms)


def _runs(values: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Words that follow each other and have the same value."""
    first = 1
    for value, run in groupby(values):
        size = sum(1 for _ in run)
        yield first, first + size - 1, value
        first += size


def _tagged_spans(tags: Sequence[str], types: Types) -> Iterator[tuple[int, int, str]]:
    """Names, or runs with numbers if the types are numbers, or if anything goes noun phrases."""
    wanted = _NOMINAL if types == ANY else _NAMES
    for first, last, inside in _runs(["x" if tag in wanted else "" for tag in tags]):
        run = tags[first - 1 : last]
        if not inside or (types == ANY and not _NOUNS.intersection(run)):
            continue
        if types == ANY or ("NUM" in run) == (types <= NUMBERS):
            yield first, last, ""
