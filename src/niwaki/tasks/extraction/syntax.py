"""SynMatch: candidates that stand to words of the question as the phrase that is asked for does.

The way from each verb and noun of the question to what is asked for is compared with the way from
the same word of a sentence to a candidate, by dynamic time warping: ways are aligned in order, a
relation may meet several, and each meeting of different ones costs 1. A pair of ways is worth 1 -
cost / length of the longer one; a mention is worth the sum (Shen and Lapata 2007; how they make a
similarity of the cost is not said).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from niwaki.tasks.answers.words import SAME
from niwaki.tasks.extraction.phrases import Asked, Candidate, Mention, Text
from niwaki.tasks.trees import TreeView, path_between

Path = tuple[str, ...]
_KEYS = frozenset(("VERB", "NOUN", "PROPN", "NUM", "ADJ"))
_PARTS = frozenset(("compound", "flat", "fixed", "amod", "nummod"))
_ADVERBS = frozenset("when where how why".split())


class SynMatch:
    """See the module. A candidate is worth as much as its best mention."""

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        keys = key_words(asked)
        met = [_met(asked.question, text, keys) for text in asked.sentences]
        ways = {key: _way_asked(asked.question.tree, key, asked.phrase or 0) for key in keys}

        def worth(mention: Mention) -> float:
            tree = asked.sentences[mention.sentence].tree
            return sum(
                max(likeness(ways[key], way(tree, word, mention.head)) for word in words)
                for key, words in met[mention.sentence].items()
                if mention.head not in words
            )

        return [max(map(worth, each.mentions)) for each in candidates]


def key_words(asked: Asked) -> list[int]:
    """Heads of the phrases of a question: verbs and nouns, without what is asked for."""
    tree, content = asked.question.tree, asked.question.words.content
    return [
        word
        for word in range(1, len(tree.forms) + 1)
        if asked.phrase
        and word != asked.phrase
        and content[word - 1]
        and tree.upos[word - 1] in _KEYS
        and tree.relations[word - 1] not in _PARTS
    ]


def _met(question: Text, text: Text, keys: Sequence[int]) -> dict[int, list[int]]:
    """The words of a sentence that are the same as each key word, where there are any."""
    same = question.words.relations(text.words) & SAME
    found = {key: (np.flatnonzero(same[key - 1]) + 1).tolist() for key in keys}
    return {key: words for key, words in found.items() if words}


def way(tree: TreeView, start: int, end: int) -> Path:
    """Relations without their subtypes, with the direction of each."""
    steps = path_between(tree, start, end)
    return tuple(f"{step[:-1].partition(':')[0]}{step[-1]}" for step in steps)


def _way_asked(tree: TreeView, start: int, phrase: int) -> Path:
    """The way to what is asked for; adverbs such as "where" stand for phrases with prepositions."""
    found = way(tree, start, phrase) if phrase else ()
    if found and tree.forms[phrase - 1].lower() in _ADVERBS and found[-1] == "advmodv":
        return (*found[:-1], "oblv")
    return found


def likeness(one: Path, other: Path) -> float:
    """1 - the least cost of an alignment / the length of the longer way; 0 if one is empty."""
    if not one or not other:
        return 0.0
    row = [0.0, *[np.inf] * len(other)]
    for step in one:
        before, row = row, [np.inf]
        for place, against in enumerate(other):
            least = min(before[place], before[place + 1], row[place])
            row.append(least + (step != against))
    return 1 - row[-1] / max(len(one), len(other))
