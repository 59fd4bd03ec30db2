"""Tags, features and lemmas by the network that parses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from niwaki.data.faults import FEATS, FORM, LEMMA, UPOS, XPOS
from niwaki.features.parts import Parts
from niwaki.features.vocabulary import Vocabulary, combine
from niwaki.kernel.batch import Batch
from niwaki.parsers.neural.scorer import Encoder
from niwaki.tagging.lemmas import apply_rule, parts_of_rule
from niwaki.tagging.tagger import NO_ALTERNATIVE, Tags, given_feats, given_lemmas
from niwaki.typing import FloatArray, IntArray

_COLUMNS = {"lemmas": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS}


class NeuralTagger:
    """See `niwaki.tagging.tagger.AnyTagger`.

    The number of a pair of tags is UPOS * (XPOS tags + 1) + XPOS + 1.
    """

    def __init__(self, encoder: Encoder, classes: Mapping[str, Sequence[str]]) -> None:
        self._encoder = encoder
        self._names = {kind: Vocabulary(names) for kind, names in classes.items()}
        self.upos = self._names["upos"]
        self.xpos = self._names.get("xpos", Vocabulary([]))
        self._rules = [parts_of_rule(rule) for rule in classes.get("lemmas", ())]

    @property
    def predicts(self) -> frozenset[int]:
        return frozenset(_COLUMNS[kind] for kind in self._names)

    def parts(self) -> Parts:
        """Nothing: the parser keeps it all."""
        return Parts()

    def _scores(self, batch: Batch, kind: str) -> FloatArray:
        """log p of each class of a kind, word by word."""
        every = self._encoder.encode(batch)
        found = [every[s].classes[kind] for s in range(batch.sentences)]
        none = np.zeros((0, len(self._names[kind])))
        scores = np.concatenate([none, *found]).astype(np.float64)
        scores -= scores.max(axis=1, keepdims=True, initial=-np.inf)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def tag(self, batch: Batch, keep: bool = True) -> Tags:
        upos_logs = self._scores(batch, "upos")
        best = upos_logs.argmax(axis=1).astype(np.int32)
        blanks = batch.blanks(UPOS) if keep else np.ones(batch.words, dtype=np.bool_)
        given = batch.numbers(UPOS, self.upos.symbols)
        best = np.where(blanks | (given < 0), best, given).astype(np.int32)
        upos = np.where(blanks, self.upos.values[best], batch.hashes(UPOS))
        likely = np.exp(upos_logs[np.arange(batch.words), best]).astype(np.float32)
        other, xpos = np.full(batch.words, -1, np.int32), np.ones(batch.words, dtype=np.uint32)
        if len(self.xpos):
            blank_xpos = batch.blanks(XPOS) if keep else np.ones(batch.words, dtype=np.bool_)
            other = self._scores(batch, "xpos").argmax(axis=1).astype(np.int32)
            xpos = np.where(blank_xpos, self.xpos.values[other], batch.hashes(XPOS))
        none = np.full(batch.words, NO_ALTERNATIVE)
        pairs = best * np.int32(len(self.xpos) + 1) + other + 1
        unchosen = np.full(batch.words, -1, dtype=np.int32)
        tag, feats = combine(upos, xpos), given_feats(batch, keep)
        lemmas = given_lemmas(batch, keep)
        return Tags(pairs.astype(np.int32), likely, upos, xpos, tag, none, *feats, unchosen, lemmas)

    def columns(self, batch: Batch, tags: Tags, keep: bool = True) -> dict[int, Any]:
        """UPOS, XPOS, FEATS and lemmas for `Batch.render`; what is given stays."""
        upos, xpos = np.divmod(tags.pairs, np.int32(len(self.xpos) + 1))
        found: dict[str, IntArray] = {"upos": upos, "xpos": xpos - 1}
        for kind in ("feats", "lemmas"):
            if kind in self._names:
                found[kind] = self._scores(batch, kind).argmax(axis=1).astype(np.int32)
        columns: dict[int, Any] = {}
        for kind, names in self._names.items():
            column = _COLUMNS[kind]
            blanks = batch.blanks(column) if keep else np.ones(batch.words, dtype=np.bool_)
            if kind == "lemmas":
                rules = [self._rules[number] for number in found[kind].tolist()]
                lemmas = [
                    apply_rule(form, ending, beginning)
                    for form, (beginning, ending) in zip(batch.texts_of(FORM), rules, strict=True)
                ]
                pairs = zip(blanks.tolist(), lemmas, strict=True)
                columns[column] = [new if blank else None for blank, new in pairs]
            else:
                numbers = np.where(blanks, found[kind], np.int32(-1)).astype(np.int32)
                columns[column] = (numbers, names.symbols)
        return columns

    def likely_tags(self, batch: Batch, k: int) -> list[list[tuple[str, str, float]]]:
        """The k best UPOS of each word with their probabilities, best first, and its XPOS."""
        shares = np.exp(self._scores(batch, "upos"))
        xpos = ["_"] * batch.words
        if len(self.xpos):
            best = self._scores(batch, "xpos").argmax(axis=1)
            xpos = [self.xpos.names[number] for number in best.tolist()]
        order = np.argsort(-shares, axis=1, kind="stable")[:, :k]
        return [
            [(self.upos.names[each], tag, float(row[each])) for each in chosen]
            for row, chosen, tag in zip(shares, order, xpos, strict=True)
        ]
