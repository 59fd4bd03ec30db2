"""Training configurations: commented TOML, read into frozen records, strict about every key."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from niwaki.errors import ConfigError, nearest, shown, written
from niwaki.kernel.systems import system_names
from niwaki.objectives import objective_names

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
    patience: int = 2
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
    patience: int = 1
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
    # Labels to be written in another way, old = "new"; tags too: UPOS, UPOS/XPOS, or
    # UPOS/XPOS/word in lower case.
    label_map: Mapping[str, str] = field(default_factory=dict)
    tag_map: Mapping[str, str] = field(default_factory=dict)
    # What is learned from these sentences; of "training-tags" the finished tagger learns
    # nothing, but those do that tag the parser's data.
    teaches: tuple[Lesson, ...] = LESSONS
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
    patience: int = 1
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


_AT_LEAST = {
    "model.beam": 1,
    "model.degree": 1,
    "model.nonlexical_degree": 1,
    "model.max_rows": 1,
    "graph.order": 1,
    "graph.latent": 1,
    "graph.margin": 0,
    "graph.k": 1,
    "graph.aggressiveness": 0,
    "graph.rate": 0,
    "graph.damping": 0,
    "graph.c": 1e-9,
    "graph.margin_c": 1e-9,
    "graph.eg_rate": 0,
    "graph.head_start": 0,
    "segmenter.epochs": 1,
    "segmenter.max_rows": 1,
    "segmenter.patience": 1,
    "tagger.epochs": 1,
    "tagger.folds": 0,
    "tagger.max_rows": 1,
    "tagger.patience": 1,
    "tagger.rate": 0,
    "tagger.damping": 0,
    "tagger.margin": 0,
    "tagger.smoothing": 1e-9,
    "uptraining.weight": 1e-9,
    "uptraining.max_characters": 0,
    "uptraining.agreement": 0,
    "training.seed": 0,
    "training.epochs": 1,
    "training.greedy_epochs": 1,
    "training.margin": 0,
    "training.greedy_margin": 0,
    "training.explore": 0,
    "training.rate": 1e-9,
    "training.damping": 0,
    "training.decay": 0,
    "training.patience": 1,
    "training.round": 1,
    "training.checkpoint_minutes": 0,
}
_OF_TREEBANKS = (
    *("links", "partial", "weight", "soft", "label_map", "tag_map", "teaches", "skip_bad"),
    *("alone", "alone_epochs"),
)
_LARGEST = 10**300  # what a float can hold, and a message can show
_AT_MOST = {
    "model.beam": 4096,
    "graph.order": 2,
    "graph.latent": 64,
    "uptraining.agreement": 1,
    "training.explore": 1,
    "training.decay": 1,
    "training.patience": 255,
    "tagger.patience": 255,
    "segmenter.patience": 255,
    "training.seed": 2**63 - 1,
}


def read_config(path: str, overrides: Sequence[str] = ()) -> Config:
    """Read a TOML file, with `key=value` overrides such as `model.beam=16`."""
    try:
        with open(path, "rb") as file:
            record = tomllib.load(file)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    for override in overrides:
        _override(record, override)
    return make_config(record, path, Path(path).parent)


def make_config(record: Mapping[str, Any], name: str = "config", folder: Path = Path()) -> Config:
    """A checked configuration from a nested mapping; paths are relative to `folder`."""
    config = typing.cast(Config, _build(Config, record, "", name))
    _check(config, name)
    return _with_paths(config, folder, name)


def _override(record: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {override}: write key=value, for instance model.beam=16")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        parsed = value  # a bare word is a string
    *tables, last = key.strip().split(".")
    place: Any = record
    for table in tables:
        if isinstance(place, list):
            if not table.isdecimal() or len(table) > 9 or int(table) >= len(place):
                raise ConfigError(f"--set {override}: no entry {table!r}")
            place = place[int(table)]
        elif isinstance(place, dict):
            place = place.setdefault(table, {})
    if not isinstance(place, dict):
        raise ConfigError(f"--set {override}: {key!r} is not a key")
    place[last] = parsed


def _build(kind: Any, record: Any, prefix: str, name: str) -> Any:
    """A record of a dataclass from a mapping; refuses unknown keys and wrong types."""
    if not isinstance(record, Mapping):
        raise ConfigError(f"{name}: {prefix.rstrip('.')} is {written(record)}; make it a table")
    hints = typing.get_type_hints(kind)
    known = [each.name for each in dataclasses.fields(kind)]
    values = {}
    for key, value in record.items():
        if key not in known:
            whole = prefix + key
            if not whole.isprintable():
                whole = shown(whole)
            raise ConfigError(f"{name}: unknown key {whole}; {nearest(key, known)}")
        values[key] = _convert(hints[key], value, f"{prefix}{key}", name)
    return kind(**values)


def _convert(hint: Any, value: Any, key: str, name: str) -> Any:
    def refuse(wanted: str) -> ConfigError:
        return ConfigError(f"{name}: {key} is {written(value)}; give {wanted}")

    if dataclasses.is_dataclass(hint):
        return _build(hint, value, f"{key}.", name)
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        # A number, or a word in its place.
        number, word = typing.get_args(hint)
        if isinstance(value, str):
            if value not in typing.get_args(word):
                kind = "a whole number" if number is int else "a number"
                raise refuse(f"{kind} or {', '.join(typing.get_args(word))}")
            return value
        return _convert(number, value, key, name)
    if origin is Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise refuse(f"one of {', '.join(choices)}")
        return value
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise refuse('a table such as { old = "new" }')
        return {k: _convert(str, item, f"{key}.{k}", name) for k, item in value.items()}
    if origin is tuple:
        inner = typing.get_args(hint)[0]
        # A single path may be written without brackets.
        items = [value] if inner is str and isinstance(value, str) else value
        if not isinstance(items, list):
            raise refuse("a list")
        return tuple(_convert(inner, item, f"{key}[{i}]", name) for i, item in enumerate(items))
    if hint is float and type(value) is int and abs(value) < _LARGEST:
        return float(value)
    if hint is int and type(value) is int and not abs(value) < _LARGEST:
        raise refuse("a smaller number")
    if hint is float and type(value) is float and not math.isfinite(value):
        raise refuse("a finite number")
    if type(value) is not hint:
        wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise refuse(wanted[hint])
    return value


def _check(config: Config, name: str) -> None:
    for key, least in _AT_LEAST.items():
        if _get(config, key) < least:
            raise ConfigError(f"{name}: {key} is {_get(config, key)}; give at least {least}")
    for key, most in _AT_MOST.items():
        if _get(config, key) > most:
            raise ConfigError(f"{name}: {key} is {_get(config, key)}; give at most {most}")
    if config.tagger.folds == 1:
        raise ConfigError(f"{name}: tagger.folds is 1; give 0 for none, or at least 2")
    system = config.model.system
    if system not in system_names():
        raise ConfigError(f"{name}: model.system is {system!r}; {nearest(system, system_names())}")
    _check_graph(config.graph, name)
    learner, has_costs = config.training.greedy_learner, any(x.is_cost for x in config.objective)
    if has_costs and config.model.beam == 1 and learner != "perceptron":
        raise ConfigError(
            f"{name}: training.greedy_learner is {learner}, but costs are learned by perceptron "
            "steps; leave it out, or give a model.beam above 1"
        )
    if config.model.kind == "graph" and any(x.links for x in config.objective):
        raise ConfigError(f'{name}: links go with model.kind = "transition"; leave one out')
    if config.training.dev_links and not config.training.dev:
        raise ConfigError(f"{name}: training.dev_links goes with training.dev; give both")
    for number, objective in enumerate(config.objective):
        _check_objective(objective, f"{name}: objective[{number}]")
    if any(objective.alone for objective in config.objective):
        _check_alone(config, name)
    if not any(objective.data for objective in config.objective):
        raise ConfigError(
            f'{name}: nothing to learn from; add [[objective]] with data = "train.conllu"'
        )


def _check_alone(config: Config, name: str) -> None:
    if sum(objective.alone > 0 for objective in config.objective) > 1:
        raise ConfigError(f"{name}: two objectives have `alone`; give it to one of them")
    others = {
        'model.kind = "graph"': config.model.kind == "graph",
        'tagger.learner = "tnt"': config.tagger.tags and config.tagger.learner == "tnt",
        "costs": any(objective.is_cost for objective in config.objective),
    }
    for other, is_there in others.items():
        if is_there:
            raise ConfigError(f"{name}: `alone` does not go with {other}; leave one out")


def _check_graph(graph: GraphConfig, name: str) -> None:
    adagrad = graph.trainer == "log-linear" and graph.optimizer == "adagrad"
    if graph.order == 2 and graph.trainer not in ("perceptron", "mira"):
        raise ConfigError(
            f"{name}: graph.order is 2, but {graph.trainer} knows arcs only; "
            "give 1, or train by perceptron or mira"
        )
    if graph.order == 2 and graph.decode == "mbr":
        raise ConfigError(f"{name}: graph.decode is mbr, which needs graph.order = 1")
    if graph.latent > 1 and not adagrad:
        raise ConfigError(
            f"{name}: graph.latent is {graph.latent}; "
            "latent classes are learned by log-linear with adagrad"
        )


def _check_objective(objective: ObjectiveConfig, name: str) -> None:
    kind, usual = objective.kind, ObjectiveConfig()
    if ":" not in kind and kind not in objective_names():
        raise ConfigError(
            f"{name}.kind is {shown(kind)}; {nearest(kind, objective_names())}, "
            "or package.module:function"
        )
    if objective.is_cost:
        if not objective.data:
            raise ConfigError(f"{name}.data is empty; give the file that {kind!r} reads")
        for key in _OF_TREEBANKS:
            if getattr(objective, key) != getattr(usual, key):
                raise ConfigError(f'{name}.{key} goes with kind = "treebank"; leave one out')
    else:
        if len(objective.links) not in (0, len(objective.data)):
            raise ConfigError(
                f"{name}.links has {len(objective.links)} files for {len(objective.data)} of "
                f"{name}.data; give one for each"
            )
        for key, value in vars(objective).items():
            if key not in ("data", *_OF_TREEBANKS) and value != getattr(usual, key):
                raise ConfigError(f"{name}.{key} goes with a cost, not with {kind!r}; leave it out")
    positive = {
        "weight": objective.weight,
        "schedule": objective.schedule,
        "step": objective.step,
        "scale": objective.scale,
    }
    for key, value in positive.items():
        if value != "usual" and value <= 0:
            raise ConfigError(f"{name}.{key} is {value}; give a number above 0")
    if not 0 <= objective.alone < 1:
        raise ConfigError(f"{name}.alone is {objective.alone}; give a share, 0 to below 1")
    if objective.alone_epochs < 1:
        raise ConfigError(f"{name}.alone_epochs is {objective.alone_epochs}; give at least 1")
    if objective.tags < 1:
        raise ConfigError(f"{name}.tags is {objective.tags}; give at least 1")
    if objective.tags > 1 and objective.select in ARC_SELECTIONS:
        raise ConfigError(f"{name}.tags does not go with select = {objective.select!r}")
    for key, count in (("k", objective.k), ("max_k", objective.max_k)):
        if count != "adaptive" and not 2 <= count <= MAX_CANDIDATES:
            raise ConfigError(f"{name}.{key} is {count}; give 2 to {MAX_CANDIDATES}")


def _get(config: Config, key: str) -> Any:
    table, _, name = key.partition(".")
    return getattr(getattr(config, table), name)


def _with_paths(config: Config, folder: Path, name: str) -> Config:
    """Paths made relative to where the command runs; all must exist before training starts."""

    def found(path: str, key: str) -> str:
        if not path:
            return path
        whole = folder / path
        try:
            there = whole.is_file()
        except OSError:  # a name that is too long for any file
            there = False
        if not there:
            raise ConfigError(
                f"{name}: {key}: no file {str(whole)!r}; paths are relative to {name}"
            )
        return str(whole)

    def found_or_named(text: str, key: str) -> str:
        """A name of something that is shipped stays as it is."""
        return found(text, key) if "." in text or "/" in text else text

    objectives = tuple(
        dataclasses.replace(
            each,
            data=tuple(found(p, f"objective[{i}].data") for p in each.data),
            links=tuple(found(p, f"objective[{i}].links") for p in each.links),
            rules=found_or_named(each.rules, f"objective[{i}].rules"),
        )
        for i, each in enumerate(config.objective)
    )
    model = dataclasses.replace(
        config.model,
        clusters=found(config.model.clusters, "model.clusters"),
        features=found_or_named(config.model.features, "model.features"),
    )
    graph = dataclasses.replace(
        config.graph,
        label_features=found_or_named(config.graph.label_features, "graph.label_features"),
    )
    training = dataclasses.replace(
        config.training,
        dev=found(config.training.dev, "training.dev"),
        dev_links=found(config.training.dev_links, "training.dev_links"),
    )
    return dataclasses.replace(
        config, objective=objectives, model=model, graph=graph, training=training
    )
