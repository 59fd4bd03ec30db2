"""What comments say of how well formed a sentence is: how it was broken, what a judge thinks."""

from __future__ import annotations

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, shown

# How a sentence was broken, the text before that, and the probability that it is well formed.
BROKEN, CLEAN_TEXT, WELL_FORMED = "broken", "clean", "well_formed"


def breakage_of(sentence: Sentence) -> str | None:
    """The kind of breakage; None for a clean sentence."""
    return sentence.metadata.get(BROKEN)


def clean_text_of(sentence: Sentence) -> str:
    """The text of the clean sentence that it is, or was made of."""
    return sentence.metadata.get(CLEAN_TEXT, sentence.text)


def with_judgement(sentence: Sentence, probability: float) -> Sentence:
    """The sentence with a comment that says what a judge thinks of it."""
    others = [c for c in sentence.comments if c.partition("=")[0].strip() != WELL_FORMED]
    return sentence.with_comments([*others, f"{WELL_FORMED} = {probability:.4f}"])


def judgement_of(sentence: Sentence) -> float:
    """What a judge thinks of it; raises CorpusError if that is not told."""
    found = sentence.metadata.get(WELL_FORMED, "")
    try:
        value = float(found)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        told = f"{WELL_FORMED} = {shown(found)}" if found else f"no comment `{WELL_FORMED} =`"
        raise CorpusError(
            sentence.file,
            sentence.line,
            "SENTENCE",
            told,
            "give a probability, as `niwaki judge --to conllu` does",
        )
    return value
