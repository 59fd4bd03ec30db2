"""Words by part of speech, and which of them are one letter apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from niwaki.data.sentence import Sentence

# Parts of speech that no slip adds.
NO_WORDS = frozenset(("PUNCT", "SYM", "X", "_"))
# Names and rare words of a text are more often its own than English.
_LEAST_COUNT = 5


@dataclass(frozen=True)
class Lexicon:
    """Words in lower case with a part of speech, in order."""

    words: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, sentences: Iterable[Sentence] = (), least_count: int = _LEAST_COUNT) -> Lexicon:
        """Those of the bundled list, and those that sentences with tags have often."""
        counts = Counter(
            (form.lower(), tag)
            for sentence in sentences
            for form, tag in zip(sentence.forms, sentence.upos, strict=True)
            if tag not in NO_WORDS and tag != "PROPN" and form.isalpha()
        )
        often = (entry for entry, count in counts.items() if count >= least_count)
        return cls(tuple(sorted({*often, *_in_the_box()})))

    def any_word(self, chance: random.Random) -> str:
        return chance.choice(self.words)[0]

    def like(self, tag: str, chance: random.Random) -> str | None:
        """A word with this part of speech, if there is one."""
        found = self._by_tag.get(tag)
        return chance.choice(found) if found else None

    def knows(self, word: str) -> bool:
        return word in self._all

    def neighbours(self, form: str) -> list[str]:
        """Words that are made of this one by adding, changing or dropping one letter."""
        word = form.lower()
        found = {other for pattern in _patterns(word) for other in self._patterns.get(pattern, ())}
        return sorted(found - {word})

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(word for word, _ in self.words)

    @cached_property
    def _by_tag(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word, tag in self.words:
            found.setdefault(tag, []).append(word)
        return found

    @cached_property
    def _patterns(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in dict.fromkeys(word for word, _ in self.words):
            for pattern in _patterns(word):
                found.setdefault(pattern, []).append(word)
        return found


def _patterns(word: str) -> Iterator[str]:
    """What two words share that are one letter apart: a gap at one place.

    A gap that holds a letter of one word may hold one of the other, or nothing.
    """
    for at in range(len(word) + 1):
        yield f"{word[:at]}_{word[at:]}"
        if at < len(word):
            yield f"{word[:at]}_{word[at + 1 :]}"


@cache
def _in_the_box() -> frozenset[tuple[str, str]]:
    file = resources.files("niwaki") / "assets" / "grammar" / "words-en.txt"
    lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    rows = (line for line in lines if line and line[0] != "#")
    return frozenset((word.lower(), tag) for tag, *words in rows for word in words)
