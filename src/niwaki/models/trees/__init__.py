"""Trees from scores of arcs: the best, the k best, and sums over all of them."""

from niwaki.models.trees.decoding import Ranked, Trees, decode, kbest
from niwaki.models.trees.scores import MAX_LENGTH, Scores
from niwaki.models.trees.sums import Sums, decode_mbr, expected_cost, sample, sum_trees

__all__ = [
    "MAX_LENGTH",
    "Ranked",
    "Scores",
    "Sums",
    "Trees",
    "decode",
    "decode_mbr",
    "expected_cost",
    "kbest",
    "sample",
    "sum_trees",
]
