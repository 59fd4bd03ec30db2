"""What benchmarks of translation share: parallel text in parts, systems, tuning, scores.

Systems and what tuning found are kept in build/tasks/translation, under a hash of all they were
made of; a benchmark that is started again takes what is there.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import DATA, ROOT, need
from niwaki.data.files import atomic_write
from niwaki.learning.checkpoint import hash_of_files
from niwaki.metrics.translation import TranslationEvaluation, evaluate_translation
from niwaki.pipeline.store import find_model
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rulewriting import format_rules
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.features import REORDERING
from niwaki.tasks.translate.nbest import NBestList
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.training import TrainSettings
from niwaki.tasks.translate.tuning import TuningSettings, tune
from niwaki.typing import FloatArray
from niwaki.verbs.translating import translate_run, translate_train

WORK = ROOT / "build" / "tasks" / "translation"
Words = tuple[str, ...]
Pair = tuple[str, str]

# Tokenised text that comes in parts: folder, training, tuning and test files.
_PARTED = {
    "enja": ("parallel-enja-small", "ja", "train", "dev", "test"),
    "kftt": ("kftt-30k", "ja", "train", "tune", "dev"),
}
# Raw text that is joined and divided here.
_MANUALS = ("python-docs", "libreoffice-help", "game-text")
_JOINED = {
    "ko": (*_MANUALS, "parallel-tatoeba"),
    "tr": (*_MANUALS, "parallel-tatoeba"),
    "hi": ("libreoffice-help", "parallel-tatoeba"),
}
UNLIKE = "words, without near repeats"
DATA_SETS = (*_PARTED, *_JOINED)
# Held out of each text are two stretches: one in so many lines at most, from this place on.
# Lines of the manuals are in the order of their documents, those of games mostly and those of
# Tatoeba in that of the alphabet: either way like stands beside like. Where documents begin is not
# told, so lines beside a stretch are used for nothing.
_TUNING, _TEST = (200, 40, 0.3), (500, 20, 0.6)
_BESIDE = 25
_MARKS = r"[.,!?;:\"()\[\]{}«»“”…।|]"
_CHUNK = re.compile(rf"({_MARKS}*)(.*?)({_MARKS}*)", re.DOTALL)


def language_of(data: str) -> str:
    return _PARTED[data][1] if data in _PARTED else data


@dataclass(frozen=True)
class Texts:
    """Sentences of one part, as given or as a system wants them, with references."""

    source: list[Words]
    references: list[str]


@dataclass(frozen=True)
class Parts:
    """Pairs to train on, to tune on and to score; none of the latter two is in the first."""

    train: list[Pair]
    tuning: Texts
    test: Texts

    def unlike(self) -> list[int]:
        """The test sentences from which every training sentence differs by more than a word."""
        known = {key for source, _ in self.train for key in _all_but_one(source.split())}
        return [
            at
            for at, words in enumerate(self.test.source)
            if not known.intersection(_all_but_one(words))
        ]


def _all_but_one(words: Sequence[str]) -> Iterator[int]:
    """Hashes of a sentence and of what is left of it without one of its words: two that differ by a
    word that is another, or is missing, have one in common.
    """
    lower = [word.lower() for word in words]
    yield hash(tuple(lower))
    for at in range(len(lower)):
        yield hash((*lower[:at], *lower[at + 1 :]))


def words_of(line: str) -> list[str]:
    """Words of raw text: what spaces divide, marks at the ends of words apart."""
    found: list[str] = []
    for chunk in line.split():
        before, word, after = _CHUNK.fullmatch(chunk).groups()  # type: ignore[union-attr]
        found += [*before, word, *after] if word else [*before, *after]
    return found


def lines_of(pack: str, name: str) -> list[str]:
    """The lines of a file, packed or not."""
    return _lines(DATA / pack / name)


def _lines(path: Path) -> list[str]:
    if path.exists():
        return path.read_text(encoding="utf-8").split("\n")[:-1]
    with gzip.open(need(path.with_name(f"{path.name}.gz")), "rt", encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def _pairs(base: Path, language: str) -> list[Pair]:
    sides = (_lines(base.with_name(f"{base.name}.{side}")) for side in ("en", language))
    return list(zip(*sides, strict=True))


def _texts(pairs: Sequence[Pair]) -> Texts:
    return Texts([tuple(a.split()) for a, _ in pairs], [b for _, b in pairs])


def parts_of(data: str, pairs: int | None = None, tuning: int | None = None) -> Parts:
    """The parts of a data set: at most so many pairs to train and to tune on."""
    return _parted(data, pairs, tuning) if data in _PARTED else _joined(data, pairs, tuning)


def _parted(data: str, pairs: int | None, tuning: int | None) -> Parts:
    folder, language, *names = _PARTED[data]
    train, dev, test = (_pairs(DATA / folder / name, language) for name in names)
    seen = {source for source, _ in train[:pairs]}
    unseen = [pair for pair in test if pair[0] not in seen]
    return Parts(train[:pairs], _texts(dev[:tuning]), _texts(unseen))


def _joined(language: str, pairs: int | None, tuning: int | None) -> Parts:
    train: list[Pair] = []
    held: dict[str, list[Pair]] = {"tuning": [], "test": []}
    for pack in _JOINED[language]:
        sides = (_lines(DATA / pack / f"en-{language}.{side}") for side in ("en", language))
        text = [(" ".join(words_of(a)), " ".join(words_of(b))) for a, b in zip(*sides, strict=True)]
        kept = [True] * len(text)
        for name, (most, share, place) in (("tuning", _TUNING), ("test", _TEST)):
            begin, size = int(place * len(text)), min(most, len(text) // share)
            held[name] += text[begin : begin + size]
            for at in range(begin - _BESIDE, begin + size + _BESIDE):
                kept[at] = False
        train += [pair for pair, free in zip(text, kept, strict=True) if free]
    random = np.random.default_rng(1)
    parts = [[each[at] for at in random.permutation(len(each)).tolist()] for each in held.values()]
    test = {_key(source) for source, _ in parts[1]}
    dev = [pair for pair in parts[0] if _key(pair[0]) not in test]
    known = test | {_key(source) for source, _ in dev}
    train = [pair for pair in train if all(pair) and _key(pair[0]) not in known]
    train = [train[at] for at in random.permutation(len(train)).tolist()]
    return Parts(train[:pairs], _texts(dev[:tuning]), _texts(parts[1]))


def _key(source: str) -> str:
    return source.lower()


# ---- what is kept ----


def identity(*made_of: object) -> str:
    told = json.dumps(made_of, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:10]


def kept(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The record of a file; made and written if it is not there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(json.dumps(make()).encode())
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


@dataclass(frozen=True)
class Made:
    """How a system is made: of which text, by which rules and parser."""

    data: str
    train: list[Pair] = field(repr=False)
    rules: str | None = None
    parser: str = "en"
    reordering: str = "maxent"
    threads: int = 1

    @cached_property
    def identity(self) -> str:
        order: tuple[str, ...] = ()
        if self.rules is not None:
            rules, parser = load_rules(self.rules), hash_of_files([str(find_model(self.parser))])
            order = (format_rules(rules), parser)
        return identity(self.train, self.reordering, order)

    def train_system(self) -> tuple[System, dict[str, Any]]:
        """The system, and how long its training took."""
        folder = WORK / f"{self.data}-{self.identity}"
        told = kept(folder.with_suffix(".json"), lambda: self._train(folder))
        return System.load(folder), told

    def _train(self, folder: Path) -> dict[str, Any]:
        files = [folder.with_suffix(f".{side}") for side in ("source", "target")]
        for file, lines in zip(files, zip(*self.train, strict=True), strict=True):
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        started, used = time.perf_counter(), time.process_time()
        translate_train(
            *map(str, files),
            folder,
            preorder=self.rules,
            model=self.parser,
            settings=TrainSettings(reordering=self.reordering),
            threads=self.threads,
            on_error="skip",
        )
        return {
            "s": round(time.perf_counter() - started),
            "processor time, s": round(time.process_time() - used),
        }


def without_jumps(system: System) -> System:
    weights = {name: weight for name, weight in system.weights.items() if name != REORDERING}
    return replace(system, jumps=None, weights=weights)


def ordered(system: System, texts: Texts, parser: str) -> Texts:
    """The sentences as the system wants them, so that they are parsed once."""
    if system.rules is None:
        return texts
    found = translate_run(texts.source, system, limit=0, stack=1, parser=parser)
    return replace(texts, source=[each.ordered.tokens for each in found])


class Trial:
    """A system that is tuned and scored; its work is kept under a name."""

    def __init__(
        self, name: str, system: System, tuning: Texts, test: Texts, settings: argparse.Namespace
    ) -> None:
        self.system, self.tuning, self.test, self.settings = system, tuning, test, settings
        self._name = name

    def _kept(self, of: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        given = self.settings
        told = identity(
            (self._name, self.tuning.source, self.tuning.references, self.test.source),
            (given.by, given.rounds, given.limit, given.stack),
        )
        return kept(WORK / f"trial-{told}-{of}.json", make)

    def decode(self, weights: FloatArray, texts: Texts, nbest: int, limit: int) -> list[NBestList]:
        named = dict(zip(self.system.names, weights.tolist(), strict=True))
        search = SearchSettings(limit, self.settings.stack)
        decoder = self.system.with_weights(named).decoder(search)
        return list(decoder.translate_all(texts.source, nbest, threads=self.settings.threads))

    def tuned(self, seed: int) -> tuple[FloatArray, float]:
        """Weights of one run, and their BLEU on what they were tuned on."""
        first = np.array([self.system.weights[name] for name in self.system.names])
        references = [text.split() for text in self.tuning.references]

        def work() -> dict[str, Any]:
            found = tune(
                lambda weights: self.decode(weights, self.tuning, 100, self.settings.limit),
                references,
                first,
                TuningSettings(by=self.settings.by, rounds=self.settings.rounds, seed=seed),
            )
            return {"weights": found.best.weights.tolist(), "BLEU": found.best.bleu}

        told = self._kept(f"tuned-{seed}", work)
        return np.array(told["weights"]), told["BLEU"]

    def texts(self, weights: FloatArray, limit: int | None = None) -> list[str]:
        """Translations of the test sentences."""
        limit = self.settings.limit if limit is None else limit
        told = self._kept(
            f"test-{limit}-{identity(weights.tolist())}",
            lambda: {
                "texts": [
                    each.hypotheses[0].text for each in self.decode(weights, self.test, 1, limit)
                ]
            },
        )
        return list(told["texts"])

    def scored(
        self, texts: list[str], characters: bool = False, places: Sequence[int] | None = None
    ) -> TranslationEvaluation:
        """BLEU of all test sentences, or of some."""
        chosen = range(len(texts)) if places is None else places
        references = [self.test.references[at] for at in chosen]
        texts = [texts[at] for at in chosen]
        return evaluate_translation(references, texts, characters=characters, scores=("BLEU",))


def together(runs: Sequence[TranslationEvaluation]) -> TranslationEvaluation:
    """The counts of all runs, so that a sentence is drawn with all its translations."""
    return replace(runs[0], counts=np.sum([run.counts for run in runs], axis=0))


def measured(trial: Trial, unlike: Sequence[int]) -> dict[str, Any]:
    """A trial tuned and scored in several runs: figures, and what they were made of."""
    runs = [trial.tuned(seed) for seed in range(1, trial.settings.runs + 1)]
    texts = [trial.texts(weights) for weights, _ in runs]
    words, characters = ([trial.scored(each, unit) for each in texts] for unit in (False, True))
    return {
        "tuned": [round(float(bleu), 2) for _, bleu in runs],
        "test": [round(run.scores["BLEU"], 2) for run in words],
        "test, characters": [round(run.scores["BLEU"], 2) for run in characters],
        "weights": dict(zip(trial.system.names, runs[0][0].round(4).tolist(), strict=True)),
        "evaluations": {
            "words": together(words),
            "characters": together(characters),
            UNLIKE: together([trial.scored(each, places=unlike) for each in texts]),
        },
        "first": runs[0][0],
    }


def add_settings(made: argparse.ArgumentParser) -> None:
    """Arguments that say how systems are tuned and decode."""
    made.add_argument("--tuning", type=int, default=500, help="sentences to tune on")
    made.add_argument("--limit", type=int, default=10)
    made.add_argument("--stack", type=int, default=100)
    made.add_argument("--by", default="pro")
    made.add_argument("--rounds", type=int, default=8)
    made.add_argument("--runs", type=int, default=3)
    made.add_argument("--threads", type=int, default=1)
