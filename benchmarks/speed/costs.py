"""What a cost adds to training, and how much of it is Python.

python -m benchmarks.speed.costs [--profile fast]

Processor time of one thread, the model in the box being trained on: sentences of EWT with
a beam of 8, and as many of them again as reordering examples with 8 candidates. Their
references are the orders of their own gold trees. Python's share is the time outside the
kernel: search, rules, scores and the change of weights are inside.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import niwaki
import niwaki.objectives.reordering as reordering
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.data.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import Learner
from niwaki.kernel.parser_learning import Tutor
from niwaki.models.transition import DEPREL
from niwaki.models.weights import Compressed
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.config import ObjectiveConfig
from niwaki.training.costdata import CostObjective, tag_costs
from niwaki.training.costs import CostLessons
from niwaki.training.trainee import TransitionTrainee

SENTENCES = {"full": 4000, "fast": 500}
ROUND = 16


class Inside:
    """Counts the time in calls of the kernel."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            started = time.process_time()
            result = function(*arguments)
            self.seconds += time.process_time() - started
            return result

        return wrapped


def make_lessons(sentences: list[Sentence], inside: Inside) -> tuple[CostLessons, Tutor]:
    """Reordering examples for a parser on the base of the model in the box."""
    nlp = niwaki.load()
    assert isinstance(nlp.parser.model, Compressed)
    learner = Learner(nlp.parser.model.classes, base=nlp.parser.model.frozen())
    taught = nlp.parser.with_model(learner)
    tutor = Tutor(taught.kernel, taught.class_numbers())
    rules = load_rules("ja")
    orders = [each.order for each in Reorderer(rules).reorder(sentences)]
    pairs = enumerate(zip(sentences, orders, strict=True))
    references = [Reference(str(at), s.forms, order) for at, (s, order) in pairs]
    objective = reordering.Reordering(references, rules)
    config = ObjectiveConfig(kind="reordering", rules="ja")
    (data,) = tag_costs(
        [CostObjective("x", config, objective)], nlp.tagger, nlp.morphology, taught.labels.names
    )
    trainee = TransitionTrainee(taught, tutor, data.batch, data.tags, nlp.beam)
    # The same objects, seen through a clock.
    kernel = SimpleNamespace(kbest=inside.counted(taught.kernel.kbest))
    trainee._parser = SimpleNamespace(kernel=kernel, decoded=taught.decoded)  # type: ignore[assignment]
    trainee._tutor = SimpleNamespace(update=inside.counted(tutor.update))  # type: ignore[assignment]
    return CostLessons("x", config, objective, trainee), tutor


def main() -> None:
    made = parser(__doc__)
    arguments = made.parse_args()
    path = need(DATA / "ud-english-ewt" / "en_ewt-ud-train.conllu")
    sentences = list(niwaki.read_conllu(path))[: SENTENCES[arguments.profile]]
    inside = Inside()
    lessons, tutor = make_lessons(sentences, inside)
    nlp = niwaki.load()
    batch = Batch([sentence.source for sentence in sentences])
    values = nlp.parser.attribute_values(batch, nlp.tag(batch, keep=False))
    labels = batch.numbers(DEPREL, nlp.parser.labels.symbols)
    order = np.arange(len(sentences), dtype=np.int32)
    started = time.process_time()
    tutor.learn_with_beam(batch, values, batch.given_heads(), labels, order, nlp.beam, True, 20.0)
    trees = time.process_time() - started
    kept = reordering.reorder, reordering.compare_orders
    reordering.reorder, reordering.compare_orders = map(inside.counted, kept)
    started = time.process_time()
    for start in range(0, lessons.size, ROUND):
        for priced in lessons.price(range(start, min(start + ROUND, lessons.size))):
            lessons.learn(priced)
    costs = time.process_time() - started
    reordering.reorder, reordering.compare_orders = kept
    report(
        "costs",
        {
            "signature": signature(profile=arguments.profile, sentences=len(sentences)),
            "treebank, sentences/s": round(len(sentences) / trees),
            "costs, examples/s": round(lessons.size / costs),
            "both, times the treebank alone": round((trees + costs) / trees, 2),
            "Python's share of a cost, percent": round(100 * (1 - inside.seconds / costs), 1),
            "updates": lessons.counts.updates,
        },
    )


if __name__ == "__main__":
    main()
