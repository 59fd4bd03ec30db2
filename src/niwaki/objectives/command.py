"""A cost that another program tells: `kind = "command"`, `command = ["program", ...]`.

The program reads JSON Lines from its standard input and answers each at once:

    {"id": ..., "example": ..., "tokens": [...],
     "parses": [{"heads": [...], "deprels": [...], "upos": [...], "score": ...}, ...]}
    {"id": ..., "costs": [...]}

It is started once for each thread that asks and runs until training ends.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from niwaki.data.kbest import CandidateArrays
from niwaki.data.sentence import Sentence
from niwaki.errors import ObjectiveError, shown
from niwaki.keys import key
from niwaki.objectives import Costs, checked_costs
from niwaki.objectives._examples import Example, Examples, read_examples


@dataclass(frozen=True)
class Settings:
    """Who tells the costs."""

    command: tuple[str, ...] = key(
        (),
        "The program that tells the costs, and its arguments.",
        path="program",
        needed='a program and its arguments, ["program", ...]',
    )


class CommandObjective(Examples):
    """Asks a program, through pipes. A process serves one thread at a time."""

    def __init__(self, examples: Sequence[Example], command: Sequence[str]) -> None:
        super().__init__(examples)
        self._command = list(command)
        self._idle: list[subprocess.Popen[str]] = []
        self._lock = threading.Lock()

    def costs(self, candidates: Sequence[CandidateArrays]) -> list[Costs]:
        with self._lock:
            process = self._idle.pop() if self._idle else self._start()
        try:
            found = [self._ask(process, each) for each in candidates]
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

    def _ask(self, process: subprocess.Popen[str], arrays: CandidateArrays) -> Costs:
        example = self.examples[arrays.number]
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(self._question(example, arrays)) + "\n")
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
        return checked_costs(costs, len(arrays), example.id)

    def _question(self, example: Example, arrays: CandidateArrays) -> dict[str, Any]:
        candidates = self.as_candidates(arrays)
        content = example.content
        return {
            "id": example.id,
            "example": str(content) if isinstance(content, Sentence) else content,
            "tokens": example.sentence.forms,
            "parses": [
                {
                    "heads": tree.heads,
                    "deprels": tree.deprels,
                    "upos": candidates.sentence.upos,
                    "score": score,
                }
                for tree, score in zip(candidates.trees, candidates.scores, strict=True)
            ],
        }

    def close(self) -> None:
        """End the processes that are idle."""
        while self._idle:
            _end(self._idle.pop())

    def __del__(self) -> None:
        self.close()


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


def load(files: Sequence[str], settings: Settings) -> CommandObjective:
    return CommandObjective(read_examples(files), settings.command)
