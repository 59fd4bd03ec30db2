"""What can be said of the segmenter and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass

from niwaki.keys import GIVEN, key

_ENABLED = {"enabled": GIVEN}


@dataclass(frozen=True)
class SegmenterConfig:
    """What finds sentences and words in raw text."""

    enabled: bool = key(True, "Learn it, if the data has `# text` or SpaceAfter.")
    epochs: int = key(6, "Passes over the data.", least=1, when=_ENABLED)
    learning_rate: float = key(
        0.2, "Length of AdaGrad's steps.", least=0, when=_ENABLED, formerly=("rate",)
    )
    adagrad_epsilon: float = key(
        0.1,
        "What is added to AdaGrad's sums of gradients: more makes first steps shorter.",
        least=0,
        when=_ENABLED,
        formerly=("damping",),
    )
    min_updates: int = key(
        2,
        "A feature of token and sentence ends gets weights only when it was met so often.",
        least=1,
        most=255,
        when=_ENABLED,
        formerly=("patience",),
    )
    max_rows: int = key(100_000, "Rows of weights that are kept.", least=1, when=_ENABLED)
