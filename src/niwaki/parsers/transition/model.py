"""The transition-based parser: labelled moves, what they look at, and the best trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.features.attributes import attribute_values, link_values
from niwaki.features.templates import compile_parser
from niwaki.features.vocabulary import Values, Vocabulary
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition import parser as kernel
from niwaki.kernel.transition.features import Program
from niwaki.kernel.transition.systems import MOVES, System, load_system
from niwaki.parsers.transition.pseudo_projective import decode, plain_label
from niwaki.tagging.tagger import Tags
from niwaki.typing import IntArray

Class = tuple[int, int]

# One labelled move is one byte of a row of weights; 64 of them are one cache line.
MAX_CLASSES = 64
# Two lines, where labels also tell of lifted arcs.
MAX_ENCODED_CLASSES = 128
OTHER = -1
# Labels tell of lifted arcs.
ENCODED = "pseudo-projective"
_ARCS = ("left", "right", "root")


@dataclass(frozen=True)
class TransitionSpec:
    """Everything about a parser but its weights; what a model file keeps of it."""

    system: str
    features: str
    labels: list[str]
    classes: list[Class]
    root_label: int
    rare: dict[tuple[int, int], int] = field(default_factory=dict)
    degrees: Mapping[str, int] = field(default_factory=dict)
    lowercase: bool = False
    # "pseudo-projective": labels such as obl↑nsubj tell of lifted arcs (see pseudo_projective).
    nonprojective: str = "projectivize"
    # Without tags, features on them are left out.
    tags: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "features": self.features,
            "labels": self.labels,
            "classes": self.classes,
            "root_label": self.root_label,
            "rare": [[*key, label] for key, label in self.rare.items()],
            "degrees": dict(self.degrees),
            "lowercase": self.lowercase,
            "nonprojective": self.nonprojective,
            "tags": self.tags,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TransitionSpec:
        return cls(
            system=record["system"],
            features=record["features"],
            labels=record["labels"],
            classes=[(move, label) for move, label in record["classes"]],
            root_label=record["root_label"],
            rare={(action, value): label for action, value, label in record["rare"]},
            degrees=record["degrees"],
            lowercase=record["lowercase"],
            nonprojective=_nonprojective(record),
            tags=record.get("tags", True),
        )


def _nonprojective(record: Mapping[str, Any]) -> str:
    """As files have it; older ones say it in other words."""
    if record.get("crossing") == "encode":
        return ENCODED
    return str(record.get("nonprojective", "projectivize"))


class TransitionModel:
    """A transition system with a linear model that chooses its labelled moves."""

    def __init__(
        self,
        spec: TransitionSpec,
        weights: SparseWeights | PackedWeights,
        clusters: Clusters | None = None,
    ) -> None:
        self.spec, self.weights, self._clusters = spec, weights, clusters
        self.labels = Vocabulary(spec.labels)
        used = {spec.root_label, *spec.rare.values()} | {label for _, label in spec.classes}
        if not all(type(label) is int and OTHER <= label < len(self.labels) for label in used):
            raise ValueError("a labelled move has a label that there is not")
        if spec.root_label < 0 or min(spec.rare.values(), default=0) < 0:
            raise ValueError("a root or a rare move has no label")
        self.plain_labels = [
            plain_label(name) if spec.nonprojective == ENCODED else name for name in spec.labels
        ]
        numbers = [self.labels.number(name) for name in self.plain_labels]
        if min(numbers, default=0) < 0:
            raise ValueError("a label tells of a lifted arc and has no plain one")
        self._plain = np.array(numbers, dtype=np.int32)
        self._has_lifted = bool((self._plain != np.arange(len(numbers))).any())
        system = load_system(spec.system)
        templates = compile_parser(
            spec.features,
            spec.degrees,
            system=system,
            clusters=clusters is not None,
            tags=spec.tags,
        )
        # Rare labels are told apart by the dependent's UPOS, whether features use it or not.
        self.attributes = list(templates.attributes)
        if "upos" not in self.attributes:
            self.attributes.append("upos")
        self.kernel = kernel.Parser(
            system,
            Program(templates.templates, len(self.attributes)),
            weights.compile() if isinstance(weights, PackedWeights) else weights,
            spec.classes,
            spec.root_label,
            spec.rare,
            self.attributes.index("upos"),
        )

    def with_weights(self, weights: SparseWeights | PackedWeights) -> TransitionModel:
        """The same parser with other weights."""
        return TransitionModel(self.spec, weights, self._clusters)

    def attribute_values(self, batch: Batch, tags: Tags) -> list[Values]:
        """What the templates see of the words of a batch, in the order of `attributes`, and
        the words' links if they ask for them.
        """
        values = attribute_values(self.attributes, batch, tags, self.spec.lowercase, self._clusters)
        return [*values, *link_values(batch)] if self.uses_links else values

    @property
    def uses_links(self) -> bool:
        """Whether templates ask for links to a translation."""
        return bool(self.kernel.program.uses_links)

    def parse(self, batch: Batch, tags: Tags, beam: int) -> tuple[IntArray, IntArray]:
        """Heads and numbers of labels of the best trees."""
        heads, labels = self.kernel.parse(batch, self.attribute_values(batch, tags), beam)
        return self.decoded(heads, labels, batch.lengths)

    def decoded(
        self, heads: IntArray, labels: IntArray, lengths: Iterable[int]
    ) -> tuple[IntArray, IntArray]:
        """Trees as they are meant: what was encoded in labels is undone."""
        if not self._has_lifted:
            return heads, labels
        heads, plain = heads.copy(), self._plain[labels]
        ends = np.cumsum(np.asarray(lengths, dtype=np.int64))
        lifted = np.flatnonzero(plain != labels)
        for s in np.unique(np.searchsorted(ends, lifted, side="right")).tolist():
            words = slice(int(ends[s - 1]) if s else 0, int(ends[s]))
            names = tuple([self.labels.names[label] for label in labels[words]])
            heads[words] = decode(Tree(tuple(heads[words].tolist()), names)).heads
        return heads, plain

    def kbest(self, batch: Batch, s: int, values: list[Values], k: int, beam: int) -> KBest:
        """The k best distinct trees that the beam finds; a beam narrower than k is widened."""
        heads, labels, scores, moves = self.kernel.kbest(batch, s, values, k, beam)
        if self._has_lifted:
            words = heads.shape[1]
            flat = self.decoded(heads.ravel(), labels.ravel(), [words] * len(heads))
            heads, labels = (each.reshape(-1, words) for each in flat)
        found = KBest(heads, labels, scores, self.labels.names, tuple(moves), number=s)
        # The kernel's trees are distinct, but two encoded ones may mean the same one.
        return found.distinct() if self._has_lifted else found

    def class_numbers(self) -> dict[Class, int]:
        """The labelled move of each move and label; rare labels share one."""
        return class_numbers(self.spec.classes, len(self.labels))


def class_numbers(classes: list[Class], labels: int) -> dict[Class, int]:
    numbers = {action: number for number, action in enumerate(classes)}
    for move in (MOVES.index(name) for name in _ARCS):
        if (move, OTHER) in numbers:
            for label in range(labels):
                numbers.setdefault((move, label), numbers[move, OTHER])
    return numbers


def make_transition_spec(
    sentences: Iterable[Sentence],
    system: str,
    features: str,
    *,
    degrees: Mapping[str, int] | None = None,
    lowercase: bool = False,
    nonprojective: str = "projectivize",
    tags: bool = True,
    max_classes: int | None = None,
) -> TransitionSpec:
    """The labelled moves that a treebank needs; rare ones share a class.

    What label they then get is decided by the dependent's UPOS. With "pseudo-projective", the
    trees are those of `encode_all`.
    """
    arcs: Counter[tuple[str, str]] = Counter()
    rare_arcs: Counter[tuple[str, str, str]] = Counter()
    for sentence in sentences:
        for word, (head, label, upos) in enumerate(
            zip(sentence.heads, sentence.deprels, sentence.upos, strict=True), start=1
        ):
            if head >= 0:
                move = "root" if head == 0 else "left" if head > word else "right"
                arcs[move, label] += 1
                rare_arcs[move, label, upos] += 1
    if not arcs:
        raise ConfigError("the training data has no arcs; give sentences with heads")
    known = {label for _, label in arcs}
    if nonprojective == ENCODED:
        known |= set(map(plain_label, known))
    labels = Vocabulary(sorted(known))
    roots = Counter({label: count for (move, label), count in arcs.items() if move == "root"})
    moves = _moves_for(load_system(system), roots)
    plain = [(MOVES.index(name), 0) for name in moves if name not in _ARCS]
    wanted = [(move, label) for (move, label), _ in arcs.most_common() if move in moves]
    arc_moves = [name for name in moves if name in _ARCS]
    usual_most = MAX_ENCODED_CLASSES if nonprojective == ENCODED else MAX_CLASSES
    room = (max_classes or usual_most) - len(plain)
    if len(wanted) > room:
        wanted = wanted[: room - len(arc_moves)]
    kept = [(MOVES.index(move), labels.number(label)) for move, label in wanted]
    dropped = {arc for arc in arcs if arc[0] in moves} - set(wanted)
    # A system without one of its moves would come to a dead end.
    unseen = set(arc_moves) - {move for move, _ in arcs}
    usual = labels.number(arcs.most_common(1)[0][0][1])
    kept += [(MOVES.index(move), usual) for move in sorted(unseen)]
    others = [(MOVES.index(move), OTHER) for move in sorted({move for move, _ in dropped})]
    classes = [*plain, *kept, *others]
    return TransitionSpec(
        system=system,
        features=features,
        labels=labels.names,
        classes=classes,
        root_label=labels.number(roots.most_common(1)[0][0]) if roots else 0,
        rare=_rare_labels(rare_arcs, dropped, classes, labels),
        degrees=degrees or {},
        lowercase=lowercase,
        nonprojective=nonprojective,
        tags=tags,
    )


def _moves_for(system: System, roots: Counter[str]) -> tuple[str, ...]:
    """The moves of a system; labels of roots are chosen only where there is a choice."""
    if system.root_is_optional and len(roots) < 2:
        return tuple([name for name in system.moves if name != "root"])
    return system.moves


def _rare_labels(
    arcs: Counter[tuple[str, str, str]],
    dropped: set[tuple[str, str]],
    classes: list[Class],
    labels: Vocabulary,
) -> dict[tuple[int, int], int]:
    """The most frequent rare label of each class, by the dependent's UPOS (0: any)."""
    counts: dict[tuple[int, int], Counter[int]] = {}
    upos = Vocabulary(sorted({tag for _, _, tag in arcs}))
    for (move, label, tag), count in sorted(arcs.items()):
        if (move, label) in dropped:
            action = classes.index((MOVES.index(move), OTHER))
            for value in (int(upos.values[upos.number(tag)]), 0):
                counts.setdefault((action, value), Counter())[labels.number(label)] += count
    return {key: counter.most_common(1)[0][0] for key, counter in counts.items()}
