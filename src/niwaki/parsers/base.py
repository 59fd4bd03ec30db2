"""What a parser is to all other rooms, and how the families of parsers are found.

A family is a folder of `parsers/` with a `family.py` that has a `FAMILY`; `model.kind` of a
configuration is the folder's name. Families of other packages are entry points of the group
`niwaki.parsers`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

from niwaki import parsers
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.errors import ConfigError, ModelError, nearest
from niwaki.features.parts import Parts, SavedParts
from niwaki.features.vocabulary import Vocabulary
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.corpus import Corpus
from niwaki.parsers.beliefs import Beliefs
from niwaki.tagging.tagger import AnyTagger, Tags
from niwaki.typing import Arrays, FloatArray, IntArray

_GROUP = "niwaki.parsers"


# -- parsers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Search:
    """How trees are looked for; None is the model's own way."""

    beam: int | None = None
    decode: str | None = None

    def given(self) -> list[str]:
        return [name for name, value in vars(self).items() if value is not None]


@dataclass(frozen=True)
class Parsed:
    """The trees of a batch, word by word, and how probable they are if that was asked for.

    Probabilities are those of each word's "tag", "arc" and "label", and of each "tree".
    """

    heads: IntArray
    labels: IntArray
    probabilities: Mapping[str, FloatArray] = field(default_factory=dict)


class CandidateSource(Protocol):
    """A parser with the sentences of a batch. Many threads may ask."""

    def kbest(self, s: int, k: int, constraints: Constraints | None = None) -> KBest:
        """Up to k distinct trees of sentence s, best first, all of which obey."""

    def beliefs(self, s: int) -> Beliefs:
        """How much is thought of each arc of sentence s."""


class Parser(Protocol):
    """Words and tags in, trees out; safe to use from many threads."""

    @property
    def labels(self) -> Vocabulary: ...

    @property
    def label_names(self) -> Sequence[str]:
        """The labels that its trees can have."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What there is to tell of it, by name; a key of [model] as a configuration has it."""

    @property
    def options(self) -> frozenset[str]:
        """What of `Search` says something to it."""

    @property
    def ways(self) -> Mapping[str, Search]:
        """Its own ways to search, by name, the usual one first."""

    @property
    def max_words(self) -> int | None:
        """Longer sentences are parsed in pieces."""

    @property
    def gives_probabilities(self) -> bool: ...

    @property
    def uses_links(self) -> bool:
        """Whether it looks at links to a translation (MISC `Links=2,5`)."""

    def check(self, search: Search) -> None:
        """Raises ModelError for a way to search that it has not."""

    def is_projective(self, search: Search) -> bool:
        """Whether all trees are projective that it can find around constraints."""

    def parse(
        self, batch: Batch, tags: Tags, search: Search, *, probabilities: bool = False
    ) -> Parsed: ...

    def candidates(self, batch: Batch, tags: Tags, search: Search) -> CandidateSource: ...

    def parts(self) -> Parts:
        """What a model file keeps; the family's `load` makes the same parser of it."""


@runtime_checkable
class TaggingParser(Protocol):
    """A parser that tags words itself, by what it sees of them in order to parse."""

    @property
    def tagger(self) -> AnyTagger | None:
        """None if it was not trained to tag."""


@runtime_checkable
class Divisible(Protocol):
    """A parser with several sets of weights, of which one may be enough."""

    @property
    def divisions(self) -> Mapping[str, Parser]:
        """The parsers that each of them makes alone, by what they are good for; none if it has
        but one.
        """


@runtime_checkable
class WordKnowing(Protocol):
    """A parser that can tell which words it was made for."""

    @property
    def keeps_words(self) -> bool: ...

    def knows(self, form: str) -> bool:
        """Whether it has a word as a whole."""


def check_options(parser: Parser, search: Search) -> None:
    """Raises ModelError if something was said that says nothing to a parser."""
    for name in search.given():
        if name not in parser.options:
            known = " or ".join(sorted(parser.options)) or "nothing"
            raise ModelError(f"{name} says nothing to this model (it takes {known}); leave it out")
    if search.beam is not None and search.beam < 1:
        raise ValueError(f"a beam of {search.beam}; give at least 1")


class ArcScorer(Protocol):
    """Scores of arcs and of their labels, for exact search among all trees (see `decoding`).

    `values` is whatever the scorer sees of the words of a batch; arcs are rows as `Scores` has
    them, or parts (head, word, -1).
    """

    def values(self, batch: Batch, tags: Tags) -> Any: ...

    def arcs(self, batch: Batch, values: Any, sentences: IntArray) -> FloatArray:
        """Of all arcs of some sentences, by latent class."""

    def siblings(self, batch: Batch, values: Any, sentences: IntArray) -> FloatArray | None:
        """Of dependents beside others, if the scorer looks at them."""

    def labels(self, batch: Batch, values: Any, s: int) -> FloatArray:
        """Of the labels of all arcs of a sentence."""

    def labels_of_parts(self, batch: Batch, values: Any, s: int, parts: IntArray) -> FloatArray:
        """Of the labels of some arcs of a sentence."""

    def labels_of_trees(self, batch: Batch, values: Any, heads: IntArray) -> FloatArray:
        """Of the labels of the arcs of whole trees."""


# -- parsers that learn --------------------------------------------------------------------


class TrainableCandidates(CandidateSource, Protocol):
    """Examples of a cost, and a parser that is being trained by them."""

    def update(self, kbest: KBest, towards: int, away: int, step: float) -> None:
        """Move the weights towards one of the candidates and away from another."""

    def raise_lead(self, kbest: KBest, towards: int, away: int, by: float) -> None:
        """Change the weights as little as can be for the lead of one candidate over another, in
        the scores that they have, to rise by so much.
        """


@dataclass(frozen=True)
class Slopes:
    """The gradient of an expected cost: by scores of arcs, and of the labels of some arcs."""

    number: int
    arcs: IntArray
    arc_slopes: FloatArray
    labelled: IntArray
    label_slopes: FloatArray


@runtime_checkable
class ArcTrainable(Protocol):
    """Examples of a cost that is a sum over arcs: no candidates need be listed."""

    @property
    def auto_scale(self) -> float:
        """What a cost of 1 weighs in scores, if nothing else is said."""

    def augmented(self, s: int, costs: FloatArray, scale: float) -> KBest:
        """The best tree, that of hope and that of fear."""

    def expectation(self, s: int, costs: FloatArray, scale: float) -> tuple[KBest, Slopes, float]:
        """The best tree and the cheapest one; the expected cost's gradient, and that cost."""

    def descend(self, slopes: Slopes, step: float) -> None:
        """Move the weights down a gradient."""


class TrainableParser(Protocol):
    """A parser that learns trees, sentence by sentence, and from costs."""

    def begin_epoch(self, epoch: int) -> None: ...

    def learn(self, sentences: IntArray) -> int:
        """Learn some sentences of the corpus; how many changed weights."""

    def end_epoch(self) -> None:
        """A pass over the corpus is over; `finished` may be asked for."""

    def examples(self, batch: Batch, tags: Tags) -> TrainableCandidates:
        """Other sentences, by whose costs it is trained."""

    def tick(self) -> None:
        """One more example has been learned; averages go on."""

    @property
    def rows(self) -> int:
        """How many features have weights."""

    def finished(self) -> Arrays:
        """The weights as they would be shipped."""

    def parser(self, finished: Arrays) -> Parser:
        """The parser with such weights."""

    def export(self) -> Arrays:
        """All that learning goes on from."""

    def restore(self, arrays: Arrays) -> None: ...

    def continued(self, finished: Arrays, tags: Tags) -> TrainableParser:
        """Another that goes on from finished weights, as one that was given a model to train on,
        with such tags of the corpus.
        """


@runtime_checkable
class MixableParser(TrainableParser, Protocol):
    """One all of whose state that matters between epochs is tables of weights."""

    @property
    def tables(self) -> Mapping[str, SparseWeights]:
        """The tables that it changes from sentence to sentence, by their names in `export`."""


@dataclass(frozen=True)
class Job:
    """The training of one set of weights; `make` sees what earlier jobs of its chain finished.

    Without `search` it is only trained: neither scored after each epoch nor trained by costs.
    """

    stage: str
    corpus: Corpus
    epochs: int
    make: Callable[[Mapping[str, Arrays]], TrainableParser]
    search: Search | None = None
    has_costs: bool = True  # whether costs train it too, where there are any
    # Whether it makes a MixableParser: then workers can learn parts of an epoch
    # (`niwaki.learning.mixing`).
    mixable: bool = False

    def costs_after(self, tags: Tags) -> tuple[Job, Job]:
        """The same in two: the treebank alone, then once more, so tagged, with costs beside it."""

        def make(done: Mapping[str, Arrays]) -> TrainableParser:
            return self.make(done).continued(done[self.stage], tags)

        trees = replace(self, has_costs=False)
        return trees, replace(self, stage=f"{self.stage}-costs", epochs=1, make=make)


@dataclass(frozen=True)
class Setup:
    """What a family needs to know to plan a training run."""

    config: Any  # the family's own keys
    corpus: Corpus
    features: str
    more_features: Sequence[str]
    lowercase: bool
    max_rows: int
    has_tags: bool  # whether the model will have a tagger
    clusters: Clusters | None
    epochs: int
    seed: int
    init: Parser | None = None  # a finished parser to be trained on
    has_links: bool = False  # whether links to translations are given
    selections: frozenset[str] = frozenset()  # what costs select, if there are costs
    # What a parser that tags words says of them beside their tags.
    has_feats: bool = True
    has_lemmas: bool = True
    threads: int = 1


class Plan(Protocol):
    """A training run of a family, before anything is trained; wrong features show here."""

    @property
    def labels(self) -> Sequence[str]:
        """The names of the labels of candidates."""

    @property
    def notes(self) -> Sequence[str]:
        """What a user should know."""

    @property
    def of_nonprojective(self) -> str:
        """What becomes of non-projective trees, as the end of a sentence."""

    def chains(self, tags: Tags) -> Sequence[Sequence[Job]]:
        """Jobs that may run at the same time, each behind those it needs.

        The first chain ends with the weights of the usual way to parse. These also teach the
        tagger, where costs choose tags.
        """

    def finished(self, weights: Mapping[str, Arrays]) -> Parser:
        """The parser, of the weights that the last job of each chain finished, by stage."""


@runtime_checkable
class MorphologyPlan(Protocol):
    """A plan of a parser whose features can look at FEATS and lemmas."""

    @property
    def morphology_seen(self) -> tuple[str, ...]:
        """Those that they look at: these are predicted to learn from, as tags are."""


class Family(Protocol):
    """One kind of parser, from its keys to its files."""

    @property
    def name(self) -> str: ...

    @property
    def config(self) -> type:
        """A dataclass of its keys (see `niwaki.keys`)."""

    @property
    def prices_arcs(self) -> bool:
        """Whether its trainable parsers are `ArcTrainable`."""

    @property
    def tags_words(self) -> bool:
        """Whether its parsers are `TaggingParser`s: no tagger is trained beside them."""

    def plan(self, setup: Setup) -> Plan: ...

    def calibrated(self, parser: Parser, held_out: Corpus, tags: Tags) -> Parser:
        """The parser with probabilities that fit held-out data."""

    def load(self, parts: SavedParts, clusters: Clusters | None) -> Parser: ...


# -- finding families ------------------------------------------------------------------------


def family_names() -> list[str]:
    """The families, found by looking for their folders, and those of installed packages."""
    return sorted({*_folders(), *(entry.name for entry in _installed(tuple(sys.path)))})


@functools.cache
def _installed(path: tuple[str, ...]) -> tuple[metadata.EntryPoint, ...]:
    """Those of packages on this path, looked for once: each configuration asks for them."""
    return tuple(metadata.entry_points(group=_GROUP))


def _folders() -> list[str]:
    return [
        found.name
        for found in pkgutil.iter_modules(parsers.__path__)
        if found.ispkg and find_spec(f"{parsers.__name__}.{found.name}.family")
    ]


def load_family(name: str) -> Family:
    """A family by its name; raises ConfigError for one that there is not."""
    family: Family
    if name in _folders():
        family = importlib.import_module(f"{parsers.__name__}.{name}.family").FAMILY
        return family
    for entry in _installed(tuple(sys.path)):
        if entry.name == name:
            family = entry.load()
            return family
    raise ConfigError(f"no parser family {name!r}; {nearest(name, family_names())}")
