"""What a graph parser says of sentences: probabilities, and trees that obey constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints, Subtree
from niwaki.data.tree import Tree
from niwaki.errors import ConstraintError
from niwaki.features.vocabulary import Values
from niwaki.kernel.batch import Batch
from niwaki.parsers.decoding import Ranked, Scores, kbest
from niwaki.parsers.graph.model import Floats, GraphParser, Numbers, normalised
from niwaki.parsers.transition.search import Found
from niwaki.tagging.tagger import Tags

# Arcs with less probability do not count for the probability of a label.
_NEGLIGIBLE = 1e-6


def graph_probabilities(
    parser: GraphParser, batch: Batch, tags: Tags, how: str | None
) -> tuple[Numbers, Numbers, dict[str, Floats]]:
    """Heads, labels, and what the model gives them: of each word's tag, arc and label the
    probability in the sum over all trees, and of each sentence the labelled tree's.

    The probability of a label is summed over all heads that the word may have.
    """
    heads, labels = parser.parse(batch, tags, how)
    if not batch.words:
        nothing = np.zeros(0)
        return heads, labels, dict.fromkeys(("tag", "arc", "label", "tree"), nothing)
    values = parser.attribute_values(batch, tags)
    scores, marginals, log_sums = parser.marginals(batch, values)
    rows = scores.arcs_of_words(heads)
    own = normalised(parser.label_model.chosen(batch, values, heads) / parser.label_temperature)
    chosen = own[np.arange(len(labels)), labels]
    lengths = np.asarray(batch.lengths, dtype=np.int64)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    logs = np.bincount(sentence, scores.table[rows] + chosen, minlength=len(lengths))
    found = {
        "tag": np.asarray(tags.probabilities, dtype=np.float64),
        "arc": marginals[rows],
        "label": _label_marginals(parser, batch, values, scores, marginals, labels),
        "tree": np.exp(np.minimum(logs - log_sums, 0)),
    }
    return heads, labels, found


def _label_marginals(
    parser: GraphParser,
    batch: Batch,
    values: list[Values],
    scores: Scores,
    marginals: Floats,
    labels: Numbers,
) -> Floats:
    found = np.zeros(len(labels))
    start = 0
    for s, n in enumerate(scores.lengths.tolist()):
        beliefs = marginals[scores.starts[s] : scores.starts[s + 1]]
        arcs = np.flatnonzero(beliefs > _NEGLIGIBLE)
        heads, places = (arcs // n).astype(np.int32), (arcs % n).astype(np.int32)
        logs = parser.label_logs(batch, values, s, heads, places + 1)
        shares = np.exp(logs[np.arange(len(arcs)), labels[start + places]])
        found[start : start + n] = np.bincount(places, beliefs[arcs] * shares, minlength=n)
        start += n
    return np.minimum(found, 1.0)


def graph_kbest(
    parser: GraphParser,
    batch: Batch,
    s: int,
    values: list[Values],
    k: int,
    how: str | None = None,
    constraints: Constraints | None = None,
) -> list[Found]:
    """Up to k labelled trees of a sentence, best first; all obey the constraints, if any."""
    if not constraints:
        return [
            Found(tree, score, b"")
            for tree, score in _trees(parser, parser.kbest(batch, s, values, k, how))
        ]
    scores = _constrained(parser, parser.labelled_scores(batch, s, values), constraints)
    projective = parser.decoder(how) == "eisner" or scores.siblings is not None
    (ranked,) = kbest(scores, k, projective=projective, too_long="spanning")
    found: dict[Tree, Found] = {}
    for tree, score in _trees(parser, ranked):
        named = _with_unknown_labels(parser, constraints, tree)
        # Labels that were put in may have made two candidates the same.
        if named not in found and not any(constraints.broken_by(named)):
            found[named] = Found(named, score, b"")
    if not found:
        raise ConstraintError("no tree was found that obeys all constraints; give up one")
    return list(found.values())


def _trees(parser: GraphParser, ranked: Ranked) -> list[tuple[Tree, float]]:
    names = parser.labels.names
    assert ranked.labels is not None
    return [
        (Tree(tuple(heads), tuple([names[label] for label in labels])), score)
        for heads, labels, score in zip(
            ranked.heads.tolist(), ranked.labels.tolist(), ranked.scores.tolist(), strict=True
        )
    ]


def _constrained(parser: GraphParser, scores: Scores, constraints: Constraints) -> Scores:
    """Scores by which only trees that obey are good.

    Heads and labels that must not be are forbidden. Into a subtree leads one arc, and none
    leads out of it: arcs out are forbidden, and arcs in cost so much that the best trees
    have as few as can be.
    """
    n = constraints.words
    table = scores.table.reshape(n + 1, n, -1).copy()
    largest = 1 + np.abs(np.where(np.isfinite(table), table, 0)).max()
    if scores.siblings is not None:
        largest += np.abs(scores.siblings).max()
    for statement in constraints.statements:
        if isinstance(statement, Subtree):
            inside = np.isin(np.arange(n + 1), statement.words)
            table[np.ix_(~inside, inside[1:])] -= 4 * n * largest
    table[constraints.tables.arcs[:, 1:] == 0] = -np.inf
    for word in range(1, n + 1):
        allowed = _allowed_labels(parser, constraints, word)
        if allowed is not None:
            table[:, word - 1, ~allowed] = -np.inf
    return Scores(table.reshape(n * (n + 1), -1), scores.lengths, scores.siblings)


def _allowed_labels(
    parser: GraphParser, constraints: Constraints, word: int
) -> NDArray[np.bool_] | None:
    """Which of the model's labels a word may have; None for any, or if it knows none of them."""
    wanted = constraints.labels_of(word)
    if wanted is None:
        return None
    allowed = np.isin(parser.labels.names, wanted)
    return allowed if allowed.any() else None


def _with_unknown_labels(parser: GraphParser, constraints: Constraints, tree: Tree) -> Tree:
    """The tree with labels that the model does not know put in where they must be."""
    names = list(tree.deprels)
    for word, name in enumerate(names, start=1):
        wanted = constraints.labels_of(word)
        if wanted is not None and name not in wanted:
            names[word - 1] = wanted[0]
    return Tree(tree.heads, tuple(names))
