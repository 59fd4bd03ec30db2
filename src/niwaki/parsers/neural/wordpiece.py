"""Word pieces: words as a pretrained encoder of the BERT family (uncased) knows them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

_LONGEST_WORD = 100
# Names of special pieces; MPNet's vocabularies also have those of BERT, and use one of them.
_FIRST, _LAST, _UNKNOWN = ("<s>", "[CLS]"), ("</s>", "[SEP]"), ("[UNK]", "<unk>")
_PADDING = ("<pad>", "[PAD]")
_INSIDE = "##"
# Where Chinese characters stand, which are words of their own.
_CJK = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class WordPieces:
    """A vocabulary of word pieces, one a line, and how words are cut into them."""

    def __init__(self, lines: bytes) -> None:
        names = lines.decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n")
        self.lines = lines
        # The last of two that are alike counts, as in the programs that pretrained it.
        self._numbers = {name: number for number, name in enumerate(names)}
        self._size = len(names)
        self.first, self.last, self.unknown = (
            self._special(each) for each in (_FIRST, _LAST, _UNKNOWN)
        )
        self._longest = max(map(len, names))
        self.cut = lru_cache(maxsize=1 << 16)(self._cut)

    def __len__(self) -> int:
        return self._size

    @property
    def has_capitals(self) -> bool:
        """Whether many pieces could never be found, because words are looked up in lower case."""
        names = [name for name in self._numbers if name[:1] not in ("[", "<")]
        return 100 * sum(name != name.lower() for name in names) > len(names)

    @property
    def padding(self) -> list[int]:
        """The numbers of what is called padding; an encoder uses one of them."""
        return [self._numbers[name] for name in _PADDING if name in self._numbers]

    def _special(self, names: Iterable[str]) -> int:
        found = [self._numbers[name] for name in names if name in self._numbers]
        if not found:
            raise ValueError(f"no {' or '.join(names)} among the word pieces")
        return found[0]

    def is_whole(self, form: str) -> bool:
        """Whether a word is one piece of the vocabulary."""
        (first, *rest) = self.cut(form.encode("utf-8"))
        return not rest and first != self.unknown

    def _cut(self, form: bytes) -> tuple[int, ...]:
        """The numbers of the pieces of a word; never none."""
        found: list[int] = []
        for part in split_word(form.decode("utf-8")):
            found += self._longest_match(part)
        return tuple(found) or (self.unknown,)

    def _longest_match(self, part: str) -> list[int]:
        """The longest piece at the beginning, then the longest behind it, and so on."""
        if len(part) > _LONGEST_WORD:
            return [self.unknown]
        found, start = [], 0
        while start < len(part):
            prefix = _INSIDE if start else ""
            for end in range(min(len(part), start + self._longest), start, -1):
                number = self._numbers.get(prefix + part[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self.unknown]
        return found


def split_word(form: str) -> Iterator[str]:
    """A word in lower case without accents, cut where punctuation or Chinese characters stand.

    >>> list(split_word("L'Été"))
    ['l', "'", 'ete']
    """
    part = ""
    for character in _plain(form):
        if character.isspace() or _stands_alone(character):
            if part:
                yield part
            part = ""
            if not character.isspace():
                yield character
        else:
            part += character
    if part:
        yield part


def _plain(form: str) -> str:
    # What cannot be seen says nothing; so do accents.
    text = "".join(c if c in "\t\n\r" else "" if _is_control(c) else c for c in form)
    apart = unicodedata.normalize("NFD", text.lower())
    return "".join(c for c in apart if unicodedata.category(c) != "Mn")


def _is_control(character: str) -> bool:
    return character in "\0\ufffd" or unicodedata.category(character).startswith("C")


def _stands_alone(character: str) -> bool:
    code = ord(character)
    if code < 128:
        return not character.isalnum() and code > 32
    is_cjk = any(first <= code <= last for first, last in _CJK)
    return is_cjk or unicodedata.category(character).startswith("P")
