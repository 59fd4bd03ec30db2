"""Ways to train arc-factored parsers, and to choose trees: a table like Smith and Smith's first.

For each treebank, models on the features of Hall et al. (2011) learn its training data (of
English the first 4,000 sentences), for trees of all kinds and for projective ones: by
perceptron, MIRA, likelihood and margins; and with latent classes of arcs. Test data is
parsed with gold words and predicted tags by the best tree (MAP), by that of the fewest
expected errors (MBR), and with the best head of each word by itself, by scores and by
probabilities.

python -m benchmarks.accuracy.graph [--treebank NAME] [--models FOLDER]

What is trained is kept in --models FOLDER and not trained again. So that a busy machine can
do it in pieces, a run with --one ends after the first training, and one with --made reports
what there is.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._training import train_weights
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.features.arc_templates import load_arc_feature_set
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.metrics.base import resample
from niwaki.parsers.arcs.calibration import calibrate
from niwaki.parsers.base import Parser
from niwaki.parsers.decoding import Scores, decode, sum_trees
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.spec import GraphSpec
from niwaki.parsers.graph.trainer import GraphTrainer, GraphWeightsPlan
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import Tags
from niwaki.tagging.trainer import jackknife, train_tagger
from niwaki.training.config import ModelConfig
from niwaki.training.treebanks import read_treebank

TREEBANKS = {
    "ud-english-ewt": "en_ewt-ud-{}.conllu",
    "ud-norwegian-nynorsklia": "no_nynorsklia-ud-{}.conllu",
    "ud-korean-gsd": "ko_gsd-ud-{}.conllu",
}
# Those with more sentences are too much for an afternoon: so many of the first ones.
SENTENCES = {"ud-english-ewt": 4000}
# Passes over the data. Of those who learn from sentence to sentence the best one on dev is
# taken; those who learn from all at once are to come to their end.
EPOCHS, EVALUATIONS = 5, 30
TRAINERS: dict[str, dict[str, Any]] = {
    "perceptron": {"trainer": "perceptron", "margin": 0.0},
    "perceptron, margin": {"trainer": "perceptron"},
    "MIRA": {"trainer": "mira"},
    "log-linear, AdaGrad": {"trainer": "log-linear", "learning_rate": 0.5, "adagrad_epsilon": 3.0},
    "log-linear, L-BFGS": {"trainer": "log-linear", "optimizer": "lbfgs"},
    "max-margin": {"trainer": "max-margin"},
}
IN_BATCH = ("log-linear, L-BFGS", "max-margin")
PERCEPTRONS = ("perceptron", "perceptron, margin")
LOG_LINEAR = ("log-linear, AdaGrad", "log-linear, L-BFGS")
# What takes long is tried where sentences are short: those who learn from all sentences at
# once, and latent classes of arcs, as in Smith and Smith's Table 2.
SHORT = "ud-norwegian-nynorsklia"
LATENT = (2, 8)
LABELS = "h.tag + d.tag + direction"  # labels are not compared here
SAMPLES = 2000


class MissingError(Exception):
    """Something is not on the shelf, and is not to be made."""


class Shelf:
    """Arrays by name, on disk: what has been made is not made again."""

    def __init__(self, folder: Path, one: bool = False, made: bool = False) -> None:
        self.folder, self._one, self._made = folder, one, made

    def arrays(
        self, name: str, make: Callable[[], Mapping[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        path = self.folder / f"{name}.npz".replace(" ", "-").replace(",", "")
        if not path.exists() and self._made:
            raise MissingError(name)
        if not path.exists():
            print(name, flush=True)
            start = time.process_time()
            self.folder.mkdir(parents=True, exist_ok=True)
            np.savez(path, **make())
            print(f"  {time.process_time() - start:.0f} s", flush=True)
            if self._one:
                sys.exit(f"made {path.name}; run again for the next")
        with np.load(path) as file:
            return dict(file)


class Material:
    """The data of a treebank with the tags that parsers see."""

    def __init__(self, treebank: str, shelf: Shelf, sentences: int | None = None) -> None:
        names = TREEBANKS[treebank]
        files = {p: str(need(DATA / treebank / names.format(p))) for p in ("train", "dev", "test")}
        self.files = files
        self._whole = read_treebank([files["train"]])
        self.train = Corpus(self._whole.files, self._whole.sentences[:sentences])
        self.dev, self.test = read_treebank([files["dev"]]), read_treebank([files["test"]])
        found = shelf.arrays(f"tags-{treebank}", self._tag)
        self.tags, self.dev_tags, self.test_tags = (
            Tags(**{n: found[f"{part}-{n}"][: corpus.words] for n in Tags.__dataclass_fields__})
            for part, corpus in (("train", self.train), ("dev", self.dev), ("test", self.test))
        )

    def _tag(self) -> dict[str, NDArray[Any]]:
        """Tags of all parts; those of the training data by taggers of the other parts of it."""
        config = TaggerConfig(folds=4)
        tagger = train_tagger(
            self._whole,
            config,
            1,
            "tagger",
            lowercase=False,
            clusters=None,
            advance=lambda _: None,
        )
        own = jackknife(
            self._whole,
            tagger,
            config,
            1,
            threads=1,
            clusters=None,
            checkpoint=Checkpoint("", {}, 1e9),
            advance=lambda _: None,
        )
        parts = {
            "train": own,
            "dev": tagger.tag(self.dev.batch, keep=False),
            "test": tagger.tag(self.test.batch, keep=False),
        }
        return {
            f"{part}-{name}": a for part, tags in parts.items() for name, a in vars(tags).items()
        }


def trained(
    material: Material,
    settings: Mapping[str, Any],
    epochs: int,
    *,
    choose: bool = True,
    features: str = load_arc_feature_set("hall2011"),
    label_features: str = LABELS,
) -> GraphParser:
    """A parser of the best epoch on dev, or of the last one, calibrated there."""
    config = GraphConfig(**settings)
    spec = GraphSpec(
        features,
        label_features,
        labels=sorted({label for s in material.train.sentences for label in s.deprels}),
        order=config.order,
        latent=config.latent,
        projective=config.projective,
        decode=config.decode,
    )
    plan = GraphWeightsPlan(spec, config, ModelConfig().max_rows, clusters=None, seed=1)
    trainer = GraphTrainer(plan, material.train, material.tags)

    def uas(made: Parser) -> tuple[float, float]:
        assert isinstance(made, GraphParser)
        values = made.scorer.values(material.dev.batch, material.dev_tags)
        way = "eisner" if config.projective else "mst"
        heads = made.heads(material.dev.batch, values, way)
        score = 100 * float((heads == material.dev.batch.given_heads()).mean())
        print(f"  {score:.2f}", flush=True)
        return score, score

    weights = train_weights("graph", trainer, material.train, epochs, uas if choose else None)
    found = trainer.parser(weights)
    if not choose:
        uas(found)
    return calibrate(found, material.dev, material.dev_tags)


def decoded(parsed: GraphParser, corpus: Corpus, tags: Tags) -> dict[str, NDArray[np.int32]]:
    """The heads of the words of a corpus by each way to choose them."""
    batch = corpus.batch
    values = parsed.scorer.values(batch, tags)
    scores = parsed.scores(batch, values)
    projective = parsed.spec.projective
    marginals = sum_trees(scores, projective=projective, too_long="spanning").marginals
    beliefs = Scores(marginals, scores.lengths)
    return {
        "MAP": decode(scores, projective=projective, too_long="spanning").heads,
        "MBR": decode(beliefs, projective=projective, too_long="spanning").heads,
        "greedy, scores": greedy(scores),
        "greedy, marginals": greedy(beliefs),
    }


def greedy(scores: Scores) -> NDArray[np.int32]:
    """The best head of each word, whether that is a tree or not."""
    heads = []
    for s, n in enumerate(scores.lengths.tolist()):
        table = scores.table[scores.starts[s] : scores.starts[s + 1]].reshape(n + 1, n).copy()
        table[np.arange(1, n + 1), np.arange(n)] = -np.inf
        heads.append(table.argmax(axis=0))
    return np.concatenate(heads).astype(np.int32)


def latent_heads(parsed: GraphParser, corpus: Corpus, tags: Tags) -> dict[str, NDArray[np.int32]]:
    values = parsed.scorer.values(corpus.batch, tags)
    ways = {"MAP": "mst", "MBR": "mbr", "max-z": "max-z"}
    return {name: parsed.heads(corpus.batch, values, way) for name, way in ways.items()}


def by_sentence(right: NDArray[np.bool_], corpus: Corpus) -> NDArray[np.int64]:
    return np.add.reduceat(right.astype(np.int64), corpus.starts[:-1])


def difference(one: NDArray[np.int64], other: NDArray[np.int64], words: int) -> dict[str, Any]:
    """How much better the other is, with a 95% interval (paired bootstrap over sentences)."""
    sums = resample(np.stack([one, other], axis=1), SAMPLES, 1)
    low, high = np.quantile(100 * (sums[:, 1] - sums[:, 0]) / words, [0.025, 0.975])
    return {
        "UAS": round(100 * float((other - one).sum()) / words, 2),
        "interval": [round(float(low), 2), round(float(high), 2)],
    }


def table(material: Material, treebank: str, shelf: Shelf, fast: bool) -> dict[str, Any]:
    gold, words = material.test.batch.given_heads(), material.test.words
    result: dict[str, Any] = {"training_sentences": len(material.train.sentences)}

    def uas(heads: NDArray[np.int32]) -> float:
        return round(100 * float((heads == gold).mean()), 2)

    def heads_of(name: str, projective: bool) -> dict[str, NDArray[np.int32]]:
        in_batch = name in IN_BATCH
        epochs = 2 if fast else EVALUATIONS if in_batch else EPOCHS
        settings = {**TRAINERS[name], "projective": projective}
        return decoded(
            trained(material, settings, epochs, choose=not in_batch),
            material.test,
            material.test_tags,
        )

    for shape in ("all trees", "projective"):
        rows: dict[str, Any] = {}
        right: dict[str, NDArray[np.int64]] = {}
        for name in TRAINERS:
            if name in IN_BATCH and treebank != SHORT:
                continue
            with contextlib.suppress(MissingError):
                found = shelf.arrays(
                    f"{treebank}-{shape}-{name}",
                    lambda name=name, shape=shape: heads_of(name, shape == "projective"),
                )
                rows[name] = {way: uas(heads) for way, heads in found.items()}
                for way, heads in found.items():
                    right[f"{name}, {way}"] = by_sentence(heads == gold, material.test)
        log_linear = [name for name in LOG_LINEAR if name in rows]
        perceptrons = [name for name in PERCEPTRONS if name in rows]
        pairs = [
            (f"{one}, MAP", f"{other}, MAP")
            for one, other in itertools.product(perceptrons, log_linear)
        ]
        pairs += [(f"{name}, MAP", f"{name}, MBR") for name in log_linear]
        rows["differences"] = {
            f"{other} - {one}": difference(right[one], right[other], words) for one, other in pairs
        }
        result[shape] = rows
    for count in LATENT if treebank == SHORT else ():
        settings = {"latent": count, "learning_rate": 0.5, "adagrad_epsilon": 3.0}
        with contextlib.suppress(MissingError):
            found = shelf.arrays(
                f"{treebank}-{count} latent classes",
                lambda settings=settings: latent_heads(
                    trained(material, settings, 2 if fast else EPOCHS),
                    material.test,
                    material.test_tags,
                ),
            )
            result[f"{count} latent classes"] = {n: uas(heads) for n, heads in found.items()}
    return result


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--treebank", choices=TREEBANKS, help="only this one; nothing is reported")
    made.add_argument("--models", type=Path, help="where what is trained is kept")
    made.add_argument("--one", action="store_true", help="end after the first training")
    made.add_argument("--made", action="store_true", help="train nothing")
    arguments = made.parse_args()
    fast = arguments.profile == "fast"
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        shelf = Shelf(arguments.models or Path(scratch), arguments.one, arguments.made)
        for treebank in TREEBANKS:
            if arguments.treebank in (None, treebank):
                material = Material(treebank, shelf, 300 if fast else SENTENCES.get(treebank))
                results[treebank] = table(material, treebank, shelf, fast)
    results["signature"] = signature(
        profile=arguments.profile, epochs=EPOCHS, evaluations=EVALUATIONS, features="hall2011"
    )
    if arguments.treebank is None:
        report("graph", results)


if __name__ == "__main__":
    main()
