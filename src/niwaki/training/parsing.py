"""Teaches a transition parser, epoch by epoch, and keeps the best."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.linear import Learner
from niwaki.kernel.parser_learning import Tutor
from niwaki.kernel.systems import load_system
from niwaki.kernel.words import Clusters
from niwaki.models.constrained import constrained_kbest
from niwaki.models.tagger import Tags
from niwaki.models.transition import DEPREL, Design, TransitionParser
from niwaki.models.weights import Compressed, compress, compress_onto
from niwaki.training.checkpoint import Checkpoint, pack, unpack
from niwaki.training.config import TrainingConfig
from niwaki.training.corpus import Corpus
from niwaki.training.costdata import CostData
from niwaki.training.costs import CostLessons, CostTraining, ObjectiveReport
from niwaki.training.trainee import TransitionTrainee
from niwaki.training.workers import Stopped

_CHUNK = 256

# Scores of a parser on the development data: UAS and LAS, percent.
Evaluate = Callable[[TransitionParser], tuple[float, float]]


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
    random: int = 0  # state of the exploration's random numbers
    best_las: float = -1.0
    best: Compressed | None = None
    reports: list[str] = field(default_factory=list)  # of the epochs so far, as JSON


class ParserTraining:
    """The training of one parser; `run` can be broken off anywhere and taken up again."""

    def __init__(
        self,
        stage: str,
        design: Design,
        corpus: Corpus,
        tags: Tags,
        config: TrainingConfig,
        *,
        beam: int,
        max_rows: int,
        clusters: Clusters | None,
        checkpoint: Checkpoint,
        base: Compressed | None = None,
        costs: Sequence[CostData] = (),
        threads: int = 1,
    ) -> None:
        self._stage, self._design, self._config = stage, design, config
        self._corpus, self._tags = corpus, tags
        self._beam, self._max_rows, self._checkpoint = beam, max_rows, checkpoint
        self._epochs = config.epochs if beam > 1 else config.greedy_epochs
        self._base, self._threads = base, threads
        frozen = base.frozen() if base else None
        self.learner = Learner(len(design.classes), config.patience, base=frozen)
        self._parser = TransitionParser(design, self.learner, clusters)
        self._tutor = Tutor(self._parser.kernel, self._parser.class_numbers())
        self._values = self._parser.attribute_values(corpus.batch, tags)
        self._labels = corpus.batch.numbers(DEPREL, self._parser.labels.symbols)
        # A greedy parser with exact costs learns from crossing trees what it can reach of them.
        lift = beam > 1 and not load_system(design.system).crosses
        self._heads = projective_heads(corpus) if lift else corpus.batch.given_heads()
        self._costs = CostTraining([self._lessons(x) for x in costs], self.learner, config.seed)
        # An epoch is a pass over the treebank, or over the examples of the first cost.
        self._epoch_size = corpus.visits("trees") or self._costs.lessons[0].size
        self._progress = _Progress()
        self._restore()

    def _lessons(self, data: CostData) -> CostLessons:
        trainee = TransitionTrainee(self._parser, self._tutor, data.batch, data.tags, self._beam)
        return CostLessons(data.name, data.config, data.objective, trainee)

    def run(
        self,
        evaluate: Evaluate | None,
        advance: Callable[[int], None],
        report: Callable[[EpochReport, list[str]], None],
    ) -> TransitionParser:
        """Learn for all epochs; returns the parser of the best one, compressed.

        `report` is told of each epoch, and of all so far as JSON. With costs the parser is
        that of the last epoch: what is best on the treebank is not what is best for the
        task. `advance` may raise Stopped: the checkpoint then knows how far learning came,
        and whoever stopped it decides about saving that.
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
        self._checkpoint.put(f"{self._stage}-reports", {"reports": _as_bytes(done.reports)})
        self._checkpoint.put(f"{self._stage}-result", pack(best))
        self._checkpoint.drop(self._stage)
        return self._parser.with_model(best)

    def _learn_epoch(self, advance: Callable[[int], None], pool: ThreadPoolExecutor) -> None:
        done = self._progress
        at_once = self._config.round if self._costs.lessons else _CHUNK
        order = self._corpus.epoch_order("trees", self._config.seed, self._stage, done.epoch)
        whole = len(order)
        if done.epoch == 0:
            # Who knows nothing yet cannot complete trees, so the whole ones come first.
            is_partial = np.isin(order, list(self._corpus.constraints))
            order = np.concatenate([order[~is_partial], order[is_partial]])
            whole -= int(is_partial.sum())
        if done.cursor == 0:
            done.updates = 0
            done.random = 1 + done.epoch + (self._config.seed << 20)
        while done.cursor < self._epoch_size:
            end = min(done.cursor + at_once, self._epoch_size)
            if done.cursor < whole:
                end = min(end, whole)
            part = order[done.cursor : end]
            self._complete(part)
            done.updates += self._learn(part)
            done.cursor = end
            visited = done.epoch * self._epoch_size + end
            advance(len(part) + self._costs.keep_up(visited, pool, self._threads))
            if self._checkpoint.is_due:
                self._keep()
                self._checkpoint.save()

    def _complete(self, part: NDArray[np.int32]) -> None:
        """Make the best tree that obeys what is known the one to learn, where trees are partial."""
        for s in part.tolist():
            known = self._corpus.constraints.get(s)
            if known is not None:
                best = constrained_kbest(
                    self._parser, self._corpus.batch, s, self._values, known, 1, self._beam
                )[0].tree
                words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
                self._heads[words] = best.heads
                self._labels[words] = [self._parser.labels.number(x) for x in best.deprels]

    def _learn(self, part: NDArray[np.int32]) -> int:
        config, batch = self._config, self._corpus.batch
        if self._beam > 1:
            _, updates, _ = self._tutor.learn_with_beam(
                batch,
                self._values,
                self._heads,
                self._labels,
                part,
                self._beam,
                config.update == "max-violation",
                config.margin,
            )
            return int(updates)
        random = np.array([self._progress.random], dtype=np.uint64)
        # Mistakes of the first epoch are not worth following.
        explore = config.explore if self._progress.epoch else 0.0
        _, updates = self._tutor.learn_greedily(
            batch,
            self._values,
            self._heads,
            self._labels,
            part,
            config.greedy_margin,
            explore,
            random,
        )
        self._progress.random = int(random[0])
        return int(updates)

    def _finish_epoch(
        self, evaluate: Evaluate | None, report: Callable[[EpochReport, list[str]], None]
    ) -> None:
        done = self._progress
        uas = las = None
        if evaluate is not None:
            compressed = self._compressed()
            uas, las = evaluate(self._parser.with_model(compressed))
            if las > done.best_las and not self._costs.lessons:
                done.best_las, done.best = las, compressed
        done.epoch += 1
        done.cursor = 0
        finished = EpochReport(
            self._stage,
            done.epoch,
            self._epochs,
            done.updates,
            len(self.learner),
            uas,
            las,
            self._costs.finish_epoch(),
        )
        done.reports.append(json.dumps(asdict(finished)))
        report(finished, done.reports)

    def _compressed(self) -> Compressed:
        if self._base is not None:
            return compress_onto(self._base, self.learner.export())
        return compress(self.learner.export(), self.learner.classes, self._max_rows)

    # -- interruption -----------------------------------------------------------

    def _keep(self) -> None:
        """Put into the checkpoint from where learning can go on as if nothing had happened."""
        done = self._progress
        numbers = np.array([done.epoch, done.cursor, done.updates], dtype=np.int64)
        state = {
            "numbers": numbers,
            "random": np.array([done.random], dtype=np.uint64),
            "best_las": np.array([done.best_las]),
            "reports": _as_bytes(done.reports),
            **self._costs.export(),
            **{f"learner.{name}": array for name, array in self.learner.export().items()},
        }
        if done.best is not None:
            state.update({f"best.{name}": array for name, array in pack(done.best).items()})
        self._checkpoint.put(self._stage, state)

    def _restore(self) -> None:
        if self._stage not in self._checkpoint:
            return
        state = self._checkpoint[self._stage]
        done = self._progress
        done.epoch, done.cursor, done.updates = map(int, state["numbers"])
        done.random = int(state["random"][0])
        done.best_las = float(state["best_las"][0])
        done.reports = _as_lines(state["reports"])
        self._costs.restore(state)
        best = {n.removeprefix("best."): a for n, a in state.items() if n.startswith("best.")}
        if best:
            done.best = unpack(best)
        prefix = "learner."
        self.learner.restore(
            **{n.removeprefix(prefix): a for n, a in state.items() if n.startswith(prefix)}
        )


def finished_parser(
    stage: str, design: Design, checkpoint: Checkpoint, clusters: Clusters | None
) -> TransitionParser | None:
    """The parser that an earlier run has already finished, if it has."""
    name = f"{stage}-result"
    if name not in checkpoint:
        return None
    return TransitionParser(design, unpack(checkpoint[name]), clusters)


def finished_reports(stage: str, checkpoint: Checkpoint) -> list[str]:
    """What the epochs of a finished parser did, a JSON object each."""
    name = f"{stage}-reports"
    return _as_lines(checkpoint[name]["reports"]) if name in checkpoint else []


def _as_bytes(lines: list[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _as_lines(array: NDArray[np.uint8]) -> list[str]:
    return array.tobytes().decode().splitlines()


def projective_heads(corpus: Corpus) -> NDArray[np.int32]:
    """Heads of the nearest projective trees: a beam learns to follow one way to one tree."""
    heads = corpus.batch.given_heads()
    for number in np.flatnonzero(corpus.batch.crossing()).tolist():
        # Partial trees are completed to projective ones when they are learned.
        if number not in corpus.constraints:
            words = slice(corpus.starts[number], corpus.starts[number + 1])
            heads[words] = corpus.sentences[number].tree.lifted().heads
    return heads
