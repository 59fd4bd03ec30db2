"""The universal part-of-speech tags (Universal Dependencies 2)."""

from __future__ import annotations

UPOS = tuple(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
