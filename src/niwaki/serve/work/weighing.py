"""Before and after: what models make of annotated sentences, and the trade-off report."""

from __future__ import annotations

from typing import Any

from niwaki.analysis.tradeoff import weigh_up
from niwaki.data.conllu import write_conllu
from niwaki.data.tree import UNKNOWN
from niwaki.metrics.reordering import evaluate_orders
from niwaki.objectives import AnyObjective, load_objective, settings_class
from niwaki.serve.errors import RequestError
from niwaki.serve.work.comparing import SAMPLES, System, orders_of, row_of
from niwaki.serve.work.loading import model_of, references_of, trees_of


def part_treebank(
    treebank: str | None, dev: str | None, learned: str, held_out: str, most: int, every: int
) -> dict[str, int]:
    """Write the trees to learn from, at most so many, and those to see what was paid on.

    Without a `dev` of their own, the latter are every fifth (or so) of the treebank.
    """
    rest = trees_of(treebank) if treebank is not None else []
    if dev is not None:
        held = trees_of(dev)
    else:
        held = rest[every - 1 :: every]
        rest = [each for number, each in enumerate(rest) if number % every != every - 1]
    # Evenly over the file, which may be sorted by something.
    step = max(1.0, len(rest) / most)
    chosen = [rest[int(at * step)] for at in range(min(most, len(rest)))]
    write_conllu(chosen, learned)
    write_conllu(held, held_out)
    return {"learned": len(chosen), "held-out": len(held)}


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


def compare_partial(file: str, models: list[str]) -> dict[str, Any]:
    """What models make of partial trees: known heads and roots that each of them finds."""
    sentences = trees_of(file)
    blank = [
        each.replace(heads=[UNKNOWN] * len(each), deprels=["_"] * len(each)) for each in sentences
    ]
    parsed = [list(model_of(path).parse(blank)) for path in models]
    counts = [{"heads": 0, "roots": 0, "known_heads": 0, "known_roots": 0} for _ in models]
    rows = []
    for number, known in enumerate(sentences):
        marks = []
        for count, trees in zip(counts, parsed, strict=True):
            right = 0
            for word, head in enumerate(known.heads):
                if head != UNKNOWN:
                    hit = trees[number].heads[word] == head
                    right += hit
                    count["known_heads"] += 1
                    count["heads"] += hit
                    count["known_roots"] += head == 0
                    count["roots"] += hit and head == 0
            marks.append(right)
        rows.append(
            {
                **row_of(number, known.id, known.text, len(known)),
                "known": sum(head != UNKNOWN for head in known.heads),
                "right": marks,
                "differ": parsed[0][number].heads != parsed[-1][number].heads,
            }
        )
    return {"counts": counts, "rows": rows}


def compare_orders(file: str, systems: list[System]) -> dict[str, Any]:
    """What models make of reference orders: the fuzzy score of each sentence."""
    references = references_of(file)
    corpus = {"kind": "references", "file": file}
    found = [[each.order for each in orders_of(system, corpus)] for system in systems]
    scored = [evaluate_orders(references, orders) for orders in found]
    return {
        "scores": [each.scores for each in scored],
        "rows": [
            {
                **row_of(number, each.id, " ".join(each.tokens), len(each.tokens)),
                "score": [float(one.of("frs_linked")[number]) for one in scored],
                "differ": found[0][number] != found[-1][number],
            }
            for number, each in enumerate(references)
        ],
    }
