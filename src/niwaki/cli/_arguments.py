"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse


def natural(text: str) -> int:
    """A whole number of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"found {text!r}; give a whole number")
    return int(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a whole number, at least 1")
    return int(text)
