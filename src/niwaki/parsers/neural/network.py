"""The network, written once: the same lines train it (`torch_ops`) and write it as a graph of
ONNX (`onnx_ops`).

Sentences are padded to equal length. `letters` are [sentence, word, attribute]; a pretrained
encoder also reads `pieces` [window, piece], with `edges` (0, or a large negative number where a
window is padded) and `first`, the place of each word's first piece among all pieces. A sentence is
one window, or several if it is long. Without one, `inside` is 1 for words and 0 for padding.

Scores of arcs are biaffine (Dozat and Manning 2017): s(h, d) = h U d + u h, with vectors of words
as heads and as dependents. Scores of labels are too (`label_scores`), but of few arcs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from niwaki.parsers.neural.spec import LETTERS, NeuralSpec

T = TypeVar("T")
Shape = tuple[int, ...]
Vectors = NDArray[np.float32]
Places = NDArray[np.integer[Any]]

# Buckets of distances between pieces, and the distance from which all are alike (MPNet).
BUCKETS, FARTHEST = 32, 128
# Heads whose labels are computed at a time; each takes some 25 kB.
_HEADS_AT_ONCE = 512
# A word sees words at these distances, layer by layer.
_REACHES = (1, 2, 4, 8)


class Ops(Protocol[T]):
    """What the network is made of; weights are known by their names."""

    def rows(self, name: str, ids: T) -> T:
        """Rows of a table."""

    def linear(self, x: T, name: str, *, exact: bool = False) -> T:
        """W x + b; unless `exact`, as roughly as the encoder may be computed."""

    def norm(self, x: T, name: str, epsilon: float) -> T:
        """Layer normalisation."""

    def add(self, x: T, y: T) -> T: ...

    def times(self, x: T, y: T) -> T: ...

    def gelu(self, x: T) -> T: ...

    def gate(self, x: T) -> T:
        """a * sigmoid(b), of the two halves of the last axis."""

    def attend(self, qkv: T, heads: int, bias: T) -> T:
        """Attention with several heads, of queries, keys and values beside each other."""

    def first_axis(self, x: T) -> T:
        """[i, j, k] as [k, i, j]."""

    def flat(self, x: T) -> T:
        """The last two axes as one."""

    def window(self, x: T, reach: int) -> T:
        """Each word beside the words so far to its left and right; zeros beyond the edges."""

    def pick(self, x: T, places: T) -> T:
        """Vectors by their places among all of x."""

    def with_root(self, x: T, name: str) -> T:
        """A vector of weights before the words of each sentence."""

    def products(self, x: T, y: T) -> T:
        """x y', sentence by sentence."""

    def drop(self, x: T) -> T:
        """Dropout, while learning."""

    def drop_rows(self, x: T) -> T:
        """Dropout of whole vectors."""


@dataclass(frozen=True)
class Outputs(Generic[T]):
    """Scores of arcs [sentence, head, word], what scores of labels are made of, and scores of
    the classes of each kind.
    """

    arcs: T
    label_heads: T
    label_words: T
    classes: dict[str, T]


def network(spec: NeuralSpec, ops: Ops[T], inputs: Mapping[str, T]) -> Outputs[T]:
    """The scores of sentences."""
    letters = ops.flat(ops.drop_rows(ops.rows("letters.rows", inputs["letters"])))
    words = ops.linear(letters, "letters.mix")
    if spec.has_pieces:
        found = _transformer(spec, ops, inputs)
        words = ops.add(ops.pick(found, inputs["first"]), words)
    else:
        words = _convolutions(spec, ops, words, inputs["inside"])
    return _heads(spec, ops, ops.drop(words))


def _transformer(spec: NeuralSpec, ops: Ops[T], inputs: Mapping[str, T]) -> T:
    x = ops.add(ops.rows("pieces.rows", inputs["pieces"]), ops.rows("pieces.at", inputs["at"]))
    x = ops.drop(ops.norm(x, "pieces.norm", spec.epsilon))
    bias = inputs["edges"]
    if spec.encoder == "mpnet":
        bias = ops.add(bias, ops.first_axis(ops.rows("pieces.distance", inputs["distances"])))
    for n in range(spec.layers):
        qkv = ops.linear(x, f"layer{n}.qkv")
        found = ops.linear(ops.attend(qkv, spec.attention_heads, bias), f"layer{n}.attended")
        x = ops.norm(ops.add(x, ops.drop(found)), f"layer{n}.attended-norm", spec.epsilon)
        found = ops.linear(ops.gelu(ops.linear(x, f"layer{n}.inner")), f"layer{n}.outer")
        x = ops.norm(ops.add(x, ops.drop(found)), f"layer{n}.outer-norm", spec.epsilon)
    return x


def _convolutions(spec: NeuralSpec, ops: Ops[T], words: T, inside: T) -> T:
    x = ops.norm(words, "letters.norm", spec.epsilon)
    for n in range(spec.layers):
        # What is padded would else leak into the sentence.
        around = ops.window(ops.times(x, inside), _REACHES[n % len(_REACHES)])
        found = ops.drop(ops.gate(ops.linear(around, f"layer{n}.around")))
        x = ops.norm(ops.add(x, found), f"layer{n}.norm", spec.epsilon)
    return x


def _heads(spec: NeuralSpec, ops: Ops[T], words: T) -> Outputs[T]:
    def narrowed(x: T, name: str) -> T:
        return ops.drop(ops.gelu(ops.linear(x, name, exact=True)))

    with_root = ops.with_root(words, "root")
    heads, dependents = narrowed(with_root, "arcs.heads"), narrowed(words, "arcs.words")
    arcs = ops.products(ops.linear(heads, "arcs.mix", exact=True), dependents)
    arcs = ops.add(arcs, ops.linear(heads, "arcs.prior", exact=True))
    classes = {}
    if spec.classes:
        tagging = narrowed(words, "tagging")
        classes = {k: ops.linear(tagging, f"tagging.{k}", exact=True) for k in spec.classes}
    return Outputs(
        arcs, narrowed(with_root, "labels.heads"), narrowed(words, "labels.words"), classes
    )


def label_scores(
    heads: Vectors, words: Vectors, mix: Vectors, arcs: tuple[Places, Places]
) -> NDArray[np.float32]:
    """Scores of the labels of arcs, a row each: h U_l d + u_l h + v_l d + c_l for each label l.

    `mix` has U, u, v and c of each label as one matrix, for vectors with a 1 behind them; `arcs`
    are places of heads and of words. The products of a head are computed once for all its arcs.
    """
    rows, places = arcs
    found = np.empty((len(rows), len(mix)), dtype=np.float32)
    order = np.argsort(rows, kind="stable")
    unique, starts = np.unique(rows[order], return_index=True)
    of_heads = np.split(order, starts[1:])
    words = _with_one(words)
    for start in range(0, len(unique), _HEADS_AT_ONCE):
        chosen = unique[start : start + _HEADS_AT_ONCE]
        left = _with_one(heads[chosen]) @ mix.reshape(-1, mix.shape[-1]).T
        left = left.reshape(len(chosen), *mix.shape[:2])
        for own, of_head in zip(left, of_heads[start:], strict=False):
            found[of_head] = words[places[of_head]] @ own.T
    return found


def _with_one(vectors: Vectors) -> Vectors:
    return np.concatenate([vectors, np.ones((len(vectors), 1), dtype=np.float32)], axis=1)


# -- weights -----------------------------------------------------------------------------------


def shapes(spec: NeuralSpec) -> dict[str, Shape]:
    """The shape of each weight, by its name."""
    found: dict[str, Shape] = {"letters.rows": (spec.letter_rows, spec.letter_width)}

    def linear(name: str, inner: int, outer: int) -> None:
        found[f"{name}.weight"], found[f"{name}.bias"] = (outer, inner), (outer,)

    def norm(name: str) -> None:
        found[f"{name}.weight"] = found[f"{name}.bias"] = (spec.width,)

    width = spec.width
    linear("letters.mix", len(LETTERS) * spec.letter_width, width)
    if spec.has_pieces:
        found["pieces.rows"], found["pieces.at"] = (spec.pieces, width), (spec.positions, width)
        norm("pieces.norm")
        if spec.encoder == "mpnet":
            found["pieces.distance"] = (BUCKETS, spec.attention_heads)
    else:
        norm("letters.norm")
    for n in range(spec.layers):
        if spec.has_pieces:
            linear(f"layer{n}.qkv", width, 3 * width)
            linear(f"layer{n}.attended", width, width)
            norm(f"layer{n}.attended-norm")
            linear(f"layer{n}.inner", width, spec.inner)
            linear(f"layer{n}.outer", spec.inner, width)
            norm(f"layer{n}.outer-norm")
        else:
            linear(f"layer{n}.around", 3 * width, 2 * width)
            norm(f"layer{n}.norm")
    found["root"] = (width,)
    for name in ("heads", "words"):
        linear(f"arcs.{name}", width, spec.arc_width)
        linear(f"labels.{name}", width, spec.label_width)
    linear("arcs.mix", spec.arc_width, spec.arc_width)
    linear("arcs.prior", spec.arc_width, 1)
    # [label, word, head], with one more of both for what only one of them says.
    found["labels.mix"] = (len(spec.labels), spec.label_width + 1, spec.label_width + 1)
    if spec.classes:
        linear("tagging", width, spec.tag_width)
    for kind, names in spec.classes.items():
        linear(f"tagging.{kind}", spec.tag_width, len(names))
    return found


def is_frozen(name: str) -> bool:
    """Whether a weight stays as the pretrained encoder has it: most word pieces of a language are
    in no treebank, and would be left behind by those that are.
    """
    return name in ("pieces.rows", "pieces.at")


def is_rough(name: str) -> bool:
    """Whether a weight is multiplied by in the encoder, where rounded numbers do (`Ops.linear`)."""
    owner, _, part = name.rpartition(".")
    is_product = part in ("weight", "bias") and not owner.endswith("norm")
    return is_product and (owner == "letters.mix" or owner.startswith("layer"))


def initial_weights(spec: NeuralSpec, seed: int) -> dict[str, NDArray[np.float32]]:
    """Weights before anything is learned."""
    random = np.random.default_rng([seed, len(spec.labels)])
    found = {}
    for name, shape in shapes(spec).items():
        if name.endswith("norm.weight"):
            found[name] = np.ones(shape, dtype=np.float32)
        elif name.endswith(".bias") or name == "labels.mix":
            found[name] = np.zeros(shape, dtype=np.float32)
        else:
            size = 1 / np.sqrt(shape[-1])
            if name == "letters.rows":
                # Beside a pretrained encoder, letters begin as a whisper.
                size = 0.1 if spec.has_pieces else 1.0
            found[name] = (size * random.standard_normal(shape)).astype(np.float32)
    return found
