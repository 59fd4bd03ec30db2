"""Where the probabilities of tags, arcs, labels and trees stand in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from niwaki.data.sentence import Sentence

# What is written to MISC for each kind.
NOTES = {"tag": "TagProb", "arc": "ArcProb", "label": "LabelProb"}
# The comment with the probability of the whole tree.
TREE_COMMENT = "tree_probability"


def as_text(probability: float) -> str:
    """With four decimals, or four digits if it is small, so that small ones keep their order."""
    return f"{probability:.4f}" if probability >= 0.001 else f"{probability:.4g}"


def with_probabilities(misc: list[bytes], found: Mapping[str, NDArray[np.float64]]) -> list[bytes]:
    """MISC with those probabilities of the words that were found; older ones are replaced."""
    kinds = [kind for kind in NOTES if kind in found]
    names = [NOTES[kind] for kind in kinds]
    old_names = [name.encode() for name in NOTES.values()]
    rows = zip(misc, *(found[kind].tolist() for kind in kinds), strict=True)
    written = []
    for old, *values in rows:
        notes = [] if old == b"_" else old.split(b"|")
        kept = [note for note in notes if note.partition(b"=")[0] not in old_names]
        pairs = zip(names, values, strict=True)
        kept += [f"{name}={as_text(value)}".encode() for name, value in pairs]
        written.append(b"|".join(kept))
    return written


def without_probabilities(sentence: Sentence, kinds: Iterable[str] = (*NOTES, "tree")) -> Sentence:
    """The sentence without what some other parse said of its tags, arcs, labels or tree."""
    if b"Prob=" not in sentence.source and TREE_COMMENT.encode() not in sentence.source:
        return sentence
    kinds = set(kinds)
    gone = {note for kind, note in NOTES.items() if kind in kinds}
    misc = [
        "|".join(note for note in each.split("|") if note.partition("=")[0] not in gone) or "_"
        for each in sentence.misc
    ]
    comments = [
        each
        for each in sentence.comments
        if "tree" not in kinds or each.partition("=")[0].strip() != TREE_COMMENT
    ]
    return sentence.replace(misc=misc).with_comments(comments)
