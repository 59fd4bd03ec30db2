"""A sentence is its CoNLL-U lines; everything else about it is read off them when asked for.

Keeping the lines makes reading fast, writing exact and pickling trivial: a
change of some fields is a new sentence whose lines differ in those fields only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from niwaki.data.faults import COLUMNS, find_faults
from niwaki.data.token import Place, Token, Written, places, record
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError, shown
from niwaki.kernel.conllu import (
    ALLOW_MANY_ROOTS,
    ALLOW_UNKNOWN_HEADS,
    SOUND,
    read_off,
    scan,
    splice,
)

BOM = b"\xef\xbb\xbf"
T = TypeVar("T")

_DECIMALS = [b"%d" % number for number in range(512)]


class Range(NamedTuple):
    """A multiword token: words `first`..`last` are written together as `form`."""

    first: int
    last: int
    form: str
    misc: str


class EmptyNode(NamedTuple):
    """A word that is understood but not written, such as `8.1`."""

    id: str
    form: str
    fields: tuple[str, ...]


class _ReadOff(Generic[T]):
    """An attribute read off the lines when one of its kind is first asked for.

    All of them are then put into the instance's `__dict__`, which Python looks
    into before it comes here again. (`functools.cached_property` takes a lock.)
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, sentence: Sentence, owner: type) -> T:
        sentence.__dict__.update(zip(_READ_OFF, read_off(sentence.source), strict=True))
        value: T = sentence.__dict__[self._name]
        return value


@dataclass(frozen=True)
class Sentence:
    """One sentence with all that its file says about it.

    Columns are tuples with one value a word, as they stand in the file:
    `forms`, `lemmas`, `upos`, `xpos`, `feats`, `deprels`, `deps`, `misc`;
    `heads` are integers (0 root, -1 unknown). Iteration gives the words as `Token`s.

    >>> sentence = Sentence.from_words(["Trees", "grow"], upos=["NOUN", "VERB"])
    >>> sentence.replace(heads=[2, 0], deprels=["nsubj", "root"]).tree.root
    2
    """

    source: bytes
    file: str = field(default="<memory>", compare=False)
    line: int = field(default=1, compare=False)

    def __init__(self, source: bytes, file: str = "<memory>", line: int = 1) -> None:
        # Written out because the __init__ of a frozen dataclass takes three times as long.
        attributes = self.__dict__
        attributes["source"] = source
        attributes["file"] = file
        attributes["line"] = line

    # -- making ---------------------------------------------------------------

    @classmethod
    def from_conllu(cls, text: str | bytes) -> Sentence:
        """A sentence from its lines; raises CorpusError if they are not sound."""
        source = text.encode("utf-8") if isinstance(text, str) else text
        flags = ALLOW_MANY_ROOTS | ALLOW_UNKNOWN_HEADS
        end, _, verdict = scan(source, 0, flags, True, False)
        if verdict != SOUND:
            raise find_faults(source[:end], 1, flags)[0].error("<memory>")
        if end != len(source):
            raise CorpusError("<memory>", 1, "SENTENCE", "more than one sentence", "give one")
        return cls(source)

    @classmethod
    def from_words(
        cls, forms: Iterable[str], *, comments: Iterable[str] = (), **columns: Iterable[str | int]
    ) -> Sentence:
        """A new sentence; columns that are not given are `_`."""
        words = list(forms)
        if not words:
            raise ValueError("a sentence has at least one word")
        lines = [_comment_line(comment) for comment in comments]
        lines += [f"{i}\t_\t_\t_\t_\t_\t_\t_\t_\t_" for i in range(1, len(words) + 1)]
        blank = cls("\n".join([*lines, "", ""]).encode("utf-8"))
        return blank.replace(forms=words, **columns)

    def replace(self, **columns: Iterable[str | int]) -> Sentence:
        """The same sentence with some columns changed; nothing else moves by a byte.

        A head is an integer, or -1 (written `_`) if unknown.
        """
        replaced: list[list[bytes] | None] = [None] * len(COLUMNS)
        for name, values in columns.items():
            if name not in _COLUMN_NUMBERS:
                raise TypeError(f"no column {name!r}; columns are {', '.join(_COLUMN_NUMBERS)}")
            values = list(values)
            if name == "heads":
                _check_heads(values)
            replaced[_COLUMN_NUMBERS[name]] = [_field(value) for value in values]
        source = splice(self.source, replaced)
        if source is None:
            raise self._replace_error(replaced)
        return Sentence(source, self.file, self.line)

    def _replace_error(self, replaced: list[list[bytes] | None]) -> ValueError:
        for name, number in _COLUMN_NUMBERS.items():
            values = replaced[number]
            if values is not None and len(values) != len(self):
                return ValueError(f"{len(values)} {name} for {len(self)} words")
            for value in values or ():
                if not value or any(byte in value for byte in b"\t\n\r\0"):
                    return ValueError(f"{name}: {shown(value)} cannot stand in a field")
        raise AssertionError("splice refused sound columns")

    def with_tree(self, tree: Tree) -> Sentence:
        return self.replace(heads=tree.heads, deprels=tree.deprels)

    def with_comments(self, comments: Iterable[str]) -> Sentence:
        """The same sentence with its comments replaced (each without its leading `# `)."""
        body = self.source.removeprefix(BOM)
        newline = b"\r\n" if b"\r\n" in body else b"\n"
        lines = [_comment_line(comment).encode("utf-8") + newline for comment in comments]
        rest = b"\n".join(line for line in body.split(b"\n") if not line.startswith(b"#"))
        prefix = BOM if self.source.startswith(BOM) else b""
        return Sentence(prefix + b"".join(lines) + rest, self.file, self.line)

    # -- reading --------------------------------------------------------------

    ids = _ReadOff[tuple[str, ...]]()
    forms = _ReadOff[tuple[str, ...]]()
    lemmas = _ReadOff[tuple[str, ...]]()
    upos = _ReadOff[tuple[str, ...]]()
    xpos = _ReadOff[tuple[str, ...]]()
    feats = _ReadOff[tuple[str, ...]]()
    heads = _ReadOff[tuple[int, ...]]()
    deprels = _ReadOff[tuple[str, ...]]()
    deps = _ReadOff[tuple[str, ...]]()
    misc = _ReadOff[tuple[str, ...]]()
    _comment_lines = _ReadOff[list[str]]()
    _other_rows = _ReadOff[list[list[str]]]()

    def __len__(self) -> int:
        """The number of words (ranges and empty nodes do not count)."""
        return len(self.forms)

    def __iter__(self) -> Iterator[Token]:
        """The words, as light views."""
        return (Token(self, number) for number in range(1, len(self) + 1))

    def __str__(self) -> str:
        return self.source.removeprefix(BOM).decode("utf-8")

    def __repr__(self) -> str:
        words = " ".join(self.forms[:8]) + (" …" if len(self) > 8 else "")
        return f"<Sentence of {len(self)} words: {words}>"

    @property
    def features(self) -> tuple[Mapping[str, str], ...]:
        """FEATS of each word as a mapping."""
        return tuple(map(parse_pairs, self.feats))

    @property
    def notes(self) -> tuple[Mapping[str, str], ...]:
        """MISC of each word as a mapping."""
        return tuple(map(parse_pairs, self.misc))

    @property
    def tree(self) -> Tree:
        return Tree(self.heads, self.deprels)

    @property
    def ranges(self) -> tuple[Range, ...]:
        rows = [(row, row[0].partition("-")) for row in self._other_rows]
        return tuple(
            Range(int(first), int(last), row[1], row[9])
            for row, (first, dash, last) in rows
            if dash
        )

    @property
    def empty_nodes(self) -> tuple[EmptyNode, ...]:
        rows = [row for row in self._other_rows if "." in row[0]]
        return tuple(EmptyNode(row[0], row[1], tuple(row)) for row in rows)

    @property
    def comments(self) -> tuple[str, ...]:
        """Comment lines without the leading `#` and the space after it."""
        return tuple(line[1:].removeprefix(" ") for line in self._comment_lines)

    @property
    def metadata(self) -> Mapping[str, str]:
        """Comments of the form `key = value`; a comment without `=` has the value ''."""
        pairs = (comment.partition("=") for comment in self.comments)
        return MappingProxyType({key.strip(): value.strip() for key, _, value in pairs})

    @property
    def id(self) -> str:
        """`# sent_id`, or '' if there is none."""
        return self.metadata.get("sent_id", "")

    @property
    def text(self) -> str:
        """`# text`, or the tokens put together by SpaceAfter if there is none."""
        given = self.metadata.get("text")
        return given if given is not None else "".join(self._surface()).rstrip()

    @property
    def places(self) -> tuple[Place, ...]:
        """Where each word stands in `text`, from and to; None where that cannot be told."""
        found: tuple[Place, ...] | None = self.__dict__.get("_places")
        if found is None:
            found = self.__dict__["_places"] = places(list(self._written()), self.text)
        return found

    def _surface(self) -> Iterator[str]:
        for _, _, form, notes in self._written():
            yield form
            if notes.get("SpaceAfter") != "No":
                yield " "

    def _written(self) -> Iterator[Written]:
        starts = {token.first: token for token in self.ranges}
        word = 1
        while word <= len(self):
            token = starts.get(word)
            last, form, misc = (
                (token.last, token.form, token.misc)
                if token
                else (word, self.forms[word - 1], self.misc[word - 1])
            )
            yield word, last, form, parse_pairs(misc)
            word = last + 1

    # -- showing --------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: a list for each column, one value a word.

        `offsets` are places in `text`. `probabilities` of each word's "tag", "arc" and "label"
        and of the "tree" are there if they are known.
        """
        return record(self)

    def _repr_html_(self) -> str | None:
        return None if html_renderer is None else html_renderer(self)


# Set by niwaki.draw, which stands above this module and knows how to draw.
html_renderer: Callable[[Sentence], str] | None = None


class _PairsCache(dict[str, Mapping[str, str]]):
    """FEATS and MISC repeat themselves; a dict answers much faster than `lru_cache`."""

    limit = 1 << 14

    def __missing__(self, value: str) -> Mapping[str, str]:
        parts = () if value == "_" else (part.partition("=") for part in value.split("|"))
        pairs = MappingProxyType({key: text for key, _, text in parts})
        if len(self) >= self.limit:
            self.clear()
        self[value] = pairs
        return pairs


# `A=1|B=2` as a read-only mapping; `_` is empty; a part without `=` has the value ''.
parse_pairs = _PairsCache().__getitem__


# In the order in which the kernel gives them.
_READ_OFF = (
    *("ids", "forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc"),
    *("_comment_lines", "_other_rows"),
)
_COLUMN_NUMBERS = {name: number for number, name in enumerate(_READ_OFF[1:10], start=1)}


def _field(value: str | int) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8")
    if value == -1:
        return b"_"
    return _DECIMALS[value] if 0 <= value < len(_DECIMALS) else b"%d" % value


def _check_heads(heads: list[str | int]) -> None:
    for word, head in enumerate(heads, start=1):
        if not isinstance(head, int) or not -1 <= head <= len(heads) or head == word:
            raise ValueError(f"word {word} cannot have the head {head!r}")


def _comment_line(comment: str) -> str:
    if any(char in comment for char in "\n\r\0"):
        raise ValueError(f"a comment is one line: {shown(comment)}")
    return f"# {comment}"
