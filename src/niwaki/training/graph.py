"""Teaches a graph-based parser, epoch by epoch, and keeps the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.kernel.graph.arc_learning import ArcTutor
from niwaki.kernel.linear import Learner
from niwaki.kernel.words import Clusters
from niwaki.models.graph import GraphDesign, GraphParser, normalised
from niwaki.models.graph_search import graph_kbest
from niwaki.models.tagger import Tags
from niwaki.models.transition import DEPREL
from niwaki.models.vocabulary import Vocabulary
from niwaki.models.weights import Compressed, compress
from niwaki.training.checkpoint import Checkpoint, pack, unpack
from niwaki.training.config import Config, GraphConfig
from niwaki.training.corpus import Corpus
from niwaki.training.graph_lessons import learns_online, make_lessons
from niwaki.training.graph_pupil import Pupil, arc_parts
from niwaki.training.parsing import EpochReport, projective_heads
from niwaki.training.workers import Stopped

# Sentences between two looks at the clock.
_CHUNK = 64
# Rows of arcs that are kept for each of `max_rows`: they hold one weight, not one for each move.
_ARC_ROWS = 4
# Labels of smaller gradients are left out, or each feature would weigh every label.
_LABEL_NEGLIGIBLE = 0.03

Evaluate = Callable[[GraphParser], tuple[float, float]]


def design_graph(
    sentences: Iterable[Sentence],
    config: GraphConfig,
    *,
    features: str,
    label_features: str,
    lowercase: bool = False,
    tags: bool = True,
    clusters: Clusters | None = None,
) -> GraphDesign:
    """What a parser for a treebank will be: its labels, and what it looks at."""
    labels = Counter(
        label
        for sentence in sentences
        for head, label in zip(sentence.heads, sentence.deprels, strict=True)
        if head >= 0
    )
    if not labels:
        raise ConfigError("the training data has no arcs; give sentences with heads")
    if len(labels) > 256:
        raise ConfigError(f"{len(labels)} labels, but at most 256 are possible")
    design = GraphDesign(
        labels=Vocabulary(sorted(labels)).names,
        order=config.order,
        latent=config.latent,
        projective=config.projective,
        decode=config.decode,
        features=features,
        label_features=label_features,
        lowercase=lowercase,
        tags=tags,
    )
    try:
        GraphParser(design, _new_weights(design), clusters)
    except ValueError as error:
        raise ConfigError(f"features: {error}") from error
    return design


def _new_weights(design: GraphDesign) -> dict[str, Learner]:
    return {"arcs": Learner(design.latent), "labels": Learner(len(design.labels))}


@dataclass
class _Progress:
    """Where the learning stands."""

    epoch: int = 0
    cursor: int = 0  # sentences of the epoch that are done
    updates: int = 0
    best_las: float = -1.0
    best: dict[str, Compressed] | None = None


class GraphTraining:
    """The training of one parser; `run` can be broken off anywhere and taken up again."""

    def __init__(
        self,
        stage: str,
        design: GraphDesign,
        corpus: Corpus,
        tags: Tags,
        config: Config,
        *,
        clusters: Clusters | None,
        checkpoint: Checkpoint,
    ) -> None:
        self._stage, self._config, self._graph = stage, config.training, config.graph
        self._corpus, self._checkpoint = corpus, checkpoint
        self._max_rows = config.model.max_rows
        self._weights = _new_weights(design)
        self._parser = GraphParser(design, self._weights, clusters)
        self._values = self._parser.attribute_values(corpus.batch, tags)
        heads = projective_heads(corpus) if design.projective else corpus.batch.given_heads()
        self._labels = corpus.batch.numbers(DEPREL, self._parser.labels.symbols)
        self._pupil = Pupil(
            self._parser, self._weights["arcs"], corpus.batch, self._values, heads, corpus.starts
        )
        self._label_tutor = ArcTutor(
            self._parser.label_model, self._weights["labels"], corpus.batch, self._values
        )
        if corpus.constraints and not learns_online(config.graph):
            raise ConfigError(
                "partial trees are completed while one learns from sentence to sentence; "
                "train by perceptron, mira, or log-linear with adagrad"
            )
        self._lessons = make_lessons(self._pupil, config.graph, config.training.seed)
        self._progress = _Progress()
        self._restore()

    def run(
        self,
        evaluate: Evaluate | None,
        advance: Callable[[int], None],
        report: Callable[[EpochReport], None],
    ) -> GraphParser:
        """Learn for all epochs; returns the parser of the best one, compressed.

        `advance` may raise Stopped, as in `ParserTraining.run`.
        """
        done = self._progress
        try:
            while done.epoch < self._config.epochs:
                self._learn_epoch(advance)
                self._finish_epoch(evaluate, report)
        except Stopped:
            self._keep()
            raise
        best = done.best or self._compressed()
        self._checkpoint.put(f"{self._stage}-result", _pack_all(best))
        self._checkpoint.drop(self._stage)
        return self._parser.with_weights(best)

    def _learn_epoch(self, advance: Callable[[int], None]) -> None:
        done = self._progress
        order = self._corpus.epoch_order("trees", self._config.seed, self._stage, done.epoch)
        if done.epoch == 0:
            # Who knows nothing yet cannot complete trees, so the whole ones come first.
            is_partial = np.isin(order, list(self._corpus.constraints))
            order = np.concatenate([order[~is_partial], order[is_partial]])
        if done.cursor == 0:
            done.updates = 0
        while done.cursor < len(order):
            part = order[done.cursor : done.cursor + _CHUNK].tolist()
            for s in part:
                done.updates += self.learn(s)
            done.cursor += len(part)
            advance(len(part))
            if self._checkpoint.is_due:
                self._keep()
                self._checkpoint.save()

    def learn(self, s: int) -> bool:
        """Learn the arcs and the labels of a sentence; whether arcs had to be changed."""
        known = self._corpus.constraints.get(s)
        if known is not None:
            self._complete(s, known)
        changed = self._lessons.learn(s)
        self._learn_labels(s)
        return changed

    def _complete(self, s: int, known: Constraints) -> None:
        """Make the best tree that obeys what is known the one to learn."""
        (best,) = graph_kbest(
            self._parser, self._corpus.batch, s, self._values, 1, constraints=known
        )
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        self._pupil.heads[words] = best.tree.heads
        self._labels[words] = [self._parser.labels.number(x) for x in best.tree.deprels]

    def _learn_labels(self, s: int) -> None:
        """AdaGrad on log p(label | arc) for the arcs of the gold tree."""
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        gold = self._labels[words]
        known = np.flatnonzero(gold >= 0).astype(np.int32)
        parts = arc_parts(self._pupil.gold(s), known)
        scores = self._parser.label_model.listed(self._corpus.batch, self._values, s, parts)
        gradients = -np.exp(normalised(scores))
        gradients[np.arange(len(known)), gold[known]] += 1
        self._label_tutor.climb(
            s, parts, gradients, _LABEL_NEGLIGIBLE, 0.0, self._graph.rate, self._graph.damping
        )
        self._weights["labels"].tick()

    def _finish_epoch(
        self, evaluate: Evaluate | None, report: Callable[[EpochReport], None]
    ) -> None:
        done = self._progress
        self._lessons.finish()
        uas = las = None
        if evaluate is not None:
            compressed = self._compressed()
            uas, las = evaluate(self._parser.with_weights(compressed))
            if las > done.best_las:
                done.best_las, done.best = las, compressed
        done.epoch += 1
        done.cursor = 0
        rows = len(self._weights["arcs"])
        report(
            EpochReport(self._stage, done.epoch, self._config.epochs, done.updates, rows, uas, las)
        )

    def _compressed(self) -> dict[str, Compressed]:
        labels = self._weights["labels"]
        return {
            "arcs": compress(
                self._lessons.exported(),
                self._weights["arcs"].classes,
                _ARC_ROWS * self._max_rows,
            ),
            "labels": compress(labels.export(), labels.classes, self._max_rows),
        }

    # -- for objectives that price trees -------------------------------------------

    def candidates(self, s: int, k: int) -> list[tuple[Tree, float]]:
        """The k best labelled trees of training sentence `s` under the current weights, with
        their scores, best first.
        """
        found = self._parser.kbest(self._corpus.batch, s, self._values, k)
        names = self._parser.labels.names
        assert found.labels is not None
        return [
            (Tree(tuple(heads), tuple(names[label] for label in labels)), score)
            for heads, labels, score in zip(
                found.heads.tolist(), found.labels.tolist(), found.scores.tolist(), strict=True
            )
        ]

    def update(self, s: int, towards: Tree, away: Tree, step: float = 1.0) -> None:
        """Add `step` times the difference of the features of two trees of sentence `s`.

        Labels are moved where they differ on the same arc, or where the arc itself does.
        """
        trees = [np.array(tree.heads, dtype=np.int32) for tree in (towards, away)]
        self._pupil.update(s, trees[0], trees[1], step)
        self._pupil.learner.tick()
        labels = [
            np.array([self._parser.labels.number(name) for name in tree.deprels], dtype=np.int32)
            for tree in (towards, away)
        ]
        differ = (trees[0] != trees[1]) | (labels[0] != labels[1])
        for heads, names, sign in zip(trees, labels, (step, -step), strict=True):
            words = np.flatnonzero(differ & (names >= 0)).astype(np.int32)
            steps = np.full(len(words), sign, dtype=np.float32)
            self._label_tutor.add(s, arc_parts(heads, words), names[words], steps)
        self._weights["labels"].tick()

    # -- interruption -----------------------------------------------------------

    def _keep(self) -> None:
        """Put into the checkpoint from where learning can go on as if nothing had happened."""
        done = self._progress
        labels = self._weights["labels"].export()
        state: dict[str, NDArray[Any]] = {
            "numbers": np.array([done.epoch, done.cursor, done.updates], dtype=np.int64),
            "best_las": np.array([done.best_las]),
            **{f"arcs.{name}": array for name, array in self._lessons.state().items()},
            **{f"labels.{name}": array for name, array in labels.items()},
        }
        if done.best is not None:
            state.update({f"best.{name}": a for name, a in _pack_all(done.best).items()})
        self._checkpoint.put(self._stage, state)

    def _restore(self) -> None:
        if self._stage not in self._checkpoint:
            return
        state = self._checkpoint[self._stage]
        done = self._progress
        done.epoch, done.cursor, done.updates = map(int, state["numbers"])
        done.best_las = float(state["best_las"][0])
        best = _below(state, "best")
        if best:
            done.best = _unpack_all(best)
        self._lessons.restore(_below(state, "arcs"))
        self._weights["labels"].restore(**_below(state, "labels"))


def finished_graph(
    stage: str, design: GraphDesign, checkpoint: Checkpoint, clusters: Clusters | None
) -> GraphParser | None:
    """The parser that an earlier run has already finished, if it has."""
    name = f"{stage}-result"
    if name not in checkpoint:
        return None
    return GraphParser(design, _unpack_all(checkpoint[name]), clusters)


def _below(state: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin so, without the beginning."""
    start = f"{prefix}."
    return {n.removeprefix(start): a for n, a in state.items() if n.startswith(start)}


def _pack_all(weights: dict[str, Compressed]) -> dict[str, NDArray[Any]]:
    return {
        f"{part}.{name}": array
        for part, compressed in weights.items()
        for name, array in pack(compressed).items()
    }


def _unpack_all(arrays: dict[str, NDArray[Any]]) -> dict[str, Compressed]:
    return {part: unpack(_below(arrays, part)) for part in ("arcs", "labels")}
