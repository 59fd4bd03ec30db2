"""Whether a text looks like what a model has learned: the share of its words that the model knows.

Nothing is guessed about languages. Words are known that a model keeps: those of its clusters, whole
words among its word pieces, or words that its lexicon has seen with the tag they get. A text of
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

# Chosen on single sentences with five words and more: with the English models, 1 in 250 English
# ones (EWT dev) has fewer, and 92 to 100 in 100 of French, Portuguese and Vietnamese ones have.
FEWEST = 0.65
# A lexicon has the words of a treebank only, and lacks many of a text about other things.
FEWEST_SEEN = 0.4
# With fewer words nothing is said: names make whole sentences.
SHORTEST = 5


@dataclass(frozen=True)
class Familiarity:
    """How many words with letters there are, and how many of them are known."""

    words: int
    known: int
    fewest: float = FEWEST  # the share of them that a text of the same language has

    @property
    def is_foreign(self) -> bool:
        """Whether so few words are known that it is probably another language."""
        return self.words >= SHORTEST and self.known < self.fewest * self.words


def familiarity(model: Pipeline, sentences: Sequence[Sentence]) -> Familiarity | None:
    """How much of some sentences a model knows; None if it keeps no words to tell by."""
    words = (form for sentence in sentences for form in sentence.forms)
    forms = [unicodedata.normalize("NFC", word) for word in words]
    known, fewest = _kept(model, forms), FEWEST
    if known is None:
        known, fewest = _seen(model, sentences), FEWEST_SEEN
    if known is None:
        return None
    sizes = list(map(_size, forms))
    share = sum(size for size, each in zip(sizes, known, strict=True) if each)
    return Familiarity(sum(sizes), share, fewest)


def _size(form: str) -> int:
    """How many words a token counts as: none without letters.

    In scripts without case every letter counts: where no spaces are written, a segmenter of
    another language leaves whole sentences in one piece.
    """
    kinds = [unicodedata.category(each) for each in form]
    if not any(kind.startswith("L") for kind in kinds):
        return 0
    return max(1, kinds.count("Lo"))


def _kept(model: Pipeline, forms: Sequence[str]) -> list[bool] | None:
    """Which forms are among the many words that a model keeps, if it does."""
    if model.clusters is not None:
        paths = model.clusters.paths
        return [form in paths or form.lower() in paths for form in forms]
    if isinstance(model.parser, WordKnowing) and model.parser.keeps_words:
        return [model.parser.knows(form) for form in forms]
    return None


def _seen(model: Pipeline, sentences: Sequence[Sentence]) -> list[bool] | None:
    """Which words were in the treebank, if the model has a lexicon."""
    morphology = model.morphology
    lexicon = None if morphology is None else morphology.lemmas or morphology.feats
    if lexicon is None or model.tagger is None or not sentences:
        return None
    batch = Batch([sentence.source for sentence in sentences])
    found: list[bool] = lexicon.knows(batch, model.tagger.tag(batch)).tolist()
    return found
