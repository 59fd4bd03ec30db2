"""Self-training: a model's own trees as training data, as they come or chosen by a cost.

Standard self-training adds the first tree of each sentence. Targeted self-training
(Katz-Brown et al. 2011, Algorithm 1) adds the cheapest of the n best, of equal ones the
one that ranks highest, if that one is cheap: where even the cheapest tree costs much, the reference
is more likely wrong than the trees. Candidates may be those of a better parser (targeted
uptraining), and may differ in tags: then the tagger learns from the choice as well.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.files import atomic_write, open_to_append
from niwaki.data.kbest import KBest
from niwaki.data.modelfile import ModelFile
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.learning.checkpoint import hash_of_files
from niwaki.objectives import Costs, Objective, checked_costs, of_sentences
from niwaki.parsers.base import Search
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load, pipeline_of
from niwaki.scale.engine import Crew, answers_in_order, engine_of
from niwaki.scale.sharing import shared_file
from niwaki.training.config import Config, TreebankConfig
from niwaki.training.examples import load_costs, tag_in_ways
from niwaki.training.reporting import Reporter
from niwaki.training.run import train
from niwaki.training.teacher_trees import is_finished, note_finished, take_up, with_trees

# Examples that are chosen before they are written down.
_PART = 256
_WORKER = "niwaki.training.self_training:ChoosingWorker"


@dataclass(frozen=True)
class Selection:
    """How trees are chosen."""

    select: Literal["first", "cost"] = "cost"
    # In longer lists more trees are cheap by accident, and wrong elsewhere.
    n: int = 8
    # Ways to tag a sentence that are tried: its own, and others that differ in one word.
    tags: int = 1
    # Chosen trees that cost more are left out. None: more than half of what first trees cost.
    max_cost: float | None = None

    def __post_init__(self) -> None:
        if self.n < 1 or self.tags < 1:
            raise ValueError("n and tags are at least 1")


@dataclass(frozen=True)
class Choice:
    """The tree that was chosen for an example, with its tags."""

    sentence: Sentence
    cost: float
    rank: int  # among the candidates, from 1
    first_cost: float

    def written(self, name: str) -> Sentence:
        """As CoNLL-U that tells a reader how it was chosen."""
        notes = {
            "sent_id": name,
            "cost": f"{self.cost:.6f}",
            "rank": str(self.rank),
            "first_cost": f"{self.first_cost:.6f}",
        }
        return self.sentence.with_comments([f"{key} = {value}" for key, value in notes.items()])

    @classmethod
    def read(cls, sentence: Sentence) -> Choice:
        notes = sentence.metadata
        return cls(sentence, float(notes["cost"]), int(notes["rank"]), float(notes["first_cost"]))


class TreeSelector:
    """Prices the candidates of a model and takes one for each example."""

    def __init__(self, model: Pipeline, objective: Objective, selection: Selection) -> None:
        self._objective, self._selection = objective, selection
        labels = model.parser.labels.names
        ways = tag_in_ways(objective, model.tagger, model.morphology, labels, selection.tags)
        parser = model.parser
        self._ways = [(way, parser.candidates(way.batch, way.tags, Search())) for way in ways]

    def choose(self, number: int) -> Choice:
        """The tree of an example: the first, or the first of the cheapest."""
        wanted = 1 if self._selection.select == "first" else self._selection.n
        name = self._objective.ids[number]
        lists: list[tuple[int, KBest]] = []
        costs: list[Costs] = []
        for way, (tagging, parsed) in enumerate(self._ways):
            if way and tagging.changed[number] < 0:
                continue
            found = parsed.kbest(number, wanted)
            lists.append((way, found))
            objective = of_sentences(tagging.objective, "self-training")
            costs.append(checked_costs(objective.costs([found])[0], len(found), name))
        prices = np.concatenate(costs)
        rank = 0 if self._selection.select == "first" else int(np.argmin(prices))
        # Which list a place among all candidates is in.
        ends = np.cumsum([len(found) for _, found in lists])
        which = int(np.searchsorted(ends, rank, side="right"))
        way, found = lists[which]
        at = rank - int(ends[which]) + len(found)
        (tree,) = found.only([at])
        sentence = self._ways[way][0].sentences[number].with_tree(tree)
        # Rounded as they are written, so that a run that is taken up tells the same.
        return Choice(sentence, _rounded(prices[rank]), rank + 1, _rounded(prices[0]))


def cheap_ones(choices: Sequence[Choice], selection: Selection) -> list[Choice]:
    """Those to learn from: cheap ones; of first trees, which were not chosen, all."""
    most, least = selection.max_cost, min(choice.cost for choice in choices)
    if most is None:
        is_chosen = selection.select == "cost"
        usual = _mean(choice.first_cost for choice in choices)
        # Where all cost much, there is nothing better than the least.
        most = max(usual / 2, least) if is_chosen else math.inf
    if least > most:
        raise ConfigError(
            f"no chosen tree costs {most:.4g} or less, the cheapest {least:.4g}; "
            "give a greater max_cost or more candidates"
        )
    return [choice for choice in choices if choice.cost <= most]


def _rounded(cost: float) -> float:
    return round(float(cost), 6)


# Gives the choices of examples, part by part.
Choosing = Callable[[Iterable[range]], Iterator[Sequence[Choice]]]


def choosing_here(
    model: Pipeline, objective: Objective, selection: Selection, threads: int
) -> Choosing:
    """The choosing of trees by threads of this process."""

    def choose(parts: Iterable[range]) -> Iterator[Sequence[Choice]]:
        selector = TreeSelector(model, objective, selection)
        with ThreadPoolExecutor(threads) as pool:
            for numbers in parts:
                yield list(pool.map(selector.choose, numbers))

    return choose


class ChoosingWorker:
    """In a worker: trees of examples of any cost of a configuration, from lists of its own."""

    def __init__(self, config: Config, model: ModelFile, selection: Selection) -> None:
        self._model, self._selection = pipeline_of(model), selection
        self._costs = load_costs(config, segmenter=self._model.segmenter)
        self._selectors: dict[int, TreeSelector] = {}

    def __call__(self, item: tuple[int, range]) -> list[Choice]:
        at, numbers = item
        if at not in self._selectors:
            objective = of_sentences(self._costs[at].objective, "self-training")
            self._selectors[at] = TreeSelector(self._model, objective, self._selection)
        return [self._selectors[at].choose(number) for number in numbers]


def choose_trees(
    model: Pipeline,
    objective: Objective,
    selection: Selection,
    path: Path,
    *,
    threads: int = 1,
    advance: Callable[[int], None] = lambda count: None,
    choosing: Choosing | None = None,
) -> list[Choice]:
    """Choose a tree for every example and write them all to a CoNLL-U file.

    What is done is kept in `path`.part as it goes; a run that was broken off takes it up. Others
    than the threads of this process may do the `choosing`, of the same trees.
    """
    part = path.with_name(path.name + ".part")
    if path.exists():
        part.unlink(missing_ok=True)
        done = [Choice.read(sentence) for sentence in read_conllu(path)]
        advance(len(done))
        return done
    done = _choices_so_far(part)
    advance(len(done))
    rest = list(_in_parts(range(len(done), len(objective.sentences))))
    choosing = choosing or choosing_here(model, objective, selection, threads)
    with open_to_append(part) as file:
        for numbers, chosen in zip(rest, choosing(rest), strict=True):
            for number, choice in zip(numbers, chosen, strict=True):
                written = choice.written(objective.ids[number])
                done.append(dataclasses.replace(choice, sentence=written))
                file.write(written.source)
            file.flush()
            advance(len(numbers))
    _write(done, path)
    part.unlink()
    return done


def _write(choices: Iterable[Choice], path: Path) -> Path:
    with atomic_write(path) as whole:
        whole.writelines(choice.sentence.source for choice in choices)
    return path


def _in_parts(numbers: range) -> Iterator[range]:
    for start in range(0, len(numbers), _PART):
        yield numbers[start : start + _PART]


def _choices_so_far(path: Path) -> list[Choice]:
    """The choices that a broken run has written down; one that was cut off is removed."""
    if not path.exists():
        return []
    *whole, rest = path.read_bytes().split(b"\n\n")
    os.truncate(path, path.stat().st_size - len(rest))
    return [Choice.read(Sentence(source + b"\n\n", str(path))) for source in whole]


# -- rounds -------------------------------------------------------------------------


@dataclass(frozen=True)
class Round:
    """What one round chose; costs are means over the examples."""

    number: int
    examples: int
    first_cost: float
    cost: float
    changed: int  # examples whose tree is not the first one
    rank: float
    kept: int  # examples whose tree was cheap enough to learn from


@dataclass(frozen=True)
class Plan:
    """How a model is trained by its own trees."""

    selection: Selection = Selection()
    weight: int = 1
    rounds: int = 1
    train_on: bool = False  # train the model on instead of beginning again


def self_train(
    config: Config,
    model: Pipeline,
    output: str | os.PathLike[str],
    plan: Plan,
    reporter: Reporter,
    *,
    candidates_from: Pipeline | None = None,
    resume: bool = False,
    threads: int | None = None,
    engine: str = "local",
) -> tuple[Pipeline, list[Round]]:
    """Choose trees, train on them beside the treebank, and do so again for each round.

    The costs of the configuration say what trees are for and hold the sentences; its
    treebanks are learned from. In the first round candidates are those of `model`, then
    of what came out, unless `candidates_from` gives them.
    """
    costs = load_costs(config, segmenter=model.segmenter)
    if not costs:
        raise ConfigError('nothing to choose trees by; add an [[objective]] such as "reordering"')
    folder = Path(f"{os.fspath(output)}.rounds")
    resume = take_up(folder, _identity(config, plan), resume)
    rounds: list[Round] = []
    current = model
    for number in range(1, plan.rounds + 1):
        teacher = candidates_from or current
        chosen: list[list[Choice]] = []
        with _crew_of(config, teacher, plan.selection, engine) as crew:
            for at, each in enumerate(costs):
                objective = of_sentences(each.objective, "self-training")
                reporter.stage(f"round {number}: choosing trees", len(objective.sentences))
                found = choose_trees(
                    teacher,
                    objective,
                    plan.selection,
                    folder / f"chosen-{number}-{at}.conllu",
                    threads=threads or os.cpu_count() or 1,
                    advance=reporter.advance,
                    choosing=_choosing_by(crew, at) if crew else None,
                )
                chosen.append(found)
        files, kept = [], 0
        for at, choices in enumerate(chosen):
            cheap = cheap_ones(choices, plan.selection)
            kept += len(cheap)
            files.append(str(_write(cheap, folder / f"kept-{number}-{at}.conllu")))
        rounds.append(_summary(number, [x for choices in chosen for x in choices], kept))
        added = TreebankConfig(data=tuple(files), weight=float(plan.weight))
        with_chosen = with_trees(config, added)
        target = Path(output) if number == plan.rounds else folder / f"model-{number}.niwaki"
        if is_finished(folder, target):
            current = load(target)
            continue
        init = current if plan.train_on else None
        current = train(
            with_chosen,
            target,
            reporter,
            resume=resume,
            threads=threads,
            init=init,
            engine=engine,
        )
        note_finished(folder, target)
    return current, rounds


def _crew_of(
    config: Config, teacher: Pipeline, selection: Selection, engine: str
) -> AbstractContextManager[Crew | None]:
    """Workers that choose trees, if the configuration says that there are several."""
    if config.training.workers == 1:
        return nullcontext()
    return _started(config, shared_file(teacher.as_file()), selection, engine)


@contextmanager
def _started(config: Config, teacher: ModelFile, selection: Selection, name: str) -> Iterator[Crew]:
    with (
        engine_of(name, config.training.workers) as engine,
        engine.crew(_WORKER, config, teacher, selection) as crew,
    ):
        yield crew


def _choosing_by(crew: Crew, at: int) -> Choosing:
    return lambda parts: answers_in_order(crew, ((at, numbers) for numbers in parts))


def _summary(number: int, choices: Sequence[Choice], kept: int) -> Round:
    return Round(
        number,
        len(choices),
        _mean(choice.first_cost for choice in choices),
        _mean(choice.cost for choice in choices),
        sum(choice.rank > 1 for choice in choices),
        _mean(choice.rank for choice in choices),
        kept,
    )


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _identity(config: Config, plan: Plan) -> dict[str, Any]:
    files = [file for objective in config.objective for file in objective.data]
    return {
        "config": config.to_json(),
        "plan": dataclasses.asdict(plan),
        "data": hash_of_files(files),
    }
