"""Rule files: TOML in, `RuleSet` out; every fault is told with its line.

`assets/rules/ja.toml` is the set `ja`; docs/formats/rules.md describes the format.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import normalize

from niwaki.data.files import read_whole
from niwaki.data.sentence import Sentence
from niwaki.data.universal import UPOS
from niwaki.errors import RulesError, nearest, shown, written
from niwaki.keys import is_file_name
from niwaki.tasks.reorder.checking import failing_examples
from niwaki.tasks.reorder.rules import (
    ANY,
    SELF,
    Example,
    Pattern,
    Placement,
    Rule,
    RuleSet,
    Turn,
    child_limits,
)
from niwaki.tasks.reorder.schemes import SCHEMES, label_fault

_FILE_KEYS = ("description", "labels", "extends", "rule", "example")
_RULE_KEYS = ("name", "head", "barriers", "tuples")
_HEAD_KEYS = ("label", "upos", "xpos", "feats", "words", "has", "lacks", "children")
_TUPLE_KEYS = (*_HEAD_KEYS, "side", "weight", "order")
_EXAMPLE_KEYS = ("text", "upos", "xpos", "feats", "heads", "labels", "gives")
_MAX_WEIGHT = 1e300

T = TypeVar("T")
_HEADER = re.compile(r"^\s*\[\[?\s*(rule|example)\b")


def rule_set_names() -> list[str]:
    """The shipped sets, found by looking for their files."""
    folder = resources.files("niwaki") / "assets" / "rules"
    files = (path.name for path in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def load_rules(name_or_path: str | os.PathLike[str]) -> RuleSet:
    """A shipped rule set by its name, or one from a file (see `is_file_name`).

    The examples of a file are run: one that does not come true is a RulesError. (Those of
    shipped sets are run by the tests.)
    """
    name = os.fspath(name_or_path)
    if is_file_name(name):
        rules = parse_rules(read_text(name), name, Path(name).name.removesuffix(".toml"))
        for fault in failing_examples(rules, name):
            raise fault
        return rules
    if name not in rule_set_names():
        raise RulesError(name, 0, "no such rule set", nearest(name, rule_set_names()))
    path = resources.files("niwaki") / "assets" / "rules" / f"{name}.toml"
    return parse_rules(path.read_text(encoding="utf-8"), f"{name}.toml", name)


def read_text(file: str) -> str:
    """The text of a rule file; raises RulesError for what is no text."""
    data = read_whole(file)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RulesError(file, line, "invalid UTF-8", "convert the file to UTF-8") from error


def parse_rules(text: str, file: str = "<rules>", name: str = "rules") -> RuleSet:
    """A rule set from TOML; raises RulesError with the line."""
    found, faults = read_rules(text, file, name)
    if faults:
        raise faults[0]
    return found


def read_rules(text: str, file: str, name: str) -> tuple[RuleSet, list[RulesError]]:
    """What can be read of a rule set, and what is wrong with the rest, rule by rule.

    What keeps the file from being read at all is raised.
    """
    reader = _Reader(text, file)
    return reader.read(name), reader.faults


class _Reader:
    """Reads one file. TOML values do not know their lines, so these are looked for in the text."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._lines = text.split("\n")
        self._scheme = "ud"
        self._names: set[str] = set()
        self.faults: list[RulesError] = []
        try:
            self._data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"line (\d+)", str(error))
            line = int(found[1]) if found else len(self._lines)
            raise RulesError(file, line, f"not TOML ({error})", "correct the syntax") from error
        except ValueError as error:
            # Python reads no number of thousands of digits.
            raise RulesError(
                file, 1, f"a value that cannot be read ({error})", "correct it"
            ) from error
        except RecursionError as error:
            raise RulesError(file, 1, "values nested too deeply", "write plain tables") from error

    def read(self, name: str) -> RuleSet:
        self._check_keys(self._data, _FILE_KEYS, (1, len(self._lines) + 1))
        scheme = self._data.get("labels", "ud")
        if not isinstance(scheme, str) or scheme not in SCHEMES:
            raise self._error(self._find("labels"), f"labels {written(scheme)}", SCHEMES)
        self._scheme = scheme
        rules = self._gathered(self._rule, self._tables("rule"))
        examples = self._gathered(self._example, self._tables("example"))
        if "extends" in self._data:
            rules += [rule for base in self._gathered(self._base, [{}]) for rule in base.rules]
        description = self._data.get("description", "")
        if not isinstance(description, str):
            raise self._error(
                self._find("description"), "a description that is no text", "quote it"
            )
        return RuleSet(name, tuple(rules), description.strip(), scheme, tuple(examples))

    def _gathered(
        self, read: Callable[[int, dict[str, Any]], T], tables: list[dict[str, Any]]
    ) -> list[T]:
        """All that can be read; what is wrong with the others is kept in `faults`."""
        found = []
        for number, table in enumerate(tables):
            try:
                found.append(read(number, table))
            except RulesError as fault:
                self.faults.append(fault)
        return found

    def _base(self, *_: object) -> RuleSet:
        line = self._find("extends")
        base = self._data["extends"]
        if base not in rule_set_names():
            raise self._error(line, f"extends {written(base)}", rule_set_names())
        if base == Path(self._file).name.removesuffix(".toml"):
            raise self._error(line, "a set that extends itself", "name another")
        found = load_rules(base)
        if found.scheme != self._scheme:
            raise self._error(line, f"{base} has labels {found.scheme!r}", "use the same labels")
        return found

    # -- rules ----------------------------------------------------------------

    def _rule(self, number: int, data: Mapping[str, Any]) -> Rule:
        block = self._block("rule", number)
        self._check_keys(data, _RULE_KEYS, block)
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise self._error(block[0], "a rule without a name", 'write name = "..."')
        if name in self._names:
            line = self._find(name, block)
            raise self._error(line, f"a second rule {shown(name)}", "give it another name")
        self._names.add(name)
        head = data.get("head", {})
        if not isinstance(head, dict):
            raise self._error(self._find("head", block), "a head that is no table", "write { ... }")
        self._check_keys(head, _HEAD_KEYS, block)
        barriers = self._labels(data.get("barriers", []), "barriers", block)
        tuples = data.get("tuples", [])
        if not isinstance(tuples, list) or not all(isinstance(each, dict) for each in tuples):
            raise self._error(self._find("tuples", block), "tuples", "write a list of tables")
        placements = self._gathered(
            lambda n, each: self._placement(each, self._tuple_block(block, n)), tuples
        )
        rule = Rule(name, self._pattern(head, block), tuple(placements), barriers)
        if len(placements) == len(tuples):
            self._check_rule(rule, block)
        return rule

    def _check_rule(self, rule: Rule, block: tuple[int, int]) -> None:
        selves = [n for n, each in enumerate(rule.placements) if each.is_self]
        if len(selves) > 1:
            line = self._tuple_block(block, selves[1])[0]
            raise self._error(line, "a second tuple for self", "keep one")
        if clash := rule.contradiction():
            weight, why = clash
            wrong = [n for n, each in enumerate(rule.placements) if each.weight == weight]
            turns = [rule.placements[n].turn for n in wrong]
            at = next((n for n, t in zip(wrong, turns, strict=True) if t != turns[0]), wrong[0])
            raise self._error(
                self._tuple_block(block, at)[0],
                f"rule {shown(rule.name)} has weight {weight:g} with {why}",
                "give equal weights one order",
            )

    def _placement(self, data: Mapping[str, Any], block: tuple[int, int]) -> Placement:
        self._check_keys(data, _TUPLE_KEYS, block)
        weight = data.get("weight", 0)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise self._error(block[0], f"weight {written(weight)}", "give a number")
        # Compared, not converted: a whole number may be too large for a float.
        if not -_MAX_WEIGHT <= weight <= _MAX_WEIGHT:
            raise self._error(block[0], f"weight {written(weight)}", "give a finite number")
        order = data.get("order", "NORMAL")
        if not isinstance(order, str) or order not in Turn.__members__:
            raise self._error(block[0], f"order {written(order)}", Turn.__members__)
        if "label" not in data:
            raise self._error(block[0], "a tuple without a label", 'use "*" for any')
        side = data.get("side", "")
        if side not in ("", "before", "after"):
            raise self._error(block[0], f"side {written(side)}", ["after", "before"])
        if data["label"] == SELF:
            extra = sorted(set(data) - {"label", "weight", "order"})
            if extra:
                raise self._error(block[0], f"{extra[0]} for self", "put it into the head")
            return Placement(Pattern(), float(weight), Turn[order], True)
        return Placement(self._pattern(data, block, side), float(weight), Turn[order])

    def _pattern(self, data: Mapping[str, Any], block: tuple[int, int], side: str = "") -> Pattern:
        upos = self._strings(data.get("upos", []), "upos", block)
        for tag in upos:
            if not tag.endswith(ANY) and tag not in UPOS:
                line = self._find(tag, block)
                raise self._error(line, f"unknown universal tag {shown(tag)}", UPOS)
        feats = self._strings(data.get("feats", []), "feats", block)
        for feature in feats:
            if "=" not in feature:
                line = self._find(feature, block)
                raise self._error(line, f"feature {shown(feature)}", "write Name=Value")
        words = self._strings(data.get("words", []), "words", block)
        return Pattern(
            labels=self._labels(data.get("label", []), "label", block),
            upos=upos,
            xpos=self._strings(data.get("xpos", []), "xpos", block),
            feats=feats,
            words=tuple(normalize("NFC", word).lower() for word in words),
            has=self._labels(data.get("has", []), "has", block),
            lacks=self._labels(data.get("lacks", []), "lacks", block),
            children=self._count(data.get("children"), block),
            side=side,
        )

    def _labels(self, value: Any, key: str, block: tuple[int, int]) -> tuple[str, ...]:
        labels = self._strings(value, key, block)
        for label in labels:
            if label == SELF:
                raise self._error(self._find(label, block), f"self in {key}", "give it a tuple")
            fault = None if label == ANY else label_fault(self._scheme, label)
            if fault is not None:
                found, advice = fault
                if isinstance(advice, str):
                    advice += ' If a treebank has it, write labels = "any"'
                raise self._error(self._find(label, block), found, advice)
        return labels

    def _strings(self, value: Any, key: str, block: tuple[int, int]) -> tuple[str, ...]:
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
            raise self._error(self._find(key, block), f"{key}", "give a text or a list of texts")
        return tuple(values)

    def _count(self, value: Any, block: tuple[int, int]) -> tuple[int, int | None] | None:
        if value is None:
            return None
        text = str(value) if isinstance(value, str) or value in range(100) else ""
        limits = child_limits(text)
        if limits is None:
            raise self._error(
                self._find("children", block),
                f"children {written(value)}",
                'write "2", "1-3" or "2+", with numbers up to 14',
            )
        return limits

    # -- examples -------------------------------------------------------------

    def _example(self, number: int, data: Mapping[str, Any]) -> Example:
        block = self._block("example", number)
        self._check_keys(data, _EXAMPLE_KEYS, block)
        for key in ("text", "heads", "labels", "gives"):
            if key not in data:
                raise self._error(block[0], f"an example without {key}", f"write {key} = ...")
        words = self._words(data["text"], "text", block)
        columns: dict[str, Any] = {"heads": data["heads"]}
        for key, column in (("upos", "upos"), ("xpos", "xpos"), ("feats", "feats")):
            if key in data:
                columns[column] = self._words(data[key], key, block)
        columns["deprels"] = self._words(data["labels"], "labels", block)
        gives = self._words(data["gives"], "gives", block)
        try:
            sentence = Sentence.from_words(words, **columns)
        except (ValueError, TypeError) as error:
            raise self._error(block[0], f"a wrong example ({error})", "correct it") from error
        if not sentence.tree.is_complete:
            raise self._error(self._find("heads", block), "heads that are no tree", "correct them")
        if sorted(gives) != sorted(words):
            line = self._find("gives", block)
            raise self._error(line, "other words than in the text", "give the same words")
        return Example(sentence, tuple(gives), block[0])

    def _words(self, value: Any, key: str, block: tuple[int, int]) -> list[str]:
        if not isinstance(value, str) or not value.split():
            raise self._error(self._find(key, block), f"{key}", "give words with spaces between")
        return value.split()

    # -- lines ----------------------------------------------------------------

    def _tables(self, key: str) -> list[dict[str, Any]]:
        value = self._data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self._error(
                self._find(key), f"{key} that is no list of tables", f"write [[{key}]]"
            )
        return value

    def _block(self, kind: str, number: int) -> tuple[int, int]:
        """First line of a rule or an example, and the line after its last."""
        heads = [
            (line, match[1])
            for line, text in enumerate(self._lines, start=1)
            if (match := _HEADER.match(text)) and text.lstrip().startswith("[[")
        ]
        starts = [line for line, found in heads if found == kind]
        if number >= len(starts):
            return 1, len(self._lines) + 1
        later = [line for line, _ in heads if line > starts[number]]
        return starts[number], min(later, default=len(self._lines) + 1)

    def _tuple_block(self, block: tuple[int, int], number: int) -> tuple[int, int]:
        """The line on which the tuple begins; a tuple seldom takes more than one."""
        opened, inside = 0, False
        for line in range(block[0], min(block[1], len(self._lines) + 1)):
            text = re.sub(r'"(?:\\.|[^"\\])*"|#.*', "", self._lines[line - 1])
            if not inside:
                before, inside, text = text.partition("tuples")[0], "tuples" in text, text
                text = text[len(before) :] if inside else ""
            for _ in range(text.count("{")):
                if opened == number:
                    return line, block[1]
                opened += 1
        return block

    def _find(self, word: str, block: tuple[int, int] | None = None) -> int:
        """The first line of a block on which a word stands, or the block's own."""
        first, last = block or (1, len(self._lines) + 1)
        whole = re.compile(rf"(?<![\w:-]){re.escape(word)}(?![\w:-])")
        lines = range(first, min(last, len(self._lines) + 1))
        return next((line for line in lines if whole.search(self._lines[line - 1])), first)

    def _check_keys(
        self, data: Mapping[str, Any], known: tuple[str, ...], block: tuple[int, int]
    ) -> None:
        for key in data:
            if key not in known:
                raise self._error(self._find(key, block), f"unknown key {shown(key)}", known)

    def _error(self, line: int, found: str, advice: str | Iterable[str]) -> RulesError:
        """`advice` may be the names that are known: then the nearest is put forward."""
        if not isinstance(advice, str):
            wrong = re.search(r"'([^']*)'", found)
            advice = nearest(wrong[1] if wrong else found, advice)
        return RulesError(self._file, line, found, advice)
