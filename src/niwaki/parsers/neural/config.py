"""What can be said of a neural parser and of how it learns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from niwaki.keys import GIVEN, WrongKeyError, key


@dataclass(frozen=True)
class NeuralConfig:
    """A parser whose network gives each arc a score, and tags, features and lemmas too."""

    # Of other tables: a network looks at words, and tags them itself.
    silent: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "model": ("features", "more_features", "clusters", "max_rows"),
        "tagger": (
            *("learner", "epochs", "learning_rate", "adagrad_epsilon", "margin", "known_words"),
            *("smoothing", "min_updates", "folds", "max_rows", "finetune_epochs"),
        ),
    }

    encoder: str = key(
        "",
        "A pretrained encoder, BERT (uncased) or MPNet: a folder with config.json, vocab.txt and "
        "model.safetensors, or a name of the Hugging Face hub. Without one, an encoder of words, "
        "affixes and shapes is learned from the treebank.",
        path="folder",
        init="fixed",
    )
    layers: int = key(
        0,
        "Layers of the encoder: 0 is all that a pretrained one has, and 4 without one.",
        least=0,
        most=96,
        init="fixed",
    )
    width: int = key(
        256,
        "Width of the vectors of words; a pretrained encoder has its own.",
        least=8,
        most=4096,
        init="fixed",
    )
    arc_width: int = key(
        256, "Width of the vectors that arcs are scored by.", least=4, most=4096, init="fixed"
    )
    label_width: int = key(
        128, "Width of the vectors that labels are scored by.", least=4, most=4096, init="fixed"
    )
    letter_rows: int = key(
        16384,
        "Rows that words, affixes and shapes are hashed to.",
        least=16,
        most=1 << 22,
        init="fixed",
    )
    decode: Literal["mst", "eisner", "mbr"] = key(
        "mst",
        'How trees are chosen: the best ("mst"), the best projective one ("eisner"), or that of '
        'the fewest expected errors ("mbr").',
        init="fixed",
    )
    projective: bool = key(False, "Learn among projective trees only.", init="fixed")
    quantized: bool = key(
        True,
        "Keep weights as whole numbers of 8 bits: a quarter of the size, and faster.",
        init="fixed",
    )
    # A model that is fine-tuned is past its long steps.
    learning_rate: float = key(0.001, "Length of AdamW's steps.", above=0, init=0.0002)
    encoder_learning_rate: float = key(
        0.0002,
        "Length of the steps of a pretrained encoder.",
        above=0,
        when={"encoder": GIVEN},
        init=0.00005,
    )
    warmup: float = key(
        0.1,
        "Share of the training in which steps grow; then they shrink to nothing.",
        least=0,
        below=1,
        init=0.0,
    )
    weight_decay: float = key(0.01, "How much weights are drawn towards 0.", least=0, init="same")
    dropout: float = key(
        0.1, "Share of the numbers that are left out while learning.", least=0, below=1, init="same"
    )
    finetune_share: float = key(
        1.0,
        "With --init: how much of what was learned is added to the model's weights. Less keeps "
        "more of what it knew.",
        above=0,
        most=1,
        init=1.0,
    )
    batch_words: int = key(500, "Words that make a step.", least=1, init="same")
    precision: Literal["auto", "float32", "bfloat16"] = key(
        "auto",
        'What the encoder learns in: "auto" is bfloat16 where the processor multiplies it itself.',
        init="same",
    )

    def check(self, config: Any) -> None:
        for table, names in self.silent.items():
            for name in names:
                if f"{table}.{name}" in config.given:
                    raise WrongKeyError(
                        f"{table}.{name}",
                        'says nothing with model.kind = "neural", whose network looks at words '
                        "and tags them itself; leave it out",
                    )
        if self.encoder and "neural.width" in config.given:
            raise WrongKeyError("width", "says nothing with neural.encoder; leave one out")
        for number, objective in enumerate(config.objective):
            if getattr(objective, "tags", 1) > 1:
                raise WrongKeyError(
                    f"objective[{number}].tags",
                    f"is {objective.tags}, but a neural parser looks at no tags; leave it out",
                )
