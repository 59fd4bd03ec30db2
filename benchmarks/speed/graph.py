"""Words per second of a graph-based parser, and how its parts grow with the sentence.

python -m benchmarks.speed.graph [--model FILE]

English EWT test with the tags of the file, one thread, processor time, best of several
rounds in turns; from words in memory to heads and labels. Without a model, one is trained
on the first sentences of EWT.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, best_of, need, parser, report, signature, timed
from niwaki import draw
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Search
from niwaki.parsers.decoding import decode, sum_trees
from niwaki.parsers.graph.model import GraphParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from niwaki.training.run import train

SENTENCES = 1000
LENGTHS = (5, 10, 20, 40, 80)


def small_model() -> Pipeline:
    files = {
        part: need(DATA / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu")
        for part in ("train", "dev")
    }
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "train.conllu"
        niwaki.write_conllu(list(niwaki.read_conllu(files["train"]))[:SENTENCES], data)
        tables: dict[str, Any] = {
            "model": {"kind": "graph"},
            "segmenter": {"enabled": False},
            "tagger": {"folds": 2, "feats": False, "lemmas": False},
            "training": {"epochs": 3},
        }
        config = make_config({"objective": [{"data": str(data)}], **tables})
        return train(config, Path(folder) / "model.niwaki", threads=1)


def works(model: Pipeline, sources: list[bytes]) -> dict[str, Callable[[], object]]:
    """What is done to a batch of sentences."""
    graph = model.parser
    assert isinstance(graph, GraphParser)
    batch = Batch(sources)
    tags = model.tag(batch)
    values = graph.scorer.values(batch, tags)
    scores = graph.scores(batch, values)
    return {
        "parse, mst": lambda: graph.parse(batch, tags, Search(decode="mst")),
        "parse, eisner": lambda: graph.parse(batch, tags, Search(decode="eisner")),
        "parse, mbr": lambda: graph.parse(batch, tags, Search(decode="mbr")),
        "scores of arcs": lambda: graph.scores(batch, values),
        "mst of scores": lambda: decode(scores),
        "marginals of scores": lambda: sum_trees(scores),
        "eisner of scores": lambda: decode(scores, projective=True),
        "projective marginals of scores": lambda: sum_trees(scores, projective=True),
        "scores and mst": lambda: decode(graph.scores(batch, values)),
        "scores and marginals": lambda: sum_trees(graph.scores(batch, values)),
    }


def measured(model: Pipeline, sources: list[bytes], rounds: int) -> dict[str, float]:
    """Words per second of each."""
    words = Batch(sources).words
    pieces = [sources[start : start + 256] for start in range(0, len(sources), 256)]
    made = [works(model, piece) for piece in pieces]

    def run(name: str) -> Callable[[], float]:
        return lambda: sum(timed(piece[name], time.process_time) for piece in made)

    return {
        name: words / best for name, best in best_of(rounds, {n: run(n) for n in made[0]}).items()
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--model", help="a graph-based model")
    made.add_argument("--plot", help="write the growth with length as SVG")
    arguments = made.parse_args()
    rounds = 2 if arguments.profile == "fast" else 7
    model = load(arguments.model) if arguments.model else small_model()
    test = list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu")))
    speeds = measured(model, [sentence.source for sentence in test], rounds)
    lengths: dict[str, dict[str, float]] = {}
    for length in LENGTHS:
        # Sentences of about this length, cut to it.
        near = [s for s in test if len(s) >= length][:40]
        cut = [
            niwaki.Sentence.from_words(s.forms[:length], upos=s.upos[:length], xpos=s.xpos[:length])
            for s in near
        ]
        if cut:
            found = measured(model, [sentence.source for sentence in cut], rounds)
            lengths[str(length)] = {name: round(value) for name, value in found.items()}

    def ratio(one: str, other: str) -> float:
        return round(speeds[one] / speeds[other], 2)

    if arguments.plot:
        Path(arguments.plot).write_text(_plot(lengths))
    report(
        "graph-speed",
        {
            "signature": signature(profile=arguments.profile, rounds=rounds, threads=1),
            "words_per_second": {name: round(value) for name, value in speeds.items()},
            "marginals_cost_in_decodes": {
                "with scores": ratio("scores and mst", "scores and marginals"),
                "alone": ratio("mst of scores", "marginals of scores"),
                "alone, projective": ratio("eisner of scores", "projective marginals of scores"),
            },
            "by_length": lengths,
            "growth": _growth(lengths),
        },
    )


def _growth(lengths: dict[str, dict[str, float]]) -> dict[str, float]:
    """Time grows with this power of the length of a sentence, from the shortest to the longest."""
    first, *_, last = lengths
    ratio = np.log(int(last) / int(first))
    return {
        name: round(1 + float(np.log(lengths[first][name] / lengths[last][name]) / ratio), 2)
        for name in lengths[first]
    }


def _plot(lengths: dict[str, dict[str, float]]) -> str:
    names = ("parse, mst", "parse, eisner", "parse, mbr", "scores and marginals")
    slowest = max(1e6 / row[name] for row in lengths.values() for name in names)
    return draw.line_chart(
        {name: [(int(n), 1e6 / row[name]) for n, row in lengths.items()] for name in names},
        title="Time of a word by the length of its sentence",
        x="words of the sentence",
        y="microseconds a word",
        x_limits=(0.0, float(LENGTHS[-1])),
        y_limits=(0.0, slowest),
    )


if __name__ == "__main__":
    main()
