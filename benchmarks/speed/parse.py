"""Words per second of tagging and parsing, one thread, beside spaCy and UDPipe on the same data.

python -m benchmarks.speed.parse
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

import niwaki
from benchmarks.common import (
    DATA,
    PEER_MODELS,
    best_of,
    need,
    parser,
    peer,
    report,
    signature,
    timed,
)
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.transition.systems import MOVES
from niwaki.parsers.transition.model import TransitionModel
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.pipeline.pipeline import Pipeline

FILE = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
# Tool, its model and its beam.
PEERS = {
    "spaCy": ("spacy", PEER_MODELS / "spacy-ewt", 1),
    "UDPipe, greedy": ("udpipe", PEER_MODELS / "udpipe-ewt.model", 1),
    "UDPipe, beam 5": ("udpipe", PEER_MODELS / "udpipe-ewt.model", 5),
}
_BATCH = 256


def run_through(sentences: Iterable[niwaki.Sentence]) -> int:
    return sum(1 for _ in sentences)


class Prepared:
    """The words of the test data in memory, as the peers have them."""

    def __init__(self, nlp: Pipeline) -> None:
        self.nlp = nlp
        # Only the words: everything else is to be predicted.
        self.words = [niwaki.Sentence.from_words(s.forms) for s in niwaki.read_conllu(FILE)]
        self.count = sum(len(sentence) for sentence in self.words)
        self.batches = [
            Batch([sentence.source for sentence in self.words[i : i + _BATCH]])
            for i in range(0, len(self.words), _BATCH)
        ]
        self.tags = [nlp.tag(batch) for batch in self.batches]

    def model(self, beam: int) -> TransitionModel:
        assert isinstance(self.nlp.parser, TransitionParser)
        return self.nlp.parser.model_for(beam)

    def whole(self, beam: int, threads: int = 1) -> float:
        """Tags, features, lemmas and trees, ready to be written."""
        return timed(lambda: run_through(self.nlp.parse(self.words, beam=beam, threads=threads)))

    def tag_and_parse(self, beam: int) -> float:
        """UPOS, XPOS and trees, in arrays."""
        model = self.model(beam)

        def work() -> None:
            for batch in self.batches:
                model.parse(batch, self.nlp.tag(batch), beam)

        return timed(work)

    def parse(self, beam: int) -> float:
        model = self.model(beam)

        def work() -> None:
            for batch, tags in zip(self.batches, self.tags, strict=True):
                model.parse(batch, tags, beam)

        return timed(work)


def rows_that_are_read(
    prepared: Prepared, model: TransitionModel, weights: CompiledWeights
) -> list[NDArray[np.int64]]:
    """The rows of weights that greedy arc-standard adds up, in the order in which it does."""
    rows = []
    for batch, tags in zip(prepared.batches, prepared.tags, strict=True):
        values = model.attribute_values(batch, tags)
        for sentence in range(batch.sentences):
            moves = model.kernel.kbest(batch, sentence, values, 1, 1)[3][0]
            on_stack = 0
            for step, number in enumerate(moves.tolist()):
                # With fewer words on the stack there is no choice, and nothing is added up.
                if on_stack >= 2:
                    _, keys = model.kernel.follow(batch, sentence, values, moves[:step])
                    rows.append(weights.find_rows(keys))
                is_shift = MOVES[model.spec.classes[number][0]] == "shift"
                on_stack += 1 if is_shift else -1
    return rows


def memory_bound(prepared: Prepared) -> dict[str, Callable[[], float]]:
    """The time to add up the same rows with nothing else to do."""
    model = prepared.model(1)
    assert isinstance(model.weights, PackedWeights)
    weights = model.weights.compile()
    found = rows_that_are_read(prepared, model, weights)
    lengths = np.array([len(rows) for rows in found], dtype=np.int32)
    rows = np.concatenate(found)
    return {"bound": lambda: timed(lambda: weights.gather(rows, lengths))}


def main() -> None:
    arguments = parser(__doc__).parse_args()
    need(FILE)
    nlp = niwaki.load()
    prepared = Prepared(nlp)
    work = {
        "tag + parse, greedy": lambda: prepared.tag_and_parse(1),
        "tag + parse, beam 8": lambda: prepared.tag_and_parse(8),
        "all columns, greedy": lambda: prepared.whole(1),
        "all columns, beam 8": lambda: prepared.whole(8),
        "all columns, greedy, 2 threads": lambda: prepared.whole(1, threads=2),
        "all columns, beam 8, 2 threads": lambda: prepared.whole(8, threads=2),
        "parse, greedy": lambda: prepared.parse(1),
        "parse, beam 8": lambda: prepared.parse(8),
        **memory_bound(prepared),
    }
    peers: dict[str, dict[str, float]] = {name: {} for name in PEERS}

    def measure_peers() -> float:
        for name, (tool, model, beam) in PEERS.items():
            answer = peer("parse.py", tool, model, str(beam), FILE) if model.exists() else None
            for key in ("tag", "both", "parse") if answer else ():
                peers[name][key] = min(peers[name].get(key, answer[key]), answer[key])
        return 0.0

    # Niwaki takes turns with the peers within a round; a turn of its own is short, so it has more.
    rounds = 2 if arguments.profile == "fast" else 5
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, seconds in best_of(3, work).items():
            best[name] = min(best.get(name, seconds), seconds)
        measure_peers()
    speeds = {name: round(prepared.count / seconds) for name, seconds in best.items()}
    peer_speeds = {
        name: {key: round(prepared.count / value) for key, value in found.items()}
        for name, found in peers.items()
        if found
    }
    times_faster = {
        f"{ours} / {name}": round(speeds[ours] / found["both"], 1)
        for ours in speeds
        if ours.startswith(("tag", "all"))
        for name, found in peer_speeds.items()
    }
    report(
        "parse",
        {
            "signature": signature(
                file=FILE.name, words=prepared.count, model="en", profile=arguments.profile
            ),
            "words_per_second": speeds,
            "peers_words_per_second": peer_speeds,
            "times_faster": times_faster,
            "two_threads": {
                beam: round(
                    best[f"all columns, {beam}"] / best[f"all columns, {beam}, 2 threads"], 2
                )
                for beam in ("greedy", "beam 8")
            },
            "parser_time / memory_bound": round(best["parse, greedy"] / best["bound"], 2),
        },
    )


if __name__ == "__main__":
    main()
