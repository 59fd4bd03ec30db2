"""What can be said of the segmenter and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SegmenterConfig:
    """What finds sentences and words in raw text."""

    # Learn it, if the data has `# text` or SpaceAfter.
    enabled: bool = True
    epochs: int = 6
    learning_rate: float = 0.2
    adagrad_epsilon: float = 0.1
    # A feature of token and sentence ends gets weights only when it was met so often.
    min_updates: int = 2
    max_rows: int = 100_000
