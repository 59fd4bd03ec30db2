"""Translation: systems trained on parallel text, and sentences translated by them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from niwaki.data.bilingual.bitext import Links, read_filled_bitext, read_linked_bitext
from niwaki.data.files import Input, Source
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError
from niwaki.learning.checkpoint import hash_of_files
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model
from niwaki.tasks.align.corpus import LONGEST as LONGEST_TRAINED
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.translate import consensus
from niwaki.tasks.translate.decoder import LONGEST, SearchSettings, Senses
from niwaki.tasks.translate.nbest import Hypothesis
from niwaki.tasks.translate.preorder import Preordered, Preorderer
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.training import Bitext, TrainSettings, Words, train_system
from niwaki.verbs._given import (
    Model,
    OnError,
    OnFault,
    Watch,
    fault_handler,
    is_source,
    model_of,
    name_of,
    unwatched,
)

DEFAULTS = SearchSettings()

Translator = str | os.PathLike[str] | System
# Sentences that are read, ordered and translated together.
_BATCH = 1024
# Translations of which consensus is taken, at least.
_CONSENSUS = 100


@dataclass(frozen=True)
class Translation:
    """A sentence and its translations, the best first.

    `ordered` is what was translated: the same tokens, or words of them in target order, each with
    the position of its token.
    """

    tokens: Words
    ordered: Preordered
    hypotheses: tuple[Hypothesis, ...]

    @property
    def text(self) -> str:
        """The best one, with spaces between its words."""
        return self.hypotheses[0].text


def translate_train(
    source: Source,
    target: Source,
    output: str | os.PathLike[str],
    *,
    links: Source | None = None,
    preorder: str | os.PathLike[str] | RuleSet | None = None,
    model: Model = "en",
    more: Iterable[Source] = (),
    settings: TrainSettings | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> System:
    """Train a translator on two files with a tokenised sentence a line; writes a folder.

    `links` are word links of the pairs; else the words are aligned first. With `preorder`, the
    source is parsed by `model` and put into target order by these rules, in running as well.
    `more` are files of the target language for the language model. With `on_error="skip"`, pairs
    with an empty side or too many words are left out.

        >>> translate_train("text.en", "text.ja", "en-ja", preorder="ja")
    """
    on_fault = fault_handler(on_error)
    text = _read_pairs(source, target, links, on_fault, watch)
    preorderer = None
    if preorder is not None:
        rules = preorder if isinstance(preorder, RuleSet) else load_rules(os.fspath(preorder))
        preorderer = _preorderer(model, rules, threads)
    return train_system(
        text,
        output,
        settings or TrainSettings(),
        more=[words for file in more for words in _lines(file, LONGEST_TRAINED, on_fault) if words],
        preorderer=preorderer,
        parser=_lasting_name(model),
        threads=threads,
        watch=watch,
    )


def _read_pairs(
    source: Source, target: Source, links: Source | None, on_fault: OnFault, watch: Watch
) -> Bitext:
    if links is None:
        pairs = read_filled_bitext(source, target, LONGEST_TRAINED, on_fault)
    else:
        pairs = read_linked_bitext(source, target, links, on_fault)
    text = Bitext([], [], None if links is None else [])
    read = []
    for pair in pairs:
        watch("reading", 1, 0)
        read.append(pair)
    for pair in read:
        if not pair.source:
            continue
        if max(len(pair.source), len(pair.target)) > LONGEST_TRAINED:
            words, file = len(pair.source), source
            if len(pair.target) > words:
                words, file = len(pair.target), target
            name = name_of(file, "the text")
            _tell(_too_long(name, pair.number, words, LONGEST_TRAINED), on_fault)
            continue
        text.source.append(pair.source)
        text.target.append(pair.target)
        if text.links is not None:
            text.links.append(pair.links or Links(frozenset()))
    return text


def _preorderer(model: Model, rules: RuleSet, threads: int) -> Preorderer:
    pipeline = model_of(model)
    identity = "" if isinstance(model, Pipeline) else hash_of_files([str(find_model(model))])

    def parse(sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        return pipeline.parse(sentences, threads=threads)

    return Preorderer(parse, rules, identity)


def _lasting_name(model: Model) -> str | None:
    """What the parser is called wherever the system runs; None if it has no name."""
    if isinstance(model, Pipeline):
        return None
    name = os.fspath(model)
    return os.path.abspath(name) if os.path.exists(name) else name


def translate_run(
    source: Source | Iterable[Sequence[str] | str],
    system: Translator,
    *,
    limit: int = DEFAULTS.limit,
    stack: int = DEFAULTS.stack,
    nbest: int = 1,
    mbr: bool = False,
    parser: Model | None = None,
    senses: Senses | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
) -> Iterator[Translation]:
    """Yield the translations of sentences: a file with one a line, texts, or lists of words.

    `limit` is the longest jump (0: monotone), `stack` how many partial translations of each length
    are kept. With `mbr`, the one of `nbest` (at least 100) that is most like the others is given.
    A system that was trained with pre-ordering parses and orders sentences as then; `parser` is
    another model for it. A line without words has a translation without words; with
    `on_error="skip"`, one of too many words as well.

        >>> for found in translate_run("news.en", "en-ja"):
        ...     print(found.text)
    """
    chosen = system if isinstance(system, System) else System.load(system)
    if nbest < 1:
        raise ConfigError(f"nbest is {nbest}; it must be at least 1")
    decoder = chosen.decoder(SearchSettings(limit, stack), senses)
    preorderer = None
    if chosen.rules is not None:
        model = parser or chosen.parser
        if model is None:
            raise ConfigError(
                "the system orders words by trees of a parser without a name; give it"
            )
        preorderer = _preorderer(model, chosen.rules, threads)
    if is_source(source):
        sentences = _lines(source, LONGEST, fault_handler(on_error))  # type: ignore[arg-type]
    else:
        sentences = (tuple(_words(each)) for each in source)  # type: ignore[union-attr]
    while batch := list(itertools.islice(sentences, _BATCH)):
        if preorderer is None:
            ordered = [Preordered(each, tuple(range(len(each)))) for each in batch]
        else:
            ordered = list(preorderer.reorder(batch))
        texts = [each.tokens for each in ordered]
        wanted = max(nbest, _CONSENSUS) if mbr else nbest
        found = decoder.translate_all(texts, wanted, threads=threads)
        for tokens, order, each in zip(batch, ordered, found, strict=True):
            agreed = consensus.mbr(each) if mbr else None
            yield Translation(tokens, order, (agreed,) if agreed else each.hypotheses)


def _words(given: Sequence[str] | str) -> Sequence[str]:
    return given.split() if isinstance(given, str) else given


def _lines(file: Source, longest: int, on_fault: OnFault) -> Iterator[Words]:
    """The words of each line; one with too many is a fault, and then has none."""
    with Input(file) as stream:
        for number, line in stream.lines(on_fault):
            words = tuple(line.split())
            if len(words) > longest:
                _tell(_too_long(stream.name, number, len(words), longest), on_fault)
                words = ()
            yield words


def _too_long(file: str, line: int, words: int, longest: int) -> CorpusError:
    advice = f"split sentences of more than {longest}, or skip such lines"
    return CorpusError(file, line, "LINE", f"{words} words", advice)


def _tell(fault: CorpusError, on_fault: OnFault) -> None:
    if on_fault is None:
        raise fault
    on_fault(fault)
