"""Word order as an objective: the tree is as good as the order that rules make of it.

The cost is 1 - the fuzzy reordering score (Talbot et al. 2011) of that order against a
reference, over the linked words. Over all words, the convention for words without a link
would decide, and teach the parser to leave everything where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.references import Reference, read_references
from niwaki.data.constraints import Constraints
from niwaki.data.faults import DEPREL
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, shown
from niwaki.kernel.batch import Batch
from niwaki.kernel.bilingual.orders import compare_orders
from niwaki.kernel.bilingual.reorder import reorder
from niwaki.keys import key
from niwaki.metrics.reordering import group_numbers, linked_mask
from niwaki.objectives import Costs, LeftOut
from niwaki.tasks.reorder.rulefile import load_rules, rule_set_names
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.reorder.tables import CompiledRules


@dataclass(frozen=True)
class Settings:
    """How trees become orders, and what of these counts."""

    rules: str = key(
        "",
        "A named set of rules or a file.",
        path="named",
        choices=rule_set_names,
        needed='a set of rules such as "ja", or a file',
    )
    words: Literal["linked", "all"] = key("linked", "The words that are scored.")


class Reordering:
    """Reference orders and the rules that should lead to them.

    Orders and scores of all candidates of all examples are found in two calls of the
    kernel, which needs no Python for it.
    """

    def __init__(
        self, references: Sequence[Reference], rules: RuleSet, words: str = "linked"
    ) -> None:
        masks = [
            linked_mask(each) if words == "linked" else np.ones(len(each.tokens), dtype=np.uint8)
            for each in references
        ]
        # With one word or none there is nothing to put in order.
        kept = [number for number, mask in enumerate(masks) if mask.sum() >= 2]
        silent = [ref.id for ref, mask in zip(references, masks, strict=True) if mask.sum() < 2]
        reason = f"fewer than two {'linked ' if words == 'linked' else ''}words to put in order"
        self.left_out = LeftOut(len(silent), reason, shown(silent[0])) if silent else None
        self._references = [references[number] for number in kept]
        self._scored = [masks[number] for number in kept]
        self._orders = [np.array(each.order, dtype=np.int32) for each in self._references]
        self._groups = [group_numbers(each) for each in self._references]
        self._compiled = CompiledRules(rules)
        self._label_rows = np.zeros(0, dtype=np.int32)
        self._rows: list[NDArray[np.int32]] = []
        self._tables: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None
        self.ids = tuple(each.id for each in self._references)
        self.sentences = tuple(Sentence.from_words(each.tokens) for each in self._references)

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        """Look up what the rules see of the words; labels are looked up for all candidates."""
        columns = self._compiled.columns
        assert columns[0] == DEPREL
        batch = Batch([sentence.source for sentence in tagged])
        texts = [[b"_"] * batch.words, *(batch.texts_of(column) for column in columns[1:])]
        rows, _, _ = self._compiled.rows(texts)
        ends = np.cumsum(batch.lengths)[:-1]
        self._rows = [np.ascontiguousarray(part) for part in np.split(rows, ends, axis=1)]
        names = [label.encode() for label in labels]
        others = [[b"_"] * len(names)] * (len(columns) - 1)
        found, *tables = self._compiled.rows([names, *others])
        self._label_rows = found[0]
        self._tables = (tables[0], tables[1])

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        assert self._tables is not None
        counts = [len(each) for each in candidates]
        numbers = [each.number for each in candidates]
        lengths = np.repeat([each.heads.shape[1] for each in candidates], counts)
        starts = np.zeros(len(lengths) + 1, dtype=np.int32)
        np.cumsum(lengths, out=starts[1:])
        heads = np.concatenate([each.heads.ravel() for each in candidates])
        labels = np.concatenate([each.labels.ravel() for each in candidates])
        rows = _repeated([self._rows[number] for number in numbers], counts)
        rows[0] = self._label_rows[labels]
        order, rules, tuples = (np.empty(len(heads), dtype=np.int32) for _ in range(3))
        fitting, marks = self._tables
        cycle = reorder(
            self._compiled.tables, starts, heads, rows, fitting, marks, order, rules, tuples
        )
        assert cycle < 0, "a candidate is a tree"
        found = np.zeros((len(lengths), 4), dtype=np.int64)
        compare_orders(
            starts,
            order,
            _repeated([self._orders[number] for number in numbers], counts),
            _repeated([self._groups[number] for number in numbers], counts),
            _repeated([self._scored[number] for number in numbers], counts),
            found,
        )
        cost = (found[:, 0] - 1) / np.maximum(found[:, 1] - 1, 1)
        return np.split(cost, np.cumsum(counts)[:-1])

    def constraints(self, number: int) -> Constraints | None:
        return None


def _repeated(parts: Sequence[NDArray], counts: Sequence[int]) -> NDArray:  # type: ignore[type-arg]
    """Each part as often as its example has candidates, all in one row."""
    pairs = zip(parts, counts, strict=True)
    return np.concatenate([part for part, count in pairs for _ in range(count)], axis=-1)


def load(files: Sequence[str], settings: Settings) -> Reordering:
    references = [reference for file in files for reference in read_references(file)]
    objective = Reordering(references, load_rules(settings.rules), settings.words)
    if not objective.sentences:
        raise ConfigError(f"{', '.join(files)}: no sentence with two words to put in order")
    return objective
