"""Trees from scores of arcs: the best, the k best, and sums over all of them."""

from niwaki.parsers.decoding.scores import MAX_LENGTH, Scores
from niwaki.parsers.decoding.sums import Sums, decode_mbr, expected_cost, sample, sum_trees
from niwaki.parsers.decoding.trees import Trees, decode, kbest

__all__ = [
    "MAX_LENGTH",
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
