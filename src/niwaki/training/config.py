"""Training configurations: every key, what it means, and what it is if nobody says anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

MAX_CANDIDATES = 4096
# What can be selected by costs that are sums over arcs, and by a graph parser, only.
ARC_SELECTIONS = ("augmented", "exact")
# What a sentence of a treebank can teach.
Lesson = Literal["segments", "tags", "training-tags", "morphology", "trees"]
LESSONS: tuple[Lesson, ...] = get_args(Lesson)


@dataclass(frozen=True)
class CardConfig:
    """What is written on the model's card."""

    name: str = "model"
    language: str = ""
    description: str = ""
    licences: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelConfig:
    """What kind of parser, and what it looks at."""

    # "transition" makes a tree move by move, "graph" chooses among all trees (see [graph]).
    kind: Literal["transition", "graph"] = "transition"
    # A named feature set or a file, and more features, a line each.
    features: str = "rich"
    more_features: tuple[str, ...] = ()
    # "insensitive" reads everything in lower case, in training and after.
    case: Literal["sensitive", "insensitive"] = "sensitive"
    # A file of word clusters (`bits word count` lines); "" for none.
    clusters: str = ""
    # Rows of weights that are kept of each parser.
    max_rows: int = 350_000


@dataclass(frozen=True)
class ObjectiveConfig:
    """What is learned from: data and what it is for."""

    # "treebank", or a cost: "reordering", "partial", "arc-length", "command" or a function
    # "package.module:name". The keys up to `alone_epochs` are for treebanks, those after
    # it for costs.
    kind: str = "treebank"
    data: tuple[str, ...] = ()
    # Links of the words to a translation, a Pharaoh file for each file of a treebank, for
    # features such as contiguous(s1,s0); links in MISC need none.
    links: tuple[str, ...] = ()
    # How often each sentence is visited in an epoch: 10 is ten times, 0.5 every other time.
    weight: float = 1.0
    # Weigh each sentence by how sure its teacher was: the mean of `ArcProb` in MISC.
    soft: bool = False
    # Labels to be written in another way, old = "new", of all words or of one, in lower case
    # (label/word); tags too: UPOS, UPOS/XPOS, or UPOS/XPOS/word.
    label_map: Mapping[str, str] = field(default_factory=dict)
    tag_map: Mapping[str, str] = field(default_factory=dict)
    # What is learned from these sentences; of "training-tags" the finished tagger learns
    # nothing, but those do that tag the parser's data.
    teaches: tuple[Lesson, ...] = LESSONS
    # Leave out sentences in whose words, with spaces between, this regular expression finds
    # something: constructions that another treebank treats in another way.
    leave_out: str = ""
    # Leave out sentences that cannot be learned from, and say how many.
    skip_bad: bool = False
    # Accept partial trees: what is unknown (`_`) is filled in, again and again while the
    # parser learns, by the best tree that obeys what is known.
    partial: bool = False
    # Learn from these sentences alone too, in so many passes, and mix so large a share of the
    # weights with those of all data: so a small treebank is heard beside much other text.
    alone: float = 0.0
    alone_epochs: int = 6
    # Examples visited for each one of the treebank (without a treebank: of the first cost).
    schedule: float = 1.0
    # Candidates that are priced; "adaptive": 2, 4, 8 ... `max_k`, until one is cheaper.
    k: int | Literal["adaptive"] = 8
    max_k: int = 64
    # What an update goes towards: the cheapest candidate ("hard"), the best of score and
    # cost, away from the worst ("hope-fear"), all that are cheaper, or the expected cost.
    # A graph parser, for costs that are sums over arcs (arc-length, partial): hope and fear
    # of all trees ("augmented"), or the expected cost over all trees ("exact").
    select: Literal["hard", "hope-fear", "all-cheaper", "expected", "augmented", "exact"] = "hard"
    # The length of an update, where one on the treebank has 1.
    step: float = 1.0
    # Ways to tag an example that are tried: as it is tagged, and with the second tag of each of
    # the most doubtful words. The tagger learns the tags that lead to the cheapest trees.
    tags: int = 1
    # "hope-fear", "augmented": what a cost of 1 weighs in scores; "expected", "exact": the
    # temperature. Usual are 100 for a transition parser and 4 for a graph parser.
    scale: float | Literal["usual"] = "usual"
    # "reordering": a named set of rules or a file, and the words that are scored.
    rules: str = ""
    words: Literal["linked", "all"] = "linked"
    # "partial": if no candidate is right, search for the best tree that is.
    rescue: bool = True
    # "arc-length": whether labels count.
    labelled: bool = True
    # "command": the program and its arguments.
    command: tuple[str, ...] = ()

    @property
    def is_cost(self) -> bool:
        return self.kind != "treebank"


@dataclass(frozen=True)
class UptrainingConfig:
    """Trees of a teacher, for `niwaki uptrain`."""

    # As in [[objective]], for the teacher's trees.
    weight: float = 1.0
    soft: bool = False
    label_map: Mapping[str, str] = field(default_factory=dict)
    tag_map: Mapping[str, str] = field(default_factory=dict)
    teaches: tuple[Lesson, ...] = ("tags", "trees")
    leave_out: str = ""
    # Keep only sentences that begin with one of these words, and are not longer; 0: no limit.
    first_words: tuple[str, ...] = ()
    max_characters: int = 0
    # Of several teachers: keep sentences in which they give so large a share of the words the
    # same head and label. 1 is all words. 0: they do not vote one by one but parse together.
    agreement: float = 0.0


@dataclass(frozen=True)
class TrainingConfig:
    """How it is learned."""

    epochs: int = 12
    seed: int = 1
    # Sentences to choose the best epoch by; "" to take the last.
    dev: str = ""
    # Their links, if the features use them.
    dev_links: str = ""
    # With costs: sentences that are parsed before any of them changes the weights.
    round: int = 16
    # Time between two checkpoints.
    checkpoint_minutes: float = 1.0


@dataclass(frozen=True)
class Config:
    """A whole configuration; `to_json` is what the model keeps of it."""

    card: CardConfig = field(default_factory=CardConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    graph: GraphConfig = field(default_factory=GraphConfig)
    segmenter: SegmenterConfig = field(default_factory=SegmenterConfig)
    tagger: TaggerConfig = field(default_factory=TaggerConfig)
    objective: tuple[ObjectiveConfig, ...] = ()
    uptraining: UptrainingConfig = field(default_factory=UptrainingConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def to_json(self) -> dict[str, Any]:
        record: dict[str, Any] = dataclasses.asdict(self)
        return record
