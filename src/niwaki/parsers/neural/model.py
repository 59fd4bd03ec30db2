"""The neural parser as it is used: its network runs in onnxruntime, and no torch is needed."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from niwaki.errors import ExtraMissingError
from niwaki.features.parts import Parts, SavedParts
from niwaki.kernel.batch import Batch
from niwaki.parsers.arcs.parser import ArcParser
from niwaki.parsers.neural.inputs import Inputs, in_batches
from niwaki.parsers.neural.onnx_ops import onnx_model
from niwaki.parsers.neural.scorer import Encoded, NeuralScorer
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.parsers.neural.tagger import NeuralTagger
from niwaki.parsers.neural.weights import restored
from niwaki.parsers.neural.wordpiece import WordPieces
from niwaki.typing import Arrays

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

# What a model file calls them.
_NAME, _WEIGHTS, _PIECES = "neural", "weights-neural.safetensors", "word-pieces.txt"
# Pieces, or words, that are computed at a time, padding included: more do not fit the caches.
_AT_ONCE = 512


class OnnxEncoder:
    """A finished network. Each thread remembers what was said of its last batch, so that whoever
    tags and parses the same words computes them once.
    """

    def __init__(self, spec: NeuralSpec, stored: Arrays, pieces: WordPieces | None) -> None:
        if onnxruntime is None:
            raise ExtraMissingError(
                "a neural model needs onnxruntime; install it with pip install 'niwaki[accurate]'"
            )
        weights = restored(spec, stored)
        self.stored, self.pieces, self.label_mix = stored, pieces, weights["labels.mix"]
        self._inputs = Inputs(spec, pieces)
        self._outputs = ["arcs", "label_heads", "label_words", *spec.classes]
        options = onnxruntime.SessionOptions()
        # Threads are over batches; and errors are raised, not logged.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session = onnxruntime.InferenceSession(
                onnx_model(spec, stored), options, providers=["CPUExecutionProvider"]
            )
        except RuntimeError as error:
            raise ValueError(f"onnxruntime cannot run it: {error}") from error
        self._last = threading.local()

    def encode(self, batch: Batch) -> Sequence[Encoded]:
        if getattr(self._last, "batch", None) is not batch:
            self._last.found = self._encode(batch)
            self._last.batch = batch
        found: Sequence[Encoded] = self._last.found
        return found

    def _encode(self, batch: Batch) -> list[Encoded]:
        words = self._inputs.words(batch)
        found: dict[int, Encoded] = {}
        for part in in_batches(words, range(len(words)), _AT_ONCE):
            run = self._session.run(self._outputs, self._inputs.padded(words, part))
            arcs, heads, dependents, *classes = run
            for row, s in enumerate(part):
                n = words.length(s)
                found[s] = Encoded(
                    arcs[row, : n + 1, :n].copy(),
                    heads[row, : n + 1].copy(),
                    dependents[row, :n].copy(),
                    {
                        kind: each[row, :n].copy()
                        for kind, each in zip(self._outputs[3:], classes, strict=True)
                    },
                )
        return [found[s] for s in range(len(words))]


class NeuralParser(ArcParser[NeuralSpec]):
    """A parser of arcs with a network, which also tags words."""

    def __init__(self, spec: NeuralSpec, scorer: NeuralScorer) -> None:
        super().__init__(spec, scorer)
        self.encoder = scorer.encoder

    @property
    def tagger(self) -> NeuralTagger | None:
        """See `niwaki.parsers.base.TaggingParser`."""
        if "upos" not in self.spec.classes:
            return None
        return NeuralTagger(self.encoder, self.spec.classes)

    @property
    def keeps_words(self) -> bool:
        """See `niwaki.parsers.base.WordKnowing`."""
        return self.spec.has_pieces

    def knows(self, form: str) -> bool:
        assert isinstance(self.encoder, OnnxEncoder)
        pieces = self.encoder.pieces
        return pieces is not None and pieces.is_whole(form)

    @property
    def facts(self) -> Mapping[str, Any]:
        spec = self.spec
        size = {"encoder": spec.encoder, "layers": spec.layers, "width": spec.width}
        return {**size, "decode": spec.decode, "quantized": spec.quantized}

    def parts(self) -> Parts:
        assert isinstance(self.encoder, OnnxEncoder)
        parts = Parts()
        parts.add(_NAME, self.spec.to_json())
        parts.add_file(_WEIGHTS, self.encoder.stored)
        if self.encoder.pieces is not None:
            parts.add_file(_PIECES, self.encoder.pieces.lines)
        return parts


def neural_parser(spec: NeuralSpec, stored: Arrays, pieces: WordPieces | None) -> NeuralParser:
    """A finished parser."""
    return NeuralParser(spec, NeuralScorer(OnnxEncoder(spec, stored, pieces)))


def load_parser(parts: SavedParts) -> NeuralParser:
    """The parser of a model file."""
    spec = NeuralSpec.from_json(parts.record(_NAME))
    spec.check()
    pieces = WordPieces(parts.raw(_PIECES)) if spec.has_pieces else None
    arrays = parts.tensors(_WEIGHTS)
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError("weights that are no arrays")
    return neural_parser(spec, arrays, pieces)
