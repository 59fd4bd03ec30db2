"""What a compression loses against a reference: 1 - Prec x BP (Cohn and Lapata 2007).

Prec is the share of kept words that the reference keeps. A brevity penalty is what keeps it from
keeping one sure word: with c words kept and r in the reference, BP1 = exp(1 - max(1, r/c)) is for
those that are too short alone, BP2 = exp(1 - max(c/r, r/c)) for those that are too long as well.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from niwaki.typing import FloatArray

Loss = Literal["bp2", "bp1", "precision"]
LOSSES: tuple[Loss, ...] = get_args(Loss)


def losses(right: int, wrong: int, kind: Loss = "bp2") -> FloatArray:
    """By true and false positives, if the reference keeps `right` words and drops `wrong`."""
    true, false = np.meshgrid(np.arange(right + 1.0), np.arange(wrong + 1.0), indexing="ij")
    # Nothing kept loses all.
    length = np.maximum(true + false, 1e-9)
    ratio = {
        "precision": np.ones_like(length),
        "bp1": np.maximum(1, right / length),
        "bp2": np.maximum(length / right, right / length),
    }[kind]
    return np.asarray(1 - true / length * np.exp(1 - ratio))
