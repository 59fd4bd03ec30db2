"""Sentences and their trees as the API shows them: a list for each column, one value a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from niwaki.data.kbest import KBest
from niwaki.data.probabilities import NOTES, TREE_COMMENT
from niwaki.data.sentence import Sentence


def shown_sentence(sentence: Sentence) -> dict[str, Any]:
    """Everything that is drawn; heads count from 1, 0 is the root, -1 is unknown."""
    record: dict[str, Any] = {
        "id": sentence.id,
        "text": sentence.text,
        "tokens": sentence.forms,
        "lemmas": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats,
        "heads": sentence.heads,
        "deprels": sentence.deprels,
        "ranges": [[each.first, each.last, each.form] for each in sentence.ranges],
    }
    notes = sentence.notes
    for kind, name in NOTES.items():
        if all(name in each for each in notes):
            record[f"{kind}_probabilities"] = [float(each[name]) for each in notes]
    if TREE_COMMENT in sentence.metadata:
        record["probability"] = float(sentence.metadata[TREE_COMMENT])
    return record


def shown_candidates(candidates: KBest) -> dict[str, Any]:
    """The k best trees of a sentence, best first."""
    sentence = candidates.sentence
    return {
        "id": sentence.id,
        "text": sentence.text,
        "tokens": sentence.forms,
        "upos": sentence.upos,
        "parses": [
            {
                "heads": tree.heads,
                "deprels": tree.deprels,
                "score": score,
                "probability": probability,
            }
            for tree, score, probability in zip(
                candidates.trees,
                candidates.scores.tolist(),
                candidates.probabilities.tolist(),
                strict=True,
            )
        ],
    }


def as_conllu(sentences: Sequence[Sentence]) -> bytes:
    """CoNLL-U of whole sentences, each with its blank line."""
    return b"".join(each.source.rstrip(b"\r\n") + b"\n\n" for each in sentences)
