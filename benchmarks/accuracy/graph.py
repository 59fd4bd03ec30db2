"""Graph-based parsers: trainers and decoders, probabilities, and parsers together.

For each treebank, arc-factored models on the features of Hall et al. (2011) are trained four
ways on the first sentences of its training data, for trees of all kinds and for projective
ones; log-linear ones with latent classes; on Korean, perceptrons of the default features
with and without siblings. Test data is parsed with gold words and predicted tags by the best tree
(MAP), by that of the fewest expected errors (MBR), and with the best head of each word by
itself, by scores and by probabilities. On English, a model of all training data with the
default features is judged alone and together with the transition parser in the box.

python -m benchmarks.accuracy.graph [--treebank NAME] [--models FOLDER]

What is trained is kept in --models FOLDER and not trained again; with --one, a run ends
after the first training, so that a busy machine can do it in pieces.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import niwaki
from benchmarks.accuracy.crossing import Quiet
from benchmarks.common import DATA, RESULTS, need, parser, report, signature
from niwaki.metrics.attachment import Evaluation, evaluate
from niwaki.metrics.calibration import measure
from niwaki.metrics.significance import compare, resample
from niwaki.models.arc_features import load_arc_feature_set
from niwaki.models.ensemble import Ensemble
from niwaki.models.graph import GraphParser
from niwaki.models.pipeline import Pipeline, load
from niwaki.models.tagger import Tags
from niwaki.models.trees import Scores, decode, sum_trees
from niwaki.training.calibration import calibrate_graph
from niwaki.training.checkpoint import Checkpoint
from niwaki.training.config import Config, make_config
from niwaki.training.corpus import Corpus, read_treebank
from niwaki.training.graph import GraphTraining, design_graph
from niwaki.training.run import train
from niwaki.training.tagging import jackknife, train_tagger

TREEBANKS = {
    "ud-english-ewt": "en_ewt-ud-{}.conllu",
    "ud-norwegian-nynorsklia": "no_nynorsklia-ud-{}.conllu",
    "ud-korean-gsd": "ko_gsd-ud-{}.conllu",
}
# Sentences of the training data that the four trainers learn from (those of EWT and Korean
# are long), and passes over them.
SENTENCES = {"ud-english-ewt": 600, "ud-norwegian-nynorsklia": 1000, "ud-korean-gsd": 600}
EPOCHS = 5
TRAINERS: dict[str, dict[str, Any]] = {
    "perceptron": {"trainer": "perceptron", "margin": 1.0},
    "MIRA": {"trainer": "mira"},
    "log-linear": {"trainer": "log-linear"},
    "max-margin": {"trainer": "max-margin"},
}
# Latent classes of arcs, as in Smith and Smith's Table 2.
LATENT = (2, 8)
# Where siblings are tried: they take time in the cube of the length.
ORDERED = ("ud-korean-gsd",)
LABELS = "h.tag + d.tag + direction"  # labels are not compared here
SAMPLES = 2000

# The models of the default features.
BASE: dict[str, Any] = {
    "model": {"kind": "graph"},
    "segmenter": {"enabled": False},
    "tagger": {"folds": 4, "feats": False, "lemmas": False},
    "training": {"epochs": 2},
}
DEFAULTS: dict[str, dict[str, Any]] = {"log-linear": {}}

# Of the transition parser with a beam, the graph parser and the greedy transition parser;
# chosen on 500 sentences of EWT dev.
WEIGHTS = (1.0, 0.7, 0.5)


class Shelf:
    """Arrays by name, on disk: what has been made is not made again."""

    def __init__(self, folder: Path, one: bool) -> None:
        self._folder, self._one = folder, one

    def arrays(
        self, name: str, make: Callable[[], Mapping[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        path = self._folder / f"{name}.npz".replace(" ", "-")
        if not path.exists():
            print(name, flush=True)
            self._folder.mkdir(parents=True, exist_ok=True)
            np.savez(path, **make())
            if self._one:
                sys.exit(f"made {path.name}; run again for the next")
        with np.load(path) as file:
            return dict(file)


class Material:
    """The data of a treebank with the tags that parsers see."""

    def __init__(self, treebank: str, names: str, sentences: int, shelf: Shelf) -> None:
        files = {p: str(need(DATA / treebank / names.format(p))) for p in ("train", "dev", "test")}
        self.files = files
        whole = read_treebank([files["train"]])
        self.train = Corpus(whole.files, whole.sentences[:sentences])
        self.dev, self.test = read_treebank([files["dev"]]), read_treebank([files["test"]])
        found = shelf.arrays(f"tags-{treebank}", self._tag)
        self.tags, self.dev_tags, self.test_tags = (
            Tags(**{name: found[f"{part}-{name}"] for name in Tags.__dataclass_fields__})
            for part in ("train", "dev", "test")
        )

    def _tag(self) -> dict[str, NDArray[Any]]:
        """Tags of all parts; those of the training data by taggers of the other parts of it."""
        tables = {"objective": [{"data": self.files["train"]}], "tagger": {"folds": 4}}
        config = make_config(tables)
        tagger = train_tagger(
            self.train,
            config.tagger,
            1,
            "tagger",
            lowercase=False,
            clusters=None,
            advance=lambda _: None,
        )
        own = jackknife(
            self.train,
            tagger,
            config.tagger,
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
    material: Material, trainer: Mapping[str, Any], epochs: int, features: str = "hall2011"
) -> GraphParser:
    """A parser of the best epoch on dev, calibrated there."""
    config = make_config(
        {
            "objective": [{"data": material.files["train"]}],
            "graph": dict(trainer),
            "training": {"epochs": epochs},
        }
    )
    design = design_graph(
        material.train.sentences,
        config.graph,
        features=load_arc_feature_set(features),
        label_features=LABELS,
    )
    lessons = GraphTraining(
        "graph",
        design,
        material.train,
        material.tags,
        config,
        clusters=None,
        checkpoint=Checkpoint("", {}, 1e9),
    )

    def uas(made: GraphParser) -> tuple[float, float]:
        heads, _ = made.parse(material.dev.batch, material.dev_tags, how(config))
        score = 100 * float((heads == material.dev.batch.given_heads()).mean())
        return score, score

    found = lessons.run(uas, lambda _: None, lambda each: print(f"  {each.uas:.2f}", flush=True))
    return calibrate_graph(found, material.dev, material.dev_tags)


def how(config: Config) -> str:
    return "eisner" if config.graph.projective else "mst"


def decoded(parsed: GraphParser, corpus: Corpus, tags: Tags) -> dict[str, NDArray[np.int32]]:
    """The heads of the words of a corpus by each way to choose them."""
    batch = corpus.batch
    values = parsed.attribute_values(batch, tags)
    scores = parsed.scores(batch, values)
    projective = parsed.design.projective
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


def table(treebank: str, names: str, sentences: int, epochs: int, shelf: Shelf) -> dict[str, Any]:
    material = Material(treebank, names, sentences, shelf)
    gold, words = material.test.batch.given_heads(), material.test.words
    result: dict[str, Any] = {"training_sentences": len(material.train.sentences)}

    def uas(heads: NDArray[np.int32]) -> float:
        return round(100 * float((heads == gold).mean()), 2)

    def heads_of(settings: Mapping[str, Any]) -> dict[str, NDArray[np.int32]]:
        return decoded(trained(material, settings, epochs), material.test, material.test_tags)

    for shape in ("all trees", "projective"):
        rows: dict[str, Any] = {}
        right: dict[str, NDArray[np.int64]] = {}
        for name, settings in TRAINERS.items():
            wanted = {**settings, "projective": shape == "projective"}
            found = shelf.arrays(f"{treebank}-{shape}-{name}", lambda w=wanted: heads_of(w))
            rows[name] = {way: uas(heads) for way, heads in found.items()}
            for way, heads in found.items():
                right[f"{name}, {way}"] = by_sentence(heads == gold, material.test)
        rows["log-linear - perceptron, MAP"] = difference(
            right["perceptron, MAP"], right["log-linear, MAP"], words
        )
        rows["MBR - MAP, log-linear"] = difference(
            right["log-linear, MAP"], right["log-linear, MBR"], words
        )
        result[shape] = rows
    result["latent classes"] = {}
    for count in LATENT:
        found = shelf.arrays(
            f"{treebank}-{count} latent classes",
            lambda count=count: latent_heads(
                trained(material, {"latent": count}, epochs), material.test, material.test_tags
            ),
        )
        result["latent classes"][count] = {name: uas(heads) for name, heads in found.items()}
    if treebank not in ORDERED:
        return result
    result["default features, perceptron, projective"] = {}
    for name, order in {"arcs": 1, "arcs and siblings": 2}.items():
        found = shelf.arrays(
            f"{treebank}-{name}", lambda order=order: ordered_heads(material, order, epochs)
        )
        result["default features, perceptron, projective"][name] = uas(found["MAP"])
    return result


def ordered_heads(material: Material, order: int, epochs: int) -> dict[str, NDArray[np.int32]]:
    settings = {"trainer": "perceptron", "projective": True, "order": order}
    parsed = trained(material, settings, epochs, "rich")
    values = parsed.attribute_values(material.test.batch, material.test_tags)
    return {"MAP": parsed.heads(material.test.batch, values, "eisner")}


def latent_heads(parsed: GraphParser, corpus: Corpus, tags: Tags) -> dict[str, NDArray[np.int32]]:
    values = parsed.attribute_values(corpus.batch, tags)
    ways = {"MAP": "mst", "MBR": "mbr", "max-z": "max-z"}
    return {name: parsed.heads(corpus.batch, values, way) for name, way in ways.items()}


def default_models(folder: Path, epochs: int) -> dict[str, Pipeline]:
    files = {
        part: str(need(DATA / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu"))
        for part in ("train", "dev")
    }
    found = {}
    for name, graph in DEFAULTS.items():
        path = folder / f"ewt-{name}.niwaki"
        if not path.exists():
            tables = {**BASE, "graph": graph, "training": {"epochs": epochs, "dev": files["dev"]}}
            config = make_config({"objective": [{"data": files["train"]}], **tables})
            train(config, path, Quiet(), threads=1, resume=True)
        found[name] = load(path)
    return found


def together(folder: Path, epochs: int) -> dict[str, Any]:
    """The models of the default features on EWT test, alone and with the transition parser."""
    models = default_models(folder, epochs)
    gold = list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu")))
    transition = load("en")
    # All parsers see the same tags.
    parsed = {"transition, beam 8": list(transition.parse(gold, retag=True))}
    tagged = parsed["transition, beam 8"]
    for name, model in models.items():
        parsed[f"graph, {name}"] = list(model.parse(tagged))
    parsed["graph, log-linear, MBR"] = list(models["log-linear"].parse(tagged, decode="mbr"))
    model = {**transition.config["model"], "beam": 1}
    greedy = replace(transition, config={**transition.config, "model": model})
    for name, members in {
        "beam + log-linear": [transition, models["log-linear"]],
        "beam + log-linear + greedy": [transition, models["log-linear"], greedy],
    }.items():
        ensemble = Ensemble(members, WEIGHTS if len(members) == len(WEIGHTS) else ())
        parsed[name] = list(ensemble.parse(tagged))
    evaluations = {name: evaluate(gold, each) for name, each in parsed.items()}
    result: dict[str, Any] = {
        name: {m: round(found.scores[m], 2) for m in ("UAS", "LAS")}
        for name, found in evaluations.items()
    }
    for name in evaluations:
        if name != "transition, beam 8":
            result[name] |= beaten(evaluations["transition, beam 8"], evaluations[name])
    sure = measure(gold, models["log-linear"].parse(tagged, probabilities=True))
    result["calibration errors, log-linear"] = {
        kind: round(each.error(), 4) for kind, each in sure.items()
    }
    return result


def beaten(base: Evaluation, other: Evaluation) -> dict[str, Any]:
    (las,) = [each for each in compare(base, other, SAMPLES) if each.metric == "LAS"]
    return {
        "LAS over transition": round(las.difference, 2),
        "interval": [round(las.low, 2), round(las.high, 2)],
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--treebank", choices=[*TREEBANKS, "together"], help="only this part")
    made.add_argument("--models", type=Path, help="where what is trained is kept")
    made.add_argument("--one", action="store_true", help="end after the first training")
    arguments = made.parse_args()
    fast = arguments.profile == "fast"
    epochs = 2 if fast else EPOCHS
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.models or Path(scratch)
        shelf = Shelf(folder, arguments.one)
        for treebank, names in TREEBANKS.items():
            if arguments.treebank in (None, treebank):
                sentences = 300 if fast else SENTENCES[treebank]
                results[treebank] = table(treebank, names, sentences, epochs, shelf)
        if arguments.treebank in (None, "together"):
            results["English EWT, all training data"] = together(
                folder, 1 if fast else BASE["training"]["epochs"]
            )
    results["signature"] = signature(profile=arguments.profile, epochs=epochs, features="hall2011")
    path = RESULTS / "graph.json"
    if arguments.treebank and path.exists():
        results = {**json.loads(path.read_text()), **results}
    report("graph", results)


if __name__ == "__main__":
    main()
