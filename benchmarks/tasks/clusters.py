"""Word clusters with tags and instead of them (Petrov et al. 2010, section 4.4 and Table 4).

python -m benchmarks.tasks.clusters [--profile fast] [--dev] [--rows "ROW;ROW"]

Clusters come from the words of AMALGUM, classes from its words and tags and those of EWT train.
Uptrained parsers learn from what the model in the box does (configs/en.toml). All are greedy.
The features were chosen on EWT dev (--dev shows its scores); the tests are scored once. Models
are kept below build/tasks: a run that was broken off goes on.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, ROOT, need, parser, report, signature
from benchmarks.tasks._adapting import WORK, trained, write
from niwaki.data.sentence import Sentence
from niwaki.features.clusters import write_clusters
from niwaki.metrics.attachment import AttachmentEvaluation, evaluate
from niwaki.metrics.significance import compare

EWT = DATA / "ud-english-ewt"
SILVER = DATA / "silver-amalgum"
QUESTIONS = DATA / "questions"
TRAIN = EWT / "en_ewt-ud-train.conllu"
DEV = {"EWT dev": EWT / "en_ewt-ud-dev.conllu"}
TESTS = {
    "EWT test": EWT / "en_ewt-ud-test.conllu",
    "PUD": DATA / "ud-english-pud" / "en_pud-ud-test.conllu",
    "questions, EWT test": QUESTIONS / "questions-ewt-test.conllu",
    "questions, CHILDES dev": QUESTIONS / "questions-childes-dev.conllu",
    "questions, Atis test": QUESTIONS / "questions-atis-test.conllu",
}
PROFILES: dict[str, dict[str, Any]] = {
    # Share: one in so many sentences of AMALGUM. Rows: of the table of weights.
    "full": {"clusters": 1000, "share": 1, "epochs": 8, "silver_epochs": 4, "rows": 2_000_000},
    "fast": {"clusters": 1000, "share": 6, "epochs": 8, "silver_epochs": 4, "rows": 600_000},
}
# The tagger, or none; the clusters, if any; trees of AMALGUM.
ROWS = [
    "tags",
    "tags, clusters",
    "words",
    "words, clusters",
    "tags, clusters, silver",
    "words, clusters, silver",
    "words, classes, silver",
]
# What is compared: does the second gain over the first, or lose?
PAIRS = [
    ("tags", "tags, clusters"),
    ("words", "words, clusters"),
    ("tags", "words, clusters"),
    ("tags, clusters, silver", "words, clusters, silver"),
    ("words, clusters, silver", "words, classes, silver"),
    ("tags, clusters, silver", "words, classes, silver"),
]


def silver() -> Iterator[Sentence]:
    for file in sorted(need(SILVER).glob("*.conllu.gz")):
        yield from niwaki.read_conllu(file, multi_root=True)


def make_clusters(kind: str, count: int) -> tuple[Path, dict[str, Any]]:
    """The cluster file, and what making it took."""
    path, notes = WORK / f"{kind}-{count}.txt", WORK / f"{kind}-{count}.json"
    by_tags = kind == "classes"
    if not notes.exists():
        gold = niwaki.read_conllu(need(TRAIN)) if by_tags else ()
        start = time.process_time()
        found = niwaki.cluster(itertools.chain(gold, silver()), count, by_tags=by_tags)
        seconds = time.process_time() - start
        WORK.mkdir(parents=True, exist_ok=True)
        write_clusters(found, path)
        made = {"words": len(found.paths), "seconds of one core": round(seconds, 1)}
        notes.write_text(json.dumps(made))
    return path, json.loads(notes.read_text())


def make_silver(share: int) -> Path:
    path = WORK / f"silver-{share}.conllu"
    return path if path.exists() else write(path, itertools.islice(silver(), 0, None, share))


def uptraining(share: int) -> list[dict[str, Any]]:
    """The objectives of the model in the box; of AMALGUM one in so many sentences."""
    with (ROOT / "configs" / "en.toml").open("rb") as file:
        ewt, questions, amalgum = tomllib.load(file)["objective"]
    return [
        {**ewt, "data": str(need(TRAIN))},
        {**questions, "data": str(need(QUESTIONS / "questions-ewt-train.conllu"))},
        {**amalgum, "data": str(make_silver(share))},
    ]


def has_tagger(row: str) -> bool:
    return row.startswith("tags")


def model_of(row: str, profile: dict[str, Any]) -> Path:
    tags, is_uptrained = has_tagger(row), row.endswith("silver")
    clusters = [kind for kind in ("clusters", "classes") if kind in row]
    record: dict[str, Any] = {
        "model": {
            "beam": 1,
            "features": "lean" if tags else "words",
            "clusters": str(make_clusters(clusters[0], profile["clusters"])[0]) if clusters else "",
            "max_rows": profile["rows"],
            "least_weight": 1,
        },
        "segmenter": {"enabled": False},
        "tagger": {"lemmas": False, "feats": False, "folds": 2} if tags else {"tags": False},
        "objective": uptraining(profile["share"]) if is_uptrained else [{"data": str(need(TRAIN))}],
        "training": {"greedy_epochs": profile["silver_epochs" if is_uptrained else "epochs"]},
    }
    return trained(row.replace(", ", "-"), record, threads=1)


def scores(found: AttachmentEvaluation, tagged: bool) -> dict[str, float]:
    metrics = ("UAS", "LAS", "UPOS") if tagged else ("UAS", "LAS")
    return {metric: round(found.scores[metric], 2) for metric in metrics}


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--dev", action="store_true", help="score the development data only")
    made.add_argument("--rows", default=";".join(ROWS), help="some of them, with ; between")
    arguments = made.parse_args()
    profile = PROFILES[arguments.profile]
    sets = DEV if arguments.dev else TESTS
    gold = {name: list(niwaki.read_conllu(need(file))) for name, file in sets.items()}
    found: dict[str, dict[str, AttachmentEvaluation]] = {}
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, **profile),
        "clustering": make_clusters("clusters", profile["clusters"])[1],
        "rows": {},
        "differences": {},
    }
    for row in arguments.rows.split(";"):
        path = model_of(row, profile)
        nlp = niwaki.load(path)
        found[row] = {
            name: evaluate(trees, nlp.parse(trees, retag=True)) for name, trees in gold.items()
        }
        result["rows"][row] = {
            "megabytes": round(path.stat().st_size / 1e6, 1),
            **{name: scores(each, has_tagger(row)) for name, each in found[row].items()},
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
