"""Whose trees teach a fast parser: the same sentences of AMALGUM, with the trees of two teachers.

python -m benchmarks.tasks.teachers [--teacher en-accurate] [--sizes 10000 40000]

Greedy students (as in `uptraining curve`) learn trees from EWT and from so many sentences, and
tags from EWT alone, so that only the trees differ. AMALGUM's are those of its own parser, which
learned from GUM; labels that EWT has renamed since are renamed. The teacher's are projective, as
`make model` wants them. GUM dev tells conventions of GUM from text that is unlike EWT's.
Models are kept in build/tasks and found again. One thread.
"""

from __future__ import annotations

import lzma
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, parse, trained, write
from niwaki.data.conllu import read_stream
from niwaki.data.files import Input
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare
from niwaki.training.treebanks import renamed

GENRES = ("academic", "bio", "fiction", "interview", "news", "voyage")
SIZES = (10_000, 40_000)
LONGEST = 60
STUDENT: dict[str, Any] = {
    "model": {"features": "lean", "beam": 1},
    "segmenter": {"enabled": False},
    "tagger": {"epochs": 2, "folds": 4, "feats": False, "lemmas": False},
    "training": {"greedy_epochs": 5},
}
AMALGUM = "AMALGUM"
# What EWT calls otherwise today.
LABELS = {
    "nmod:npmod": "nmod:unmarked",
    "nmod:tmod": "nmod:unmarked",
    "obl:npmod": "obl:unmarked",
    "obl:tmod": "obl:unmarked",
    "root:pass": "root",
    "root:tmod": "root",
}
# Labels at which the students' trees of PUD are told apart, at most.
SHOWN = 12


def drawn(most: int) -> list[Sentence]:
    """Sentences of all genres in a drawn order, with one root each."""
    every = [
        each
        for genre in GENRES
        for each in read_stream(Input(str(need(DATA / "silver-amalgum" / f"{genre}.conllu.gz"))))
        if 1 < len(each) <= LONGEST and each.heads.count(0) == 1
    ]
    order = np.random.default_rng(1).permutation(len(every))[:most].tolist()
    return [renamed(every[at], LABELS, {}) for at in order]


def taught(teacher: str, sizes: Sequence[int]) -> dict[str, dict[int, Path]]:
    """Files of the first so many sentences, with the trees of either teacher."""
    found: dict[str, dict[int, Path]] = {AMALGUM: {}, teacher: {}}
    for name, files in found.items():
        for size in sizes:
            files[size] = WORK / f"teachers-{Path(name).stem}-{size}.conllu"
    if not all(path.exists() for files in found.values() for path in files.values()):
        sentences = drawn(max(sizes))
        words = [Sentence.from_words(each.forms) for each in sentences]
        trees = {
            AMALGUM: sentences,
            teacher: list(niwaki.load(teacher).parse(words, decode="eisner")),
        }
        for name, files in found.items():
            for size, path in files.items():
                write(path, trees[name][:size])
    return found


def tests() -> dict[str, list[Sentence]]:
    gum = lzma.decompress(need(DATA / "gum-discourse" / "gum-dev.conllu.xz").read_bytes())
    path = WORK / "gum-dev.conllu"
    path.write_bytes(gum)
    files = {
        "EWT dev": DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu",
        "GUM dev": path,
        "PUD": DATA / "ud-english-pud" / "en_pud-ud-test.conllu",
        "questions, CHILDES": DATA / "questions" / "questions-childes-dev.conllu",
    }
    return {name: list(niwaki.read_conllu(need(file))) for name, file in files.items()}


def student(name: str, silver: Path | None) -> Path:
    objectives: list[dict[str, Any]] = [{"data": str(need(EWT_TRAIN))}]
    if silver:
        objectives.append({"data": str(silver), "trains": ["trees"]})
    return trained(f"teachers-{name}", {"objective": objectives, **STUDENT}, threads=1)


def by_label(
    gold: Sequence[Sentence], one: Sequence[Sentence], other: Sequence[Sentence]
) -> dict[str, int]:
    """For each label of gold, how many more of its words the other has right."""
    more: Counter[str] = Counter()
    for wanted, *found in zip(gold, one, other, strict=True):
        arcs = list(zip(wanted.heads, wanted.deprels, strict=True))
        for sign, each in zip((-1, 1), found, strict=True):
            pairs = zip(each.heads, each.deprels, strict=True)
            for arc, pair in zip(arcs, pairs, strict=True):
                more[arc[1]] += sign * (arc == pair)
    return dict(sorted(more.items(), key=lambda x: -abs(x[1]))[:SHOWN])


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--teacher", default="en-accurate", help="a model")
    made.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    arguments = made.parse_args()
    teacher, sizes = arguments.teacher, sorted(arguments.sizes)
    files = taught(teacher, sizes)
    gold = tests()
    result: dict[str, Any] = {"signature": signature(teacher=teacher, sizes=sizes)}
    alone = student("none", None)
    result["0"] = {test: _scores(alone, each) for test, each in gold.items()}
    for size in sizes:
        models = {
            name: student(f"{Path(name).stem}-{size}", each[size]) for name, each in files.items()
        }
        rows: dict[str, Any] = {}
        for test, each in gold.items():
            parsed = {name: parse(model, each) for name, model in models.items()}
            las = [
                x
                for x in compare(*(evaluate(each, found) for found in parsed.values()))
                if x.metric == "LAS"
            ]
            rows[test] = {name: _scores(model, each) for name, model in models.items()}
            rows[test]["gain"] = {
                "LAS": round(las[0].difference, 2),
                "interval": [round(las[0].low, 2), round(las[0].high, 2)],
            }
            rows[test]["more words right, by label"] = by_label(each, *parsed.values())
        result[str(size)] = rows
        print(size, rows, file=sys.stderr, flush=True)
    report("teachers", result)


def _scores(model: Path, gold: Sequence[Sentence]) -> dict[str, float]:
    found = evaluate(gold, parse(model, gold))
    return {metric: round(found.scores[metric], 2) for metric in ("UAS", "LAS", "UPOS")}


if __name__ == "__main__":
    main()
