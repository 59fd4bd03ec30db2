"""What people said of the sentences of a project: a layer for each of them, and what all agree on.

Everybody begins with the same start and changes only the own layer. Of a sentence that several
people annotated, what nobody contradicts is known; where they differ, nothing is, until somebody
decides (`ADJUDICATED`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

State = dict[str, Any]
# The layer of decisions between annotators.
ADJUDICATED = "adjudicated"


class Layers:
    """The states of sentences by person, with a version for each that a change must name."""

    def __init__(self, start: Callable[[int], State]) -> None:
        self._start = start
        self._history: dict[tuple[str, int], list[State]] = {}
        self._versions: dict[tuple[str, int], int] = {}
        self._changed: list[tuple[str, int]] = []  # who changed which sentence, in order
        self._names: dict[str, None] = {}  # whoever said something, in the order of their coming

    @property
    def serial(self) -> int:
        return len(self._changed)

    @property
    def people(self) -> list[str]:
        """Who has said something, without decisions between them."""
        found = {who for (who, _), history in self._history.items() if history}
        return sorted(found - {ADJUDICATED})

    @property
    def numbers(self) -> list[int]:
        """The sentences of which somebody said something, now or before."""
        return sorted({number for _, number in self._history})

    def version(self, number: int, who: str) -> int:
        return self._versions.get((who, number), 0)

    def changed_since(self, serial: int, who: str) -> list[int]:
        """The sentences that a person changed after a serial number."""
        return list(dict.fromkeys(n for name, n in self._changed[serial:] if name == who))

    def said(self, number: int) -> dict[str, State]:
        """What each person said of a sentence."""
        histories = {who: self._history.get((who, number)) for who in self._names}
        return {who: history[-1] for who, history in histories.items() if history}

    def state(self, number: int, who: str) -> State:
        """What a person said of a sentence, or begins with; decisions begin with what is agreed."""
        history = self._history.get((who, number))
        if history:
            return history[-1]
        return self.agreed(number) if who == ADJUDICATED else self._start(number)

    def agreed(self, number: int) -> State:
        """What nobody contradicts."""
        said = list(self.said(number).values())
        return agreement_of(said) if said else self._start(number)

    def result(self, number: int) -> State:
        """What is known of a sentence: what was decided, or else what is agreed."""
        return self.state(number, ADJUDICATED)

    def is_decided(self, number: int) -> bool:
        return bool(self._history.get((ADJUDICATED, number)))

    def can_undo(self, number: int, who: str) -> bool:
        return bool(self._history.get((who, number)))

    def take(self, entry: dict[str, Any]) -> None:
        """Follow a change of the journal."""
        key = (entry.get("by", ""), entry["sentence"])
        if key[0] != ADJUDICATED:
            self._names.setdefault(key[0])
        history = self._history.setdefault(key, [])
        if entry.get("undo"):
            history.pop()
        else:
            history.append(entry["state"])
        self._versions[key] = entry["version"]
        self._changed.append(key)


def agreement_of(states: Sequence[State]) -> State:
    """What several states have in common: heads that nobody contradicts, links that all have."""
    if len(states) == 1:
        return states[0]
    found: State = {}
    if all(state.get("skipped") for state in states):
        found["skipped"] = True
    if any("links" in state for state in states):
        shared = set.intersection(*({tuple(link) for link in s.get("links", [])} for s in states))
        return {**found, "links": [list(link) for link in sorted(shared)]} if shared else found
    heads = _undisputed([state.get("heads", {}) for state in states])
    if not _is_forest(heads):
        # Heads of different people may close a circle; those that all gave never do.
        common = set.intersection(*(set(state.get("heads", {})) for state in states))
        heads = {word: head for word, head in heads.items() if word in common}
    if heads:
        labels = _undisputed([state.get("labels", {}) for state in states])
        found["heads"] = heads
        found["labels"] = {word: label for word, label in labels.items() if word in heads}
    return found


def disputed(states: Sequence[State]) -> list[int]:
    """The words of which people gave different heads or labels."""
    columns = [[state.get(name, {}) for state in states] for name in ("heads", "labels")]
    words = {word for column in columns for each in column for word in each}
    return sorted(
        int(word)
        for word in words
        if any(len({each[word] for each in column if word in each}) > 1 for column in columns)
    )


def _undisputed(columns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    words = sorted({word for each in columns for word in each}, key=int)
    values = {word: {each[word] for each in columns if word in each} for word in words}
    return {word: next(iter(found)) for word, found in values.items() if len(found) == 1}


def _is_forest(heads: dict[str, int]) -> bool:
    """Whether some tree can have all these heads: at most one root, and no circle."""
    if list(heads.values()).count(0) > 1:
        return False
    for word in heads:
        seen, at = {word}, str(heads[word])
        while at in heads:
            if at in seen:
                return False
            seen.add(at)
            at = str(heads[at])
    return True
