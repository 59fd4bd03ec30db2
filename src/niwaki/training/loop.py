"""Learning epoch by epoch: what the training of parsers of all kinds shares.

A pass over the treebank is an epoch; between its rounds the objectives that are costs keep
up. A run can be broken off anywhere and taken up again: the checkpoint knows how far it
came, and the same bytes come out.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from niwaki.features.weights import PackedWeights
from niwaki.learning.checkpoint import Checkpoint, pack, unpack
from niwaki.learning.corpus import Corpus
from niwaki.learning.workers import Stopped
from niwaki.training.objectives import CostTraining, ObjectiveReport

# Sentences between two looks at the clock.
_CHUNK = 64

P = TypeVar("P")
Arrays = dict[str, NDArray[Any]]
Weights = dict[str, PackedWeights]


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did; the scores are those of the compressed, averaged weights."""

    stage: str
    epoch: int
    epochs: int
    updates: int
    rows: int
    uas: float | None
    las: float | None
    objectives: tuple[ObjectiveReport, ...] = ()


@dataclass
class _Progress:
    """Where the learning of one parser stands."""

    epoch: int = 0
    cursor: int = 0  # sentences of the epoch that are done
    updates: int = 0
    best_las: float = -1.0
    best: Weights | None = None
    reports: list[str] = field(default_factory=list)  # of the epochs so far, lines of the log


class EpochTraining(ABC, Generic[P]):
    """The training of one parser; `run` can be broken off anywhere and taken up again."""

    def __init__(
        self,
        stage: str,
        corpus: Corpus,
        config: Any,
        *,
        epochs: int,
        costs: CostTraining,
        checkpoint: Checkpoint,
        threads: int,
    ) -> None:
        self._stage, self._corpus, self._config, self._epochs = stage, corpus, config, epochs
        self._costs, self._checkpoint, self._threads = costs, checkpoint, threads
        # An epoch is a pass over the treebank, or over the examples of the first cost.
        self._epoch_size = corpus.visits("trees") or costs.lessons[0].size
        self._progress = _Progress()
        self._restore()

    # -- what a kind of parser does its own way ------------------------------------

    @abstractmethod
    def _learn(self, part: NDArray[np.int32]) -> int:
        """Learn some sentences of the treebank; returns how many changed weights."""

    @abstractmethod
    def _compressed(self) -> Weights:
        """The averaged weights as they would be shipped."""

    @abstractmethod
    def _with(self, weights: Weights) -> P:
        """The parser with such weights."""

    @abstractmethod
    def _rows(self) -> int:
        """How many features have weights."""

    @abstractmethod
    def _state(self) -> Arrays:
        """All that learning goes on from, besides what `_Progress` holds."""

    @abstractmethod
    def _restore_state(self, state: Arrays) -> None: ...

    def _begin_epoch(self, epoch: int) -> None:
        """A pass begins."""

    def _end_epoch(self) -> None:
        """A pass is over; scores are still to be asked for."""

    # -- the loop --------------------------------------------------------------------

    def run(
        self,
        evaluate: Callable[[P], tuple[float, float]] | None,
        advance: Callable[[int], None],
        report: Callable[[EpochReport], None],
    ) -> P:
        """Learn for all epochs; returns the parser of the best one, compressed.

        With costs it is that of the last epoch: what is best on the treebank is not what
        is best for the task. `evaluate` gives UAS and LAS, percent. `advance` may raise
        Stopped: the checkpoint then knows how far learning came, and whoever stopped it
        decides about saving that.
        """
        done = self._progress
        try:
            with ThreadPoolExecutor(self._threads) as pool:
                while done.epoch < self._epochs:
                    self._learn_epoch(advance, pool)
                    self._finish_epoch(evaluate, report)
        except Stopped:
            self._keep()
            raise
        best = done.best or self._compressed()
        # In this order: another thread may save in between.
        if self._costs.tagger is not None:
            self._checkpoint.put("tagger-taught", _pack({"tagger": self._costs.tagger.finished()}))
        self._checkpoint.put(f"{self._stage}-reports", {"reports": _as_bytes(done.reports)})
        self._checkpoint.put(f"{self._stage}-result", _pack(best))
        self._checkpoint.drop(self._stage)
        return self._with(best)

    @property
    def reports(self) -> list[str]:
        """What the epochs so far did, lines of the log."""
        return self._progress.reports

    def _learn_epoch(self, advance: Callable[[int], None], pool: ThreadPoolExecutor) -> None:
        done = self._progress
        at_once = self._config.batch_size if self._costs.lessons else _CHUNK
        order = self._corpus.epoch_order("trees", self._config.seed, self._stage, done.epoch)
        whole = len(order)
        if done.epoch == 0:
            # Who knows nothing yet cannot complete trees, so the whole ones come first.
            is_partial = np.isin(order, list(self._corpus.constraints))
            order = np.concatenate([order[~is_partial], order[is_partial]])
            whole -= int(is_partial.sum())
        if done.cursor == 0:
            done.updates = 0
            self._begin_epoch(done.epoch)
        while done.cursor < self._epoch_size:
            end = min(done.cursor + at_once, self._epoch_size)
            if done.cursor < whole:
                end = min(end, whole)
            part = order[done.cursor : end]
            done.updates += self._learn(part)
            if self._costs.tagger is not None:
                self._costs.tagger.learn_treebank(part)
            done.cursor = end
            visited = done.epoch * self._epoch_size + end
            advance(len(part) + self._costs.keep_up(visited, pool, self._threads))
            if self._checkpoint.is_due:
                self._keep()
                self._checkpoint.save()

    def _finish_epoch(
        self,
        evaluate: Callable[[P], tuple[float, float]] | None,
        report: Callable[[EpochReport], None],
    ) -> None:
        done = self._progress
        self._end_epoch()
        uas = las = None
        if evaluate is not None:
            compressed = self._compressed()
            uas, las = evaluate(self._with(compressed))
            if las > done.best_las and not self._costs.lessons:
                done.best_las, done.best = las, compressed
        done.epoch += 1
        done.cursor = 0
        costs = self._costs.finish_epoch()
        finished = EpochReport(
            self._stage, done.epoch, self._epochs, done.updates, self._rows(), uas, las, costs
        )
        done.reports += _log_lines(finished)
        report(finished)

    # -- interruption ----------------------------------------------------------------

    def _keep(self) -> None:
        """Put into the checkpoint from where learning can go on as if nothing had happened."""
        done = self._progress
        state: Arrays = {
            "numbers": np.array([done.epoch, done.cursor, done.updates], dtype=np.int64),
            "best_las": np.array([done.best_las]),
            "reports": _as_bytes(done.reports),
            **self._costs.export(),
            **{f"state.{name}": array for name, array in self._state().items()},
        }
        if done.best is not None:
            state.update({f"best.{name}": array for name, array in _pack(done.best).items()})
        self._checkpoint.put(self._stage, state)

    def _restore(self) -> None:
        if self._stage not in self._checkpoint:
            return
        state = self._checkpoint[self._stage]
        done = self._progress
        done.epoch, done.cursor, done.updates = map(int, state["numbers"])
        done.best_las = float(state["best_las"][0])
        done.reports = _as_lines(state["reports"])
        done.best = _unpack(below(state, "best")) or None
        self._costs.restore(state)
        self._restore_state(below(state, "state"))


def _log_lines(report: EpochReport) -> list[str]:
    """An epoch as the log has it: a line for the treebank and one for each cost."""
    own = {"epoch": report.epoch, "stage": report.stage}
    treebank = {"updates": report.updates, "rows": report.rows}
    scores = {"uas": report.uas, "las": report.las} if report.las is not None else {}
    lines = [{**own, "objective": f"{report.stage}: treebank", **treebank, **scores}]
    for each in report.objectives:
        costs = {"first_cost": each.first, "oracle_cost": each.oracle, "mean_k": each.k}
        counts = {name: getattr(each, name) for name in ("examples", "updates")}
        rare = {name: getattr(each, name) for name in ("rescued", "retagged")}
        lines.append(
            {**own, "objective": f"{report.stage}: {each.name}", **counts, **costs, **rare}
        )
    return [json.dumps(line) for line in lines]


def taught_tagger(checkpoint: Checkpoint) -> PackedWeights | None:
    """The weights of the tagger that learned beside a parser, if one did."""
    name = "tagger-taught"
    return _unpack(checkpoint[name])["tagger"] if name in checkpoint else None


def finished_weights_of(stage: str, checkpoint: Checkpoint) -> Weights | None:
    """The weights of a parser that an earlier run has already finished, if it has."""
    name = f"{stage}-result"
    return _unpack(checkpoint[name]) if name in checkpoint else None


def finished_reports(stage: str, checkpoint: Checkpoint) -> list[str]:
    """What the epochs of a finished parser did, lines of the log."""
    name = f"{stage}-reports"
    return _as_lines(checkpoint[name]["reports"]) if name in checkpoint else []


def below(state: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """The arrays whose names begin so, without the beginning."""
    start = f"{prefix}."
    return {n.removeprefix(start): a for n, a in state.items() if n.startswith(start)}


def _pack(weights: Weights) -> Arrays:
    return {f"{part}.{n}": a for part, each in weights.items() for n, a in pack(each).items()}


def _unpack(arrays: Arrays) -> Weights:
    parts = sorted({name.partition(".")[0] for name in arrays})
    return {part: unpack(below(arrays, part)) for part in parts}


def _as_bytes(lines: list[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _as_lines(array: NDArray[np.uint8]) -> list[str]:
    return array.tobytes().decode().splitlines()
