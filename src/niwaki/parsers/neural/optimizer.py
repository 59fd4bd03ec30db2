"""AdamW with a warm-up and a linear decay, all of whose state a checkpoint can keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from niwaki.parsers.neural.config import NeuralConfig
from niwaki.typing import Arrays

_LONGEST_GRADIENT = 5.0
_BETAS = (0.9, 0.98)
# A trained encoder's own weights; all others are learned from nothing.
_ENCODER = ("pieces.", "layer")


class Optimizer:
    """Moves weights by gradients."""

    def __init__(
        self, weights: Mapping[str, Tensor], config: NeuralConfig, pretrained: bool
    ) -> None:
        self._weights, self._warmup = dict(weights), config.warmup
        groups = []
        self._rates = []
        for name, weight in self._weights.items():
            is_slow = pretrained and name.startswith(_ENCODER)
            rate = config.encoder_learning_rate if is_slow else config.learning_rate
            decay = config.weight_decay if weight.ndim > 1 else 0.0
            groups.append({"params": [weight], "lr": rate, "weight_decay": decay})
            self._rates.append(rate)
        # Fused: it makes no arrays as large as the network, as other ways do in every step.
        self._adam = torch.optim.AdamW(groups, betas=_BETAS, eps=1e-8, fused=True)

    def step(self, gradients: Sequence[Tensor], progress: float) -> None:
        """Move the weights against gradients; `progress` is what of the training is over.
        Gradients that are too long are shortened where they are.
        """
        size = torch.stack([torch.linalg.vector_norm(each) for each in gradients]).norm()
        shrink = min(1.0, _LONGEST_GRADIENT / max(float(size), 1e-12))
        rising = progress / self._warmup if self._warmup else 1.0
        factor = max(0.0, min(rising, (1 - progress) / (1 - self._warmup), 1.0))
        for group, rate in zip(self._adam.param_groups, self._rates, strict=True):
            group["lr"] = rate * factor
        for weight, gradient in zip(self._weights.values(), gradients, strict=True):
            weight.grad = gradient.mul_(shrink) if shrink < 1.0 else gradient
        self._adam.step()
        self._adam.zero_grad()

    def export(self) -> Arrays:
        found = {}
        for name, weight in self._weights.items():
            for part, value in self._adam.state[weight].items():
                found[f"{part}.{name}"] = value.numpy()
        return found

    def restore(self, arrays: Arrays) -> None:
        for name, weight in self._weights.items():
            state = self._adam.state[weight]
            for part in ("step", "exp_avg", "exp_avg_sq"):
                if f"{part}.{name}" in arrays:
                    state[part] = torch.from_numpy(np.array(arrays[f"{part}.{name}"]))
