"""The operations of the network as nodes of a graph of ONNX, which needs no torch to run.

Quantised weights are multiplied as whole numbers. Vectors are quantised when they are, each by its
own largest number: so what is said of a sentence does not depend on the others beside it.

    W x ~ scale(W) scale(x) (q(W) q(x)),  scale(x) = max |x| / 127
"""

from __future__ import annotations

import numpy as np

from niwaki.parsers.neural.network import Outputs, network
from niwaki.parsers.neural.protobuf import FLOAT, INT64, Graph
from niwaki.parsers.neural.spec import KINDS, LETTERS, NeuralSpec
from niwaki.typing import Arrays

# Whole numbers of vectors are above 0: products of those with and without sign are fastest.
_ZERO = 128
_LEAST = 1e-9


class OnnxOps:
    """See `niwaki.parsers.neural.network.Ops`; a value is the name of one in the graph."""

    def __init__(self, spec: NeuralSpec, stored: Arrays) -> None:
        self.graph = Graph()
        self._spec, self._stored = spec, stored

    def _weight(self, name: str) -> str:
        """A weight as numbers with a point."""
        array = self._stored[name]
        if array.dtype == np.int8:
            array = array.astype(np.float32) * self._stored[f"{name}.scale"][..., None]
        return self.graph.constant(array, name)

    def _number(self, value: float) -> str:
        return self.graph.constant(np.array(value, dtype=np.float32))

    def _axes(self, *values: int) -> str:
        return self.graph.constant(np.array(values, dtype=np.int64))

    def rows(self, name: str, ids: str) -> str:
        table = self._stored[name]
        if table.dtype != np.int8:
            return self.graph.node("Gather", self._weight(name), ids)
        found = self.graph.node("Gather", self.graph.constant(table, name), ids)
        scales = self.graph.constant(self._stored[f"{name}.scale"][:, None], f"{name}.scale")
        found = self.graph.node("Cast", found, to=FLOAT)
        return self.times(found, self.graph.node("Gather", scales, ids))

    def linear(self, x: str, name: str, *, exact: bool = False) -> str:
        weight, bias = self._stored[f"{name}.weight"], self._weight(f"{name}.bias")
        if weight.dtype != np.int8 or exact:
            return self.add(self._plain_product(x, f"{name}.weight"), bias)
        graph = self.graph
        zero = graph.constant(np.array(_ZERO, dtype=np.uint8))
        scale = graph.node("ReduceMax", graph.node("Abs", x), self._axes(-1), keepdims=1)
        scale = graph.node("Max", self.times(scale, self._number(1 / 127)), self._number(_LEAST))
        steps = graph.node("Div", x, scale)
        whole = graph.node("QuantizeLinear", steps, self._number(1.0), zero)
        product = graph.node("MatMulInteger", whole, graph.constant(weight.T), zero)
        scales = graph.constant(self._stored[f"{name}.weight.scale"])
        found = self.times(self.times(graph.node("Cast", product, to=FLOAT), scale), scales)
        return self.add(found, bias)

    def _plain_product(self, x: str, name: str) -> str:
        array = self._stored[name]
        if array.dtype == np.int8:
            array = array.astype(np.float32) * self._stored[f"{name}.scale"][..., None]
        return self.graph.node("MatMul", x, self.graph.constant(array.T, name))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        weight, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self.graph.node("LayerNormalization", x, weight, bias, epsilon=float(epsilon))

    def add(self, x: str, y: str) -> str:
        return self.graph.node("Add", x, y)

    def times(self, x: str, y: str) -> str:
        return self.graph.node("Mul", x, y)

    def gelu(self, x: str) -> str:
        return self.graph.node("Gelu", x)

    def gate(self, x: str) -> str:
        half, other = self.graph.nodes("Split", [x], 2, axis=-1, num_outputs=2)
        return self.times(half, self.graph.node("Sigmoid", other))

    def attend(self, qkv: str, heads: int, bias: str) -> str:
        graph, size = self.graph, self._spec.width // heads
        # A size of 0 is that of the input.
        shape = self._axes(0, 0, heads, size)
        apart = [
            graph.node("Reshape", each, shape)
            for each in graph.nodes("Split", [qkv], 3, axis=-1, num_outputs=3)
        ]
        queries, values = (graph.node("Transpose", x, perm=(0, 2, 1, 3)) for x in apart[::2])
        keys = graph.node("Transpose", apart[1], perm=(0, 2, 3, 1))
        scores = self.times(graph.node("MatMul", queries, keys), self._number(size**-0.5))
        shares = graph.node("Softmax", self.add(scores, bias), axis=-1)
        found = graph.node("Transpose", graph.node("MatMul", shares, values), perm=(0, 2, 1, 3))
        return graph.node("Reshape", found, self._axes(0, 0, self._spec.width))

    def first_axis(self, x: str) -> str:
        return self.graph.node("Transpose", x, perm=(2, 0, 1))

    def flat(self, x: str) -> str:
        return self.graph.node("Reshape", x, self._axes(0, 0, -1))

    def window(self, x: str, reach: int) -> str:
        graph, zeros = self.graph, self._axes(0, reach, 0, 0, reach, 0)
        wide = graph.node("Pad", x, zeros)
        axis, end = self._axes(1), self._axes(np.iinfo(np.int64).max)
        left = graph.node("Slice", wide, self._axes(0), self._axes(-2 * reach), axis)
        right = graph.node("Slice", wide, self._axes(2 * reach), end, axis)
        return graph.node("Concat", left, x, right, axis=-1)

    def pick(self, x: str, places: str) -> str:
        rows = self.graph.node("Reshape", x, self._axes(-1, self._spec.width))
        return self.graph.node("Gather", rows, places)

    def with_root(self, x: str, name: str) -> str:
        graph = self.graph
        count = graph.node("Shape", x, start=0, end=1)
        shape = graph.node("Concat", count, self._axes(1, self._spec.width), axis=0)
        return graph.node("Concat", graph.node("Expand", self._weight(name), shape), x, axis=1)

    def products(self, x: str, y: str) -> str:
        return self.graph.node("MatMul", x, self.graph.node("Transpose", y, perm=(0, 2, 1)))

    def drop(self, x: str) -> str:
        return x

    def drop_rows(self, x: str) -> str:
        return x


def onnx_model(spec: NeuralSpec, stored: Arrays) -> bytes:
    """The network with its weights as a model of ONNX."""
    ops = OnnxOps(spec, stored)
    graph, words = ops.graph, ("s", "n")
    inputs = {"letters": graph.input("letters", INT64, (*words, len(LETTERS)))}
    if spec.has_pieces:
        inputs["pieces"] = graph.input("pieces", INT64, ("w", "p"))
        inputs["at"] = graph.input("at", INT64, ("p",))
        inputs["edges"] = graph.input("edges", FLOAT, ("w", 1, 1, "p"))
        inputs["first"] = graph.input("first", INT64, words)
    else:
        inputs["inside"] = graph.input("inside", FLOAT, (*words, 1))
    if spec.encoder == "mpnet":
        inputs["distances"] = graph.input("distances", INT64, ("p", "p"))
    found: Outputs[str] = network(spec, ops, inputs)
    graph.output(found.arcs, "arcs", ("s", "h", "n"))
    graph.output(found.label_heads, "label_heads", ("s", "h", spec.label_width))
    graph.output(found.label_words, "label_words", (*words, spec.label_width))
    for kind in KINDS:
        if kind in found.classes:
            graph.output(found.classes[kind], kind, (*words, len(spec.classes[kind])))
    return graph.model()
