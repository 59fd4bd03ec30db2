"""The settings that are tried, and the configuration that each of them makes of the user's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from niwaki.keys import keys_of
from niwaki.objectives import AnyObjective, ArcObjective
from niwaki.parsers.base import Family
from niwaki.training.config import Config, CostConfig, TreebankConfig

# Examples are visited so often in all, but each no more and no less often than this.
_VISITS, _LEAST_PASSES, _MOST_PASSES = 2000, 3, 20
# Of a treebank, so many sentences are seen beside each example, and no fewer than so many.
_BESIDE, _LEAST_BESIDE = 1.0, 1000


@dataclass(frozen=True)
class Trial:
    """Settings of all costs, where the user's configuration says nothing else."""

    settings: Mapping[str, Any]
    passes: int

    @property
    def name(self) -> str:
        said = [f"{key} = {value}" for key, value in self.settings.items()]
        return ", ".join([*said, f"{self.passes} passes"])


def first_trials(
    config: Config, objectives: Sequence[AnyObjective], family: Family, size: int
) -> list[Trial]:
    """What is tried whatever comes out, with so many examples; the usual settings first."""
    has_treebank = any(isinstance(each, TreebankConfig) for each in config.objective)
    passes = min(_MOST_PASSES, max(_LEAST_PASSES, _VISITS // size))
    wanted = [Trial({}, passes), Trial({"k": 32}, passes)]
    if family.prices_arcs and all(map(_prices_arcs, objectives)):
        wanted.append(Trial({"select": "exact"}, passes))
    if has_treebank:
        # Without one, so many small steps lead astray.
        wanted.append(Trial({"select": "expected", "k": 32}, 2 * passes))
    wanted.append(Trial({"select": "hard", "k": 32}, passes))
    return [each for each in wanted if _says_something(each, config)]


def longer(trial: Trial) -> Trial:
    """The same, for longer."""
    return replace(trial, passes=3 * trial.passes)


def shorter(trial: Trial) -> Trial:
    """The same once only, where more did harm."""
    return replace(trial, passes=1)


def _prices_arcs(objective: AnyObjective) -> bool:
    return isinstance(objective, ArcObjective) and objective.arc_costs(0) is not None


def _says_something(trial: Trial, config: Config) -> bool:
    """Whether a cost has left any of a trial's settings open."""
    return all(
        any(_is_open(each, name) for each in config.costs.values()) for name in trial.settings
    )


def _is_open(config: CostConfig, name: str) -> bool:
    defaults = {key.name: key.default for key in keys_of(CostConfig)}
    return bool(getattr(config, name) == defaults[name])


@dataclass(frozen=True)
class Work:
    """How much a trial is: examples that are visited, weighed by their lists, and sentences."""

    config: Config
    units: float


def work_of(trial: Trial, config: Config, sizes: Mapping[str, int], trees: int) -> Work:
    """The configuration of a trial.

    sizes: examples to learn from, by cost. trees: sentences of the treebanks.
    """
    visits = {name: trial.passes * size for name, size in sizes.items()}
    seen = min(trees, max(_LEAST_BESIDE, int(_BESIDE * sum(visits.values()))))
    first = next(iter(sizes.values()))
    names = iter(config.costs)
    objectives: list[Any] = []
    units = float(seen)
    for each in config.objective:
        if isinstance(each, TreebankConfig):
            objectives.append(replace(each, weight=each.weight * seen / trees))
            continue
        name = next(names)
        chosen = {key: value for key, value in trial.settings.items() if _is_open(each, key)}
        schedule = visits[name] / seen if seen else sizes[name] / first
        objectives.append(replace(each, schedule=schedule, **chosen))
        k = objectives[-1].k
        units += visits[name] * (1 + (k if isinstance(k, int) else 16) / 8)
    training = replace(config.training, epochs=1 if seen else trial.passes, dev="")
    return Work(replace(config, objective=tuple(objectives), training=training), units)


def each_once(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Without those that came before."""
    seen: list[Trial] = []
    for trial in trials:
        if trial not in seen:
            seen.append(trial)
            yield trial
