"""WordNet: base forms of English words, and how words are related.

The files are those of Princeton WordNet, `data.noun` and so on, plain or gzipped, as Debian's
`wordnet-base` installs them. A line is looked at when one of its words is first asked for. Offsets
are names of synsets here, so that files whose lines were shortened serve as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from niwaki.data.files import Input
from niwaki.errors import CorpusError, NiwakiError

# Where Debian and others put them.
PLACES = ("/usr/share/wordnet", "/usr/share/wordnet/dict", "/usr/local/WordNet-3.0/dict")
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# Endings of inflected forms, and what stands in their place in base forms.
_ENDINGS = {
    "n": (
        *(("ches", "ch"), ("shes", "sh"), ("ses", "s"), ("xes", "x"), ("zes", "z")),
        *(("ies", "y"), ("men", "man"), ("s", "")),
    ),
    "v": (
        *(("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", "")),
        *(("ing", "e"), ("ing", ""), ("s", "")),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}

# What the second of two words is to the first.
SYNONYM, ANTONYM, HYPERNYM, HYPONYM = "synonym", "antonym", "hypernym", "hyponym"
DERIVED, VERB_GROUP, ENTAILS, ENTAILED = "derived", "verb group", "entails", "entailed by"
SEE_ALSO, CAUSE = "see also", "cause"
RELATIONS = (
    *(SYNONYM, ANTONYM, HYPERNYM, HYPONYM, DERIVED),
    *(VERB_GROUP, ENTAILS, ENTAILED, SEE_ALSO, CAUSE),
)
_SYMBOLS = ("!", "@", "@i", "~", "~i", "+", "$", "*", "^", ">")
_KINDS = (
    *(ANTONYM, HYPERNYM, HYPERNYM, HYPONYM, HYPONYM),
    *(DERIVED, VERB_GROUP, ENTAILS, SEE_ALSO, CAUSE),
)
_POINTERS = dict(zip(_SYMBOLS, _KINDS, strict=True))
_SIMILAR = "&"

# A part of speech and an offset.
Name = tuple[str, str]


class Pointer(NamedTuple):
    """A relation to a synset; from one word to one word where places (from 1) are given."""

    kind: str
    target: Name
    source_word: int
    target_word: int


class Synset(NamedTuple):
    """Words with one meaning, in small letters, and pointers to others."""

    words: tuple[str, ...]
    pointers: tuple[Pointer, ...]


class WordNet:
    """See the module."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        """Read a folder, or the place where it is installed; raises NiwakiError if it is not."""
        self.folder = _found(folder)
        self._synsets: dict[str, dict[str, str]] = {}
        self._senses: dict[str, dict[str, str]] = {}
        self._irregular: dict[str, dict[str, tuple[str, ...]]] = {}
        for part, name in _PARTS.items():
            self._synsets[part] = dict(_lines(self.folder, f"data.{name}"))
            self._senses[part] = dict(_lines(self.folder, f"index.{name}"))
            rows = _lines(self.folder, f"{name}.exc")
            self._irregular[part] = {form: tuple(rest.split()) for form, rest in rows}
        self._entailing = self._entailed_by()
        self.bases = lru_cache(1 << 17)(self._bases)
        self.related = lru_cache(1 << 14)(self._related)

    def _bases(self, form: str) -> frozenset[str]:
        """Words of WordNet that a form can be a form of, itself among them if it is one."""
        return frozenset(base for part in _PARTS for base in self._bases_as(form.lower(), part))

    def _bases_as(self, form: str, part: str) -> Iterator[str]:
        known = self._senses[part]
        if form in known:
            yield form
        yield from (base for base in self._irregular[part].get(form, ()) if base in known)
        for ending, base in _ENDINGS[part]:
            stem = form.removesuffix(ending)
            if stem != form and stem + base in known:
                yield stem + base

    def _related(self, base: str) -> Mapping[str, frozenset[str]]:
        """Words that are related to one, and what they are to it. One step of each relation."""
        found: dict[str, set[str]] = {}
        for name in self._names(base):
            synset = self._synset(name)
            for word in synset.words:
                if word != base:
                    found.setdefault(word, set()).add(SYNONYM)
            for kind, word in self._neighbours(name, synset, base):
                found.setdefault(word, set()).add(kind)
        return {word: frozenset(kinds) for word, kinds in found.items()}

    def _neighbours(self, name: Name, synset: Synset, base: str) -> Iterator[tuple[str, str]]:
        for pointer in synset.pointers:
            if pointer.source_word and synset.words[pointer.source_word - 1] != base:
                continue
            if pointer.kind == _SIMILAR:
                # Antonyms of similar words, and words similar to those: indirect antonyms.
                for opposite in self._antonyms_of(pointer.target):
                    yield from ((ANTONYM, word) for word in self._synset(opposite).words)
                continue
            kind = _POINTERS.get(pointer.kind)
            if kind is None:
                continue
            words = self._synset(pointer.target).words
            chosen = words[pointer.target_word - 1 :][:1] if pointer.target_word else words
            yield from ((kind, word) for word in chosen)
            if kind == ANTONYM:
                for other in self._synset(pointer.target).pointers:
                    if other.kind == _SIMILAR:
                        yield from ((ANTONYM, word) for word in self._synset(other.target).words)
        for other_name in self._entailing.get(name, ()):
            yield from ((ENTAILED, word) for word in self._synset(other_name).words)

    def _antonyms_of(self, name: Name) -> Iterator[Name]:
        """Synsets opposite to one, and those similar to these."""
        for pointer in self._synset(name).pointers:
            if pointer.kind == "!":
                yield pointer.target
                others = self._synset(pointer.target).pointers
                yield from (other.target for other in others if other.kind == _SIMILAR)

    def _names(self, base: str) -> Iterator[Name]:
        for part, senses in self._senses.items():
            fields = senses.get(base, "").split()
            # Part, senses, p, p symbols of pointers, senses again, tagged senses, then offsets.
            if fields:
                yield from ((part, offset) for offset in fields[5 + int(fields[2]) :])

    def _synset(self, name: Name) -> Synset:
        try:
            return _synset(self._synsets[name[0]][name[1]])
        except (LookupError, ValueError) as error:
            file = os.fspath(self.folder / f"data.{_PARTS.get(name[0], name[0])}")
            found = f"no synset {name[1]} that can be read"
            raise CorpusError(file, 0, "SYNSET", found, "give the files of one WordNet") from error

    def _entailed_by(self) -> dict[Name, list[Name]]:
        """WordNet says what a verb entails, not what it is entailed by."""
        found: dict[Name, list[Name]] = {}
        for offset, line in self._synsets["v"].items():
            if " * " in line:
                for pointer in _synset(line).pointers:
                    if pointer.kind == "*":
                        found.setdefault(pointer.target, []).append(("v", offset))
        return found


def _found(folder: str | os.PathLike[str] | None) -> Path:
    places = PLACES if folder is None else (folder,)
    for place in places:
        if any((Path(place) / f"data.noun{end}").exists() for end in ("", ".gz")):
            return Path(place)
    where = " or ".join(os.fspath(place) for place in places)
    raise NiwakiError(
        f"no WordNet in {where} (there is no data.noun); install it (apt install wordnet-base), "
        "name its folder, or do without"
    )


def _lines(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Lines by their first field; the licence, whose lines begin with a space, is passed over."""
    path = folder / name
    with Input(path if path.exists() else folder / f"{name}.gz") as stream:
        for _, line in stream.lines():
            if line and not line.startswith(" "):
                first, _, rest = line.partition(" ")
                yield first, rest


@lru_cache(1 << 15)
def _synset(line: str) -> Synset:
    """`lex_filenum ss_type w_cnt word lex_id ... p_cnt symbol offset pos places ... | gloss`."""
    fields = line.partition("|")[0].split()
    count = int(fields[2], 16)
    words = tuple(word.partition("(")[0].lower() for word in fields[3 : 3 + 2 * count : 2])
    start = 3 + 2 * count
    pointers = []
    for at in range(start + 1, start + 1 + 4 * int(fields[start]), 4):
        symbol, offset, part, places = fields[at : at + 4]
        # Satellites of adjectives stand among the adjectives.
        target = ("a" if part == "s" else part, offset)
        pointers.append(Pointer(symbol, target, int(places[:2], 16), int(places[2:], 16)))
    return Synset(words, tuple(pointers))
