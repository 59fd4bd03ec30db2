"""Reads pretrained encoders: weights from safetensors, never from pickles, and word pieces."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from niwaki.errors import ConfigError
from niwaki.parsers.neural.network import shapes
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.parsers.neural.wordpiece import WordPieces

_CONFIG, _VOCABULARY, _WEIGHTS = "config.json", "vocab.txt", "model.safetensors"
# Where the parts of a layer stand, by the model's type: q, k, v, what is attended, and its norm.
_ATTENTION = {
    "bert": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "mpnet": ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
}
_ATTENDED = {"bert": "attention.output.dense", "mpnet": "attention.attn.o"}
_ATTENDED_NORM = {"bert": "attention.output.LayerNorm", "mpnet": "attention.LayerNorm"}

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Pretrained:
    """A pretrained encoder: what a spec says of it, its weights by our names, its word pieces."""

    settings: Mapping[str, Any]
    weights: Mapping[str, NDArray[np.float32]]
    pieces: WordPieces


def read_encoder(place: str, layers: int = 0) -> Pretrained:
    """An encoder from its folder, its file in the folder, or the hub; its first layers, or all."""
    folder = _find(place)
    try:
        config = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
        kind = config["model_type"]
        if kind not in _ATTENTION:
            raise _unfit(place, f"an encoder of type {kind!r}; give one of {', '.join(_ATTENTION)}")
        if config.get("hidden_act", "gelu") != "gelu":
            raise _unfit(place, f"an encoder with {config['hidden_act']!r}; give one with gelu")
        pieces = WordPieces((folder / _VOCABULARY).read_bytes())
        if pieces.has_capitals:
            raise _unfit(place, "word pieces with capitals; give an uncased encoder")
        # Safetensors does not say which file it misses.
        (folder / _WEIGHTS).stat()
        found = safetensors.numpy.load_file(folder / _WEIGHTS)
        known = int(config["num_hidden_layers"])
        if 0 < known < layers:
            raise _unfit(place, f"{known} layers, but neural.layers is {layers}; choose fewer")
        layers = layers or known
        weights = _renamed(kind, found, layers)
        _check_pieces(place, pieces, len(weights["pieces.rows"]), config.get("pad_token_id"))
        settings = {
            "encoder": kind,
            "width": int(config["hidden_size"]),
            "layers": layers,
            "attention_heads": int(config["num_attention_heads"]),
            "inner": int(config["intermediate_size"]),
            "pieces": len(pieces),
            "positions": len(weights["pieces.at"]),
            "epsilon": float(config["layer_norm_eps"]),
        }
        _check(settings, weights)
    except OSError as error:
        wanted = f"{_CONFIG}, {_VOCABULARY} and {_WEIGHTS}"
        raise _unfit(place, f"{error.strerror}: {error.filename}; a folder has {wanted}") from error
    except (ValueError, TypeError, KeyError, safetensors.SafetensorError) as error:
        fault = f"not an encoder that can be read ({error}); get it again, or give another"
        raise _unfit(place, fault) from error
    return Pretrained(settings, weights, pieces)


def _check_pieces(place: str, pieces: WordPieces, vectors: int, padding: int | None) -> None:
    """Raises ConfigError if a vocabulary is that of another encoder, as far as can be told."""
    fault = ""
    if len(pieces) != vectors:
        fault = f"{len(pieces)} word pieces, but vectors of {vectors}"
    elif padding is not None and pieces.padding and padding not in pieces.padding:
        fault = f"padding is word piece {pieces.padding[0]}, but {padding} in {_CONFIG}"
    if fault:
        raise _unfit(place, f"{fault}; give the vocabulary that goes with the encoder")


def _check(settings: Mapping[str, Any], weights: Weights) -> None:
    """Raises ValueError if the weights are not those of which config.json speaks."""
    spec = NeuralSpec(labels=[], **settings)
    spec.check()
    wanted = shapes(spec)
    for name, array in weights.items():
        if array.shape != wanted[name]:
            raise ValueError(
                f"weights {name} of shape {array.shape}, not {wanted[name]} as {_CONFIG} says"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"weights {name} that are not numbers")


def _unfit(place: str, fault: str) -> ConfigError:
    return ConfigError(f"neural.encoder {place}: {fault}")


def _find(place: str) -> Path:
    """The folder of an encoder; what is none may be a name of the hub."""
    path = Path(place)
    if path.is_dir():
        return path
    if path.is_file():
        return path.parent
    try:
        import huggingface_hub
    except ImportError:
        raise _unfit(
            place, "no such folder; for a name of the hub, pip install huggingface_hub"
        ) from None
    try:
        found = huggingface_hub.snapshot_download(
            place, allow_patterns=[_CONFIG, _VOCABULARY, _WEIGHTS]
        )
    except Exception as error:
        raise _unfit(place, f"neither a folder nor to be had from the hub ({error})") from error
    return Path(os.fspath(found))


def _renamed(kind: str, found: Mapping[str, NDArray[Any]], layers: int) -> Weights:
    """Weights by the names of `network`; those of a larger model may stand below a prefix."""
    marker = "embeddings.word_embeddings.weight"
    whole = next((name for name in found if name.endswith(marker)), marker)
    prefix = whole.removesuffix(marker)

    def get(name: str) -> NDArray[np.float32]:
        if prefix + name not in found:
            raise ValueError(f"no weights {prefix + name}")
        return np.asarray(found[prefix + name], dtype=np.float32)

    at = get("embeddings.position_embeddings.weight")
    if kind == "bert":
        # All words are of the first of two texts.
        at = at + get("embeddings.token_type_embeddings.weight")[0]
    weights = {"pieces.rows": get(marker), "pieces.at": at}
    if kind == "mpnet":
        weights["pieces.distance"] = get("encoder.relative_attention_bias.weight")

    def take(name: str, *others: str) -> None:
        for part in ("weight", "bias"):
            weights[f"{name}.{part}"] = np.concatenate([get(f"{x}.{part}") for x in others])

    take("pieces.norm", "embeddings.LayerNorm")
    for n in range(layers):
        here = f"encoder.layer.{n}."
        take(f"layer{n}.qkv", *(here + each for each in _ATTENTION[kind]))
        take(f"layer{n}.attended", here + _ATTENDED[kind])
        take(f"layer{n}.attended-norm", here + _ATTENDED_NORM[kind])
        take(f"layer{n}.inner", here + "intermediate.dense")
        take(f"layer{n}.outer", here + "output.dense")
        take(f"layer{n}.outer-norm", here + "output.LayerNorm")
    return weights
