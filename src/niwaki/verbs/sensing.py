"""What phrases become in their sentences: learned from parallel text, and used in translating."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache

from niwaki.data.bilingual.bitext import Links, read_filled_bitext, read_linked_bitext
from niwaki.data.files import Source
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.tasks.align.corpus import LONGEST
from niwaki.tasks.translate.features import SENSE, default_weights
from niwaki.tasks.translate.senses.learning import SenseSettings, learn_senses
from niwaki.tasks.translate.senses.model import SenseModel, SenseScorer
from niwaki.tasks.translate.system import System
from niwaki.tasks.trees import TreeView
from niwaki.verbs._given import Model, OnError, Watch, fault_handler, model_of, unwatched
from niwaki.verbs.aligning import align

Words = tuple[str, ...]
# Trees of sentences that are kept: tuning translates the same ones again and again.
_KEPT = 4096


def translate_train_senses(
    source: Source,
    target: Source,
    output: str | os.PathLike[str] | None = None,
    *,
    links: Source | None = None,
    model: Model = "en",
    settings: SenseSettings | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> SenseModel:
    """Learn what phrases become in their sentences, from the text that a system was trained on.

    `links` are word links of the pairs; else the words are aligned first, as for a system. Source
    sentences are parsed by `model`.

        >>> translate_train_senses("text.en", "text.ja", "en-ja.senses")
    """
    on_fault = fault_handler(on_error)
    read = (
        read_filled_bitext(source, target, LONGEST, on_fault)
        if links is None
        else read_linked_bitext(source, target, links, on_fault)
    )
    pairs = [pair for pair in read if pair.source]
    texts = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if links is None:
        method = "grow-diag-final-and"
        both = zip(*texts, strict=True)
        linked = align(both, settings="xu2009", method=method, threads=threads, watch=watch)
    else:
        linked = [pair.links or Links(frozenset()) for pair in pairs]
    pipeline = model_of(model)

    def trees(numbers: Sequence[int]) -> Iterator[TreeView]:
        made = (Sentence.from_words(texts[0][number]) for number in numbers)
        for parsed in pipeline.parse(made, threads=threads):
            watch("parsing", 1, len(numbers))
            yield TreeView(parsed)

    found = learn_senses(*texts, linked, trees, settings, lambda all_: watch("senses", 1, all_))
    if output is not None:
        found.save(output)
    return found


def with_senses(
    system: System, senses: str | os.PathLike[str] | SenseModel, model: Model = "en"
) -> tuple[System, SenseScorer]:
    """A system whose weights know of senses, and what scores its options for `translate_run`.

    Sentences are parsed by `model`, each when it is translated.
    """
    if system.rules is not None:
        raise ConfigError("the system orders words before it translates; senses need their order")
    found = senses if isinstance(senses, SenseModel) else SenseModel.load(senses)
    pipeline, alone = model_of(model), threading.Lock()

    @lru_cache(_KEPT)
    def tree(tokens: Words) -> TreeView:
        with alone:
            (parsed,) = pipeline.parse([Sentence.from_words(tokens)])
        return TreeView(parsed)

    weights = {**default_weights([SENSE]), **system.weights}
    return system.with_weights(weights), SenseScorer(found, system.table, tree)
