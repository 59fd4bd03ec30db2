"""spaCy pipelines for a model's language: its language class, and its own words as tokens.

Models expect the words of their treebanks. `blank` therefore makes tokens with the model's
segmenter, which also serves languages for whose tokens spaCy needs other packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from niwaki.data.languages import language_code
from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.errors import ExtraMissingError
from niwaki.pipeline.pipeline import Pipeline

try:
    import spacy
    from spacy.tokens import Doc
except ImportError as error:
    raise ExtraMissingError("spaCy is not installed; run: pip install niwaki[spacy]") from error

# The component, which is registered when it is imported.
from niwaki.integrations.spacy import shared_model

TOKENIZER = "niwaki.Tokenizer.v1"
_ANY_LANGUAGE = "xx"


def blank(model: str = "en", **settings: Any) -> Any:
    """A pipeline of spaCy that is all of a model: its words, sentences, tags and trees.

    It is of spaCy's class for the model's language, or of that for any (`xx`) where spaCy has
    none. `settings` are those of the component.

        >>> nlp = blank("te")
        >>> [(token.text, token.dep_) for token in nlp(text)]
    """
    pipeline = shared_model(model)
    config = {}
    if pipeline.segmenter is not None:
        config = {"nlp": {"tokenizer": {"@tokenizers": TOKENIZER, "model": model}}}
    nlp = spacy.blank(language_of(pipeline), config=config)
    nlp.add_pipe("niwaki", config={"model": model, **settings})
    return nlp


def language_of(pipeline: Pipeline) -> str:
    """The code of spaCy's class for the language that is on a model's card."""
    code = language_code(str(pipeline.config.get("card", {}).get("language", "")))
    try:
        spacy.util.get_lang_class(code)
    except ImportError:
        return _ANY_LANGUAGE
    return code


class Tokenizer:
    """Makes documents of text by a model's segmenter; see `blank`."""

    def __init__(self, vocab: Any, model: str) -> None:
        self.vocab = vocab
        self._model = shared_model(model)

    def __call__(self, text: str) -> Any:
        words: list[str] = []
        spaces: list[bool] = []
        at = 0
        for start, end in [*_token_spans(self._model.read(text)), (len(text), len(text))]:
            gap = text[at:start]
            if gap.startswith(" ") and words:
                # spaCy has one space behind a token, and a token for other white space.
                spaces[-1], gap = True, gap[1:]
            for piece in (gap, text[start:end]):
                if piece:
                    words.append(piece)
                    spaces.append(False)
            at = end
        return Doc(self.vocab, words=words, spaces=spaces)

    # What it is made of stands in the configuration of the pipeline.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        return b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Tokenizer:
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        pass

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Tokenizer:
        return self


def _token_spans(sentences: Iterable[Sentence]) -> Iterator[tuple[int, int]]:
    """The characters of each word; of a multiword token whose words share them, once."""
    last = (0, 0)
    for sentence in sentences:
        notes = list(sentence.misc)
        for several in sentence.ranges:
            for word in range(several.first, several.last + 1):
                if "TokenRange=" not in notes[word - 1]:
                    notes[word - 1] = several.misc
        for note in notes:
            start, _, end = parse_pairs(note)["TokenRange"].partition(":")
            span = int(start), int(end)
            if span != last:
                yield span
            last = span


def make_tokenizer(model: str) -> Callable[[Any], Tokenizer]:
    """What spaCy's configuration calls: a maker of tokenizers."""
    return lambda nlp: Tokenizer(nlp.vocab, model)


spacy.registry.tokenizers(TOKENIZER, func=make_tokenizer)
