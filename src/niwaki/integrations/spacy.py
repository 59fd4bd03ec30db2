"""A spaCy component: `nlp.add_pipe("niwaki")` tags and parses spaCy's own tokens.

Sentences that are given (`token.is_sent_start`) are respected; where nothing is given, the
model's segmenter says where sentences begin, and without one a document is one sentence.
White space tokens are not shown to the model: they hang from the word before them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from niwaki.data.files import atomic_write
from niwaki.data.probabilities import NOTES, TREE_COMMENT
from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError, ExtraMissingError, ModelError
from niwaki.parsers.base import Search
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model, load

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token
    from spacy.util import minibatch
except ImportError as error:
    raise ExtraMissingError("spaCy is not installed; run: pip install niwaki[spacy]") from error

# spaCy's names of things that UD does not have or writes otherwise.
_ROOT, _SPACE_DEP, _SPACE_POS, _SPACE_TAG = "ROOT", "dep", "SPACE", "_SP"
_ATTRIBUTES = ("HEAD", "DEP", "POS", "TAG", "MORPH", "LEMMA")
_GIVEN = ("upos", "xpos", "feats", "lemmas")
_RECORD = "niwaki"
_SETTINGS_FILE = "settings.json"
_UNWRITABLE = re.compile("[\t\n\r\0]")


@dataclass(frozen=True)
class Settings:
    """The component's part of spaCy's configuration."""

    # "": the model that is called as spaCy calls the language of the pipeline.
    model: str = ""
    beam: int | None = None
    threads: int = 1
    retag: bool = False
    probabilities: bool = False

    def __post_init__(self) -> None:
        for name, value in (("beam", self.beam), ("threads", self.threads)):
            if value is not None and value < 1:
                raise ConfigError(f"niwaki: {name} is {value}; give at least 1")


@dataclass(frozen=True)
class Parse:
    """One tree of a sentence in spaCy's terms: `heads` are places in the document."""

    heads: tuple[int, ...]
    deps: tuple[str, ...]
    score: float
    probability: float


# Components and documents share a model for as long as one of them is in use.
_models: WeakValueDictionary[tuple[str, int], Pipeline] = WeakValueDictionary()


def shared_model(name: str) -> Pipeline:
    """A model by its name or its file, loaded once for all who use it."""
    path = find_model(name)
    key = (str(path.resolve()), path.stat().st_mtime_ns if path.exists() else 0)
    pipeline = _models.get(key)
    if pipeline is None:
        pipeline = _models[key] = load(name)
    return pipeline


class Component:
    """Sets heads, labels, tags, features and lemmas; see docs/guides/spacy.md."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self._use(settings)

    def _use(self, settings: Settings) -> None:
        model = shared_model(settings.model)
        try:
            model.parser.check(Search(beam=settings.beam))
        except ModelError as error:
            raise ModelError(f"{settings.model}: {error}") from error
        if settings.probabilities and not model.parser.gives_probabilities:
            raise ModelError(f"{settings.model}: not calibrated; set probabilities to false")
        self.settings = settings
        self.model = model

    def __call__(self, doc: Any) -> Any:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 256) -> Iterator[Any]:
        """Yield the documents in order; the sentences of a batch are parsed together."""
        settings = self.settings
        for docs in minibatch(stream, size=batch_size):
            pieces = [_sentence_pieces(doc, self.model) for doc in docs]
            given = [_given_tags(doc, settings.retag) for doc in docs]
            sentences = (
                _as_sentence(doc, words, kept)
                for doc, of_doc, kept in zip(docs, pieces, given, strict=True)
                for _, words in of_doc
                if words
            )
            parsed = self.model.parse(
                sentences,
                threads=settings.threads,
                beam=settings.beam,
                retag=settings.retag,
                probabilities=settings.probabilities,
            )
            for doc, of_doc, kept in zip(docs, pieces, given, strict=True):
                _annotate(doc, of_doc, parsed, settings.probabilities)
                doc.user_data[_RECORD] = {
                    "model": settings.model,
                    "beam": settings.beam,
                    "given": kept,
                }
                yield doc

    # -- files: what to load, not the model itself ----------------------------

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        return json.dumps(asdict(self.settings)).encode("utf-8")

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Component:
        try:
            record = json.loads(data)
            settings = Settings(**record)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"niwaki: not the settings of this component ({error})") from error
        self._use(settings)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / _SETTINGS_FILE) as out:
            out.write(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Component:
        return self.from_bytes((Path(path) / _SETTINGS_FILE).read_bytes())

    def __reduce__(self) -> tuple[type[Component], tuple[str, Settings]]:
        return type(self), (self.name, self.settings)


# -- from spaCy's tokens to sentences -----------------------------------------

# Tokens [first, end) of a sentence, and those of them that are words.
_Piece = tuple[range, list[int]]


def _sentence_pieces(doc: Any, model: Pipeline) -> list[_Piece]:
    if not len(doc):
        return []
    # With a tree, spaCy derives the boundaries from it; they count as given.
    given = [token.is_sent_start for token in doc]
    blank = [token.is_space or not token.text for token in doc]
    found: set[int] = set()
    if model.segmenter is not None and None in given[1:]:
        found = _segmented_starts(doc, blank, model)
    starts = [
        i
        for i in range(len(doc))
        if i == 0 or given[i] is True or (given[i] is None and i in found)
    ]
    ends = [*starts[1:], len(doc)]
    return [
        (range(start, end), [i for i in range(start, end) if not blank[i]])
        for start, end in zip(starts, ends, strict=True)
    ]


def _segmented_starts(doc: Any, blank: list[bool], model: Pipeline) -> set[int]:
    """The first words at or after the places where the segmenter begins a sentence."""
    places = [i for i in range(len(doc)) if not blank[i]]
    offsets = np.array([doc[i].idx for i in places], dtype=np.int64)
    starts = set()
    for sentence in model.read(doc.text):
        ranges = sentence.ranges
        misc = ranges[0].misc if ranges and ranges[0].first == 1 else sentence.misc[0]
        offset = int(parse_pairs(misc)["TokenRange"].partition(":")[0])
        place = int(np.searchsorted(offsets, offset))
        if place < len(places):
            starts.add(places[place])
    return starts


def _tags_of(token: Any) -> tuple[str, str, str, str]:
    return token.pos_, token.tag_, str(token.morph), token.lemma_


def _given_tags(doc: Any, retag: bool) -> bytes:
    """A byte a token: bit n says that column n of `_GIVEN` was set before the model came."""
    if retag:
        return bytes(len(doc))
    return bytes(
        sum(1 << bit for bit, value in enumerate(_tags_of(token)) if value) for token in doc
    )


def _as_sentence(doc: Any, words: list[int], given: bytes) -> Sentence:
    forms = [_writable(doc[i].text) for i in words]
    columns: dict[str, list[str]] = {}
    if any(given[i] for i in words):
        rows = [_tags_of(doc[i]) for i in words]
        for bit, name in enumerate(_GIVEN):
            columns[name] = [
                _writable(row[bit]) if given[i] >> bit & 1 else "_"
                for i, row in zip(words, rows, strict=True)
            ]
    return Sentence.from_words(forms, **columns)


def _writable(text: str) -> str:
    """What CoNLL-U cannot hold becomes U+FFFD; the token itself stays as it is."""
    return _UNWRITABLE.sub("\ufffd", text)


# -- from trees to spaCy's tokens ---------------------------------------------


def _annotate(
    doc: Any, pieces: list[_Piece], parsed: Iterator[Sentence], probabilities: bool
) -> None:
    if not pieces:
        return
    number = doc.vocab.strings.add
    rows = np.zeros((len(doc), len(_ATTRIBUTES)), dtype=np.int64)
    texts: list[tuple[str, ...]] = [
        (_SPACE_DEP, _SPACE_POS, _SPACE_TAG, "", token.text) for token in doc
    ]
    for span, words in pieces:
        tree = Tree((), ())
        if words:
            sentence = next(parsed)
            tree = sentence.tree
            columns = (sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas)
            for i, *values in zip(words, *columns, strict=True):
                texts[i] = ("", *("" if value == "_" else value for value in values))
            if probabilities:
                _set_probabilities(doc, span, words, sentence)
        heads, deps = _placed(tree, span, words)
        for i, head, dep in zip(span, heads, deps, strict=True):
            rows[i, 0] = head - i
            texts[i] = (dep, *texts[i][1:])
    for i, row in enumerate(texts):
        # MORPH is the number of the string; spaCy brings it into its own order.
        rows[i, 1:] = np.array([number(value) for value in row], np.uint64).view(np.int64)
    doc.from_array(list(_ATTRIBUTES), rows.view(np.uint64))


def _placed(tree: Tree, span: range, words: list[int]) -> tuple[list[int], list[str]]:
    """Heads as places in the document (a root's is its own) and labels, for all of a span."""
    heads, deps = {}, {}
    for i, head, deprel in zip(words, tree.heads, tree.deprels, strict=True):
        heads[i] = i if head == 0 else words[head - 1]
        deps[i] = _ROOT if head == 0 else deprel
    # A space hangs from the word before it, or from the first word, or from the first space.
    anchor = words[0] if words else span.start
    for i in span:
        if i in heads:
            anchor = i
        else:
            heads[i], deps[i] = anchor, _ROOT if anchor == i else _SPACE_DEP
    return [heads[i] for i in span], [deps[i] for i in span]


def _set_probabilities(doc: Any, span: range, words: list[int], sentence: Sentence) -> None:
    for i, notes in zip(words, sentence.notes, strict=True):
        for kind, note in NOTES.items():
            if note in notes:  # a model without a tagger knows nothing of tags
                setattr(doc[i]._, f"{kind}_probability", float(notes[note]))
    tree_probability = float(sentence.metadata[TREE_COMMENT])
    doc[span.start : span.stop]._.tree_probability = tree_probability


# -- what is asked for later --------------------------------------------------


def _candidates_of_span(span: Any, k: int = 10) -> list[Parse]:
    """The k best trees of a sentence, best first; empty if it is all white space."""
    doc = span.doc
    record: Mapping[str, Any] | None = doc.user_data.get(_RECORD)
    if record is None:
        raise ModelError("this document was not parsed by niwaki; add the component first")
    if len(record["given"]) != len(doc):
        raise ModelError("the tokens changed after niwaki parsed them; parse the document again")
    places = range(span.start, span.end)
    words = [i for i in places if not doc[i].is_space and doc[i].text]
    if not words:
        return []
    model = shared_model(record["model"])
    sentence = _as_sentence(doc, words, record["given"])
    found = model.kbest(sentence, k, beam=record["beam"])
    rows = zip(found.trees, found.scores.tolist(), found.probabilities.tolist(), strict=True)
    parses = []
    for tree, score, probability in rows:
        heads, deps = _placed(tree, places, words)
        parses.append(Parse(tuple(heads), tuple(deps), score, probability))
    return parses


def _candidates_of_doc(doc: Any, k: int = 10) -> list[list[Parse]]:
    return [_candidates_of_span(span, k) for span in _sentences(doc)]


def _tree_probabilities(doc: Any) -> list[float | None]:
    return [span._.tree_probability for span in _sentences(doc)]


def _sentences(doc: Any) -> list[Any]:
    return list(doc.sents) if len(doc) else []


def make_component(
    nlp: Any,
    name: str,
    model: str,
    beam: int | None,
    threads: int,
    retag: bool,
    probabilities: bool,
) -> Component:
    # A pipeline for any language says nothing of which.
    model = model or ("en" if nlp.lang == "xx" else nlp.lang)
    return Component(name, Settings(model, beam, threads, retag, probabilities))


def _register() -> None:
    # With force: a module that is loaded again must not fail.
    for kind in NOTES:
        Token.set_extension(f"{kind}_probability", default=None, force=True)
    Span.set_extension("tree_probability", default=None, force=True)
    Span.set_extension("niwaki_candidates", method=_candidates_of_span, force=True)
    Doc.set_extension("tree_probabilities", getter=_tree_probabilities, force=True)
    Doc.set_extension("niwaki_candidates", method=_candidates_of_doc, force=True)
    Language.factory(
        "niwaki",
        default_config={field.name: field.default for field in fields(Settings)},
        assigns=[
            *("token.head", "token.dep", "token.pos", "token.tag", "token.morph"),
            *("token.lemma", "token.is_sent_start", "doc.sents"),
            *(f"token._.{kind}_probability" for kind in NOTES),
            *("span._.tree_probability", "doc._.tree_probabilities"),
        ],
        func=make_component,
    )


_register()
