"""Answers extracted, on TREC 2002 to 2004: SynMatch, SemMatch, their ensemble, and frequency.

python -m benchmarks.tasks.answer_extraction [--profile fast] [--parser MODEL] [--years 2004 ...]

The sentences of TREC 2004 have entities (182 questions); those of 2002 and 2003 have none, so that
candidates are names, numbers and noun phrases by tags. An answer is right if a pattern of TREC
accepts it. Coverage is counted over questions with a right sentence, as is what each way gets right
there ("rest": the question's predicate is annotated, and a right sentence has it or one of its
frame). Scores are over questions with a right candidate. Nothing was tuned on these questions;
--profile fast scores the 94 training questions of 1999 (entities) alone, on which the default of
`niwaki extract-answers` was chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks.answers import parsed
from niwaki.data.answers import Question, read_questions
from niwaki.data.extraction import Extracted, Patterns, read_patterns
from niwaki.data.roles import read_rolesets
from niwaki.metrics.base import Evaluation
from niwaki.metrics.extraction import evaluate_extraction
from niwaki.metrics.significance import compare
from niwaki.tasks.extraction.model import AnswerExtractor, Settings, places
from niwaki.tasks.extraction.phrases import Asked
from niwaki.tasks.extraction.semantics import SemMatch
from niwaki.tasks.roles.model import RoleLabeller

TREC = DATA / "trec-qa"
FRAMES = DATA / "propbank-frames" / "rolesets.jsonl.gz"
TUNING = "1999"
YEARS = ("2004", "2003", "2002")
# Numbers of questions of the noisy set.
NOISY = {"2002": range(1394, 1894), "2003": range(1894, 2394)}
# Sentences of a pool that are looked at, as in the paper; right ones are always among them.
MOST = 50
ROWS = {
    "most frequent": ("frequency",),
    "word overlap of the sentence": ("overlap",),
    "SynMatch": ("syntax",),
    "SemMatch": ("roles",),
    "SemMatch, then SynMatch": ("roles", "syntax"),
    "SemMatch, then most frequent": ("roles", "frequency"),
    "most frequent, then SynMatch": ("frequency", "syntax"),
    "most frequent, then SemMatch": ("frequency", "roles", "syntax"),
}
EVERY = ("frequency", "overlap", "syntax", "roles")
APART = (
    ("SynMatch", "SemMatch"),
    ("SynMatch", "SemMatch, then SynMatch"),
    ("most frequent", "SemMatch, then SynMatch"),
    ("most frequent", "SemMatch, then most frequent"),
    ("most frequent", "most frequent, then SynMatch"),
    ("most frequent", "most frequent, then SemMatch"),
)


def read(year: str) -> tuple[list[Question], list[Patterns]]:
    if year == "2004":
        pool = list(read_questions(need(TREC / "trec2004-pool.jsonl.gz")))
        return pool, read_patterns(need(TREC / "patterns-trec2004.txt"))
    patterns = read_patterns(need(TREC / "patterns-trec8-12.txt"))
    if year == TUNING:
        return list(read_questions(need(TREC / "train.jsonl.gz"))), patterns
    noisy = read_questions(need(TREC / "noisy-1-2393.jsonl.gz"))
    return [cut(q) for q in noisy if int(q.id) in NOISY[year]], patterns


def cut(question: Question) -> Question:
    """Right sentences, and others up to so many, in an order that does not tell them apart."""
    right = [answer for answer in question.answers if answer.right]
    wrong = [answer for answer in question.answers if not answer.right]
    kept = (right + wrong)[: max(MOST, len(right))]
    return replace(question, answers=tuple(sorted(kept, key=lambda each: each.sentence.text)))


def by_patterns(questions: Sequence[Question], patterns: Sequence[Patterns]) -> list[Question]:
    """Questions with patterns, whose right sentences match one and were not judged wrong."""
    known = {each.id: each for each in patterns}
    found = []
    for question in questions:
        if question.id in known:
            answers = tuple(
                replace(a, right=bool(a.right) and known[question.id].accept(a.sentence.text))
                for a in question.answers
            )
            found.append(replace(question, answers=answers))
    return found


def coverage(match: SemMatch, questions: Sequence[Question]) -> dict[str, str]:
    """Of questions with a right sentence."""
    return {
        question.id: match.coverage(Asked(question), [bool(a.right) for a in question.answers])
        for question in questions
        if any(answer.right for answer in question.answers)
    }


def asked_of(extracted: Sequence[Extracted], patterns: Sequence[Patterns]) -> set[str]:
    """Questions that have a right candidate."""
    known = {each.id: each for each in patterns}
    return {e.id for e in extracted if any(known[e.id].accept(a.text) for a in e.answers)}


def ranked(extracted: Sequence[Extracted], by: Sequence[str]) -> list[Extracted]:
    """The same answers, ranked by some of the ways."""
    return [
        replace(
            each,
            answers=tuple(
                replace(answer, score=place)
                for answer, place in zip(
                    each.answers,
                    places(np.array([[a.ways[name] for a in each.answers] for name in by])),
                    strict=True,
                )
            ),
        )
        for each in extracted
    ]


def only(extracted: Sequence[Extracted], kept: set[str]) -> list[Extracted]:
    return [each for each in extracted if each.id in kept]


def difference(a: Evaluation, b: Evaluation) -> dict[str, list[float]]:
    return {
        each.metric: [round(x, 2) for x in (each.difference, each.low, each.high, each.p)]
        for each in compare(a, b)
    }


def scores(found: dict[str, list[Extracted]], kept: set[str], gold: Sequence[Patterns]) -> Any:
    rated = {name: evaluate_extraction(gold, only(each, kept)) for name, each in found.items()}
    result: dict[str, Any] = {"questions": len(kept)}
    for name, each in rated.items():
        ends = each.interval(2000)["top1"]
        result[name] = {
            **{key: round(x, 1) for key, x in each.scores.items()},
            "interval of top1": [round(x, 1) for x in ends],
        }
    result["differences"] = {f"{b} over {a}": difference(rated[a], rated[b]) for a, b in APART}
    return result


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--parser", default="en", help="who makes the trees")
    made.add_argument("--years", nargs="+", choices=(TUNING, *YEARS), default=YEARS)
    arguments = made.parse_args()
    frames = read_rolesets(need(FRAMES))
    labeller = RoleLabeller.load()
    match = SemMatch(labeller, frames)
    extractor = AnswerExtractor(Settings(by=EVERY), labeller, frames)
    result: dict[str, Any] = {"signature": signature(parser=Path(arguments.parser).name)}
    all_found: dict[str, list[Extracted]] = {name: [] for name in ROWS}
    all_gold: dict[str, Patterns] = {}
    every, rest = set[str](), set[str]()
    years = (TUNING,) if arguments.profile == "fast" else tuple(arguments.years)
    for year in years:
        given, patterns = read(year)
        questions = by_patterns(parsed(given, arguments.parser), patterns)
        covered = coverage(match, questions)
        extracted = [extractor.extract(question) for question in questions]
        found = {name: ranked(extracted, by) for name, by in ROWS.items()}
        kept = asked_of(found["SynMatch"], patterns)
        inside = {name for name in kept if covered.get(name) == "rest"}
        result[year] = {
            "coverage": dict(Counter(covered.values())),
            "all": scores(found, kept, patterns),
            "rest": scores(found, inside, patterns),
        }
        for name, each in found.items():
            all_found[name] += each
        all_gold |= {each.id: each for each in patterns}
        every, rest = every | kept, rest | inside
    gold = list(all_gold.values())
    result["together"] = {
        "all": scores(all_found, every, gold),
        "rest": scores(all_found, rest, gold),
    }
    named = "" if set(years) == set(YEARS) else f"-{'-'.join(years)}"
    report(f"answer-extraction{named}{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
