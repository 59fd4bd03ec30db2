"""Pretrained encoders as they lie in folders, tiny and with random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

# Some words, pieces of others, and all that special pieces are called.
WORDS = "the gardener shapes old pines . she waters heron watch qu , ' ##es ##s ##iet ##ly"
LETTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
WIDTH, HEADS, INNER, LAYERS, POSITIONS = 16, 2, 24, 3, 20


def vocabulary(kind: str) -> list[str]:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    if kind == "mpnet":
        special = ["<s>", "<pad>", "</s>", "<unk>", *special]
    return [*special, *dict.fromkeys([*WORDS.split(), *LETTERS])]


def weights(kind: str) -> dict[str, np.ndarray[Any, Any]]:
    random = np.random.default_rng(3)
    found: dict[str, np.ndarray[Any, Any]] = {}

    def add(name: str, *shape: int) -> None:
        found[name] = random.normal(0, 0.3, shape).astype(np.float32)

    def linear(name: str, inner: int, outer: int) -> None:
        add(f"{name}.weight", outer, inner)
        add(f"{name}.bias", outer)

    def norm(name: str) -> None:
        found[f"{name}.weight"] = np.ones(WIDTH, dtype=np.float32)
        add(f"{name}.bias", WIDTH)

    add("embeddings.word_embeddings.weight", len(vocabulary(kind)), WIDTH)
    add("embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    norm("embeddings.LayerNorm")
    if kind == "bert":
        add("embeddings.token_type_embeddings.weight", 2, WIDTH)
    else:
        add("encoder.relative_attention_bias.weight", 32, HEADS)
    for n in range(LAYERS):
        here = f"encoder.layer.{n}"
        names = ("query", "key", "value") if kind == "bert" else ("q", "k", "v")
        for name in names:
            inside = "self" if kind == "bert" else "attn"
            linear(f"{here}.attention.{inside}.{name}", WIDTH, WIDTH)
        linear(f"{here}.attention.{'output.dense' if kind == 'bert' else 'attn.o'}", WIDTH, WIDTH)
        norm(f"{here}.attention.{'output.' if kind == 'bert' else ''}LayerNorm")
        linear(f"{here}.intermediate.dense", WIDTH, INNER)
        linear(f"{here}.output.dense", INNER, WIDTH)
        norm(f"{here}.output.LayerNorm")
    return found


def write_encoder(folder: Path, kind: str = "bert", **changes: Any) -> Path:
    """A folder with an encoder; `changes` are of its config.json."""
    folder.mkdir(exist_ok=True)
    config = {
        "model_type": kind,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "layer_norm_eps": 1e-6,
        "hidden_act": "gelu",
        **changes,
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("\n".join(vocabulary(kind)) + "\n")
    safetensors.numpy.save_file(weights(kind), folder / "model.safetensors")
    return folder
