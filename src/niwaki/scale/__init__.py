"""Corpora beyond one process: engines, jobs over shards, and a parser for frameworks of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from niwaki.scale.parse import Parse

__all__ = ["Parse"]


def __getattr__(name: str) -> Any:
    # Engines are for training, too, which does not wait for models to be imported.
    if name != "Parse":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from niwaki.scale.parse import Parse

    return Parse
