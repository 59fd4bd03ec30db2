"""Parses the text that English models are taught with, by a better and slower parser.

tools/make_silver.py build/en-teacher.niwaki build/silver

Sentences are drawn from each genre of AMALGUM, whose own trees are not looked at, and from lists of
questions. Each source becomes a file of the folder; what is there already is kept, so that the
work goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import niwaki
from niwaki.data.files import open_output
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("NIWAKI_DATA") or ROOT.parent / "shared" / "data")
GENRES = ("academic", "bio", "fiction", "interview", "news", "voyage")
QUESTIONS = ("naturalquestions", "tatoeba", "webquestions")
# Longer ones are mostly lists, and slow.
LONGEST = 60


def drawn(sentences: list[Sentence], words: int) -> Iterator[Sentence]:
    """Sentences in a drawn order, until there are so many words."""
    for at in np.random.default_rng(1).permutation(len(sentences)).tolist():
        if words <= 0:
            return
        if 1 < len(sentences[at]) <= LONGEST:
            words -= len(sentences[at])
            yield sentences[at]


def of_genre(name: str) -> list[Sentence]:
    """The words of a genre; tags and trees are the teacher's to give."""
    read = niwaki.read_conllu(DATA / "silver-amalgum" / f"{name}.conllu.gz", multi_root=True)
    return [Sentence.from_words(each.forms) for each in read]


def of_questions(name: str, teacher: Pipeline) -> list[Sentence]:
    lines = (DATA / "unlabelled-questions" / f"{name}.txt").read_text(encoding="utf-8")
    return list(teacher.read(lines, by_lines=True))


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    made.add_argument("teacher", help="a model")
    made.add_argument("folder", type=Path, help="of the trees")
    made.add_argument("--words", type=int, default=90_000, help="of each genre (default: 90,000)")
    made.add_argument("--question-words", type=int, default=20_000, help="of each list")
    made.add_argument("--decode", help="how trees are chosen (default: as the teacher does)")
    made.add_argument("--threads", type=int, default=2)
    arguments = made.parse_args()
    teacher = niwaki.load(arguments.teacher)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in (*GENRES, *QUESTIONS):
        path = arguments.folder / f"{name}.conllu.gz"
        if path.exists():
            continue
        is_genre = name in GENRES
        every = of_genre(name) if is_genre else of_questions(name, teacher)
        chosen = list(drawn(every, arguments.words if is_genre else arguments.question_words))
        began, words = time.monotonic(), sum(map(len, chosen))
        with open_output(path) as out:
            parsed = teacher.parse(
                chosen, retag=True, threads=arguments.threads, decode=arguments.decode
            )
            for each in parsed:
                out.write(each.source)
        speed = words / (time.monotonic() - began)
        print(
            f"{name}: {len(chosen):,} sentences, {words:,} words, {speed:,.0f} words/s",
            file=sys.stderr,
            flush=True,
        )


if __name__ == "__main__":
    main()
