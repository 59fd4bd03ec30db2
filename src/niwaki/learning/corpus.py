"""Training data: read, checked for what training needs, and counted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.links import link_sentences
from niwaki.data.conllu import read_conllu, read_stream
from niwaki.data.constraints import Constraints
from niwaki.data.files import Input
from niwaki.data.probabilities import NOTES
from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT, UNKNOWN
from niwaki.errors import CorpusError
from niwaki.kernel.batch import Batch
from niwaki.training.config import LESSONS, ObjectiveConfig

Floats = NDArray[np.float64]
OnFault = Callable[[CorpusError], None]


@dataclass(frozen=True)
class Alone:
    """Which sentences are also learned alone, what share that has, and in how many passes."""

    is_alone: NDArray[np.bool_]
    share: float
    epochs: int


@dataclass(frozen=True)
class Corpus:
    """Sentences of one or more files, with a hash that identifies them.

    `constraints` hold what is known of those trees that are not whole. `weights` say for
    each lesson how often each sentence is visited in an epoch; a lesson that is not there
    is taught once by all.
    """

    files: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    constraints: Mapping[int, Constraints] = field(default_factory=dict)
    weights: Mapping[str, Floats] = field(default_factory=dict)
    alone: Alone | None = None
    left_out: int = 0  # sentences of the files that are not among these, as was asked for

    @cached_property
    def batch(self) -> Batch:
        return Batch([sentence.source for sentence in self.sentences])

    @cached_property
    def sha256(self) -> str:
        digest = hashlib.sha256()
        for sentence in self.sentences:
            digest.update(sentence.source)
        return digest.hexdigest()

    @property
    def words(self) -> int:
        return int(self.batch.words)

    def part(self, numbers: NDArray[np.int64]) -> Corpus:
        known = ((new, self.constraints.get(old)) for new, old in enumerate(numbers.tolist()))
        alone = self.alone
        return Corpus(
            self.files,
            tuple(self.sentences[number] for number in numbers),
            {new: constraints for new, constraints in known if constraints is not None},
            {lesson: weights[numbers] for lesson, weights in self.weights.items()},
            replace(alone, is_alone=alone.is_alone[numbers]) if alone else None,
        )

    def that_is_alone(self, lesson: str) -> tuple[Corpus, NDArray[np.bool_]] | None:
        """The sentences that also teach a lesson alone, each once a pass, and which they are."""
        if self.alone is None:
            return None
        chosen = self.alone.is_alone
        if lesson in self.weights:
            chosen = chosen & (self.weights[lesson] > 0)
        if not chosen.any():
            return None
        return replace(self.part(np.flatnonzero(chosen)), weights={}, alone=None), chosen

    def words_of(self, sentences: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which words of the batch are in these sentences."""
        return np.repeat(sentences, np.diff(self.starts))

    def that_teaches(self, lesson: str) -> Corpus:
        """The sentences that teach a lesson."""
        if lesson not in self.weights or np.all(self.weights[lesson] > 0):
            return self
        return self.part(np.flatnonzero(self.weights[lesson]))

    def visits(self, lesson: str) -> int:
        """How many sentences are visited in an epoch."""
        if lesson not in self.weights:
            return len(self.sentences)
        return int(self.weights[lesson].sum() + _ROUNDING)

    def visits_alone(self, lesson: str) -> int:
        """How many are visited in all passes over those that also teach alone."""
        found = self.that_is_alone(lesson)
        return len(found[0].sentences) * self.alone.epochs if found and self.alone else 0

    def epoch_order(self, lesson: str, seed: int, stage: str, epoch: int) -> NDArray[np.int32]:
        """The sentences that an epoch visits, in order; depends on nothing but its name.

        A weight of 2.5 is two or three visits. The weights are laid end to end, and a visit
        is paid wherever a ruler with marks one apart, laid on at random, has a mark; so
        their number is always the same.
        """
        if lesson not in self.weights:
            return shuffled(len(self.sentences), seed, stage, epoch)
        random = _random(seed, stage, epoch)
        ends = np.floor(np.cumsum(self.weights[lesson]) + random.random() + _ROUNDING)
        visits = np.diff(ends, prepend=0).astype(np.int64)
        order = random.permutation(np.repeat(np.arange(len(visits), dtype=np.int32), visits))
        return order[: self.visits(lesson)]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the words of each sentence begin in the arrays of the batch."""
        lengths = self.batch.lengths
        return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    @cached_property
    def is_tagged(self) -> bool:
        return any(tag != "_" for sentence in self.sentences for tag in sentence.upos)


def shuffled(count: int, seed: int, stage: str, epoch: int) -> NDArray[np.int32]:
    """The order of so many things in an epoch; depends on nothing but its name."""
    return _random(seed, stage, epoch).permutation(count).astype(np.int32)


def _random(seed: int, stage: str, epoch: int) -> np.random.Generator:
    return np.random.default_rng([seed, epoch, *stage.encode()])


_ARC_PROBABILITY = NOTES["arc"]
# So that ten weights of 0.1 are one visit.
_ROUNDING = 1e-6


def read_treebank(files: Sequence[str], partial: Collection[str] = ()) -> Corpus:
    """Sentences with whole trees, or partly known ones in the files `partial`.

    Refuses others, with sentence and line; so too partial trees that no tree completes.
    """
    return read_treebanks(
        [ObjectiveConfig(data=(file,), partial=file in partial) for file in files]
    )


def read_treebanks(
    objectives: Sequence[ObjectiveConfig],
    on_fault: OnFault = lambda fault: None,
    on_bad_links: OnFault | None = None,
) -> Corpus:
    """The sentences of all objectives that are treebanks, as each of them wants them.

    What cannot be learned from is refused; objectives that skip it tell `on_fault`. For
    `on_bad_links` see `link_sentences`.
    """
    sentences: list[Sentence] = []
    constraints: dict[int, Constraints] = {}
    weights: dict[str, list[float]] = {lesson: [] for lesson in LESSONS}
    is_alone: list[bool] = []
    left_out = 0
    for objective in objectives:
        before = len(sentences)
        for file, links in zip_longest(objective.data, objective.links):
            for sentence, known in learnable(file, links, objective, on_fault, on_bad_links):
                if is_left_out(sentence, objective.leave_out):
                    left_out += 1
                    continue
                if known is not None:
                    constraints[len(sentences)] = known
                sentences.append(sentence)
        is_alone += [objective.alone > 0] * (len(sentences) - before)
        for lesson, visits in weights.items():
            taught = {lesson, "tags"} if lesson == "training-tags" else {lesson}
            weight = objective.weight * (not taught.isdisjoint(objective.teaches))
            visits += [
                weight * certainty(each) if objective.soft else weight
                for each in sentences[before:]
            ]
    return Corpus(
        tuple(file for objective in objectives for file in objective.data),
        tuple(sentences),
        constraints,
        {name: np.array(w) for name, w in weights.items() if any(each != 1 for each in w)},
        next(
            (Alone(np.array(is_alone), o.alone, o.alone_epochs) for o in objectives if o.alone),
            None,
        ),
        left_out,
    )


def learnable(
    file: str,
    links: str | None,
    objective: ObjectiveConfig,
    on_fault: OnFault,
    on_bad_links: OnFault | None = None,
) -> Iterator[tuple[Sentence, Constraints | None]]:
    """The sentences of a file, and what is known of those whose trees are partial."""
    if objective.skip_bad:
        read = read_stream(Input(file), on_fault)
    else:
        read = read_conllu(file, multi_root=True, unknown_heads=objective.partial)
    with closing(read):
        for sentence in link_sentences(read, links, on_bad_links) if links else read:
            known = None
            if UNKNOWN in sentence.heads or (objective.partial and "_" in sentence.deprels):
                known = Constraints.of(sentence)
            if known is not None and objective.partial:
                known.check(sentence)
                fault = None
            else:
                fault = fault_of(sentence)
            if fault is None:
                yield renamed(sentence, objective.label_map, objective.tag_map), known
            elif objective.skip_bad:
                on_fault(fault)
            else:
                raise fault


def is_left_out(sentence: Sentence, pattern: str) -> bool:
    return bool(pattern) and re.search(pattern, " ".join(sentence.forms)) is not None


def fault_of(sentence: Sentence) -> CorpusError | None:
    """Why nothing can be learned from a tree: it is not whole, or it has not one root."""
    roots = sentence.heads.count(ROOT)
    unknown = UNKNOWN in sentence.heads
    if roots == 1 and not unknown:
        return None
    called = f" in sentence {sentence.id!r}" if sentence.id else ""
    return CorpusError(
        sentence.file,
        sentence.line,
        "SENTENCE",
        f"unknown heads{called}" if unknown else f"{roots} roots{called}",
        "a parser learns trees with one root; correct or remove the sentence",
    )


def renamed(sentence: Sentence, labels: Mapping[str, str], tags: Mapping[str, str]) -> Sentence:
    """The sentence with labels and tags written in another way.

    Labels may go with a word in lower case (label/word); tags are UPOS, UPOS/XPOS, or
    UPOS/XPOS/word. What says most counts.
    """
    if not labels and not tags:
        return sentence
    words = [form.lower() for form in sentence.forms]
    if labels:
        old = sentence.deprels
        new_labels = [
            labels.get(f"{label}/{word}", labels.get(label, label))
            for label, word in zip(old, words, strict=True)
        ]
        if new_labels != list(old):
            sentence = sentence.replace(deprels=new_labels)
    if tags:
        upos, xpos = list(sentence.upos), list(sentence.xpos)
        for at, (tag, fine, word) in enumerate(zip(upos, xpos, words, strict=True)):
            names = (f"{tag}/{fine}/{word}", f"{tag}/{fine}", tag)
            new = next((tags[name] for name in names if name in tags), None)
            if new is not None:
                upos[at], slash, other = new.partition("/")
                xpos[at] = other if slash else xpos[at]
        if upos != list(sentence.upos) or xpos != list(sentence.xpos):
            sentence = sentence.replace(upos=upos, xpos=xpos)
    return sentence


def certainty(sentence: Sentence) -> float:
    """How sure the teacher was: the mean probability of the arcs; 1 where it did not say."""
    values = []
    for notes in sentence.notes:
        if _ARC_PROBABILITY in notes:
            try:
                values.append(float(notes[_ARC_PROBABILITY]))
            except ValueError:
                values.append(-1.0)
            if not 0 <= values[-1] <= 1:
                raise CorpusError(
                    sentence.file,
                    sentence.line,
                    "MISC",
                    f"{_ARC_PROBABILITY}={notes[_ARC_PROBABILITY]}",
                    "give a probability from 0 to 1",
                )
    return float(np.mean(values)) if values else 1.0
