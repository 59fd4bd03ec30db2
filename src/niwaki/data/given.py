"""Sentences from what Python programs have: texts, words, or sentences themselves.

    "We saw it. So did he."        a text
    ["We saw it.", "So did he."]   texts: some of these strings have spaces
    [["We", "saw", "it", "."]]     sentences that are split into words
    Sentence, [Sentence, ...]      sentences

A list of several strings without any space could be the words of a sentence or a list of short
texts, and taking one for the other would go unnoticed: it is refused. Where one sentence is
wanted, such a list is its words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError, shown

Words = list[str] | tuple[str, ...]
Given = str | Sentence | Iterable[Sentence] | Iterable[str] | Iterable[Words]
# Finds the sentences of a text; the name is put before their numbers.
ReadText = Callable[[str, str], Iterator[Sentence]]

_WANTED = "give a text, a list of texts, a list of lists of words, or Sentences"


def sentence_of_words(words: Iterable[str]) -> Sentence:
    """A sentence of words as they are, with its text."""
    forms = list(words)
    if not forms:
        raise NiwakiError("a list of no words; a sentence has at least one")
    for number, form in enumerate(forms, start=1):
        if not isinstance(form, str):
            raise NiwakiError(f"word {number} is {_named(form)}; give words as strings")
        if form.split() != [form] or "\0" in form:
            raise NiwakiError(f"word {number} is {shown(form)}; words have no white space")
    return Sentence.from_words(forms, comments=[f"text = {' '.join(forms)}"])


def sentences_given(given: Given, read: ReadText | None = None) -> Iterator[Sentence]:
    """Yield the sentences of what is given; `read` finds those of a text, if it may be one."""
    if isinstance(given, Sentence):
        yield given
        return
    items = iter([given]) if isinstance(given, str) else _iterated(given)
    start = list(itertools.islice(items, 1))
    if not start or not isinstance(start[0], str):
        yield from map(_sentence, itertools.count(1), itertools.chain(start, items))
    elif read is None:
        raise NiwakiError(f"found the text {shown(start[0])}; give Sentences: niwaki.load()(text)")
    elif isinstance(given, str):
        yield from read(given, "")
    else:
        yield from _of_texts(start[0], items, read)


def only_sentence(given: str | Sentence | Words, read: ReadText) -> Sentence:
    """The one sentence that is given: a text of one, its words, or itself."""
    if isinstance(given, Sentence):
        return given
    if not isinstance(given, str):
        items = list(_iterated(given))
        if all(isinstance(item, str) for item in items):
            return sentence_of_words(items)
        if len(items) != 1:
            raise NiwakiError(f"{len(items):,} sentences; give one at a time")
        return _sentence(1, items[0])
    found = list(read(given, ""))
    if len(found) != 1:
        raise NiwakiError(f"a text of {len(found):,} sentences; give one, or its words")
    return found[0]


def _of_texts(first: str, rest: Iterator[Any], read: ReadText) -> Iterator[Sentence]:
    # As many as leave it open what they are.
    held = [first]
    while not _has_space(held[-1]):
        following = list(itertools.islice(rest, 1))
        if not following:
            break
        held += following
    if len(held) > 1 and not _has_space(held[-1]):
        raise NiwakiError(
            f"a list of {len(held):,} strings without spaces, which may be words or texts; "
            f"give [[{shown(held[0])}, ...]] for the words of a sentence, or texts one by one"
        )
    for number, text in enumerate(itertools.chain(held, rest), start=1):
        if not isinstance(text, str):
            raise NiwakiError(f"item {number} is {_named(text)}; {_WANTED}, all of one kind")
        yield from read(text, str(number))


def _has_space(text: object) -> bool:
    return not isinstance(text, str) or len(text.split()) > 1


def _sentence(number: int, item: object) -> Sentence:
    if isinstance(item, Sentence):
        return item
    if isinstance(item, list | tuple):
        return sentence_of_words(item)
    raise NiwakiError(f"item {number} is {_named(item)}; {_WANTED}")


def _iterated(given: object) -> Iterator[Any]:
    if isinstance(given, bytes | bytearray | dict) or not isinstance(given, Iterable):
        raise NiwakiError(f"found {_named(given)}; {_WANTED}")
    return iter(given)


def _named(thing: object) -> str:
    return "None" if thing is None else f"a {type(thing).__name__}"
