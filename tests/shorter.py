"""Sentences that were made shorter, made up: adverbs and asides go, and who said it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from niwaki.data.compressions import Compression, Kept, marked
from niwaki.data.sentence import Sentence

_NAMES = "Mori Sato Kimura Ono Abe".split()
_VERBS = "rakes waters prunes paints sweeps plants".split()
_THINGS = "gravel moss pines lanterns bridges".split()
_WAYS = "slowly often gladly again".split()


def told(number: int) -> Compression:
    """ "Mori said she slowly rakes gravel ." -> "she rakes gravel ." """
    sentence = Sentence.from_words(
        [
            *(_NAMES[number % 5], "said", "she", _WAYS[number % 4], _VERBS[number % 6]),
            *(_THINGS[number % 5], "."),
        ],
        upos=["PROPN", "VERB", "PRON", "ADV", "VERB", "NOUN", "PUNCT"],
        heads=[2, 0, 5, 5, 2, 5, 2],
        deprels=["nsubj", "root", "nsubj", "advmod", "ccomp", "obj", "punct"],
    )
    return Compression(sentence, (choice("0010111"),))


def aside(number: int) -> Compression:
    """ "Mori , my friend , waters moss ." -> "Mori waters moss ." """
    sentence = Sentence.from_words(
        [
            *(_NAMES[number % 5], ",", "my", "friend", ",", _VERBS[number % 6]),
            *(_THINGS[(number + 1) % 5], "."),
        ],
        upos=["PROPN", "PUNCT", "PRON", "NOUN", "PUNCT", "VERB", "NOUN", "PUNCT"],
        heads=[6, 4, 4, 1, 4, 0, 6, 6],
        deprels=["nsubj", "punct", "nmod", "appos", "punct", "root", "obj", "punct"],
    )
    return Compression(sentence, (choice("10000111"),))


def choice(text: str) -> Kept:
    return tuple(mark == "1" for mark in text)


def documents(count: int = 12) -> list[list[Compression]]:
    """Of two sentences each."""
    return [_begun([told(number), aside(number)], number) for number in range(count)]


def _begun(block: list[Compression], number: int) -> list[Compression]:
    first, *rest = block
    named = first.sentence.with_comments([f"newdoc id = d{number}"])
    return [Compression(named, first.references), *rest]


def pairs(count: int = 12) -> list[Compression]:
    return [each for document in documents(count) for each in document]


def as_conllu(given: Sequence[Compression]) -> str:
    return "".join(str(marked(each.sentence, each.references[0])) for each in given)


def as_json(given: Sequence[Compression]) -> str:
    lines, name = [], ""
    for each in given:
        name = each.sentence.metadata.get("newdoc id", name)
        keep = ["".join(map(str, map(int, kept))) for kept in each.references]
        lines.append(json.dumps({"doc": name, "tokens": each.sentence.forms, "keep": keep}))
    return "\n".join([*lines, ""])
