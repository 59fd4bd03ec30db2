"""The trade-off report, and the trees that are learned beside what was annotated."""

from __future__ import annotations

from typing import Any

from niwaki.analysis.tradeoff import weigh_up
from niwaki.data.conllu import write_conllu
from niwaki.data.tree import UNKNOWN
from niwaki.objectives import AnyObjective, load_objective, settings_class
from niwaki.serve.errors import RequestError
from niwaki.serve.work.comparing import SAMPLES
from niwaki.serve.work.loading import model_of, trees_of


def copy_trees(treebank: str, file: str, most: int | None = None) -> int:
    """Write the trees of a treebank, or so many of them; returns how many."""
    trees = trees_of(treebank)
    if most is not None:
        # Evenly over the file, which may be sorted by something.
        step = max(1.0, len(trees) / most)
        trees = [trees[int(at * step)] for at in range(min(most, len(trees)))]
    write_conllu(trees, file)
    return len(trees)


def weigh(
    names: list[str],
    models: list[str],
    gold: str | None,
    tasks: list[dict[str, str]],
    unseen: bool = False,
) -> dict[str, Any]:
    """The trade-off report; a task has a name, a kind, a file and perhaps rules."""
    trees = trees_of(gold) if gold is not None else []
    if any(UNKNOWN in each.heads for each in trees):
        raise RequestError(422, "the treebank has unknown heads; take one of whole trees")
    objectives = {task["name"]: _objective(task) for task in tasks}
    before, after = (model_of(path) for path in models)
    both = (names[0], names[1]), (before, after)
    found = weigh_up(*both, trees, objectives, samples=SAMPLES, unseen=unseen)
    return found.to_json()


def _objective(task: dict[str, str]) -> AnyObjective:
    said = {name: task[name] for name in ("rules",) if task.get(name)}
    return load_objective(task["kind"], [task["file"]], settings_class(task["kind"])(**said))
