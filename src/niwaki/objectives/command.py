"""A cost that another program tells: `kind = "command"`, `command = ["program", ...]`.

The program reads JSON Lines from its standard input and answers each at once:

    {"id": ..., "example": ..., "tokens": [...],
     "parses": [{"heads": [...], "deprels": [...], "upos": [...], "score": ...}, ...]}
    {"id": ..., "costs": [...]}

Of an example of several sentences it reads `sentences`, a list of such lists of tokens, instead
of `tokens`, and each parse has `trees`, one for each sentence.

It is started once for each thread that asks and runs until training ends.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.text import TextSegmenter
from niwaki.data.tree import Tree
from niwaki.errors import ObjectiveError, shown
from niwaki.keys import key
from niwaki.objectives import AnyObjective, Costs, checked_costs
from niwaki.objectives._examples import (
    Example,
    GroupExamples,
    SentenceExamples,
    read_examples,
)


@dataclass(frozen=True)
class Settings:
    """Who tells the costs."""

    command: tuple[str, ...] = key(
        (),
        "The program that tells the costs, and its arguments.",
        path="program",
        needed='a program and its arguments, ["program", ...]',
    )


class _Program:
    """A program and its processes. A process serves one thread at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._idle: list[subprocess.Popen[str]] = []
        self._lock = threading.Lock()

    def costs(self, example: Example, question: Mapping[str, Any], count: int) -> Costs:
        """What the program says to a question about an example, as so many costs."""
        with self._lock:
            process = self._idle.pop() if self._idle else self._start()
        try:
            found = self._ask(process, example, question, count)
        except ObjectiveError:
            _end(process)
            raise
        with self._lock:
            self._idle.append(process)
        return found

    def _start(self) -> subprocess.Popen[str]:
        try:
            return subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
        except OSError as error:
            raise ObjectiveError(f"{self._command[0]}: cannot be started: {error}") from error

    def _ask(
        self,
        process: subprocess.Popen[str],
        example: Example,
        question: Mapping[str, Any],
        count: int,
    ) -> Costs:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            status = process.wait()
            raise ObjectiveError(
                f"example {shown(example.id)}: {self._command[0]} ended with status {status} "
                "instead of giving costs"
            )
        try:
            answer = json.loads(line)
            costs = answer["costs"]
            same = str(answer["id"]) == example.id
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ObjectiveError(
                f"example {shown(example.id)}: {self._command[0]} answered {shown(line)}; "
                'give {"id": ..., "costs": [...]} on one line'
            ) from None
        if not same:
            raise ObjectiveError(
                f"example {shown(example.id)}: {self._command[0]} answered for "
                f"{shown(str(answer['id']))}; answer line by line, in order"
            )
        return checked_costs(costs, count, example.id)

    def close(self) -> None:
        """End the processes that are idle."""
        while self._idle:
            _end(self._idle.pop())

    def __del__(self) -> None:
        self.close()


class CommandObjective(SentenceExamples):
    """Asks a program for the costs of examples of one sentence each."""

    def __init__(self, examples: Sequence[Example], command: Sequence[str]) -> None:
        super().__init__(examples)
        self._program = _Program(command)

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        return [self._cost(each) for each in candidates]

    def close(self) -> None:
        """End the processes that are idle."""
        self._program.close()

    def _cost(self, candidates: KBest) -> Costs:
        example = self.examples[candidates.number]
        upos = self._tagged[candidates.number].upos
        rows = zip(candidates.trees, candidates.scores.tolist(), strict=True)
        question = {
            **_about(example),
            "tokens": example.sentences[0].forms,
            "parses": [{**_tree(tree, upos), "score": score} for tree, score in rows],
        }
        return self._program.costs(example, question, len(candidates))


class GroupCommandObjective(GroupExamples):
    """The same for examples of several sentences."""

    def __init__(self, examples: Sequence[Example], command: Sequence[str]) -> None:
        super().__init__(examples)
        self._program = _Program(command)

    def group_costs(self, number: int, candidates: Sequence[KBest]) -> Costs:
        example = self.examples[number]
        upos = [self._tagged[each.number].upos for each in candidates]
        scores = [sum(row) for row in zip(*(c.scores.tolist() for c in candidates), strict=True)]
        combinations = zip(*(each.trees for each in candidates), strict=True)
        question = {
            **_about(example),
            "sentences": [sentence.forms for sentence in example.sentences],
            "parses": [
                {
                    "trees": [_tree(tree, tags) for tree, tags in zip(trees, upos, strict=True)],
                    "score": score,
                }
                for trees, score in zip(combinations, scores, strict=True)
            ],
        }
        return self._program.costs(example, question, len(candidates[0]))


def _about(example: Example) -> dict[str, Any]:
    content = example.content
    return {"id": example.id, "example": str(content) if isinstance(content, Sentence) else content}


def _tree(tree: Tree, upos: Sequence[str]) -> dict[str, Any]:
    return {"heads": tree.heads, "deprels": tree.deprels, "upos": upos}


def _end(process: subprocess.Popen[str]) -> None:
    """Close the pipes, which tells a program to end, and wait a little for it."""
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(OSError):
            pipe.close()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def load(
    files: Sequence[str], settings: Settings, segmenter: TextSegmenter | None = None
) -> AnyObjective:
    examples = read_examples(files, segmenter)
    if any(example.is_group for example in examples):
        return GroupCommandObjective(examples, settings.command)
    return CommandObjective(examples, settings.command)
