"""A network that learns: its weights, their gradients and steps, and scores of this moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from niwaki.kernel.batch import Batch
from niwaki.learning.checkpoint import below
from niwaki.parsers.neural.config import NeuralConfig
from niwaki.parsers.neural.inputs import Inputs, Words
from niwaki.parsers.neural.network import Outputs, is_frozen, is_rough
from niwaki.parsers.neural.optimizer import Optimizer
from niwaki.parsers.neural.scorer import Encoded
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.parsers.neural.torch_ops import TorchOps, as_tensors, fast_dtype, run
from niwaki.parsers.neural.wordpiece import WordPieces
from niwaki.typing import Arrays

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Learner:
    """A network in torch. It is also an `Encoder`, of the weights that it has when asked."""

    def __init__(
        self,
        spec: NeuralSpec,
        config: NeuralConfig,
        pieces: WordPieces | None,
        weights: Mapping[str, NDArray[np.float32]],
    ) -> None:
        self.inputs = Inputs(spec, pieces)
        self.weights = as_tensors(weights)
        self.trained = {n: x for n, x in self.weights.items() if not is_frozen(n)}
        for weight in self.trained.values():
            weight.requires_grad_()
        self.steps = 0
        self.version = 0  # weights that are asked twice answer once
        self._spec, self._dropout = spec, config.dropout
        self._optimizer = Optimizer(self.trained, config, spec.has_pieces)
        self._pending: list[Tensor] | None = None
        dtype = fast_dtype() if config.precision == "auto" else _DTYPES[config.precision]
        # Copies of what may be computed roughly, made once for all pieces of a step.
        self._rough = {
            name: weight.detach().to(dtype).requires_grad_()
            for name, weight in self.trained.items()
            if dtype != torch.float32 and is_rough(name)
        }
        self._rough_version = 0
        self._sums: list[Tensor] = []

    # -- scores --------------------------------------------------------------------------

    def run(
        self, words: Words, sentences: Sequence[int], random: torch.Generator | None = None
    ) -> Outputs[Tensor]:
        """The scores of some sentences, as one learns if there is something to drop by."""
        _alone()
        weights = self.weights if random is None else {**self.weights, **self._rough}
        ops = TorchOps(weights, self._dropout, random)
        return run(self._spec, ops, self.inputs.padded(words, sentences))

    @property
    def label_mix(self) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self.weights["labels.mix"].detach().numpy()
        return found

    def encode(self, batch: Batch) -> Sequence[Encoded]:
        return _LiveValues(self, self.inputs.words(batch))

    # -- gradients and steps ---------------------------------------------------------------

    def gradient(self, loss: Tensor) -> Sequence[Tensor]:
        """By all weights that are trained, or by the copies that were computed with."""
        every = list(self.trained.values())
        found = torch.autograd.grad(loss, [*every, *self._rough.values()], allow_unused=True)
        of_copies = dict(zip(self._rough, found[len(every) :], strict=True))
        chosen = [
            of_copies.get(name) if each is None else each
            for name, each in zip(self.trained, found, strict=False)
        ]
        return [
            torch.zeros_like(weight) if each is None else each
            for weight, each in zip(every, chosen, strict=True)
        ]

    def refresh(self) -> None:
        """Copy the weights of this moment, before pieces of a step are computed."""
        if self._rough_version != self.version:
            with torch.no_grad():
                for name, copy in self._rough.items():
                    copy.copy_(self.trained[name])
            self._rough_version = self.version

    def sum(self, parts: Sequence[Sequence[Tensor]]) -> Sequence[Tensor]:
        """Gradients added in their order, in arrays that serve every step."""
        _alone()
        if not self._sums:
            self._sums = [torch.empty_like(weight) for weight in self.trained.values()]
        with torch.no_grad():
            for at, total in enumerate(self._sums):
                total.copy_(parts[0][at])
                for part in parts[1:]:
                    total.add_(part[at])
        return self._sums

    @property
    def has_pending(self) -> bool:
        return self._pending is not None

    def add_pending(self, gradients: Sequence[Tensor]) -> None:
        """Gradients of costs go into the next step, beside those of trees."""
        before = self._pending or [torch.zeros_like(each) for each in gradients]
        self._pending = [x + y for x, y in zip(before, gradients, strict=True)]

    def step(self, gradients: Sequence[Tensor], progress: float) -> None:
        _alone()
        if self._pending is not None:
            pairs = zip(gradients or self._pending, self._pending, strict=True)
            gradients = [x + y for x, y in pairs] if gradients else self._pending
            self._pending = None
        self._optimizer.step(gradients, progress)
        self.steps += 1
        self.version += 1

    def move(self, gradients: Sequence[Tensor], length: float) -> None:
        """Move the weights along gradients, plainly."""
        with torch.no_grad():
            for weight, gradient in zip(self.trained.values(), gradients, strict=True):
                weight.add_(gradient, alpha=length)
        self.version += 1

    # -- arrays ----------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        return {name: weight.detach().numpy() for name, weight in self.weights.items()}

    def export(self) -> Arrays:
        """All that learning goes on from; what is frozen is as it was."""
        trained = {name: weight.detach().numpy() for name, weight in self.trained.items()}
        found = {f"weights.{name}": array for name, array in trained.items()}
        found |= {f"adam.{name}": array for name, array in self._optimizer.export().items()}
        found["steps"] = np.array([self.steps], dtype=np.int64)
        if self._pending is not None:
            pairs = zip(self.trained, self._pending, strict=True)
            found |= {f"pending.{name}": each.numpy() for name, each in pairs}
        return found

    def restore(self, arrays: Arrays) -> None:
        with torch.no_grad():
            for name, array in below(arrays, "weights").items():
                self.trained[name].copy_(torch.from_numpy(np.array(array)))
        self._optimizer.restore(below(arrays, "adam"))
        self.steps = int(arrays["steps"][0])
        pending = below(arrays, "pending")
        if pending:
            self._pending = [torch.from_numpy(np.array(pending[name])) for name in self.trained]
        self.version += 1


def _alone() -> None:
    """Let torch compute in this thread only, which must be told so itself. Whoever calls divides
    the work among threads; where all processors are busy, those of torch would mostly wait for
    each other, a hundred times a step.
    """
    torch.set_num_threads(1)


class _LiveValues(Sequence[Encoded]):
    """What the weights of this moment say of the sentences of a batch."""

    def __init__(self, learner: Learner, words: Words) -> None:
        self._learner, self._words = learner, words
        self._known: dict[int, tuple[int, Encoded]] = {}
        self._changing = threading.Lock()

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[Encoded]:
        return (self[s] for s in range(len(self)))

    def __getitem__(self, s: int) -> Encoded:  # type: ignore[override]
        version = self._learner.version
        known = self._known.get(s)
        if known is not None and known[0] == version:
            return known[1]
        with torch.no_grad():
            found = self._learner.run(self._words, [s])
        encoded = Encoded(
            found.arcs[0].numpy(),
            found.label_heads[0].numpy(),
            found.label_words[0].numpy(),
            {kind: each[0].numpy() for kind, each in found.classes.items()},
        )
        with self._changing:
            # What older weights said is of no use.
            if any(other != version for other, _ in self._known.values()):
                self._known.clear()
            self._known[s] = version, encoded
        return encoded
