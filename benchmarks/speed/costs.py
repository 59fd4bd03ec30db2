"""What a cost adds to training, and how much of it is Python.

python -m benchmarks.speed.costs [--profile fast] [--graph MODEL]

Processor time of one thread, the model in the box being trained on: sentences of EWT with
a beam of 8, and as many of them again as reordering examples with 8 candidates. Their
references are the orders of their own gold trees. Python's share is the time outside the
kernel: search, rules, scores and the change of weights are inside. A graph parser mixes
kernels and numpy in its search, so there all of candidates and updates counts as inside, and
the share is that of the objective and of the loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

import niwaki
import niwaki.objectives.reordering as reordering
from benchmarks.common import DATA, need, parser, report, signature, timed
from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.learning.corpus import Corpus
from niwaki.parsers.base import TrainableParser
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.costs import GraphExamples
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.scorer import LinearScorer
from niwaki.parsers.graph.trainer import GraphTrainer, GraphWeightsPlan
from niwaki.parsers.transition.config import TransitionConfig
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.parsers.transition.trainer import TransitionTrainer, WeightsPlan
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tagging.tagger import Tags
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.config import CostConfig
from niwaki.training.examples import CostData, CostObjective, tag_costs
from niwaki.training.objectives import objective_in_training

CONFIG = CostConfig(kind="reordering", settings=reordering.Settings(rules="ja"))
SENTENCES = {"full": 4000, "fast": 500}
ROUND = 16
T = TypeVar("T")


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

    def seen(self, thing: T) -> T:
        """The same object with its calls counted."""
        return cast(T, _Seen(thing, self))


class _Seen:
    """An object through a clock."""

    def __init__(self, thing: object, inside: Inside) -> None:
        self._thing, self._inside = thing, inside

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._thing, name)
        return self._inside.counted(found) if callable(found) else found


class SeenTransitionTrainer(TransitionTrainer):
    """Trains a transition parser on; search and change of weights are seen by a clock."""

    def __init__(self, nlp: Pipeline, corpus: Corpus, inside: Inside) -> None:
        parser = nlp.parser
        assert isinstance(parser, TransitionParser)
        weights, clusters = parser.model.weights, nlp.clusters.kernel if nlp.clusters else None
        assert isinstance(weights, PackedWeights)
        spec, config = parser.model.spec, TransitionConfig()
        plan = WeightsPlan(spec, parser.beam, config, weights.rows, clusters, seed=1)
        super().__init__(plan, corpus, nlp.tag(corpus.batch, keep=False), base=weights)
        self._model.kernel = inside.seen(self._model.kernel)
        self._learner = inside.seen(self._learner)


class SeenGraphTrainer(GraphTrainer):
    """Trains a graph parser on; all that its examples do is seen by a clock."""

    def __init__(self, nlp: Pipeline, corpus: Corpus, inside: Inside) -> None:
        parser = nlp.parser
        assert isinstance(parser, GraphParser) and isinstance(parser.scorer, LinearScorer)
        weights = cast(Mapping[str, PackedWeights], parser.scorer.weights)
        rows = weights["labels"].rows
        plan = GraphWeightsPlan(parser.spec, GraphConfig(), rows, clusters=None, seed=1)
        super().__init__(plan, corpus, nlp.tag(corpus.batch, keep=False), base=weights)
        self._inside = inside

    def examples(self, batch: Batch, tags: Tags) -> GraphExamples:
        return self._inside.seen(super().examples(batch, tags))


def as_references(sentences: list[Sentence]) -> reordering.Reordering:
    rules = load_rules("ja")
    orders = [each.order for each in Reorderer(rules).reorder(sentences)]
    pairs = enumerate(zip(sentences, orders, strict=True))
    references = [Reference(str(at), s.forms, order) for at, (s, order) in pairs]
    return reordering.Reordering(references, rules)


def cost_data(nlp: Pipeline, sentences: list[Sentence]) -> CostData:
    objective = CostObjective("x", CONFIG, as_references(sentences))
    (data,) = tag_costs([objective], nlp.tagger, nlp.morphology, nlp.parser.labels.names)
    return data


def measure(
    nlp: Pipeline, sentences: list[Sentence], trainer: TrainableParser, inside: Inside
) -> dict[str, Any]:
    order = np.arange(len(sentences), dtype=np.int32)
    trees = timed(lambda: trainer.learn(order), time.process_time)
    objective = objective_in_training(cost_data(nlp, sentences), trainer, None)

    def learn_costs() -> None:
        for start in range(0, objective.size, ROUND):
            for priced in objective.price(range(start, min(start + ROUND, objective.size))):
                objective.learn(priced)

    kept = reordering.reorder, reordering.compare_orders
    reordering.reorder, reordering.compare_orders = map(inside.counted, kept)
    inside.seconds = 0.0
    costs = timed(learn_costs, time.process_time)
    reordering.reorder, reordering.compare_orders = kept
    return {
        "treebank, sentences/s": round(len(sentences) / trees),
        "costs, examples/s": round(objective.size / costs),
        "both, times the treebank alone": round((trees + costs) / trees, 2),
        "Python's share of a cost, percent": round(100 * (1 - inside.seconds / costs), 1),
        "updates": objective.counts.updates,
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--graph", help="a graph parser to be measured as well")
    arguments = made.parse_args()
    path = need(DATA / "ud-english-ewt" / "en_ewt-ud-train.conllu")
    sentences = list(niwaki.read_conllu(path))[: SENTENCES[arguments.profile]]
    found: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, sentences=len(sentences))
    }
    models: dict[str, tuple[str, Any]] = {"transition": ("en", SeenTransitionTrainer)}
    if arguments.graph:
        models["graph"] = (arguments.graph, SeenGraphTrainer)
    for name, (model, make) in models.items():
        nlp, inside = niwaki.load(model), Inside()
        trainer = make(nlp, Corpus((), tuple(sentences)), inside)
        found[name] = measure(nlp, sentences, trainer, inside)
    report("costs", found)


if __name__ == "__main__":
    main()
