"""Links of a sentence's words to those of its translation, kept where the sentence is: in MISC.

`Links=2,5` says that a word is linked to the words 2 and 5 of the translation, counted from 1
as everything in CoNLL-U. A parser whose features use links finds them there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest

from niwaki.data.bilingual.bitext import Link, parse_links
from niwaki.data.files import Input, Source
from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.errors import CorpusError, shown

KEY = "Links"
# Numbers have at most nine digits.
_MOST = 10**9 - 1
_NUMBERS = re.compile(r"[1-9][0-9]{0,8}(,[1-9][0-9]{0,8})*", re.ASCII)


def with_links(sentence: Sentence, links: Iterable[Link]) -> Sentence:
    """The sentence with links (source, target), counted from 0, instead of those that it had."""
    linked: list[list[int]] = [[] for _ in range(len(sentence))]
    for source, target in sorted(set(links)):
        if not 0 <= source < len(sentence) or not 0 <= target < _MOST:
            raise ValueError(f"no link {source}-{target} in a sentence of {len(sentence)} words")
        linked[source].append(target + 1)
    return sentence.replace(misc=map(_noted, sentence.misc, linked))


def _noted(misc: str, targets: list[int]) -> str:
    notes = [] if misc == "_" else [x for x in misc.split("|") if not x.startswith(f"{KEY}=")]
    if targets:
        notes.append(f"{KEY}={','.join(map(str, targets))}")
    return "|".join(notes) or "_"


def links_of(sentence: Sentence) -> frozenset[Link]:
    """The links of a sentence, counted from 0; raises CorpusError if they cannot be read."""
    check_links(sentence)
    return frozenset(
        (word, int(target) - 1)
        for word, misc in enumerate(sentence.misc)
        for target in parse_pairs(misc).get(KEY, "").split(",")
        if target
    )


def check_links(sentence: Sentence) -> None:
    for word, misc in enumerate(sentence.misc, start=1):
        given = parse_pairs(misc).get(KEY)
        if given is not None and not _NUMBERS.fullmatch(given):
            raise CorpusError(
                sentence.file,
                sentence.line,
                "MISC",
                f"{KEY}={shown(given)} of word {word}",
                f"write numbers of words of the translation, such as {KEY}=2,5",
            )


def link_sentences(
    sentences: Iterable[Sentence],
    links: Source,
    on_fault: Callable[[CorpusError], None] | None = None,
) -> Iterator[Sentence]:
    """Yield the sentences with the sure links of a Pharaoh file, a line each.

    Malformed links, links of words that a sentence does not have, and files of different
    length raise CorpusError with the line. With `on_fault`, that is told instead, and the
    sentence goes without links.
    """
    return _link_sentences(sentences, Input(links), on_fault)


def _link_sentences(
    sentences: Iterable[Sentence], stream: Input, on_fault: Callable[[CorpusError], None] | None
) -> Iterator[Sentence]:
    number = 0
    with stream:
        for sentence, line in zip_longest(sentences, stream.lines(on_fault)):
            number += 1
            links: frozenset[Link] = frozenset()
            try:
                links = _fitting(sentence, line[1] if line else None, stream.name, number)
            except CorpusError as error:
                if on_fault is None:
                    raise
                on_fault(error)
            if sentence is not None:
                yield with_links(sentence, links)


def _fitting(sentence: Sentence | None, text: str | None, file: str, line: int) -> frozenset[Link]:
    """The sure links of a line, if they can be those of a sentence."""
    if sentence is None:
        raise _unpaired(file, line, "no sentence for this line")
    where = f"{sentence.file}:{sentence.line}"
    if text is None:
        raise _unpaired(file, line, f"no line for the sentence at {where}")
    links = parse_links(text, file, line)
    for source, target in sorted(links.all):
        if source >= len(sentence) or target >= _MOST:
            raise CorpusError(
                file,
                line,
                "LINE",
                f"link {source}-{target} is out of range",
                f"the sentence at {where} has {len(sentence)} words, counted from 0",
            )
    return links.sure


def _unpaired(file: str, line: int, found: str) -> CorpusError:
    return CorpusError(file, line, "LINE", found, "give a line of links for each sentence")
