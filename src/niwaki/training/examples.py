"""The data of objectives that are costs: read, tagged, and made ready for the parser."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.kernel.batch import Batch
from niwaki.objectives import (
    AnyObjective,
    KnowsTags,
    groups_of,
    left_out_of,
    load_objective,
)
from niwaki.pipeline.pipeline import tag_sentences
from niwaki.segmenting.segmenter import Segmenter
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import AnyTagger, Tags
from niwaki.training.config import Config, CostConfig

# A second tag that is less likely than this is not tried.
_POSSIBLE = 0.02


@dataclass(frozen=True)
class CostObjective:
    """An objective that is a cost, and how a parser is trained by it."""

    name: str
    config: CostConfig
    objective: AnyObjective
    held_out: frozenset[int] = field(default=frozenset(), kw_only=True)  # not to be learned

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The examples to learn from."""
        every = range(len(self.objective.ids))
        return np.array([number for number in every if number not in self.held_out], dtype=np.int64)

    @property
    def size(self) -> int:
        """How many examples there are to learn from."""
        return len(self.numbers)

    @property
    def sentences(self) -> list[Sentence]:
        """Those of the examples to learn from."""
        groups = groups_of(self.objective)
        return [self.objective.sentences[s] for number in self.numbers for s in groups[number]]

    @property
    def tagged(self) -> list[Sentence]:
        """The same with tags for a tagger to learn, if the objective knows any."""
        if not isinstance(self.objective, KnowsTags):
            return []
        return [self.objective.tagged[number] for number in self.numbers]

    def __str__(self) -> str:
        left_out = left_out_of(self.objective)
        return f"{self.config.kind}: {self.size:,} examples" + (f"; {left_out}" if left_out else "")


@dataclass(frozen=True)
class Tagging:
    """The examples tagged in one way, as a parser sees them, and what trees cost then.

    `sentences` have the tags; rules may look at them, so costs go with the tagging.
    `changed` has for each example the word (from 0) whose tag is not the likeliest, or -1.
    """

    sentences: list[Sentence]
    batch: Batch
    tags: Tags
    objective: AnyObjective
    changed: list[int]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the words of each example begin."""
        return np.concatenate([[0], np.cumsum(self.batch.lengths)]).astype(np.int64)


@dataclass(frozen=True)
class CostData(CostObjective):
    """The same with its sentences as the parser sees them: as they are tagged, and perhaps
    tagged in other ways.
    """

    taggings: Sequence[Tagging]


def load_costs(
    config: Config,
    held_out: Mapping[str, frozenset[int]] | None = None,
    segmenter: Segmenter | None = None,
) -> list[CostObjective]:
    """The objectives that are costs, with their data; by name, what is not to be learned of it.

    The segmenter of a model splits examples that are texts.
    """
    return [
        CostObjective(
            name,
            each,
            load_objective(each.kind, each.data, each.settings, segmenter),
            held_out=(held_out or {}).get(name, frozenset()),
        )
        for name, each in config.costs.items()
    ]


def tag_costs(
    costs: Sequence[CostObjective],
    tagger: AnyTagger | None,
    morphology: Morphology | None,
    labels: Sequence[str],
) -> list[CostData]:
    """Tag the examples as they will be tagged after training, and tell the objectives."""
    found = []
    for each in costs:
        ways = tag_in_ways(each.objective, tagger, morphology, labels, each.config.tags)
        found.append(CostData(each.name, each.config, each.objective, ways, held_out=each.held_out))
    return found


def tag_in_ways(
    objective: AnyObjective,
    tagger: AnyTagger | None,
    morphology: Morphology | None,
    labels: Sequence[str],
    count: int,
) -> list[Tagging]:
    """The examples of an objective tagged in up to `count` ways, the usual one first."""
    ways = [list(objective.sentences)]
    changed = [[-1] * len(ways[0])]
    if count > 1:
        if tagger is None:
            raise ConfigError("this model has no tagger; its tags cannot be varied")
        variants = tag_variants(tagger, objective.sentences, count - 1)
        for way in range(count - 1):
            chosen = [each[way] if way < len(each) else None for each in variants]
            if any(chosen):
                pairs = zip(objective.sentences, chosen, strict=True)
                ways.append([with_tag(s, other) if other else s for s, other in pairs])
                changed.append([other.word if other else -1 for other in chosen])
    found = []
    for number, (sentences, words) in enumerate(zip(ways, changed, strict=True)):
        tagged, batch, tags = tag_sentences(sentences, tagger, morphology)
        priced = copy.copy(objective) if number else objective
        priced.open(tagged, labels)
        found.append(Tagging(tagged, batch, tags, priced, words))
    return found


@dataclass(frozen=True)
class Variant:
    """Another tag for a word (from 0)."""

    word: int
    upos: str
    xpos: str


def tag_variants(
    tagger: AnyTagger, sentences: Sequence[Sentence], most: int
) -> list[list[Variant]]:
    """Second tags of the most doubtful words of each sentence, the most doubtful first.

    Words whose tags are given are not doubtful.
    """
    likely = iter(tagger.likely_tags(Batch([sentence.source for sentence in sentences]), 2))
    found = []
    for sentence in sentences:
        words = list(islice(likely, len(sentence)))
        doubtful = [
            (tags[1][2] / tags[0][2], -place)
            for place, (tags, given) in enumerate(zip(words, sentence.upos, strict=True))
            if given == "_" and len(tags) > 1 and tags[1][2] > _POSSIBLE
        ]
        places = [-place for _, place in sorted(doubtful, reverse=True)[:most]]
        found.append([Variant(place, *words[place][1][:2]) for place in places])
    return found


def with_tag(sentence: Sentence, variant: Variant) -> Sentence:
    """The sentence with one tag given; the tagger gives the others."""
    upos, xpos = list(sentence.upos), list(sentence.xpos)
    upos[variant.word], xpos[variant.word] = variant.upos, variant.xpos
    return sentence.replace(upos=upos, xpos=xpos)
