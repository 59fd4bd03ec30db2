"""Words in target order: orders by rules, reference orders from links, rules from references."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePath

from niwaki.data.bilingual.bitext import Pair, read_linked_bitext
from niwaki.data.bilingual.references import Reference, check_references
from niwaki.data.files import Source
from niwaki.data.given import sentences_given
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import CorpusError, ModelError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import Learned, Settings
from niwaki.tasks.reorder.learning import learn_rules as learn_from_events
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.reorderer import Reorderer, Reordering
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.verbs._given import (
    GivenTags,
    Model,
    Named,
    OnError,
    Sentences,
    Watch,
    fault_handler,
    is_source,
    model_of,
    name_of,
    named_trees,
    predicts,
    references_of,
    sentences_of,
    unwatched,
)


def reorder(
    source: Sentences,
    rules: str | os.PathLike[str] | RuleSet = "ja",
    model: Model | None = None,
    *,
    form: str | None = None,
    beam: int | None = None,
    tags: GivenTags = "predict",
    threads: int = 1,
    on_error: OnError = "fail",
) -> Iterator[Reordering]:
    """Put source words into target order, by trees and rules.

    The sentences of a file have trees or are parsed first: by `model`, or by "en" if the first
    one has no tree; `tags` is as for `parse`. `rules` are a shipped set, a file or a `RuleSet`.
    With `on_error="skip"`, sentences that cannot be read are left out.

        >>> for found in reorder("trees.conllu", "ja"):
        ...     print(" ".join(found.tokens), found.order)
    """
    reorderer = Reorderer(rules if isinstance(rules, RuleSet) else load_rules(os.fspath(rules)))
    late = _LateModel("en" if model is None else model)
    read: Iterator[Sentence]
    if is_source(source):
        read = read_sentences(source, form, late, on_fault=fault_handler(on_error))  # type: ignore[arg-type]
    else:
        read = sentences_given(source, lambda *text: late.pipeline.read_text(*text))  # type: ignore[arg-type]
    first = next(read, None)
    given = itertools.chain([] if first is None else [first], read)
    if model is None and first is not None and any(head >= 0 for head in first.heads):
        return reorderer.reorder(given)
    if first is None:
        return iter(())
    parsed = late.pipeline.parse(given, threads=threads, beam=beam, retag=predicts(tags))
    return reorderer.reorder(parsed)


class _LateModel:
    """A model that is loaded when it is first needed: trees may be in the input."""

    def __init__(self, given: Model) -> None:
        self._given = given

    @cached_property
    def pipeline(self) -> Pipeline:
        return model_of(self._given)

    def segment(
        self, text: str | Iterable[str], *, by_lines: bool = False, file: str = ""
    ) -> Iterator[Sentence]:
        segmenter = self.pipeline.segmenter
        if segmenter is None:
            name = name_of(self._given, "the model")
            raise ModelError(f"{name}: no segmenter; give words (--from tokens)")
        return segmenter.segment(text, by_lines=by_lines, file=file)


def references(
    source: Source,
    target: Source,
    links: Source,
    *,
    trees: Sentences | None = None,
    on_error: OnError = "fail",
) -> Iterator[Reference]:
    """Yield reference orders of word-aligned text, a tokenised sentence and its links a line.

    With `trees` of the source, function words without a link travel with their heads. With
    `on_error="skip"`, bad pairs are left out.

        >>> made = references("text.en", "text.ja", "text.align")
        >>> [each.order for each in made]
    """
    pairs = read_linked_bitext(source, target, links, fault_handler(on_error))
    if trees is None:
        return (_reference(pair, None) for pair in pairs)
    given = list(sentences_of(trees))
    files = name_of(trees, "trees"), name_of(source, "the source")
    return (_reference(pair, _tree_of(pair, given, *files)) for pair in pairs)


def _reference(pair: Pair, sentence: Sentence | None) -> Reference:
    assert pair.links is not None
    if sentence is None:
        return make_reference(pair.source, pair.links, str(pair.number))
    return make_reference(pair.source, pair.links, sentence.id or str(pair.number), sentence.tree)


def _tree_of(pair: Pair, trees: list[Sentence], file: str, source: str) -> Sentence:
    if pair.number > len(trees):
        raise CorpusError(
            file,
            0,
            "FILE",
            f"{len(trees)} trees, but a sentence on line {pair.number} of {source}",
            "give a tree for every line",
        )
    sentence = trees[pair.number - 1]
    if sentence.forms != pair.source:
        raise CorpusError(
            file,
            sentence.line,
            "SENTENCE",
            f"other words than line {pair.number} of {source}",
            "give the trees of the same sentences",
        )
    return sentence


_DEFAULTS = Settings()


def learn_rules(
    references: Source | Iterable[Reference],
    trees: Named,
    *,
    class_gain: float = _DEFAULTS.class_gain,
    head_gain: float = _DEFAULTS.head_gain,
    move_gain: float = _DEFAULTS.move_gain,
    support: int = _DEFAULTS.support,
    splits: int = _DEFAULTS.splits,
    beam: int | None = None,
    threads: int = 1,
    watch: Watch = unwatched,
) -> Learned:
    """Learn reordering rules from reference orders and trees of the same sentences.

    `trees` are a CoNLL-U file, a model that makes them, or a pair of a name and either. The
    result has the rules and what was seen of each; `format_rules` of it is a rule file.

        >>> learned = learn_rules("references.jsonl", "trees.conllu")
        >>> reorder("more.conllu", learned.rules)
    """
    settings = dataclasses.replace(
        _DEFAULTS,
        class_gain=class_gain,
        head_gain=head_gain,
        move_gain=move_gain,
        support=support,
        splits=splits,
    )
    wanted = list(references_of(references))
    file = name_of(references, "references")
    check_references(wanted, file)
    words = [Sentence.from_words(each.tokens) for each in wanted]
    name, sentences = named_trees(trees, words, beam, threads)
    events = collect_events(sentences, wanted)
    learned = learn_from_events(
        events, "learned", settings, lambda _: watch("learning", 1, settings.splits)
    )
    description = (
        f"Learned from {len(wanted)} sentences of {PurePath(file).name}, trees from {name}:\n"
        f"{len(events.head)} pairs of a head and its children.\n"
        f"class_gain={settings.class_gain:g}, head_gain={settings.head_gain:g}, "
        f"move_gain={settings.move_gain:g}, support={settings.support}, splits={settings.splits}."
    )
    return dataclasses.replace(
        learned, rules=dataclasses.replace(learned.rules, description=description)
    )
