"""Probabilities in CoNLL-U: what MISC says of the tag, the arc and the label of a word."""

from __future__ import annotations

from collections.abc import Mapping

from niwaki.typing import FloatArray

# What is written to MISC for each kind.
NOTES = {"tag": "TagProb", "arc": "ArcProb", "label": "LabelProb"}


def with_probabilities(misc: list[bytes], found: Mapping[str, FloatArray]) -> list[bytes]:
    """MISC with those probabilities of the words that were found; older ones are replaced."""
    kinds = [kind for kind in NOTES if kind in found]
    names = [NOTES[kind].encode() for kind in kinds]
    old_names = [name.encode() for name in NOTES.values()]
    rows = zip(misc, *(found[kind].tolist() for kind in kinds), strict=True)
    written = []
    for old, *values in rows:
        notes = [] if old == b"_" else old.split(b"|")
        kept = [note for note in notes if note.partition(b"=")[0] not in old_names]
        new = [b"%s=%.4f" % pair for pair in zip(names, values, strict=True)]
        written.append(b"|".join([*kept, *new]))
    return written
