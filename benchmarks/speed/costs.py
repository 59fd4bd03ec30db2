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
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from niwaki.parsers.transition.candidates import TransitionTrainee
from niwaki.training.parser_stages import finished_weights

import niwaki
import niwaki.objectives.reordering as reordering
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.data.bilingual.references import Reference
from niwaki.data.faults import DEPREL
from niwaki.data.sentence import Sentence
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.learning import TransitionLearner
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.trainer import GraphTraining
from niwaki.parsers.transition.model import TransitionParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.config import CostConfig
from niwaki.training.config_file import make_config
from niwaki.training.examples import CostData, CostObjective, tag_costs
from niwaki.training.objectives import CostLessons

CONFIG = CostConfig(kind="reordering", settings=reordering.Settings(rules="ja"))
Learn = Callable[[], None]

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


def transition(
    nlp: Pipeline, sentences: list[Sentence], inside: Inside
) -> tuple[Learn, CostLessons]:
    """How to learn sentences of the treebank; and examples on a beam that is seen by a clock."""
    parser = nlp.parser
    assert isinstance(parser, TransitionParser)
    assert isinstance(parser.model, PackedWeights)
    taught = parser.with_model(SparseWeights(parser.model.classes, base=parser.model.compile()))
    arc_learner = TransitionLearner(taught.kernel, taught.class_numbers())
    data = cost_data(nlp, sentences)
    (tagging,) = data.taggings
    trainee = TransitionTrainee(taught, arc_learner, tagging.batch, tagging.tags, nlp.beam)
    # The same objects, seen through a clock.
    kernel = SimpleNamespace(kbest=inside.counted(taught.kernel.kbest))
    trainee._parser = SimpleNamespace(kernel=kernel, decoded=taught.decoded)  # type: ignore[assignment]
    trainee._tutor = SimpleNamespace(update=inside.counted(arc_learner.update))  # type: ignore[assignment]
    batch = Batch([sentence.source for sentence in sentences])
    values = taught.attribute_values(batch, nlp.tag(batch, keep=False))
    labels = batch.numbers(DEPREL, taught.labels.symbols)
    order = np.arange(len(sentences), dtype=np.int32)

    def learn() -> None:
        arc_learner.learn_with_beam(
            batch, values, batch.given_heads(), labels, order, nlp.beam, True, 20.0
        )

    return learn, CostLessons("x", CONFIG, data.objective, trainee)


def graph(nlp: Pipeline, sentences: list[Sentence], inside: Inside) -> tuple[Learn, CostLessons]:
    parser = nlp.parser
    assert isinstance(parser, GraphParser)
    corpus = Corpus((), tuple(sentences))
    config = make_config({"objective": [{"data": __file__}], "model": {"kind": "graph"}})
    data = cost_data(nlp, sentences)
    training = GraphTraining(
        "graph",
        parser.spec,
        corpus,
        nlp.tag(corpus.batch, keep=False),
        config,
        clusters=None,
        checkpoint=Checkpoint("", {}, 1e9),
        base=finished_weights(nlp),
        costs=[data],
    )
    (lessons,) = training._costs.lessons
    trainee = lessons.trainee
    lessons.trainee = SimpleNamespace(  # type: ignore[assignment]
        candidates=inside.counted(trainee.candidates),
        update=inside.counted(trainee.update),
        usual_scale=trainee.usual_scale,
    )

    def learn() -> None:
        for s in range(len(sentences)):
            training.learn(s)

    return learn, lessons


def measure(learn: Learn, lessons: CostLessons, inside: Inside, size: int) -> dict[str, Any]:
    started = time.process_time()
    learn()
    trees = time.process_time() - started
    inside.seconds = 0.0
    kept = reordering.reorder, reordering.compare_orders
    reordering.reorder, reordering.compare_orders = map(inside.counted, kept)
    started = time.process_time()
    for start in range(0, lessons.size, ROUND):
        for priced in lessons.price(range(start, min(start + ROUND, lessons.size))):
            lessons.learn(priced)
    costs = time.process_time() - started
    reordering.reorder, reordering.compare_orders = kept
    return {
        "treebank, sentences/s": round(size / trees),
        "costs, examples/s": round(lessons.size / costs),
        "both, times the treebank alone": round((trees + costs) / trees, 2),
        "Python's share of a cost, percent": round(100 * (1 - inside.seconds / costs), 1),
        "updates": lessons.counts.updates,
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--graph", help="a graph parser to be measured as well")
    arguments = made.parse_args()
    path = need(DATA / "ud-english-ewt" / "en_ewt-ud-train.conllu")
    sentences = list(niwaki.read_conllu(path))[: SENTENCES[arguments.profile]]
    inside = Inside()
    found: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, sentences=len(sentences))
    }
    models = {"transition": (None, transition)}
    if arguments.graph:
        models["graph"] = (arguments.graph, graph)
    for name, (model, prepare) in models.items():
        nlp = niwaki.load(model) if model else niwaki.load()
        found[name] = measure(*prepare(nlp, sentences, inside), inside, len(sentences))
    report("costs", found)


if __name__ == "__main__":
    main()
