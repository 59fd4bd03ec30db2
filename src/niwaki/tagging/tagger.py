"""The tagger: UPOS and XPOS of each word, with probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import FEATS, LEMMA, UPOS, XPOS
from niwaki.errors import ConfigError
from niwaki.features.parts import Parts, SavedParts
from niwaki.features.templates import compile_window, tagging_features
from niwaki.features.vocabulary import Values, Vocabulary, combine
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch, short_hashes
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging import tagger as kernel
from niwaki.kernel.tagging.trigrams import TrigramTagger
from niwaki.tagging.trigrams import Trigrams

Numbers = NDArray[np.int32]
# What a model file calls it.
_NAME = "tagger"

# A second tag that is less likely than this is no alternative.
_ALTERNATIVE = 0.05
NO_ALTERNATIVE = np.uint32(3)


class Deferred:
    """Values that are looked for when first asked for: most parsers do not look at lemmas."""

    def __init__(self, find: Callable[[], Values]) -> None:
        self._find = find

    @cached_property
    def values(self) -> Values:
        return self._find()

    def only(self, words: NDArray[np.bool_]) -> Deferred:
        return Deferred(lambda: self.values[words])

    def __reduce__(self) -> Any:
        return _known, (self.values,)


def _known(values: Values) -> Deferred:
    return Deferred(lambda: values)


@dataclass(frozen=True)
class Tags:
    """The tags of a batch: numbers of pairs, and as features see them."""

    pairs: Numbers
    probabilities: NDArray[np.float32]
    upos: Values
    xpos: Values
    tag: Values
    alternative: Values
    # What FEATS says: all of it, and of case alone. `feats_chosen` are numbers of predicted ones.
    feats: Values
    case: Values
    feats_chosen: Numbers
    lemmas: Deferred

    @property
    def lemma(self) -> Values:
        """Lemmas, in small letters."""
        return self.lemmas.values

    @classmethod
    def none(cls, batch: Batch) -> Tags:
        """What a parser sees of words when there is no tagger: FEATS, if they are given."""
        none = np.full(batch.words, 1, dtype=np.uint32)
        sure = np.ones(batch.words, dtype=np.float32)
        pairs = np.full(batch.words, -1, dtype=np.int32)
        feats, lemmas = given_feats(batch), given_lemmas(batch)
        return cls(pairs, sure, none, none, none, none, *feats, pairs, lemmas)

    @property
    def are_predicted(self) -> bool:
        """Whether a tagger gave them."""
        return bool((self.pairs >= 0).any())

    def only(self, words: NDArray[np.bool_]) -> Tags:
        """Of some of the words."""
        kept: dict[str, Any] = {
            name: values.only(words) if isinstance(values, Deferred) else values[words]
            for name, values in vars(self).items()
        }
        return Tags(**kept)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it, as files keep it."""
        return {**vars(self), "lemmas": self.lemma}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Tags:
        found: dict[str, Any] = {**arrays, "lemmas": _known(arrays["lemmas"])}
        return cls(**found)


def given_feats(batch: Batch, keep: bool = True) -> tuple[Values, Values]:
    """What features see of the column FEATS: all of it, and case alone; without `keep`, nothing."""
    if not keep or batch.blanks(FEATS).all():
        none = short_hashes([b"_"]).repeat(batch.words)
        return none, none
    texts = batch.texts_of(FEATS)
    return batch.hashes(FEATS), short_hashes(list(map(case_of, texts)))


@lru_cache(maxsize=1 << 14)
def case_of(feats: bytes) -> bytes:
    """What FEATS says of case and of the form of a verb, on which attachments hang most."""
    return b"|".join(x for x in feats.split(b"|") if x.startswith((b"Case=", b"VerbForm="))) or b"_"


def given_lemmas(batch: Batch, keep: bool = True) -> Deferred:
    """What features see of the column LEMMA; without `keep`, nothing."""
    if not keep or batch.blanks(LEMMA).all():
        return Deferred(lambda: short_hashes([b"_"]).repeat(batch.words))
    return Deferred(lambda: lemma_values(batch.texts_of(LEMMA)))


def lemma_values(lemmas: Sequence[bytes]) -> Values:
    """What features see of lemmas: their small letters."""
    return short_hashes([lemma.decode("utf-8").lower().encode("utf-8") for lemma in lemmas])


class AnyTagger(Protocol):
    """What a pipeline asks of a tagger, whatever it is made of."""

    @property
    def upos(self) -> Vocabulary: ...

    @property
    def xpos(self) -> Vocabulary: ...

    @property
    def predicts(self) -> frozenset[int]:
        """The columns that it fills."""

    def tag(self, batch: Batch, keep: bool = True) -> Tags:
        """Tag a batch. With `keep`, tags that are given stay, and others go with them."""

    def columns(self, batch: Batch, tags: Tags, keep: bool = True) -> dict[int, Any]:
        """Its columns for `Batch.render`; with `keep`, what is given stays."""

    def likely_tags(self, batch: Batch, k: int) -> list[list[tuple[str, str, float]]]:
        """The k best (UPOS, XPOS, probability) of each word, best first."""

    def parts(self) -> Parts: ...


class Tagger:
    """UPOS and XPOS. With many XPOS tags (more than `MAX_JOINT`), they are left to another."""

    MAX_JOINT = 100

    def __init__(
        self,
        upos: list[str],
        xpos: list[str],
        pairs: list[tuple[int, int]],
        model: SparseWeights | PackedWeights | Trigrams,
        *,
        lowercase: bool = False,
        clusters: Clusters | None = None,
        features: str | None = None,
    ) -> None:
        self.upos, self.xpos, self.pairs = Vocabulary(upos), Vocabulary(xpos), pairs
        self.features = tagging_features("tags") if features is None else features
        self.lowercase, self._clusters = lowercase, clusters
        self.model = model
        if len(upos) + len(xpos) > kernel.MAX_TAGS:
            raise ValueError(f"{len(upos)} UPOS and {len(xpos)} XPOS tags")
        if not all(0 <= u < len(upos) and -1 <= x < len(xpos) for u, x in pairs):
            raise ValueError("a pair of tags that there are not")
        self._upos_of = np.array([u for u, _ in pairs], dtype=np.int32)
        self._xpos_of = np.array([x for _, x in pairs], dtype=np.int32)
        self._pair_values = combine(*self._values_of(np.arange(len(pairs), dtype=np.int32)))
        self.kernel: kernel.Tagger | TrigramTagger
        if isinstance(model, Trigrams):
            self.kernel = model.kernel(pairs, lowercase)
        else:
            self.kernel = kernel.Tagger(
                model.compile() if isinstance(model, PackedWeights) else model,
                compile_window(self.features, lowercase, clusters),
                pairs,
                len(upos),
                self._pair_values.tolist(),
            )

    @classmethod
    def untrained(
        cls,
        tags: list[tuple[str, str]],
        *,
        lowercase: bool = False,
        clusters: Clusters | None = None,
        features: str | None = None,
    ) -> Tagger:
        """A tagger for the (UPOS, XPOS) pairs of a corpus, with weights to be learned."""
        upos = sorted({u for u, _ in tags})
        xpos = sorted({x for _, x in tags if x != "_"})
        if len(xpos) > cls.MAX_JOINT:
            xpos = []
        if len(upos) + len(xpos) > kernel.MAX_TAGS:
            raise ConfigError(
                f"{len(upos)} UPOS tags, but at most {kernel.MAX_TAGS} are possible; "
                "is something else in that column?"
            )
        numbers = {name: number for number, name in enumerate(xpos)}
        pairs = sorted({(upos.index(u), numbers.get(x, -1)) for u, x in tags})
        return cls(
            upos,
            xpos,
            pairs,
            SparseWeights(len(upos) + len(xpos)),
            lowercase=lowercase,
            clusters=clusters,
            features=features,
        )

    def with_model(self, model: SparseWeights | PackedWeights | Trigrams) -> Tagger:
        """The same tagger with other weights, or with trigrams instead."""
        return Tagger(
            self.upos.names,
            self.xpos.names,
            self.pairs,
            model,
            lowercase=self.lowercase,
            clusters=self._clusters,
            features=self.features,
        )

    @property
    def predicts(self) -> frozenset[int]:
        return frozenset({UPOS, XPOS} if len(self.xpos) else {UPOS})

    # -- files ------------------------------------------------------------------

    def parts(self) -> Parts:
        record: dict[str, Any] = {
            "upos": self.upos.names,
            "xpos": self.xpos.names,
            "pairs": self.pairs,
            "features": self.features,
            "lowercase": self.lowercase,
        }
        parts = Parts()
        if isinstance(self.model, Trigrams):
            parts.add(_NAME, {**record, "smoothing": self.model.smoothing})
            parts.add_file(f"trigrams-{_NAME}.safetensors", self.model.arrays)
        else:
            parts.add(_NAME, record, self.model)
        return parts

    @classmethod
    def load(cls, parts: SavedParts, clusters: Clusters | None) -> Tagger | None:
        """The tagger of a model, if it has one."""
        if _NAME not in parts:
            return None
        record = parts.record(_NAME)
        model: PackedWeights | Trigrams
        if "weights" in record:
            model = parts.weights(_NAME)
        else:
            tables = parts.tensors(f"trigrams-{_NAME}.safetensors")
            model = Trigrams(len(record["pairs"]), float(record["smoothing"]), tables)
        return cls(
            record["upos"],
            record["xpos"],
            [(u, x) for u, x in record["pairs"]],
            model,
            lowercase=record["lowercase"],
            clusters=clusters,
            features=record["features"],
        )

    # -- tags -------------------------------------------------------------------

    def numbers(self, batch: Batch) -> Numbers:
        """The pairs that stand in a file; -1 where one is not known."""
        upos = batch.numbers(UPOS, self.upos.symbols).astype(np.int64)
        xpos = batch.numbers(XPOS, self.xpos.symbols).astype(np.int64)
        keys = {(u, x): number for number, (u, x) in enumerate(self.pairs)}
        table = np.full((len(self.upos) + 1, len(self.xpos) + 1), -1, dtype=np.int32)
        for (u, x), number in keys.items():
            table[u, x] = number
        found: Numbers = table[upos, xpos]
        found[upos < 0] = -1
        return found

    def tag(self, batch: Batch, keep: bool = True) -> Tags:
        """Tag a batch. With `keep`, tags that are given stay, and others go with them."""
        none = np.full(batch.words, -1, dtype=np.int32)
        given_upos = batch.numbers(UPOS, self.upos.symbols) if keep else none
        given_xpos = batch.numbers(XPOS, self.xpos.symbols) if keep else none
        pairs, likely, seconds, less_likely = self.kernel.tag(batch, given_upos, given_xpos)
        upos, xpos = self._values_of(pairs)
        if keep:
            # A given tag that the model does not know is seen as what it is.
            upos = np.where(batch.blanks(UPOS), upos, batch.hashes(UPOS))
            if len(self.xpos):
                xpos = np.where(batch.blanks(XPOS), xpos, batch.hashes(XPOS))
        possible = (less_likely > _ALTERNATIVE) & (seconds >= 0)
        if keep:
            possible &= batch.blanks(UPOS)
        alternative = np.where(possible, self._pair_values[seconds], NO_ALTERNATIVE)
        tag, lemmas = combine(upos, xpos), given_lemmas(batch, keep)
        feats = given_feats(batch, keep)
        return Tags(pairs, likely, upos, xpos, tag, alternative, *feats, none, lemmas)

    def _values_of(self, pairs: Numbers) -> tuple[Values, Values]:
        upos = self.upos.values[self._upos_of[pairs]]
        # Where a pair has no XPOS, the last value stands for none.
        values = np.append(self.xpos.values, np.uint32(1))
        return upos, values[self._xpos_of[pairs]]

    def columns(self, batch: Batch, tags: Tags, keep: bool = True) -> dict[int, Any]:
        """UPOS and XPOS for `Batch.render`; what is given stays."""
        upos = self._upos_of[tags.pairs]
        xpos = self._xpos_of[tags.pairs]
        if keep:
            upos = np.where(batch.blanks(UPOS), upos, np.int32(-1))
            xpos = np.where(batch.blanks(XPOS), xpos, np.int32(-1))
        columns: dict[int, Any] = {UPOS: (upos, self.upos.symbols)}
        if len(self.xpos):
            columns[XPOS] = (xpos, self.xpos.symbols)
        return columns

    def likely_tags(self, batch: Batch, k: int) -> list[list[tuple[str, str, float]]]:
        """The k best (UPOS, XPOS, probability) of each word, best first."""
        probabilities = self.kernel.distribution(batch)
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        names = [(self.upos.names[u], self.xpos.names[x] if x >= 0 else "_") for u, x in self.pairs]
        return [
            [(*names[pair], float(row[pair])) for pair in order]
            for row, order in zip(probabilities, best, strict=True)
        ]
