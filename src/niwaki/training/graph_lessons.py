"""How the weights of arcs are learned from trees, one sentence at a time or pass by pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.graph.arc_learning import ArcTutor
from niwaki.kernel.linear import Learner
from niwaki.models.graph import GraphParser
from niwaki.models.trees import Scores, decode, kbest, sum_trees
from niwaki.models.vocabulary import Values
from niwaki.training.config import GraphConfig
from niwaki.training.lbfgs import LBFGS

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Arrays = Mapping[str, NDArray[Any]]

# Gradients below this are left out: most arcs of a sentence are out of the question.
_NEGLIGIBLE = 1e-4
# Only arcs of larger gradients give weights to features that have none: the right ones that
# are not certain, and serious rivals.
_FRESH = 0.1
# Standard deviation of what makes latent classes differ.
_NOISE = 0.1


@dataclass
class Pupil:
    """A parser with growing weights, and the sentences that it learns from."""

    parser: GraphParser
    learner: Learner
    batch: Batch
    values: list[Values]
    heads: Ints  # of all words; completed while learning where trees are partial
    starts: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.tutor = ArcTutor(self.parser.arcs, self.learner, self.batch, self.values)
        self.sibling_tutor: ArcTutor | None = None
        if self.parser.siblings is not None:
            self.sibling_tutor = ArcTutor(
                self.parser.siblings, self.learner, self.batch, self.values
            )

    def gold(self, s: int) -> Ints:
        return self.heads[self.starts[s] : self.starts[s + 1]]

    def scores(self, s: int) -> Scores:
        return self.parser.scores(self.batch, self.values, s)

    def update(self, s: int, towards: Ints, away: Ints, step: float = 1.0) -> None:
        """Add `step` times the difference of the features of two trees."""
        differ = np.flatnonzero(towards != away).astype(np.int32)
        if not len(differ):
            return
        parts = np.concatenate([arc_parts(towards, differ), arc_parts(away, differ)])
        self._add(self.tutor, s, parts, len(differ), step)
        if self.sibling_tutor is not None:
            plus, minus = sibling_parts(towards), sibling_parts(away)
            changed = (plus != minus).any(axis=1)
            parts = np.concatenate([plus[changed], minus[changed]])
            self._add(self.sibling_tutor, s, parts, int(changed.sum()), step)

    def _add(self, tutor: ArcTutor, s: int, parts: Ints, half: int, step: float) -> None:
        classes = np.zeros(len(parts), dtype=np.int32)
        steps = np.full(len(parts), step, dtype=np.float32)
        steps[half:] = -step
        tutor.add(s, parts, classes, steps)


def arc_parts(heads: Ints, words: Ints) -> Ints:
    """Parts as the kernel takes them, of the arcs of some words (counted from 0)."""
    parts = np.full((len(words), 3), -1, dtype=np.int32)
    parts[:, 0] = heads[words]
    parts[:, 1] = words + 1
    return parts


def sibling_parts(heads: Ints) -> Ints:
    """Each word with its head and the dependent before it, 0 if it is the nearest one.

    >>> sibling_parts(np.array([2, 0, 2, 2], dtype=np.int32)).tolist()
    [[2, 1, 0], [0, 2, 0], [2, 3, 0], [2, 4, 3]]
    """
    n = len(heads)
    parts = np.zeros((n, 3), dtype=np.int32)
    parts[:, 0], parts[:, 1] = heads, np.arange(1, n + 1)
    nearest = [0] * (n + 1)  # the last dependent met of each head, going away from it
    for word, head in enumerate(heads.tolist(), start=1):
        if head < word:
            parts[word - 1, 2] = nearest[head]
            nearest[head] = word
    nearest = [0] * (n + 1)
    for word in range(n, 0, -1):
        head = int(heads[word - 1])
        if head > word:
            parts[word - 1, 2] = nearest[head]
            nearest[head] = word
    return parts


class Lessons(Protocol):
    """One way to learn."""

    def learn(self, s: int) -> bool:
        """Learn from a sentence; whether there was something to learn."""

    def finish(self) -> None:
        """All sentences have been learned from once more."""

    def exported(self) -> Arrays:
        """What was learned, as `Learner.export` gives it."""

    def state(self) -> dict[str, NDArray[Any]]: ...

    def restore(self, state: Arrays) -> None: ...


class _Online:
    """Learning that changes the weights of a growing table after each sentence."""

    def __init__(self, pupil: Pupil, config: GraphConfig) -> None:
        self.pupil, self.config = pupil, config

    def finish(self) -> None:
        pass

    def exported(self) -> Arrays:
        return self.pupil.learner.export()

    def state(self) -> dict[str, NDArray[Any]]:
        return dict(self.pupil.learner.export())

    def restore(self, state: Arrays) -> None:
        self.pupil.learner.restore(**state)


class Perceptron(_Online):
    """A step towards the gold tree and away from the best one (Collins 2002), averaged.

    With a margin, wrong arcs get a head start of so much, so that right ones must lead.
    """

    def learn(self, s: int) -> bool:
        pupil = self.pupil
        gold = pupil.gold(s)
        guess = decode(
            raised(pupil.scores(s), gold, self.config.margin),
            projective=self.config.projective,
            too_long="spanning",
        ).heads
        pupil.update(s, gold, guess)
        pupil.learner.tick()
        return bool((guess != gold).any())


class Mira(_Online):
    """The smallest change by which the gold tree leads each of the k best by its number of
    wrong heads (Crammer and Singer 2003, McDonald et al. 2005); Hildreth's algorithm.
    """

    def learn(self, s: int) -> bool:
        pupil, config = self.pupil, self.config
        gold = pupil.gold(s)
        scores = pupil.scores(s)
        projective = config.projective or scores.siblings is not None
        (ranked,) = kbest(scores, config.k, projective=projective, too_long="spanning")
        losses = (ranked.heads != gold).sum(axis=1).astype(np.float64)
        rivals = np.flatnonzero(losses)
        if len(rivals):
            trees, losses = ranked.heads[rivals], losses[rivals]
            differences = [self._difference(s, gold, tree) for tree in trees]
            gram = np.array([[_dot(one, other) for other in differences] for one in differences])
            own = tree_score(scores, gold)
            leads = np.array([own - score for score in ranked.scores[rivals].tolist()])
            shares = hildreth(gram, losses - leads, config.aggressiveness)
            for tree, share in zip(trees, shares.tolist(), strict=True):
                if share:
                    pupil.update(s, gold, tree, share)
        pupil.learner.tick()
        return bool(len(rivals))

    def _difference(self, s: int, gold: Ints, tree: Ints) -> tuple[NDArray[np.uint64], Floats]:
        """The features of the gold tree without those of another, as keys and counts."""
        pupil = self.pupil
        words = np.flatnonzero(gold != tree).astype(np.int32)
        keys, counts = [], []
        for heads, sign in ((gold, 1.0), (tree, -1.0)):
            found, _ = pupil.parser.arcs.keys(pupil.batch, pupil.values, s, arc_parts(heads, words))
            keys.append(found)
            if pupil.parser.siblings is not None:
                found, _ = pupil.parser.siblings.keys(
                    pupil.batch, pupil.values, s, sibling_parts(heads)
                )
                keys[-1] = np.concatenate([keys[-1], found])
            counts.append(np.full(len(keys[-1]), sign))
        unique, places = np.unique(np.concatenate(keys), return_inverse=True)
        totals = np.bincount(places, np.concatenate(counts), minlength=len(unique))
        return unique, totals.astype(np.float64)


def _dot(one: tuple[NDArray[np.uint64], Floats], other: tuple[NDArray[np.uint64], Floats]) -> float:
    _, places, others = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    return float(one[1][places] @ other[1][others])


def hildreth(gram: Floats, wanted: Floats, most: float, rounds: int = 200) -> Floats:
    """Multipliers of the smallest change `sum a_j d_j` with `d_j . change >= wanted_j`, each at
    most `most`; `gram` are the products of the d.

    >>> hildreth(np.array([[2.0]]), np.array([1.0]), 10.0).tolist()
    [0.5]
    """
    shares = np.zeros(len(wanted))
    for _ in range(rounds):
        largest = 0.0
        for j in range(len(wanted)):
            if gram[j, j] <= 0:
                continue
            better = shares[j] + (wanted[j] - gram[j] @ shares) / gram[j, j]
            change = min(max(better, 0.0), most) - shares[j]
            shares[j] += change
            largest = max(largest, abs(change))
        if largest < 1e-8:
            break
    return shares


class LogLinear(_Online):
    """Uphill on log p(gold tree), by AdaGrad; exact but for gradients that are negligible.

    With latent classes, on the logarithm of the sum over the classes of its arcs.
    """

    def __init__(self, pupil: Pupil, config: GraphConfig, seed: int) -> None:
        super().__init__(pupil, config)
        self._seed = seed

    def learn(self, s: int) -> bool:
        pupil, config = self.pupil, self.config
        gold = pupil.gold(s)
        n = len(gold)
        table = pupil.parser.arc_table(pupil.batch, pupil.values, np.array([s], dtype=np.int32))
        by_class = Scores(table, np.array([n], dtype=np.int32))
        sums = sum_trees(by_class, projective=config.projective, too_long="spanning")
        gradients = -np.asarray(sums.marginals)
        rows = by_class.arcs_of_words(gold)
        if config.latent > 1:
            gradients[rows] += np.exp(table[rows] - by_class.summed_arcs[rows, None])
            gradients[rows] += self._jitter(s, n)
        else:
            gradients[rows] += 1
        wanted = np.flatnonzero(np.abs(gradients).max(axis=1) > _NEGLIGIBLE)
        wanted = wanted[wanted // n != wanted % n + 1]
        parts = np.full((len(wanted), 3), -1, dtype=np.int32)
        parts[:, 0], parts[:, 1] = wanted // n, wanted % n + 1
        pupil.tutor.climb(
            s,
            parts,
            np.ascontiguousarray(gradients[wanted]),
            _NEGLIGIBLE,
            _FRESH,
            config.rate,
            config.damping,
        )
        pupil.learner.tick()
        return bool(len(wanted))

    def _jitter(self, s: int, n: int) -> Floats | float:
        """Latent classes are alike, and would stay so, but for some noise in the first epoch."""
        if self.pupil.learner.clock > len(self.pupil.starts) - 1:
            return 0.0
        noise = np.random.default_rng([self._seed, s])
        return np.asarray(noise.normal(scale=_NOISE, size=(n, self.config.latent)))


def raised(scores: Scores, gold: Ints, margin: float) -> Scores:
    """The scores with a head start for all arcs but those of a tree."""
    if not margin:
        return scores
    table = scores.table + margin
    table[scores.arcs_of_words(gold)] -= margin
    return Scores(table, scores.lengths, scores.siblings)


def tree_score(scores: Scores, heads: Ints) -> float:
    """What a tree scores."""
    total = float(scores.table[scores.arcs_of_words(heads)].sum())
    if scores.siblings is not None:
        n = len(heads)
        head, word, sibling = sibling_parts(heads).T.astype(np.int64)
        total += float(scores.siblings[(head * n + word - 1) * (n + 1) + sibling].sum())
    return total


class _Vector:
    """Learning of a plain vector of weights, for the features of the gold trees."""

    def __init__(self, pupil: Pupil, config: GraphConfig) -> None:
        self.pupil, self.config = pupil, config
        for s in range(len(pupil.starts) - 1):
            gold = pupil.gold(s)
            parts = arc_parts(gold, np.arange(len(gold), dtype=np.int32))
            nothing = np.zeros(len(parts), dtype=np.float32)
            pupil.tutor.add(s, parts, np.zeros(len(parts), dtype=np.int32), nothing)
        pupil.learner.close()
        self.features = len(pupil.learner)

    def weights(self) -> Floats:
        raise NotImplementedError

    def exported(self) -> Arrays:
        learned = dict(self.pupil.learner.export())
        learned["weights"] = self.weights().astype(np.float32)
        return learned

    def beliefs(self, s: int, table: Floats) -> tuple[Scores, Floats, float]:
        """Scores of arcs, their probabilities, and the logarithm of the sum over trees."""
        scores = Scores(table, np.array([len(self.pupil.gold(s))], dtype=np.int32))
        sums = sum_trees(scores, projective=self.config.projective, too_long="spanning")
        return scores, sums.marginals, float(sums.log_sums[0])


class BatchLogLinear(_Vector):
    """Minimises `|w|^2 / (2 C) - sum_i log p(y_i)` by L-BFGS; each pass is one evaluation."""

    def __init__(self, pupil: Pupil, config: GraphConfig) -> None:
        super().__init__(pupil, config)
        self._search = LBFGS(np.zeros(self.features))
        self._begin()

    def _begin(self) -> None:
        self._point = self._search.point
        self._value = float(self._point @ self._point) / (2 * self.config.c)
        self._gradient = self._point / self.config.c

    def learn(self, s: int) -> bool:
        table = self.pupil.tutor.dense_scores(s, self._point)
        scores, marginals, log_sum = self.beliefs(s, table)
        rows = scores.arcs_of_words(self.pupil.gold(s))
        self._value += log_sum - float(table[rows].sum())
        coefficients = marginals.copy()
        coefficients[rows] -= 1
        self.pupil.tutor.dense_add(s, coefficients, self._gradient)
        return True

    def finish(self) -> None:
        self._search.tell(self._value, self._gradient)
        self._begin()

    def weights(self) -> Floats:
        return self._search.best

    @property
    def objective(self) -> float:
        return self._search.value

    def state(self) -> dict[str, NDArray[Any]]:
        found = {f"search.{name}": array for name, array in self._search.state().items()}
        return {**found, "value": np.array([self._value]), "gradient": self._gradient}

    def restore(self, state: Arrays) -> None:
        prefix = "search."
        self._search.restore(
            {n.removeprefix(prefix): a for n, a in state.items() if n.startswith(prefix)}
        )
        self._begin()
        self._value, self._gradient = float(state["value"][0]), state["gradient"].copy()


class MaxMargin(_Vector):
    """Exponentiated gradient on the dual of the max-margin problem (Koo et al. 2007).

    Minimised is `|w|^2 / 2 + C sum_i max_y [cost_i(y) - w . (f(y_i) - f(y))]`, where a wrong
    head costs 1. Each sentence has a distribution over its trees, given by scores of arcs
    (`duals`); `w = C sum_i [f(y_i) - expected f]` is kept up to date while one sentence after
    the other moves its scores by `rate * (cost + w . f)`.
    """

    def __init__(self, pupil: Pupil, config: GraphConfig) -> None:
        super().__init__(pupil, config)
        lengths = np.diff(pupil.starts)
        self._places = np.concatenate([[0], np.cumsum(lengths * (lengths + 1))])
        self._duals = np.zeros(int(self._places[-1]))
        self._weights = np.zeros(self.features)
        for s in range(len(lengths)):
            # In the beginning, the gold tree is all but certain, and w is nearly nothing.
            here = self._duals[self._places[s] : self._places[s + 1]]
            rows = self._rows(s)
            here[rows] = config.head_start
            n = len(rows)
            here.reshape(n + 1, n)[np.arange(1, n + 1), np.arange(n)] = -np.inf
            _, marginals, _ = self.beliefs(s, here)
            self._move(s, marginals, certain(rows, len(here)))

    def _rows(self, s: int) -> NDArray[np.int64]:
        gold = self.pupil.gold(s)
        n = len(gold)
        return np.asarray(gold.astype(np.int64) * n + np.arange(n))

    def _move(self, s: int, marginals: Floats, before: Floats) -> None:
        """w changes by C times the fall of the expected features."""
        change = self.config.margin_c * (before - marginals)
        self.pupil.tutor.dense_add(s, change, self._weights)

    def learn(self, s: int) -> bool:
        here = self._duals[self._places[s] : self._places[s + 1]]
        _, before, _ = self.beliefs(s, here)
        gains = self.pupil.tutor.dense_scores(s, self._weights)
        gains += 1 - certain(self._rows(s), len(here))
        here += self.config.eg_rate * gains
        # Only differences between the heads of a word matter.
        n = len(self.pupil.gold(s))
        columns = here.reshape(n + 1, n)
        columns -= columns.max(axis=0)
        _, after, _ = self.beliefs(s, here)
        self._move(s, after, before)
        return bool(np.abs(after - before).max() > _NEGLIGIBLE)

    def finish(self) -> None:
        pass

    def weights(self) -> Floats:
        return self._weights

    def objectives(self) -> tuple[float, float]:
        """The primal and the dual objective; at the optimum they meet."""
        norm = float(self._weights @ self._weights) / 2
        primal, dual = norm, -norm
        for s in range(len(self.pupil.starts) - 1):
            rows = self._rows(s)
            here = self._duals[self._places[s] : self._places[s + 1]]
            costs = 1 - certain(rows, len(here))
            table = self.pupil.tutor.dense_scores(s, self._weights)
            scores, marginals, _ = self.beliefs(s, here)
            worst = decode(
                Scores(table + costs, scores.lengths),
                projective=self.config.projective,
                too_long="spanning",
            )
            primal += self.config.margin_c * (float(worst.scores[0]) - float(table[rows].sum()))
            dual += self.config.margin_c * float(costs @ marginals)
        return primal, dual

    def state(self) -> dict[str, NDArray[Any]]:
        return {"duals": self._duals, "weights": self._weights}

    def restore(self, state: Arrays) -> None:
        self._duals, self._weights = state["duals"].copy(), state["weights"].copy()


def certain(rows: NDArray[np.int64], size: int) -> Floats:
    """Probabilities of arcs when a tree is certain."""
    found = np.zeros(size)
    found[rows] = 1
    return found


def learns_online(config: GraphConfig) -> bool:
    """Whether weights change from sentence to sentence, and trees may change meanwhile."""
    is_log_linear = config.trainer == "log-linear" and config.optimizer == "adagrad"
    return is_log_linear or config.trainer in ("perceptron", "mira")


def make_lessons(pupil: Pupil, config: GraphConfig, seed: int) -> Lessons:
    """The way to learn that a configuration asks for."""
    if config.trainer == "perceptron":
        return Perceptron(pupil, config)
    if config.trainer == "mira":
        return Mira(pupil, config)
    if config.trainer == "max-margin":
        return MaxMargin(pupil, config)
    if config.optimizer == "lbfgs":
        return BatchLogLinear(pupil, config)
    return LogLinear(pupil, config, seed)
