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
    # Transition system of the parser with a beam, and width of that beam.
    system: str = "arc-standard"
    beam: int = 8
    # What a system that cannot build crossing arcs makes of them in training: it learns the
    # nearest trees without ("lift"), or also keeps in the labels where lifted arcs came from
    # and puts them back after parsing ("encode"). arc-standard-swap builds them itself.
    crossing: Literal["lift", "encode"] = "lift"
    # Put a second set of weights into the model that was trained for greedy parsing, and
    # serves `--beam 1`. With beam = 1 there is only one set anyway.
    greedy: bool = True
    # A named feature set or a file, and more features, a line each.
    features: str = "rich"
    more_features: tuple[str, ...] = ()
    # How far the combinations of the set hall2011 go.
    degree: int = 2
    nonlexical_degree: int = 3
    # "insensitive" reads everything in lower case, in training and after.
    case: Literal["sensitive", "insensitive"] = "sensitive"
    # A file of word clusters (`bits word count` lines); "" for none.
    clusters: str = ""
    # Rows of weights that are kept of each parser.
    max_rows: int = 350_000
    # Weights of a transition parser below so many of the 127 steps that 8 bits can tell apart are
    # dropped. Half of all weights have one: where features are few and good, dropping them halves
    # the model at no loss; where they are many, as in the set `words`, keep them (1).
    least_weight: int = 2


@dataclass(frozen=True)
class GraphConfig:
    """A graph-based parser, with kind = "graph"."""

    # How weights of arcs are learned; log-linear by AdaGrad or L-BFGS.
    trainer: Literal["perceptron", "mira", "log-linear", "max-margin"] = "log-linear"
    optimizer: Literal["adagrad", "lbfgs"] = "adagrad"
    # How trees are chosen: best ("mst"), best without crossing arcs ("eisner"), of the fewest
    # expected errors ("mbr"); with latent classes also by the best class of each arc.
    decode: Literal["mst", "eisner", "mbr", "max-z"] = "mst"
    # Learn as if there were no crossing arcs.
    projective: bool = False
    # 2 also scores each dependent with the one before it (perceptron and mira).
    order: int = 1
    # Classes of arcs that are not in the data (log-linear, adagrad).
    latent: int = 1
    # Features of labels, a named set or a file.
    label_features: str = "labels"
    # perceptron: by how much right arcs must lead.
    margin: float = 15.0
    # mira: trees that the right one must lead, and the largest step.
    k: int = 5
    aggressiveness: float = 0.01
    # adagrad; also of the labels.
    rate: float = 0.2
    damping: float = 0.1
    # lbfgs: how much the data weigh against the size of weights.
    c: float = 1.0
    # max-margin: the same, the step of the exponentiated gradient, and how sure it begins
    # with the right trees.
    margin_c: float = 0.03
    eg_rate: float = 4.0
    head_start: float = 4.0


@dataclass(frozen=True)
class SegmenterConfig:
    """What finds sentences and words in raw text."""

    # Learn it, if the data has `# text` or SpaceAfter.
    enabled: bool = True
    epochs: int = 6
    rate: float = 0.2
    damping: float = 0.1
    # A feature of token and sentence ends gets weights only when it was met so often.
    min_updates: int = 2
    max_rows: int = 100_000


@dataclass(frozen=True)
class TaggerConfig:
    """The tagger and what follows it."""

    # Predict UPOS and XPOS; FEATS; LEMMA.
    tags: bool = True
    feats: bool = True
    lemmas: bool = True
    # "tnt" counts tags of words and endings and trigrams of tags; the others weigh features.
    learner: Literal["logistic", "perceptron", "tnt"] = "logistic"
    epochs: int = 5
    rate: float = 0.1
    damping: float = 0.1
    margin: float = 12.0
    # tnt: whether a known word can have tags that it was not seen with, and as how many
    # occurrences of the word its ending then counts.
    known_words: Literal["seen", "all"] = "all"
    smoothing: float = 0.1
    # A feature gets weights only when it was met so often.
    min_updates: int = 1
    # The parser is trained on tags that were predicted for each part of the data by a
    # tagger trained on the other parts; 0 trains it on the tags of the file.
    folds: int = 10
    max_rows: int = 300_000

    @property
    def passes(self) -> int:
        """How often a tagger looks at the data."""
        return 1 if self.learner == "tnt" else self.epochs

    @property
    def ending_weight(self) -> float:
        """What the ending of a known word weighs in its tags."""
        return self.smoothing if self.known_words == "all" else 0.0


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
    greedy_epochs: int = 12
    seed: int = 1
    # Sentences to choose the best epoch by; "" to take the last.
    dev: str = ""
    # Their links, if the features use them.
    dev_links: str = ""
    # Where a beam learns: at the worst violation, or where the gold sequence is lost.
    update: Literal["max-violation", "early"] = "max-violation"
    # By how much the right way must lead the wrong ones.
    margin: float = 20.0
    greedy_margin: float = 5.0
    # How a greedy parser learns: by its own mistakes ("perceptron"), or as a classifier of
    # the states on the way to the right trees, by maximum entropy or support vectors.
    greedy_learner: Literal["perceptron", "maxent", "svm"] = "perceptron"
    # A feature gets weights only when they were to be changed so often. More than 1 saves
    # memory and time where there is much to learn from.
    min_updates: int = 1
    # perceptron: how often it follows its own mistakes while it learns.
    explore: float = 0.9
    # maxent and svm: steps of AdaGrad, and how much weights are drawn towards 0.
    rate: float = 0.1
    damping: float = 0.1
    decay: float = 0.0001
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
