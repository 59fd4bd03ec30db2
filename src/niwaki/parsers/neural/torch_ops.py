"""The operations of the network in torch: for learning, and for scores of weights that learn.

A product is computed in the numbers that its weights have. Those of the encoder may be bfloat16,
which is some times faster where the processor knows it (`Learner` has such copies); what is added
up over layers, and all scores, are float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from niwaki.parsers.neural.network import Outputs, network
from niwaki.parsers.neural.spec import NeuralSpec


class TorchOps:
    """See `niwaki.parsers.neural.network.Ops`. Without `random` nothing is dropped.

    Randomness comes from a generator of its own, so that threads change no result.
    """

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        dropout: float = 0.0,
        random: torch.Generator | None = None,
    ) -> None:
        self._weights, self._dropout = weights, dropout
        self._random = random if dropout else None

    def rows(self, name: str, ids: Tensor) -> Tensor:
        return functional.embedding(ids, self._weights[name])

    def linear(self, x: Tensor, name: str, *, exact: bool = False) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.linear(x.to(weight.dtype), weight, bias)

    def norm(self, x: Tensor, name: str, epsilon: float) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(x.float(), weight.shape, weight, bias, epsilon)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def times(self, x: Tensor, y: Tensor) -> Tensor:
        return x * y

    def gelu(self, x: Tensor) -> Tensor:
        return functional.gelu(x)

    def gate(self, x: Tensor) -> Tensor:
        return functional.glu(x, dim=-1)

    def attend(self, qkv: Tensor, heads: int, bias: Tensor) -> Tensor:
        rows, pieces, width = qkv.shape[0], qkv.shape[1], qkv.shape[2] // 3
        apart = qkv.view(rows, pieces, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        queries, keys, values = apart.unbind(0)
        # Plain products: the backward pass of torch's fused attention is slow for small heads.
        scores = queries @ keys.transpose(-1, -2) * (width // heads) ** -0.5
        shares = torch.softmax(scores.float() + bias, dim=-1).to(values.dtype)
        return (shares @ values).permute(0, 2, 1, 3).reshape(rows, pieces, width)

    def first_axis(self, x: Tensor) -> Tensor:
        return x.permute(2, 0, 1)

    def flat(self, x: Tensor) -> Tensor:
        return x.flatten(-2)

    def window(self, x: Tensor, reach: int) -> Tensor:
        wide = functional.pad(x, (0, 0, reach, reach))
        return torch.cat([wide[:, : -2 * reach], x, wide[:, 2 * reach :]], dim=-1)

    def pick(self, x: Tensor, places: Tensor) -> Tensor:
        return functional.embedding(places, x.flatten(0, 1))

    def with_root(self, x: Tensor, name: str) -> Tensor:
        root = self._weights[name].expand(x.shape[0], 1, -1)
        return torch.cat([root, x], dim=1)

    def products(self, x: Tensor, y: Tensor) -> Tensor:
        return x @ y.transpose(-1, -2)

    def drop(self, x: Tensor) -> Tensor:
        return x if self._random is None else x * self._kept(x.shape, x.dtype)

    def drop_rows(self, x: Tensor) -> Tensor:
        return x if self._random is None else x * self._kept((*x.shape[:-1], 1), x.dtype)

    def _kept(self, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        share = 1 - self._dropout
        kept = torch.empty(shape, dtype=dtype).bernoulli_(share, generator=self._random)
        return kept.div_(share)


def run(spec: NeuralSpec, ops: TorchOps, inputs: Mapping[str, NDArray[Any]]) -> Outputs[Tensor]:
    """The scores of some sentences, as `Inputs.padded` gives them."""
    return network(spec, ops, {name: torch.from_numpy(each) for name, each in inputs.items()})


def label_scores(heads: Tensor, words: Tensor, mix: Tensor) -> Tensor:
    """See `niwaki.parsers.neural.network.label_scores`."""
    ones = heads.new_ones((len(heads), 1))
    left = torch.cat([heads, ones], dim=1) @ mix.flatten(0, 1).T
    left = left.view(len(heads), *mix.shape[:2])
    return torch.einsum("nld,nd->nl", left, torch.cat([words, ones], dim=1))


def as_tensors(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, Tensor]:
    return {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}


def fast_dtype() -> torch.dtype:
    """What the encoder is computed in: bfloat16 where the processor multiplies it itself."""
    known = torch.cpu.get_capabilities()
    fast = known.get("avx512_bf16") or known.get("amx_bf16")
    return torch.bfloat16 if fast else torch.float32
