"""Word clusters with tags and instead of them (Petrov et al. 2010, section 4.4 and Table 4).

python -m benchmarks.tasks.clusters [--profile fast] [--dev] [--rows ROW,ROW...]

Clusters come from the words of AMALGUM, whose trees are also what parsers are uptrained on.
All parsers are greedy. The features were chosen on EWT dev (--dev shows its scores); the
tests are scored once. Models are kept below build/tasks: a run that was broken off goes on.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from benchmarks.tasks._adapting import WORK, trained
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import Evaluation, evaluate
from niwaki.metrics.significance import compare
from niwaki.models.clusters import write_clusters

EWT = DATA / "ud-english-ewt"
SILVER = DATA / "silver-amalgum"
QUESTIONS = DATA / "questions"
DEV = {"EWT dev": EWT / "en_ewt-ud-dev.conllu"}
TESTS = {
    "EWT test": EWT / "en_ewt-ud-test.conllu",
    "PUD": DATA / "ud-english-pud" / "en_pud-ud-test.conllu",
    "questions, EWT test": QUESTIONS / "questions-ewt-test.conllu",
    "questions, CHILDES dev": QUESTIONS / "questions-childes-dev.conllu",
    "questions, Atis test": QUESTIONS / "questions-atis-test.conllu",
}
# Labels that AMALGUM still has, and what EWT calls them now.
RENAMED = {
    "nmod:tmod": "nmod:unmarked",
    "nmod:npmod": "nmod:unmarked",
    "obl:tmod": "obl:unmarked",
    "obl:npmod": "obl:unmarked",
}
PROFILES: dict[str, dict[str, Any]] = {
    # One in so many sentences of AMALGUM.
    "full": {"clusters": 1000, "share": 2, "epochs": 12, "silver_epochs": 6, "folds": 10},
    "fast": {"clusters": 1000, "share": 6, "epochs": 8, "silver_epochs": 4, "folds": 2},
}
# Tagger, clusters, trees of AMALGUM.
ROWS = {
    "tags": (True, False, False),
    "tags, clusters": (True, True, False),
    "words": (False, False, False),
    "words, clusters": (False, True, False),
    "tags, silver": (True, False, True),
    "tags, clusters, silver": (True, True, True),
    "words, clusters, silver": (False, True, True),
}
# What is compared: does the second gain over the first, or lose?
PAIRS = [
    ("tags", "tags, clusters"),
    ("words", "words, clusters"),
    ("tags", "words, clusters"),
    ("tags, silver", "words, clusters, silver"),
    ("tags, clusters, silver", "words, clusters, silver"),
]


def silver() -> Iterator[Sentence]:
    for file in sorted(need(SILVER).glob("*.conllu.gz")):
        yield from niwaki.read_conllu(file, multi_root=True)


def make_clusters(count: int) -> tuple[Path, dict[str, Any]]:
    """The cluster file, and what making it took."""
    path, notes = WORK / f"clusters-{count}.txt", WORK / f"clusters-{count}.json"
    if not notes.exists():
        start = time.process_time()
        found = niwaki.cluster(silver(), count)
        seconds = time.process_time() - start
        WORK.mkdir(parents=True, exist_ok=True)
        write_clusters(found, path)
        made = {"words": len(found.paths), "seconds of one core": round(seconds, 1)}
        notes.write_text(json.dumps(made))
    return path, json.loads(notes.read_text())


def make_silver(share: int) -> Path:
    path = WORK / f"silver-{share}.conllu"
    if not path.exists():
        chosen = itertools.islice((s for s in silver() if s.heads.count(0) == 1), 0, None, share)
        WORK.mkdir(parents=True, exist_ok=True)
        niwaki.write_conllu((renamed(sentence) for sentence in chosen), path)
    return path


def renamed(sentence: Sentence) -> Sentence:
    return sentence.replace(deprels=[RENAMED.get(x, x) for x in sentence.deprels])


def model_of(row: str, profile: dict[str, Any], clusters: Path) -> Path:
    tags, with_clusters, with_silver = ROWS[row]
    data = [str(need(EWT / "en_ewt-ud-train.conllu"))]
    if with_silver:
        data.append(str(make_silver(profile["share"])))
    record: dict[str, Any] = {
        "model": {
            "beam": 1,
            "features": "lean" if tags else "words",
            "clusters": str(clusters) if with_clusters else "",
            "max_rows": 600_000,
        },
        "segmenter": {"enabled": False},
        "tagger": {"tags": tags, "lemmas": False, "feats": False, "folds": profile["folds"]},
        "objective": [{"data": data}],
        "training": {"greedy_epochs": profile["silver_epochs" if with_silver else "epochs"]},
    }
    return trained(row.replace(", ", "-"), record, threads=1)


def scores(found: Evaluation, tagged: bool) -> dict[str, float]:
    metrics = ("UAS", "LAS", "UPOS") if tagged else ("UAS", "LAS")
    return {metric: round(found.scores[metric], 2) for metric in metrics}


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--dev", action="store_true", help="score the development data only")
    made.add_argument("--rows", default=";".join(ROWS), help="some of them, with ; between")
    arguments = made.parse_args()
    profile = PROFILES[arguments.profile]
    clusters, making = make_clusters(profile["clusters"])
    sets = DEV if arguments.dev else TESTS
    gold = {name: list(niwaki.read_conllu(need(file))) for name, file in sets.items()}
    found: dict[str, dict[str, Evaluation]] = {}
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, **profile),
        "clustering": making,
        "rows": {},
        "differences": {},
    }
    for row in arguments.rows.split(";"):
        path = model_of(row, profile, clusters)
        nlp = niwaki.load(path)
        found[row] = {
            name: evaluate(trees, nlp.parse(trees, retag=True)) for name, trees in gold.items()
        }
        result["rows"][row] = {
            "megabytes": round(path.stat().st_size / 1e6, 1),
            **{name: scores(each, ROWS[row][0]) for name, each in found[row].items()},
        }
        print(row, result["rows"][row], file=sys.stderr, flush=True)
    for one, other in PAIRS:
        if one in found and other in found:
            result["differences"][f"{other} - {one}"] = {
                name: {
                    "LAS": round(each.difference, 2),
                    "interval": [round(each.low, 2), round(each.high, 2)],
                    "significant": each.is_significant,
                }
                for name in gold
                for each in compare(found[one][name], found[other][name])
                if each.metric == "LAS"
            }
    if not arguments.dev:
        report("clusters", result)


if __name__ == "__main__":
    main()
