"""Whether a text looks like what a model has learned: the share of its words that the model knows.

Nothing is guessed about languages. Words are known that a model keeps: those that its lexicon has
seen with the tag they get, whole words among its word pieces, or words of its clusters. A text of
another language shares few of them, whatever the two languages are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.data.sentence import Sentence
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import WordKnowing
from niwaki.pipeline.pipeline import Pipeline

# Chosen on single sentences: of English ones with five words and more (EWT dev, PUD), 1 in 100 has
# fewer with the model in the box, of French, Portuguese and Vietnamese ones 99 in 100 have.
FEWEST = 0.6
# With fewer words nothing is said: names make whole sentences.
SHORTEST = 5


@dataclass(frozen=True)
class Familiarity:
    """How many words with letters there are, and how many of them are known."""

    words: int
    known: int

    @property
    def is_foreign(self) -> bool:
        """Whether so few words are known that it is probably another language."""
        return self.words >= SHORTEST and self.known < FEWEST * self.words


def familiarity(model: Pipeline, sentences: Sequence[Sentence]) -> Familiarity | None:
    """How much of some sentences a model knows; None if it keeps no words to tell by."""
    known = _known(model, sentences)
    if known is None:
        return None
    forms = [form for sentence in sentences for form in sentence.forms]
    sizes = list(map(_size, forms))
    return Familiarity(
        sum(sizes), sum(size for size, each in zip(sizes, known, strict=True) if each)
    )


def _size(form: str) -> int:
    """How many words a token counts as: none without letters.

    In scripts without case every letter counts: where no spaces are written, a segmenter of
    another language leaves whole sentences in one piece.
    """
    kinds = [unicodedata.category(each) for each in form]
    if not any(kind.startswith("L") for kind in kinds):
        return 0
    return max(1, kinds.count("Lo"))


def _known(model: Pipeline, sentences: Sequence[Sentence]) -> list[bool] | None:
    forms = [form for sentence in sentences for form in sentence.forms]
    morphology = model.morphology
    lexicon = None if morphology is None else morphology.lemmas or morphology.feats
    if lexicon is not None and model.tagger is not None and sentences:
        batch = Batch([sentence.source for sentence in sentences])
        found: list[bool] = lexicon.knows(batch, model.tagger.tag(batch).tag).tolist()
        return found
    if isinstance(model.parser, WordKnowing) and model.parser.keeps_words:
        return [model.parser.knows(form) for form in forms]
    if model.clusters is not None:
        paths = model.clusters.paths
        return [form in paths or form.lower() in paths for form in forms]
    return None
