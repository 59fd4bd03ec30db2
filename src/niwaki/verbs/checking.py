"""Rule files, checked: every fault with its line, and examples that do not come true."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from niwaki.errors import RulesError
from niwaki.tasks.reorder.checking import failing_examples, undocumented_labels
from niwaki.tasks.reorder.rulefile import read_rules, read_text


@dataclass(frozen=True)
class RulesCheck:
    """What is wrong with a rule file, and what may be: labels whose subtypes nobody wrote up."""

    file: str
    rules: int
    examples: int
    faults: list[RulesError]
    notes: list[str]

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "rules": self.rules,
            "examples": self.examples,
            "faults": [
                {"line": each.line, "found": each.found, "advice": each.advice}
                for each in self.faults
            ],
            "notes": self.notes,
        }


def check_rules(file: str | os.PathLike[str]) -> RulesCheck:
    """All faults of a rule file, by line. If there are none, its examples are run as well.

    >>> found = check_rules("own.toml")
    >>> [str(fault) for fault in found.faults]
    """
    path = os.fspath(file)
    try:
        rules, faults = read_rules(read_text(path), path, PurePath(path).stem)
    except RulesError as fault:
        return RulesCheck(path, 0, 0, [fault], [])
    if not faults:
        faults = list(failing_examples(rules, path))
    notes = [
        f"{path}: label {label!r} has a subtype that is not documented; see that your trees have it"
        for label in undocumented_labels(rules)
    ]
    faults = sorted(faults, key=lambda fault: fault.line)
    return RulesCheck(path, len(rules.rules), len(rules.examples), faults, notes)
