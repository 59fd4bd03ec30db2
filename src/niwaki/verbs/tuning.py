"""Translation systems tuned on references, translations scored, and systems made to agree."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from niwaki.data.files import Input, Source
from niwaki.errors import ConfigError, NiwakiError
from niwaki.metrics.translation import SCORES, TranslationEvaluation, evaluate_translation
from niwaki.tasks.translate.consensus import consensus
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.features import weight_array
from niwaki.tasks.translate.nbest import Hypothesis, NBestList, read_nbest
from niwaki.tasks.translate.system import System, check_place, save_system
from niwaki.tasks.translate.tuning import Round, Tuned, TuningSettings, tune
from niwaki.typing import FloatArray
from niwaki.verbs._given import Model, Watch, is_source, name_of, unwatched
from niwaki.verbs.sensing import with_senses
from niwaki.verbs.translating import DEFAULTS, translate_run

NBEST = 100


@dataclass(frozen=True)
class TunedSystem:
    """A system with tuned weights, and all runs; the weights are those of the best one."""

    system: System
    runs: tuple[Tuned, ...]

    @property
    def best(self) -> Round:
        return max((run.best for run in self.runs), key=lambda each: each.bleu)

    def to_json(self) -> dict[str, Any]:
        return {
            "weights": dict(self.system.weights),
            "BLEU": self.best.bleu,
            "runs": [[each.bleu for each in run.rounds] for run in self.runs],
        }


def translate_tune(
    system: str | os.PathLike[str],
    source: Source,
    reference: Source,
    output: str | os.PathLike[str] | None = None,
    *,
    settings: TuningSettings | None = None,
    runs: int = 1,
    nbest: int = NBEST,
    limit: int = DEFAULTS.limit,
    stack: int = DEFAULTS.stack,
    parser: Model | None = None,
    senses: str | os.PathLike[str] | None = None,
    threads: int = 1,
    watch: Watch = unwatched,
) -> TunedSystem:
    """Tune the weights of a system for BLEU of sentences with references; writes a folder.

    Each run begins with the system's weights and has a seed of its own; kept is the one that
    translates these sentences best. Without `output`, nothing is written. `senses` is a file of
    `translate_train_senses`, whose score gets a weight, too.

        >>> translate_tune("en-ja", "dev.en", "dev.ja", "en-ja-tuned").best.bleu
    """
    settings = TuningSettings() if settings is None else settings
    if runs < 1:
        raise ConfigError(f"runs is {runs}; it must be at least 1")
    if output is not None:
        check_place(output)
    loaded = System.load(system)
    texts, references = _texts(source), [line.split() for line in _texts(reference)]
    if len(texts) != len(references):
        raise NiwakiError(
            f"{len(texts)} sentences but {len(references)} references; give as many of both"
        )
    scorer = None
    if senses is not None:
        loaded, scorer = with_senses(loaded, senses, parser or "en")
    # Sentences are brought into order once, not in each round.
    plain = replace(loaded, rules=None)
    found = translate_run(
        texts, loaded, limit=0, stack=1, parser=parser, senses=scorer, threads=threads
    )
    ordered = [each.ordered.tokens for each in found]

    def decode(weights: FloatArray) -> list[NBestList]:
        weighted = plain.with_weights(_named(loaded, weights))
        decoder = weighted.decoder(SearchSettings(limit, stack), scorer)
        return list(decoder.translate_all(ordered, nbest, threads=threads))

    start = weight_array(loaded.weights, loaded.names)

    def tell(_: Round) -> None:
        watch("tuning", 1, settings.rounds * runs)

    seeds = range(settings.seed, settings.seed + runs)
    done = [tune(decode, references, start, replace(settings, seed=s), tell) for s in seeds]
    best = TunedSystem(loaded, tuple(done)).best
    tuned = TunedSystem(loaded.with_weights(_named(loaded, best.weights)), tuple(done))
    if output is not None:
        _save(Path(system), Path(output), tuned, settings)
    return tuned


def _named(system: System, weights: FloatArray) -> dict[str, float]:
    return dict(zip(system.names, np.asarray(weights).tolist(), strict=True))


def _save(folder: Path, output: Path, tuned: TunedSystem, settings: TuningSettings) -> None:
    """A copy of a system's folder with other weights, whole or not at all."""
    parts = output.absolute().with_name(f".{output.name}.tuning")
    shutil.rmtree(parts, ignore_errors=True)
    try:
        shutil.copytree(folder, parts)
        about = {"by": settings.by, "seed": settings.seed, "BLEU": tuned.best.bleu}
        kept = {**(tuned.system.settings or {}), "tuned": about}
        system = tuned.system
        save_system(parts, output, system.weights, parser=system.parser, settings=kept)
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def translate_evaluate(
    reference: Source | Iterable[str],
    system: Source | Iterable[str],
    *,
    characters: bool = False,
    scores: Sequence[str] = SCORES,
) -> TranslationEvaluation:
    """Score translations against references, a line each; words are split at spaces.

    With `characters`, all scores are of characters, as BLEU of Japanese and Korean often is. TER
    needs sacrebleu (`pip install niwaki[mt]`).

        >>> translate_evaluate("test.ja", "system.ja", characters=True).scores["BLEU"]
    """
    return evaluate_translation(
        _texts(reference), _texts(system), characters=characters, scores=scores
    )


def translate_consensus(
    systems: Sequence[Source],
    *,
    weights: Sequence[float] | None = None,
    scale: float = 1.0,
) -> Iterator[str]:
    """Yield the translation of each sentence that agrees best with those of all systems.

    A system is a file with a translation a line, or with n-best lists; `weights` are shares of the
    systems. Scores of n-best lists, times `scale`, say how likely their translations are.

        >>> list(translate_consensus(["one.ja", "other.ja", "third.nbest"]))
    """
    read = [_candidates(file) for file in systems]
    names = [name_of(file, "a system") for file in systems]
    if not read:
        raise NiwakiError("no systems; give at least one")
    for name, candidates in zip(names, read, strict=True):
        if len(candidates) != len(read[0]):
            raise NiwakiError(
                f"{name} has {len(candidates)} sentences, {names[0]} has {len(read[0])}; "
                "give translations of the same"
            )
    for each in zip(*read, strict=True):
        chosen = consensus(each, weights, scale=scale)
        yield chosen.text if chosen else ""


def _candidates(file: Source) -> list[Sequence[Hypothesis]]:
    """What a system makes of each sentence: an n-best list, or one translation."""
    if not _is_nbest(file):
        none = np.zeros(0, np.float32)
        return [[Hypothesis(tuple(line.split()), none, 0.0)] for line in _texts(file)]
    _, lists = read_nbest(file)
    found: list[Sequence[Hypothesis]] = [()] * (lists[-1].index + 1 if lists else 0)
    for each in lists:
        found[each.index] = each.hypotheses
    return found


def _is_nbest(file: Source) -> bool:
    """Whether the first line of a file has the bars of an n-best list."""
    if not isinstance(file, str | os.PathLike) or file == "-":
        return False
    with Input(file) as stream:
        return any(line.count("|||") == 3 for _, line in itertools.islice(stream.lines(), 1))


def _texts(given: Source | Iterable[str]) -> list[str]:
    if not is_source(given):
        return list(given)  # type: ignore[arg-type]
    with Input(given) as stream:  # type: ignore[arg-type]
        return [line for _, line in stream.lines()]
