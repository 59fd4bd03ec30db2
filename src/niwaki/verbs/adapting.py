"""A model adapted to a job, with nothing to be set by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from niwaki.adapting.adapt import Limits
from niwaki.adapting.adapt import adapt as adapt_model
from niwaki.adapting.report import Adapted, Tried
from niwaki.data.files import check_writable
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.reporting import Quiet, Reporter
from niwaki.verbs._given import Model, last_part, model_of
from niwaki.verbs.training import Configuration, File, config_of


def adapt(
    model: Model,
    task: Configuration,
    output: File,
    *,
    minutes: float = 10.0,
    floor: float = 0.3,
    force: bool = False,
    report: Reporter | None = None,
    tried: Callable[[Tried], None] = lambda trial: None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    threads: int | None = None,
    workers: int = 1,
    engine: str = "local",
) -> Adapted:
    """Adapt a model to the costs of a configuration, and write it if that made it better.

    A part of the examples is held out. Few settings are tried within so many `minutes`; the best
    by the held-out cost is chosen among those that lose no more than `floor` LAS on the treebank
    (the configuration's, or training.dev). It is written if it costs less than before on other
    held-out examples too, or with `force` in any case. `tried` is told of each trial when it is
    over. Several `workers` of an `engine` ("local", "ray", "ray://HOST") try settings side by side;
    the result is the same where there is time for all trials.

        >>> found = adapt("en", "task.toml", "task.niwaki")
        >>> found.written, found.costs[0].difference, found.costs[0].low, found.costs[0].high
    """
    check_writable(output)
    return adapt_model(
        model_of(model),
        "the model" if isinstance(model, Pipeline) else last_part(model),
        config_of(task, overrides),
        output,
        Limits(minutes, floor, force),
        report or Quiet(),
        tried=tried,
        resume=resume,
        threads=threads,
        workers=workers,
        engine=engine,
    )
