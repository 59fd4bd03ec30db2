"""Where the probabilities of tags, arcs, labels and trees stand in CoNLL-U."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

# What is written to MISC for each kind.
NOTES = {"tag": "TagProb", "arc": "ArcProb", "label": "LabelProb"}
# The comment with the probability of the whole tree.
TREE_COMMENT = "tree_probability"


def with_probabilities(misc: list[bytes], found: Mapping[str, NDArray[np.float64]]) -> list[bytes]:
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
