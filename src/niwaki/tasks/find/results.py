"""What was found: a sentence and its words by name, their fields, and marks for a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.data.token import Token
from niwaki.errors import NiwakiError, nearest, shown

# What MISC calls the words of matches: `Found=1:x` is the word x of the first match.
FOUND = "Found"

# What can be told of a word, besides its features.
FIELDS = ("form", "words", "lemma", "upos", "xpos", "feats", "label", "id", "text")
_JOINING = frozenset("case cc conj mark punct".split())
_FIELD = re.compile(r"(\w+)(?:\.(\w+(?:\[\w+\])?))?")


@dataclass(frozen=True)
class Match:
    """The words of a sentence that a query names, as numbers from 1.

    >>> match["x"].lemma
    """

    sentence: Sentence
    words: Mapping[str, int]
    query: str = ""  # its name in a set

    def __getitem__(self, name: str) -> Token:
        return Token(self.sentence, self.words[name])

    def field(self, name: str, field: str) -> str:
        """What a word is: one of FIELDS, or a feature; '' if the match has no such word.

        `text` is the word with what hangs below it, as far as that stands together with it, and
        without what joins it to other words: prepositions, conjunctions, what is joined by "and".
        """
        if name not in self.words:
            return ""
        token = self[name]
        match field:
            case "form" | "lemma" | "upos" | "xpos":
                return str(getattr(token, field))
            case "words":
                return token.form.lower()
            case "feats":
                return self.sentence.feats[token.index - 1]
            case "label":
                return token.deprel
            case "id":
                return str(token.index)
            case "text":
                return " ".join(self.sentence.forms[word - 1] for word in self._phrase(token.index))
        return token.feats.get(field, "")

    def _phrase(self, word: int) -> Iterable[int]:
        tree = self.sentence.tree
        below = set(tree.subtree(word))
        for child in tree.children(word):
            if tree.deprels[child - 1].partition(":")[0] in _JOINING:
                below -= set(tree.subtree(child))
        first = last = word
        while first - 1 in below:
            first -= 1
        while last + 1 in below:
            last += 1
        return range(first, last + 1)

    @property
    def place(self) -> str:
        """The sentence's `# sent_id`, or its file and line."""
        return self.sentence.id or f"{self.sentence.file}:{self.sentence.line}"

    def to_text(self) -> str:
        """The sentence with its words in brackets: `The old [x pine] leans .`"""
        forms = list(self.sentence.forms)
        for name, word in self.words.items():
            forms[word - 1] = f"[{name} {forms[word - 1]}]"
        return " ".join(forms)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        record: dict[str, Any] = {"id": self.sentence.id}
        if self.query:
            record["query"] = self.query
        record["text"] = self.sentence.text
        record["words"] = {
            name: {
                "id": number,
                **{field: self.field(name, field) for field in ("form", "lemma", "upos", "label")},
                "text": self.field(name, "text"),
            }
            for name, number in self.words.items()
        }
        return record


def read_fields(text: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Names of words and fields from `x.lemma,y`; without a field, the form is meant."""
    found = []
    for part in text.split(","):
        matched = _FIELD.fullmatch(part.strip())
        name, field = (matched[1], matched[2] or "form") if matched else (part, "form")
        if name not in names:
            raise NiwakiError(f"no word {shown(name)} in the query; {nearest(name, names)}")
        if field not in FIELDS and not field[0].isupper():
            known = nearest(field, FIELDS)
            raise NiwakiError(f"no field {shown(field)}; {known}, or a feature such as Tense")
        found.append((name, field))
    return found


def by_sentence(matches: Iterable[Match]) -> Iterator[list[Match]]:
    """The matches of each sentence; two that are written alike are two sentences."""
    group: list[Match] = []
    for match in matches:
        if group and match.sentence is not group[0].sentence:
            yield group
            group = []
        group.append(match)
    if group:
        yield group


def marked(sentence: Sentence, matches: Iterable[Match]) -> Sentence:
    """The sentence with the words of its matches in MISC, instead of marks that stood there."""
    marks: dict[int, list[str]] = {}
    for number, match in enumerate(matches, start=1):
        for name, word in match.words.items():
            marks.setdefault(word, []).append(f"{number}:{name}")
    misc = []
    for word, notes in enumerate(sentence.misc, start=1):
        kept = [x for x in notes.split("|") if x != "_" and x.partition("=")[0] != FOUND]
        if word in marks:
            kept.append(f"{FOUND}={','.join(marks[word])}")
        misc.append("|".join(kept) or "_")
    return sentence.replace(misc=misc)
