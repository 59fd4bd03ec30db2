"""What the templates of all parsers see of words: what letters show, tags, FEATS, lemmas, links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.links import check_links
from niwaki.data.faults import MISC
from niwaki.data.sentence import Sentence
from niwaki.features.templates import TAG_ATTRIBUTES
from niwaki.features.vocabulary import Values
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters, word_values

# What features see where there is no word.
_NONE = np.uint32(1)


class TagValues(Protocol):
    """The tags of the words of a batch as features see them, whoever gave them."""

    @property
    def upos(self) -> Values: ...

    @property
    def xpos(self) -> Values: ...

    @property
    def tag(self) -> Values: ...

    @property
    def feats(self) -> Values: ...

    @property
    def case(self) -> Values: ...

    @property
    def lemma(self) -> Values: ...

    @property
    def alternative(self) -> Values: ...


def attribute_values(
    names: Sequence[str], batch: Batch, tags: TagValues, lowercase: bool, clusters: Clusters | None
) -> list[Values]:
    """The values of the words of a batch, for each of some attributes.

    `form-1` and `form+1` are the forms of the words before and after.
    """
    plain = list(dict.fromkeys(_plain(name) for name in names))
    known: dict[str, Values] = {
        name: getattr(tags, name) for name in plain if name in TAG_ATTRIBUTES
    }
    letters = [name for name in plain if name not in TAG_ATTRIBUTES]
    known.update(zip(letters, word_values(batch, letters, lowercase, clusters), strict=True))
    edges = np.cumsum(batch.lengths, dtype=np.int64)
    for name in names:
        if name not in known:
            known[name] = _shifted(known[_plain(name)], edges, 1 if name[-2] == "-" else -1)
    return [np.ascontiguousarray(known[name], dtype=np.uint32) for name in names]


def _plain(name: str) -> str:
    return name[:-2] if name[-2:] in ("-1", "+1") else name


def _shifted(values: Values, edges: NDArray[np.int64], by: int) -> Values:
    """The values of the words before (1) or after (-1); none beyond the edges of a sentence."""
    moved = np.roll(values, by)
    moved[edges % len(values) if by == 1 else edges - 1] = _NONE
    return moved


def link_values(batch: Batch) -> list[Values]:
    """The links of the words of a batch to words of translations, as the kernel takes them.

    How many links the words up to each one have, and the linked words of each translation,
    numbered in its order.
    """
    ends, ranks, bad = batch.links(MISC)
    if bad >= 0:
        starts = np.concatenate([[0], np.cumsum(batch.lengths)])
        s = int(np.searchsorted(starts, bad, side="right")) - 1
        check_links(Sentence(batch.sources[s]))
        raise AssertionError("the kernel refused sound links")
    return [ends, ranks]
