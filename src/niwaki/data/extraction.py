"""Phrases that answer questions, as JSON Lines, and patterns that tell which of them are right.

    {"id": "7", "question": "Who rakes?", "answers": [{"text": "Mori", "score": 1.0, ...}, ...]}

A file of patterns has the id of a question, a space and a regular expression a line, as those of
TREC; an answer is right if one of the expressions is found in it, whatever the case of letters.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from niwaki.data.answers import Question
from niwaki.data.files import Input, Source, Target, open_output
from niwaki.data.jsonlines import objects
from niwaki.errors import CorpusError, shown


@dataclass(frozen=True)
class Found:
    """A phrase with its score, what each way to rank says of it, and the candidates with it."""

    text: str
    score: float
    ways: Mapping[str, float] = field(default_factory=dict)
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extracted:
    """The phrases that may answer a question, best first; those with equal scores are equal."""

    id: str
    answers: tuple[Found, ...]


@dataclass(frozen=True)
class Patterns:
    """What right answers of a question look like."""

    id: str
    expressions: tuple[re.Pattern[str], ...]

    def accept(self, text: str) -> bool:
        return any(each.search(text) for each in self.expressions)


def read_patterns(source: Source) -> list[Patterns]:
    """In the order of the file; raises CorpusError with the line of what is no pattern."""
    found: dict[str, list[re.Pattern[str]]] = {}
    with Input(source) as stream:
        for number, line in stream.lines():
            name, _, expression = line.strip().partition(" ")
            if not name:
                continue
            try:
                if not expression.strip():
                    raise re.error("nothing behind the question")
                # Texts may hold spaces around each punctuation mark.
                pattern = re.compile(expression.strip(), re.IGNORECASE)
            except (re.error, OverflowError, RecursionError) as error:
                raise CorpusError(
                    *(stream.name, number, "LINE", f"found {shown(line)} ({error})"),
                    "write: question, a space, a regular expression",
                ) from error
            found.setdefault(name, []).append(pattern)
    return [Patterns(name, tuple(each)) for name, each in found.items()]


def write_extracted(rows: Iterable[tuple[Question, Extracted]], target: Target) -> None:
    with open_output(target) as out:
        for question, extracted in rows:
            answers = [
                {
                    "text": each.text,
                    "score": each.score,
                    "ways": dict(each.ways),
                    "candidates": list(each.candidates),
                }
                for each in extracted.answers
            ]
            record = {"id": question.id, "question": question.sentence.text, "answers": answers}
            out.write(f"{json.dumps(record, ensure_ascii=False)}\n".encode())


def read_extracted(source: Source) -> list[Extracted]:
    """What `niwaki extract-answers` wrote; of each answer the text and the score are needed."""
    found = []
    with Input(source) as stream:
        for number, record in objects(stream):
            answers = []
            for each in record.get("answers") or ():
                text = each.get("text") if isinstance(each, dict) else None
                score = each.get("score", math.nan) if isinstance(each, dict) else math.nan
                known = isinstance(score, int | float) and not isinstance(score, bool)
                if not isinstance(text, str) or not known or not math.isfinite(score):
                    raise CorpusError(
                        *(stream.name, number, "answers", f"found {shown(json.dumps(each))}"),
                        "give a text and a score each, as `niwaki extract-answers` does",
                    )
                answers.append(Found(text, float(score)))
            found.append(Extracted(str(record.get("id", number)), tuple(answers)))
    return found
