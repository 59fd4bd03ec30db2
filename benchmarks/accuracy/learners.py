"""Other learners on the same data and features: taggers, and classifiers for greedy parsing.

Trained on EWT; hyperparameters were chosen on EWT dev (--tune prints what dev says). Each
training runs in a process of its own, so that its memory can be told, and is kept in
build/learners, so that a run that was broken off goes on.
python -m benchmarks.accuracy.learners
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import DATA, ROOT, need, parser, report, signature, timed
from niwaki.data.faults import DEPREL
from niwaki.features.templates import load_feature_set
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.parsers.transition.config import TransitionConfig
from niwaki.parsers.transition.model import TransitionParser, make_transition_spec
from niwaki.parsers.transition.trainer import ParserTraining
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import UPOS, Tagger, Tags
from niwaki.tagging.trainer import jackknife, train_tagger
from niwaki.training.config import TrainingConfig
from niwaki.training.treebanks import read_treebank

KEPT = ROOT / "build" / "learners"
EWT = DATA / "ud-english-ewt"
FILES = {
    "train": EWT / "en_ewt-ud-train.conllu",
    "EWT dev": EWT / "en_ewt-ud-dev.conllu",
    "EWT test": EWT / "en_ewt-ud-test.conllu",
    "PUD": DATA / "ud-english-pud" / "en_pud-ud-test.conllu",
    "imperatives": DATA / "questions" / "imperatives-ewt-test.conllu",
}
PARSED = ("EWT dev", "EWT test", "PUD")
TAGGERS: dict[str, dict[str, Any]] = {
    "logistic": {"learner": "logistic"},
    "perceptron": {"learner": "perceptron"},
    "tnt, seen tags": {"learner": "tnt", "known_words": "seen"},
    "tnt, all tags": {"learner": "tnt", "known_words": "all"},
}
# Chosen on EWT dev among the values of TRIED.
PARSERS: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "perceptron, not exploring": {"explore": 0.0},
    "maxent": {"greedy_learner": "maxent"},
    "svm": {"greedy_learner": "svm"},
}
SMOOTHINGS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
TRIED: list[dict[str, Any]] = [
    {"greedy_learner": "maxent"},
    {"greedy_learner": "maxent", "learning_rate": 0.03},
    {"greedy_learner": "maxent", "learning_rate": 0.3},
    {"greedy_learner": "maxent", "l2": 0.0},
    {"greedy_learner": "maxent", "l2": 1e-3},
    {"greedy_learner": "svm"},
    {"greedy_learner": "svm", "learning_rate": 0.03},
]
TUNING_EPOCHS = 2
FOLDS = 5
EPOCHS = 4
MAX_ROWS = 350_000
ROUNDS = 5


def read(name: str) -> Corpus:
    return read_treebank([str(need(FILES[name]))])


def trained_tagger(train: Corpus, **settings: Any) -> Tagger:
    return train_tagger(
        train,
        TaggerConfig(**settings),
        1,
        "tagger",
        lowercase=False,
        clusters=None,
        advance=lambda _: None,
    )


def right_tags(tagger: Tagger, corpus: Corpus) -> NDArray[np.bool_]:
    """Which words get their UPOS."""
    upos = np.array([u for u, _ in tagger.pairs])[tagger.tag(corpus.batch, keep=False).pairs]
    return np.asarray(upos == corpus.batch.numbers(UPOS, tagger.upos.symbols))


def tagging_accuracy(tagger: Tagger, corpus: Corpus) -> float:
    """UPOS, percent."""
    return round(100 * float(right_tags(tagger, corpus).mean()), 2)


def surprises(train: Corpus, corpus: Corpus) -> NDArray[np.bool_]:
    """Words of the training data with a UPOS that they did not have there."""
    seen = {pair for s in train.sentences for pair in zip(s.forms, s.upos, strict=True)}
    known = {form for form, _ in seen}
    pairs = [pair for s in corpus.sentences for pair in zip(s.forms, s.upos, strict=True)]
    return np.array([pair[0] in known and pair not in seen for pair in pairs])


def measure_tagger(name: str) -> dict[str, Any]:
    train, test = read("train"), read("EWT test")
    start = time.process_time()
    tagger = trained_tagger(train, **TAGGERS[name])
    seconds = time.process_time() - start
    tagger.tag(test.batch, keep=False)
    best = min(
        timed(lambda: tagger.tag(test.batch, keep=False), time.process_time) for _ in range(ROUNDS)
    )
    found: dict[str, Any] = {
        f"UPOS {file}": tagging_accuracy(tagger, read(file)) for file in list(FILES)[1:]
    }
    imperatives, rare = read("imperatives"), surprises(train, test)
    first = right_tags(tagger, imperatives)[imperatives.starts[:-1]]
    return {
        **found,
        "right first words of imperatives": f"{first.sum()} of {len(first)}",
        "right known words with a new tag, EWT test": (
            f"{right_tags(tagger, test)[rare].sum()} of {rare.sum()}"
        ),
        "words/s": round(test.words / best),
        "seconds to train": round(seconds, 1),
    }


def tags_of(train: Corpus) -> dict[str, Tags]:
    """Tags to parse with, the same for all parsers; jackknifed for the training data."""
    path = KEPT / "tags.npz"
    if not path.exists():
        config = TaggerConfig(folds=FOLDS)
        tagger = trained_tagger(train, folds=FOLDS)
        made = {name: tagger.tag(read(name).batch, keep=False) for name in PARSED}
        made["train"] = jackknife(
            train,
            tagger,
            config,
            1,
            threads=1,
            clusters=None,
            checkpoint=Checkpoint(str(KEPT / "tags.checkpoint"), {}, 1e9),
            advance=lambda _: None,
        )
        arrays = {
            f"{name}/{key}": a for name, tags in made.items() for key, a in vars(tags).items()
        }
        np.savez(path, **arrays)
    with np.load(path) as kept:
        return {
            name: Tags(**{key: kept[f"{name}/{key}"] for key in Tags.__annotations__})
            for name in ("train", *PARSED)
        }


def measure_parser(
    settings: dict[str, Any], features: str, epochs: int, files: tuple[str, ...]
) -> dict[str, Any]:
    train = read("train")
    tags = tags_of(train)
    start = time.process_time()
    lessons = ParserTraining(
        "parser",
        make_transition_spec(train.sentences, "arc-standard", load_feature_set(features)),
        train,
        tags["train"],
        SimpleNamespace(
            **vars(TrainingConfig()), **vars(TransitionConfig(greedy_epochs=epochs, **settings))
        ),
        beam=1,
        max_rows=MAX_ROWS,
        clusters=None,
        checkpoint=Checkpoint(str(KEPT / "none"), {}, 1e9),
    )
    dev = read("EWT dev")
    curve: list[float] = []

    def on_dev(made: TransitionParser) -> tuple[float, float]:
        uas, las = attachment(made, dev, tags["EWT dev"])
        curve.append(las)
        return uas, las

    parser = lessons.run(on_dev, lambda _: None, lambda _, __: None)
    found: dict[str, Any] = {"LAS on dev by epoch": curve}
    for name in files:
        uas, las = attachment(parser, read(name), tags[name])
        found[name] = {"UAS": uas, "LAS": las}
    found["seconds to train"] = round(time.process_time() - start)
    found["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


def attachment(parser: TransitionParser, corpus: Corpus, tags: Tags) -> tuple[float, float]:
    heads, labels = parser.parse(corpus.batch, tags, 1)
    right = heads == corpus.batch.given_heads()
    labelled = right & (labels == corpus.batch.numbers(DEPREL, parser.labels.symbols))
    return round(100 * float(right.mean()), 2), round(100 * float(labelled.mean()), 2)


def kept(name: str, kind: str, *arguments: str) -> dict[str, Any]:
    """What a training in a process of its own gave, or one before it."""
    path = KEPT / f"{name}.json".replace(" ", "-")
    if not path.exists():
        command = [sys.executable, "-m", "benchmarks.accuracy.learners", "--one", kind, *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        path.write_text(done.stdout)
    answer: dict[str, Any] = json.loads(path.read_text())
    return answer


def kept_parser(
    settings: dict[str, Any], features: str, epochs: int, files: tuple[str, ...]
) -> dict[str, Any]:
    words = [str(value) for pair in settings.items() for value in pair]
    name = "-".join(["parser", features, str(epochs), *files[1:2], *words])
    arguments = [json.dumps(settings), features, str(epochs), json.dumps(files)]
    return kept(name, "parser", *arguments)


def tune() -> None:
    """What EWT dev says of hyperparameters; the parsers learn for a few epochs only."""
    train, dev = read("train"), read("EWT dev")
    for smoothing in SMOOTHINGS:
        tagger = trained_tagger(train, learner="tnt", known_words="all", smoothing=smoothing)
        print("smoothing", smoothing, "UPOS", tagging_accuracy(tagger, dev), flush=True)
    tags_of(train)
    for settings in TRIED:
        found = kept_parser(settings, "lean", TUNING_EPOCHS, PARSED[:1])
        print(settings, found, flush=True)


def one(kind: str, arguments: list[str]) -> dict[str, Any]:
    if kind == "tagger":
        return measure_tagger(arguments[0])
    settings, features, epochs, files = arguments
    return measure_parser(json.loads(settings), features, int(epochs), tuple(json.loads(files)))


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--tune", action="store_true", help="print what dev says, and stop")
    made.add_argument("--one", nargs="+", help="used by the benchmark itself")
    arguments = made.parse_args()
    Path(KEPT).mkdir(parents=True, exist_ok=True)
    if arguments.one:
        print(json.dumps(one(arguments.one[0], arguments.one[1:])))
        return
    if arguments.tune:
        tune()
        return
    epochs = 2 if arguments.profile == "fast" else EPOCHS
    tags_of(read("train"))
    result = {
        "signature": signature(profile=arguments.profile, epochs=epochs, folds=FOLDS),
        "taggers": {name: kept(f"tagger-{name}", "tagger", name) for name in TAGGERS},
        "greedy parsers, lean": {
            name: kept_parser(settings, "lean", epochs, PARSED)
            for name, settings in PARSERS.items()
        },
        # For its memory: the default features, as long as the table still grows.
        "maxent, rich": kept_parser(PARSERS["maxent"], "rich", TUNING_EPOCHS, PARSED[:1]),
    }
    report("learners", result)


if __name__ == "__main__":
    main()
