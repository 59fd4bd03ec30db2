"""Connectives and what they join, kept in MISC, and the documents that they stand in.

`Connective=4-5|Arg1=-1:7|Arg2=9` at word 4 says that the words 4 and 5 are a connective whose
first argument is headed by word 7 of the sentence before, the second by word 9 of its own. Words
apart are `4,9`. Relations of GUM and its kin, `PDTB=Explicit:sense:form:connective:arg1:arg2` with
words counted through the document, are read as well: the head of an argument is found by the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from niwaki.data.documents import cut_at_documents
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError, shown

CONNECTIVE, ARGUMENTS = "Connective", ("Arg1", "Arg2")
_FOREIGN = "PDTB"
_WORDS = re.compile(r"[1-9][0-9]{0,5}(-[1-9][0-9]{0,5})?(,[1-9][0-9]{0,5}(-[1-9][0-9]{0,5})?)*")
_HEAD = re.compile(r"(?:(-?[1-9][0-9]{0,5}):)?([1-9][0-9]{0,5})")
# Words that hang outside of an argument and yet do not head it.
_NO_HEADS = frozenset("cc mark case det discourse advmod aux cop punct".split())


class Place(NamedTuple):
    """A word (from 1) of a sentence (from 0) of a document."""

    sentence: int
    word: int


@dataclass(frozen=True)
class Connective:
    """Words (from 1) of a sentence (from 0), and the heads of what they join, if known."""

    sentence: int
    words: tuple[int, ...]
    arg1: Place | None = None
    arg2: Place | None = None


@dataclass(frozen=True)
class Document:
    """Sentences that follow each other, and the connectives in them."""

    sentences: tuple[Sentence, ...]
    connectives: tuple[Connective, ...] = ()

    def phrase(self, connective: Connective) -> str:
        forms = self.sentences[connective.sentence].forms
        return " ".join(forms[word - 1] for word in connective.words)

    def with_trees(self, parsed: Sequence[Sentence]) -> Document:
        """The same connectives in other trees of the same words."""
        if [s.forms for s in parsed] != [s.forms for s in self.sentences]:
            first = self.sentences[0]
            raise NiwakiError(
                f"{first.file}:{first.line}: trees of other words than the document's; "
                "give trees of the same sentences"
            )
        return replace(self, sentences=tuple(parsed))

    def marked(self) -> Iterator[Sentence]:
        """The sentences, with the connectives in MISC instead of those that stood there."""
        by_sentence: dict[int, dict[int, Connective]] = {}
        for each in self.connectives:
            by_sentence.setdefault(each.sentence, {})[each.words[0]] = each
        for number, sentence in enumerate(self.sentences):
            found = by_sentence.get(number, {})
            notes = [
                _noted(misc, found.get(word)) for word, misc in enumerate(sentence.misc, start=1)
            ]
            yield sentence.replace(misc=notes)


def documents(sentences: Iterable[Sentence]) -> Iterator[Document]:
    """Sentences cut where `# newdoc` stands, with the connectives that are marked in them."""
    return map(_document, cut_at_documents(sentences))


def _document(sentences: Sequence[Sentence]) -> Document:
    places = [Place(s, w) for s, each in enumerate(sentences) for w in range(1, len(each) + 1)]
    found: list[Connective] = []
    for number, sentence in enumerate(sentences):
        for word, notes in enumerate(sentence.notes, start=1):
            if CONNECTIVE in notes:
                found.append(_own(sentences, number, word))
            for relation in notes.get(_FOREIGN, "").split(";"):
                if relation.startswith("Explicit:"):
                    found += _foreign(sentences, places, number, relation)
    return Document(tuple(sentences), tuple(found))


# -- marks of our own ------------------------------------------------------------------


def _own(sentences: Sequence[Sentence], number: int, word: int) -> Connective:
    sentence = sentences[number]
    notes = sentence.notes[word - 1]
    words = _spans(notes[CONNECTIVE])
    if not words or words[0] != word or words[-1] > len(sentence):
        raise _fault(
            sentence,
            f"{CONNECTIVE}={shown(notes[CONNECTIVE])} of word {word}",
            "give words of the sentence, this one first, such as 4, 4-5 or 4,9",
        )
    heads: list[Place | None] = []
    for name in ARGUMENTS:
        heads.append(_place(sentences, number, word, name, notes[name]) if name in notes else None)
    return Connective(number, words, *heads)


def _place(sentences: Sequence[Sentence], number: int, word: int, name: str, text: str) -> Place:
    found = _HEAD.fullmatch(text)
    at = number + int(found[1] or 0) if found else -1
    if found is None or not 0 <= at < len(sentences) or int(found[2]) > len(sentences[at]):
        raise _fault(
            sentences[number],
            f"{name}={shown(text)} of word {word}",
            "give a word of this sentence, or of the one before as -1:7",
        )
    return Place(at, int(found[2]))


def _noted(misc: str, found: Connective | None) -> str:
    own = (CONNECTIVE, *ARGUMENTS, _FOREIGN)
    kept = [x for x in misc.split("|") if x != "_" and x.partition("=")[0] not in own]
    if found is not None:
        kept.append(f"{CONNECTIVE}={_as_spans(found.words)}")
        for name, place in zip(ARGUMENTS, (found.arg1, found.arg2), strict=True):
            if place is not None:
                away = place.sentence - found.sentence
                kept.append(f"{name}={away}:{place.word}" if away else f"{name}={place.word}")
    return "|".join(kept) or "_"


def _spans(text: str) -> tuple[int, ...]:
    """`4-5,9` as numbers, in order; nothing if it is not written so."""
    if not _WORDS.fullmatch(text):
        return ()
    words: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        if int(last or first) < int(first) or (words and int(first) <= words[-1]):
            return ()
        words += range(int(first), int(last or first) + 1)
    return tuple(words)


def _as_spans(words: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for word in words:
        if runs and runs[-1][-1] == word - 1:
            runs[-1].append(word)
        else:
            runs.append([word])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


# -- relations of others ---------------------------------------------------------------


def _foreign(
    sentences: Sequence[Sentence], places: Sequence[Place], number: int, relation: str
) -> Iterator[Connective]:
    """The connective of a relation; none if one of its arguments is empty."""
    spans = relation.split(":")[-3:]
    if "_" in spans:
        return
    read = [_spans(text) for text in spans]
    if len(read) != 3 or not all(words and words[-1] <= len(places) for words in read):
        raise _fault(
            sentences[number],
            f"{_FOREIGN}={shown(relation)}",
            "give spans of words of the document: connective, first argument, second argument",
        )
    connective, *arguments = ([places[word - 1] for word in words] for words in read)
    # Of the few whose parts stand in two sentences, the first part speaks.
    home = connective[0].sentence
    words = tuple(place.word for place in connective if place.sentence == home)
    yield Connective(home, words, *(_head(sentences, span) for span in arguments))


def _head(sentences: Sequence[Sentence], span: Sequence[Place]) -> Place:
    """The first word that hangs outside of a span and is no function word, if there is one."""
    inside = set(span)
    tops = [
        place
        for place in span
        if Place(place.sentence, sentences[place.sentence].heads[place.word - 1]) not in inside
    ]
    content = (p for p in tops if _relation(sentences, p) not in _NO_HEADS)
    return next(content, tops[0] if tops else span[0])


def _relation(sentences: Sequence[Sentence], place: Place) -> str:
    return sentences[place.sentence].deprels[place.word - 1].partition(":")[0]


def _fault(sentence: Sentence, found: str, advice: str) -> CorpusError:
    return CorpusError(sentence.file, sentence.line, "MISC", found, advice)
