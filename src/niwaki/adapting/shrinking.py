"""A model made small: rows of weights are left out where development data misses them least.

Each table of a model keeps its most important rows. Which table gives up a fifth of its rows next
is decided by what it costs on development data for each byte that it saves, until the file, whose
parts are deflated, is as small as was asked for.

A parser may have several sets of weights, for a beam and for greedy search, and there is perhaps
room for one good one only: what comes of each alone is measured beside what comes of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from niwaki.data.modelfile import ModelFile, deflated, part_bytes
from niwaki.data.rawtext import raw_text
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.features.parts import SavedParts, table_file
from niwaki.features.weights import PackedWeights, pruned
from niwaki.learning.corpus import Corpus
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.parsers.base import Divisible, load_family
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import pipeline_of
from niwaki.training.run import with_scores

_STEP = 0.8
# No step is free: what one set of development data does not miss, other text does.
_LEAST_LOSS = 0.01
_FEWEST_ROWS = 64
# What is tried is judged on so many sentences; what comes of it on all.
_MOST_SENTENCES = 1000
# Bytes of a file besides its parts: the table of contents.
_CONTENTS = 4096
# Of each way to search the trees, and once what is there besides.
_TREES, _TAGS, _SEGMENTS = "LAS", ("UPOS", "XPOS", "FEATS", "LEMMA"), ("Words", "Sentences")

# Told of each step: the bytes that there are, and those that were asked for.
Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Shrunk:
    """A model that was made small: scores on development data, before and after.

    If it has one set of its parser's weights alone, `alone` says which; it then searches in one
    way only, whose scores stand for those of the others.
    """

    model: Pipeline
    alone: str
    rows: Mapping[str, tuple[int, int]]  # of each table that it has, before and after
    sizes: tuple[int, int]
    before: Mapping[str, float]
    after: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        return {
            "sizes": list(self.sizes),
            "alone": self.alone,
            "rows": {name: list(pair) for name, pair in self.rows.items()},
            "scores": {name: [self.before[name], self.after[name]] for name in self.before},
        }


def shrink(file: ModelFile, dev: Sequence[Sentence], size: int, watch: Watch) -> Shrunk:
    """The model of a file in at most `size` bytes; see the module.

    Probabilities are calibrated anew on the development data, and the card has the new scores.
    """
    whole = pipeline_of(file)
    ways = tuple(whole.parser.ways)
    some = list(dev[:: -(-len(dev) // _MOST_SENTENCES)])
    searches = {"": _Search(file, ways, some, size, watch)}
    if not searches[""].is_small_enough:
        for name, part in _divided(whole).items():
            searches[name] = _Search(part.as_file(), ways, some, size, watch)
    found = {name: state for name, each in searches.items() if (state := each.run())}
    if not found:
        least = min(search.least for search in searches.values())
        raise ModelError(f"{file.path}: at least {least:,} bytes; {size:,} cannot be reached")
    alone = max(found, key=lambda name: searches[name].score(found[name]))
    search, state = searches[alone], found[alone]
    corpus = Corpus(("development data",), tuple(dev))
    model = with_scores(_calibrated(search.pipeline(state), corpus), corpus)
    rows = {name: (table.rows, state[name]) for name, table in search.tables.items()}
    card = {**model.config, "shrunk": {"bytes": size, "rows": state}}
    sizes = sum(map(len, file.parts.values())), search.size(state)
    before, after = (_scores(each, ways, dev) for each in (whole, model))
    return Shrunk(replace(model, config=card), alone, rows, sizes, before, after)


def _divided(whole: Pipeline) -> dict[str, Pipeline]:
    """The models with one set of the parser's weights alone, by what it is good for."""
    if not isinstance(whole.parser, Divisible):
        return {}
    table = whole.config["model"]
    return {
        name: replace(
            whole,
            parser=parser,
            config={
                **whole.config,
                # What the parser is, as a card has it.
                "model": {**table, **{k: x for k, x in parser.facts.items() if k in table}},
            },
        )
        for name, parser in whole.parser.divisions.items()
    }


@dataclass
class _Search:
    """States are how many rows each table keeps."""

    file: ModelFile
    ways: Sequence[str]  # to search, that count
    dev: Sequence[Sentence]
    wanted: int
    watch: Watch
    _sizes: dict[tuple[str, int], int] = field(default_factory=dict)
    _measured: dict[tuple[int, ...], float] = field(default_factory=dict)

    @cached_property
    def tables(self) -> dict[str, PackedWeights]:
        """The tables of weights, by name."""
        saved = SavedParts(self.file)
        return {name: saved.weights(name) for name in saved.tables}

    @cached_property
    def _fixed(self) -> int:
        """Bytes of what stays as it is."""
        tables = {table_file(name) for name in self.tables}
        others = (data for name, data in self.file.parts.items() if name not in tables)
        return sum(len(deflated(data)) for data in others) + _CONTENTS

    def size(self, state: Mapping[str, int]) -> int:
        return self._fixed + sum(self._table_size(name, rows) for name, rows in state.items())

    def _table_size(self, name: str, rows: int) -> int:
        if (name, rows) not in self._sizes:
            self._sizes[name, rows] = len(deflated(self._part(name, rows)))
        return self._sizes[name, rows]

    def _part(self, name: str, rows: int) -> bytes:
        part = table_file(name)
        table = self.tables[name]
        if rows >= table.rows:
            return self.file.parts[part]
        return part_bytes(part, pruned(table, rows).arrays)

    def pipeline(self, state: Mapping[str, int]) -> Pipeline:
        parts = {table_file(name): self._part(name, rows) for name, rows in state.items()}
        return pipeline_of(ModelFile(self.file.path, {**self.file.parts, **parts}))

    @property
    def _whole(self) -> dict[str, int]:
        return {name: table.rows for name, table in self.tables.items()}

    @property
    def is_small_enough(self) -> bool:
        """Whether it is when its parts are deflated."""
        return self.size(self._whole) <= self.wanted

    @property
    def least(self) -> int:
        """The bytes below which there is nothing."""
        return self.size({name: min(_FEWEST_ROWS, rows) for name, rows in self._whole.items()})

    def run(self) -> dict[str, int] | None:
        """The state that is small enough, found step by step; None if there is none."""
        state = self._whole
        score, size = self.score(state), self.size(state)
        # Losses for a byte, as they were when they were last measured.
        losses: dict[str, float] = {}
        while size > self.wanted:
            self.watch(size, self.wanted)
            steps = {name: self._step(state, name) for name in state}
            steps = {name: step for name, step in steps.items() if self.size(step) < size}
            if not steps:
                return None
            measured: dict[str, float] = {}
            while True:
                # Nothing beats a step that is still the cheapest when it is measured again.
                name = min(steps, key=lambda each: losses.get(each, float("-inf")))
                if name in measured:
                    break
                measured[name] = self.score(steps[name])
                loss = max(_LEAST_LOSS, score - measured[name])
                losses[name] = loss / (size - self.size(steps[name]))
            before, state, score = state[name], steps[name], measured[name]
            size = self.size(state)
        return self._filled(state, name, before) if losses else state

    def _step(self, state: Mapping[str, int], name: str) -> dict[str, int]:
        return {**state, name: max(_FEWEST_ROWS, int(state[name] * _STEP))}

    def _filled(self, state: dict[str, int], name: str, most: int) -> dict[str, int]:
        """With the last step no longer than it needs to be."""
        low, high = state[name], most
        while high - low > max(1, most // 200):
            middle = (low + high) // 2
            if self.size({**state, name: middle}) <= self.wanted:
                low = middle
            else:
                high = middle
        return {**state, name: low}

    def score(self, state: Mapping[str, int]) -> float:
        """The mean of all scores on the development data."""
        key = tuple(state.values())
        if key not in self._measured:
            scores = _scores(self.pipeline(state), self.ways, self.dev)
            self._measured[key] = sum(scores.values()) / len(scores)
        return self._measured[key]


def _scores(model: Pipeline, ways: Iterable[str], dev: Sequence[Sentence]) -> dict[str, float]:
    """How good the parts of a model are, in percent: trees, tags, and words in raw text.

    Where it cannot search in one of the ways, what counts is what it does in its usual one.
    """
    usual, *_ = own = list(model.parser.ways.values())
    trees = {each: evaluate(dev, model.parse(dev, retag=True, **vars(each))).scores for each in own}
    found: dict[str, float] = {}
    for name in ways:
        scores = trees[model.parser.ways.get(name, usual)]
        found[f"{_TREES} ({name})"] = scores[_TREES]
    found |= {name: scores[name] for name in _TAGS if name not in model.unpredicted}
    if model.segmenter is not None:
        segmented = list(model.read(raw_text(dev)))
        scores = evaluate_segmentation(dev, segmented).scores
        found |= {name: scores[name] for name in _SEGMENTS}
    return found


def _calibrated(model: Pipeline, dev: Corpus) -> Pipeline:
    if not model.parser.gives_probabilities:
        return model
    tags = model.tag(dev.batch, keep=False)
    family = load_family(str(model.config["model"].get("kind", "transition")))
    return replace(model, parser=family.calibrated(model.parser, dev, tags))
