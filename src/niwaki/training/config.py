"""The shape of training configurations: tables of keys, and who declares the keys of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from niwaki.errors import ConfigError
from niwaki.keys import GIVEN, Former, Key, When, WrongKeyError, key, keys_of
from niwaki.learning.corpus import LAYERS, Layer
from niwaki.objectives import objective_names, settings_class
from niwaki.parsers.base import family_names, load_family
from niwaki.segmenting.config import SegmenterConfig
from niwaki.tagging.config import TaggerConfig

MAX_CANDIDATES = 4096
# What can be selected by costs that are sums over arcs, and by parsers that score arcs, only.
ARC_SELECTIONS = ("augmented", "exact")
_LISTS_TREES: When = {"select": ("hard", "hope-fear", "all-cheaper", "expected")}


@dataclass(frozen=True)
class CardConfig:
    """What is written on the model's card."""

    name: str = key("model", "The model's name.")
    language: str = key("", "The language that it parses.", init="same")
    description: str = key("", "What it is, in a sentence.")
    licences: tuple[str, ...] = key((), "Under which licences it may be used.", init="same")


@dataclass(frozen=True)
class ModelConfig:
    """What kind of parser, and what it looks at."""

    kind: str = key(
        "transition",
        'The family of the parser: "transition" makes a tree move by move, "graph" chooses among '
        'all trees, "neural" does so by a network. Each has keys of its own.',
        choices=family_names,
        init="fixed",
    )
    features: str = key("rich", "A named feature set or a file.", path="named", init="fixed")
    more_features: tuple[str, ...] = key((), "More features, a line each.", init="fixed")
    case: Literal["sensitive", "insensitive"] = key(
        "sensitive",
        '"insensitive" reads everything in lower case, in training and after.',
        init="fixed",
    )
    clusters: str = key(
        "",
        'A file of word clusters (`bits word count` lines); "" for none.',
        path="file",
        init="fixed",
    )
    max_rows: int = key(
        350_000, "Rows of weights that are kept of each parser.", least=1, init="fixed"
    )


@dataclass(frozen=True)
class TreebankConfig:
    """Trees to learn from."""

    kind: Literal["treebank"] = key("treebank", "These are trees.")
    data: tuple[str, ...] = key((), "CoNLL-U files.", path="file")
    links: tuple[str, ...] = key(
        (),
        "Links of the words to a translation, a Pharaoh file for each file of the treebank, for "
        "features such as contiguous(s1,s0); links in MISC need none.",
        path="file",
    )
    weight: float = key(
        1.0,
        "How often each sentence is visited in an epoch: 10 is ten times, 0.5 every other time.",
        above=0,
    )
    weight_by_confidence: bool = key(
        False,
        "Weigh each sentence by how sure its teacher was: the mean of `ArcProb` in MISC.",
        formerly=("soft",),
    )
    label_map: Mapping[str, str] = key(
        {},
        'Labels to be written in another way, old = "new", of all words or of one, in lower case '
        "(label/word).",
    )
    tag_map: Mapping[str, str] = key({}, "The same of tags: UPOS, UPOS/XPOS, or UPOS/XPOS/word.")
    trains: tuple[Layer, ...] = key(
        LAYERS,
        'What is learned from these sentences; of "training-tags" the finished tagger learns '
        "nothing, but those do that tag the parser's data.",
        formerly=("teaches",),
    )
    given_tags: bool = key(
        False,
        "A parser sees the tags and FEATS of the file in place of predicted ones: of trees in "
        "another language, whose words the tagger does not know.",
    )
    leave_out: str = key(
        "",
        "Leave out sentences in whose words, with spaces between, this regular expression finds "
        "something: constructions that another treebank treats in another way.",
    )
    on_error: Literal["fail", "skip"] = key(
        "fail",
        'Sentences that cannot be learned from end the run ("fail"), or are left out and counted '
        '("skip").',
        formerly=(Former("skip_bad", {False: "fail", True: "skip"}),),
    )
    partial: bool = key(
        False,
        "Accept partial trees: what is unknown (`_`) is filled in, again and again while the "
        "parser learns, by the best tree that obeys what is known.",
    )
    joined: float = key(
        0.0,
        "Also learn trees of two to four neighbours read as one sentence, for text whose ends of "
        "sentences are missed: each sentence is visited so much more often.",
        least=0,
    )
    interpolate: float = key(
        0.0,
        "Also learn from these sentences alone, and give those weights so large a share beside "
        "the weights of all data: so a small treebank is heard beside much other text.",
        least=0,
        below=1,
        formerly=("alone",),
    )
    interpolate_epochs: int = key(
        6,
        "Passes over these sentences alone.",
        least=1,
        when={"interpolate": GIVEN},
        formerly=("alone_epochs",),
    )

    is_cost = False

    def check(self, config: Config) -> None:
        if len(self.links) not in (0, len(self.data)):
            raise WrongKeyError(
                "links",
                f"has {len(self.links)} files for {len(self.data)} of data; give one for each",
            )
        check_pattern("leave_out", self.leave_out)
        learned = {"tags", "training-tags"}.intersection(self.trains)
        if self.given_tags and learned:
            raise WrongKeyError(
                "given_tags",
                f"does not go with trains = [{min(learned)!r}, ...]: tags that a tagger learns "
                "are predicted for the parser; leave one out",
            )
        for other in ("links", "weight_by_confidence"):
            if self.joined and getattr(self, other):
                raise WrongKeyError("joined", f"does not go with {other}; leave one out")
        if not self.interpolate:
            return
        if sum(getattr(each, "interpolate", 0) > 0 for each in config.objective) > 1:
            raise WrongKeyError("interpolate", "is given to two objectives; give it to one of them")
        others = {
            'tagger.learner = "tnt"': config.tagger.tags and config.tagger.learner == "tnt",
            "costs": any(each.is_cost for each in config.objective),
            "tagger.runs": config.tagger.runs > 1,
        }
        for other, is_there in others.items():
            if is_there:
                raise WrongKeyError("interpolate", f"does not go with {other}; leave one out")


@dataclass(frozen=True)
class CostConfig:
    """A cost of trees to be lowered; settings of its own stand beside these keys."""

    kind: str = key(
        "",
        'The objective, "reordering" for instance, or a function "package.module:name".',
    )
    data: tuple[str, ...] = key((), "Its examples.", path="file", needed="the files it reads")
    schedule: float | Literal["auto"] = key(
        "auto",
        "Examples visited for each sentence of the treebank (without a treebank: for each example "
        'of the first cost). "auto": one, but in the whole run each example 20 times at most '
        "(without a treebank: as many as there are).",
        above=0,
    )
    k: int | Literal["adaptive"] = key(
        8,
        'Candidates that are priced; "adaptive": 2, 4, 8 ... `max_k`, until one is cheaper.',
        least=2,
        most=MAX_CANDIDATES,
        when=_LISTS_TREES,
    )
    max_k: int = key(
        64,
        "The most candidates that are priced.",
        least=2,
        most=MAX_CANDIDATES,
        when={**_LISTS_TREES, "k": ("adaptive",)},
    )
    select: Literal["hard", "hope-fear", "all-cheaper", "expected", "augmented", "exact"] = key(
        "hope-fear",
        "What an update goes towards: the best of score and cost, away from the worst "
        '("hope-fear"), the cheapest candidate ("hard"), all that are cheaper, or the expected '
        "cost. "
        "A graph parser, for costs that are sums over arcs (arc-length, partial): hope and fear "
        'of all trees ("augmented"), or the expected cost over all trees ("exact").',
    )
    step: float | Literal["auto"] = key(
        "auto",
        'The length of an update, where one on the treebank has 1. "auto": as long as the better '
        'tree needs to lead by what it is cheaper; 12 for "expected", 1 for "exact".',
        above=0,
    )
    tags: int = key(
        1,
        "Ways to tag an example that are tried: as it is tagged, and with the second tag of each "
        "of the most doubtful words. The tagger learns the tags that lead to the cheapest trees.",
        least=1,
    )
    scale: float | Literal["auto"] = key(
        "auto",
        '"expected", "exact": the temperature; otherwise what a cost of 1 weighs in scores. "auto" '
        "is half of what candidates usually differ by in score (for one of cost); 4 where none "
        'are listed ("augmented", "exact").',
        above=0,
        formerly=(Former("scale", {"usual": "auto"}),),
    )
    joint: int = key(
        64,
        "Of an example of several sentences: combinations of their candidates that are priced "
        "together. If there are more, one sentence after the other, the others at their best.",
        least=0,
    )
    rescue: bool = key(
        True,
        "If no candidate is right, and it is known what is (partial) or what most often is "
        "(connectives, roles), search for the best tree of that kind.",
        when=_LISTS_TREES,
    )
    # An instance of the objective's own class `Settings`; None for its defaults.
    settings: Any = None

    is_cost = True

    def check(self, config: Config) -> None:
        if self.tags > 1 and self.select in ARC_SELECTIONS:
            raise WrongKeyError("tags", f"does not go with select = {self.select!r}")


ObjectiveConfig = TreebankConfig | CostConfig


@dataclass(frozen=True)
class UptrainingConfig:
    """Trees of a teacher, for `niwaki uptrain`; those of [[objective]] mean the same here."""

    weight: float = key(1.0, "As in [[objective]].", above=0)
    weight_by_confidence: bool = key(False, "As in [[objective]].", formerly=("soft",))
    label_map: Mapping[str, str] = key({}, "As in [[objective]].")
    tag_map: Mapping[str, str] = key({}, "As in [[objective]].")
    trains: tuple[Layer, ...] = key(
        ("tags", "trees"), "As in [[objective]].", formerly=("teaches",)
    )
    leave_out: str = key("", "As in [[objective]].")
    first_words: tuple[str, ...] = key(
        (), "Keep only sentences that begin with one of these words."
    )
    max_characters: int = key(0, "Keep only sentences of so many characters; 0: all.", least=0)
    agreement: float = key(
        0.0,
        "Of several teachers: keep sentences in which they give so large a share of the words the "
        "same head and label. 1 is all words. 0: they do not vote one by one but parse together.",
        least=0,
        most=1,
    )

    def check(self, config: Config) -> None:
        check_pattern("leave_out", self.leave_out)


@dataclass(frozen=True)
class TrainingConfig:
    """How it is learned."""

    epochs: int = key(12, "Passes over the data.", least=1)
    seed: int = key(1, "What random numbers begin with.", least=0, most=2**63 - 1)
    dev: str = key("", 'Sentences to choose the best epoch by; "" to take the last.', path="file")
    dev_links: str = key(
        "", "Their links, if the features use them.", path="file", when={"dev": GIVEN}
    )
    costs: Literal["after", "throughout"] = key(
        "after",
        "From nothing: costs are learned after all epochs, in one more, by a parser that can list "
        'trees worth pricing ("after"), or from the first sentence on ("throughout", as Hall et '
        "al. 2011). With `--init` there is such a parser, and it is always throughout.",
    )
    batch_size: int = key(
        16,
        "With costs: sentences that are parsed before any of them changes the weights.",
        least=1,
        formerly=("round",),
    )
    checkpoint_minutes: float = key(1.0, "Time between two checkpoints.", least=0)
    workers: int = key(
        1,
        "Processes, of one machine or many, that learn a shard of the data each; their weights are "
        "mixed after each epoch (iterative parameter mixing, McDonald et al. 2010).",
        least=1,
        most=1024,
    )
    mixing: Literal["uniform", "weighted"] = key(
        "uniform",
        'With several workers: each counts the same in the mix ("uniform"), or as its part of all '
        'updates of the epoch ("weighted").',
    )


def _usual_family() -> Any:
    return load_family(ModelConfig().kind).config()


@dataclass(frozen=True)
class Config:
    """A whole configuration; `family` has the keys of the family of parsers `model.kind`."""

    card: CardConfig = field(default_factory=CardConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    family: Any = field(default_factory=_usual_family)
    segmenter: SegmenterConfig = field(default_factory=SegmenterConfig)
    tagger: TaggerConfig = field(default_factory=TaggerConfig)
    objective: tuple[ObjectiveConfig, ...] = ()
    uptraining: UptrainingConfig = field(default_factory=UptrainingConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    # The keys that a file or a mapping gave, as `table.key`.
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def costs(self) -> dict[str, CostConfig]:
        """The objectives that are costs, by the names that reports have for them."""
        return {
            f"{number} {each.kind}": each
            for number, each in enumerate(self.objective)
            if isinstance(each, CostConfig)
        }

    def to_json(self) -> dict[str, Any]:
        """The configuration as JSON has it, in the tables in which it is written."""
        record: dict[str, Any] = {table: {} for table in tables(self.model.kind)}
        for place in places(self.model.kind):
            value = getattr(getattr(self, place.owner), place.key.name)
            record[place.table][place.key.name] = _plain(value)
        record["objective"] = [
            {each.name: _plain(value) for each, value in objective_keys(objective)}
            for objective in self.objective
        ]
        return record


# The parts of a configuration that are tables of their own.
OWNERS: Mapping[str, type[Any]] = {
    "card": CardConfig,
    "model": ModelConfig,
    "segmenter": SegmenterConfig,
    "tagger": TaggerConfig,
    "uptraining": UptrainingConfig,
    "training": TrainingConfig,
}


@dataclass(frozen=True)
class Place:
    """Where a key stands: in which table of a file, and in which part of a Config."""

    table: str
    owner: str
    key: Key

    @property
    def whole(self) -> str:
        return f"{self.table}.{self.key.name}"


def places(kind: str) -> Iterator[Place]:
    """The keys of all tables but [[objective]], for a family of parsers."""
    for owner, declares in OWNERS.items():
        for each in keys_of(declares):
            yield Place(owner, owner, each)
    yield from family_places(kind)


def family_places(kind: str) -> Iterator[Place]:
    """The keys of a family; they stand in a table of its name, if they do not say another."""
    for each in keys_of(load_family(kind).config):
        yield Place(each.table or kind, "family", each)


def silent_keys(kind: str) -> set[tuple[str, str]]:
    """Keys of other tables that say nothing to a family: `silent` of the class of its own."""
    found = getattr(load_family(kind).config, "silent", {})
    return {(table, name) for table, names in found.items() for name in names}


def tables(kind: str) -> list[str]:
    """All tables in the order in which they are written, those of a family after [model]."""
    own = dict.fromkeys(place.table for place in family_places(kind) if place.table not in OWNERS)
    return ["card", "model", *own, "segmenter", "tagger", "objective", "uptraining", "training"]


def objective_owners() -> Iterator[tuple[str, type[Any]]]:
    """Who declares keys of [[objective]], with what these go with."""
    yield 'kind = "treebank"', TreebankConfig
    yield "a cost", CostConfig
    for name in objective_names():
        yield f'kind = "{name}"', settings_class(name)


def objective_keys(objective: ObjectiveConfig) -> Iterator[tuple[Key, Any]]:
    """The keys of an objective with their values, those of its own settings last."""
    for owner in (objective, getattr(objective, "settings", None)):
        if owner is not None:
            for each in keys_of(type(owner)):
                yield each, getattr(owner, each.name)


def _plain(value: Any) -> Any:
    """The same value as JSON gives it back."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def check_pattern(name: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise WrongKeyError(name, f"is no regular expression: {error}") from None


def check_owner(config: Config, owner: str) -> None:
    """Let the owner of a table look at the whole configuration; raises WrongKeyError."""
    found = getattr(config, owner)
    if hasattr(found, "check"):
        own = [place for place in places(config.model.kind) if place.owner == owner]
        wholes = {place.key.name: place.whole for place in own}
        with named_whole(lambda name: wholes[name]):
            found.check(config)


@contextmanager
def named_whole(whole: Callable[[str], str]) -> Iterator[None]:
    """Owners know the names of their keys, but not where these stand."""
    try:
        yield
    except WrongKeyError as error:
        if "." in error.key:
            raise
        raise WrongKeyError(whole(error.key), error.fault) from None


# -- training on -------------------------------------------------------------------


def continued(config: Config, card: Mapping[str, Any]) -> Config:
    """A configuration for training a model on, by what its keys say of `init`.

    card: the model's, as `upgraded` gives it.
    """
    if any(getattr(objective, "interpolate", 0) for objective in config.objective):
        raise ConfigError("`interpolate` is for models that are trained from nothing; leave it out")
    kind = card.get("model", {}).get("kind", config.model.kind)
    if config.model.kind != kind:
        _refuse_other_family(config, kind)
        config = replace(
            config, model=replace(config.model, kind=kind), family=load_family(kind).config()
        )
    owners = ("card", "model", "family", "tagger")
    found: dict[str, dict[str, Any]] = {owner: {} for owner in owners}
    for place in places(kind):
        if place.owner in found:
            value = _continued_value(place, config, card)
            found[place.owner][place.key.name] = value
    config = replace(
        config,
        card=replace(config.card, **found["card"]),
        model=replace(config.model, **found["model"]),
        family=replace(config.family, **found["family"]),
        tagger=replace(config.tagger, **found["tagger"]),
    )
    check_owner(config, "family")
    return config


def _refuse_other_family(config: Config, kind: str) -> None:
    """Nothing of what was said may be for another family of parsers than the model's."""
    others = [place for place in family_places(config.model.kind) if _is_given(place, config)]
    if "model.kind" in config.given or others:
        whole = others[0].whole if others else "model.kind"
        raise ConfigError(
            f'{whole} does not go with --init: the model is of kind "{kind}"; leave it out'
        )


def _is_given(place: Place, config: Config) -> bool:
    value = getattr(getattr(config, place.owner), place.key.name)
    return place.whole in config.given or value != place.key.default


def _continued_value(place: Place, config: Config, card: Mapping[str, Any]) -> Any:
    init, name = place.key.init, place.key.name
    value = getattr(getattr(config, place.owner), name)
    if init is None or (init != "fixed" and _is_given(place, config)):
        return value
    if init not in ("fixed", "same"):
        return init
    kept = card.get(place.table, {}).get(name, place.key.default)
    kept = tuple(kept) if isinstance(kept, list) else kept
    if init == "fixed" and _is_given(place, config) and value != kept:
        raise ConfigError(
            f"{place.whole} cannot be chosen with --init: the model keeps its own; "
            "leave it out, or train from the beginning"
        )
    return kept
