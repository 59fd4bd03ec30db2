"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse

# The kernel counts in 32 bits.
_LARGEST = 2**31 - 1


def natural(text: str) -> int:
    """A whole number of at least 0."""
    if not text.isdecimal() or len(text) > 10 or int(text) > _LARGEST:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a whole number up to {_LARGEST}")
    return int(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if text.strip("0") == "" or natural(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a whole number, at least 1")
    return int(text)
