"""Training on several workers beside training on one: dev LAS after each epoch, and time.

By default on a part of EWT's training data, every so many sentences; --full takes all of it. The
weights are those of the beam; the tagger is trained once a run, by one process, and not timed.

Wall time is that of a machine that may do other things. `critical` is what it would be with a
processor for each process: the start of a worker, of each epoch the slowest worker's processor
time, then that of the head until workers can go on, and the end of the last epoch.
python -m benchmarks.scale.mixing
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import DATA, need, parser, report, signature
from benchmarks.scale._timed import Watch, watched
from niwaki.data.conllu import read_conllu
from niwaki.training import loop
from niwaki.training.config_file import make_config
from niwaki.training.reporting import EpochReport, Quiet
from niwaki.training.run import train

EWT = DATA / "ud-english-ewt"
SENTENCES, EPOCHS, MORE = 3000, 6, 2


class Epochs(Quiet):
    """Keeps LAS and wall time of epochs."""

    def __init__(self) -> None:
        self.las: list[float] = []
        self.begun = self.ended = time.perf_counter()

    def stage(self, name: str, total: int) -> None:
        if name == "parser":
            self.begun = time.perf_counter()

    def epoch(self, report: EpochReport) -> None:
        assert report.las is not None
        self.las.append(round(report.las, 2))
        self.ended = time.perf_counter()


def part_of(path: Path, count: int, folder: Path) -> Path:
    """A file with so many sentences of another, evenly spread; 0: the file itself."""
    if not count:
        return path
    sentences = list(read_conllu(path))
    chosen = [sentences[number * len(sentences) // count] for number in range(count)]
    part = folder / "train.conllu"
    part.write_bytes(b"".join(sentence.source for sentence in chosen))
    return part


def configuration(data: Path, workers: int, epochs: int, mixing: str) -> Any:
    return make_config(
        {
            "objective": [{"data": str(data)}],
            "model": {"greedy": False},
            "segmenter": {"enabled": False},
            "tagger": {"folds": 0, "feats": False, "lemmas": False},
            "training": {
                "dev": str(need(EWT / "en_ewt-ud-dev.conllu")),
                "epochs": epochs,
                "workers": workers,
                "mixing": mixing,
            },
        }
    )


def serial(data: Path, epochs: int, folder: Path) -> dict[str, Any]:
    """One process, and the processor time of its epochs: learning, and scoring."""
    seen, watch = Epochs(), Watch(folder)
    learn, finish = loop.Training._learn_epoch, loop.Training._finish_epoch
    loop.Training._learn_epoch = watch.timed("learn", learn)  # type: ignore[method-assign]
    loop.Training._finish_epoch = watch.timed("finish", finish)  # type: ignore[method-assign]
    try:
        train(configuration(data, 1, epochs, "uniform"), folder / "m.niwaki", seen, threads=1)
    finally:
        loop.Training._learn_epoch = learn  # type: ignore[method-assign]
        loop.Training._finish_epoch = finish  # type: ignore[method-assign]
    cpu = {name: rounded(seconds) for name, seconds in watch.head.items()}
    critical = sum(map(sum, watch.head.values()))
    wall = seen.ended - seen.begun
    return {"las": seen.las, "wall": round(wall, 1), "critical": round(critical, 1), "cpu": cpu}


def by_workers(data: Path, workers: int, epochs: int, mixing: str, folder: Path) -> dict[str, Any]:
    seen = Epochs()
    with watched(folder) as watch:
        train(configuration(data, workers, epochs, mixing), folder / "m.niwaki", seen, threads=1)
    learned = [each for each in watch.shards if "epoch" in each]
    starts = [each["ready"] for each in watch.shards if "ready" in each]
    slowest = []
    for epoch in range(epochs):
        own = [each["seconds"] + each["handling"] for each in learned if each["epoch"] == epoch]
        slowest.append(max(own))
    # Taking up, scoring and saving an epoch go beside the workers' next one, but for the last.
    beside = [sum(x) for x in zip(watch.head["take up"], watch.head["finish"], strict=True)]
    between = sum(sum(watch.head[name]) for name in ("receive", "mix", "send"))
    critical = between + sum(map(max, slowest, [0.0, *beside])) + beside[-1] + max(starts)
    return {
        "las": seen.las,
        "wall": round(seen.ended - seen.begun, 1),
        "critical": round(critical, 1),
        "slowest_shard": rounded(slowest),
        "shards": rounded([each["seconds"] for each in learned]),
        "handling": round(sum(each["handling"] for each in learned) / len(learned), 3),
        "head": {name: round(sum(seconds), 2) for name, seconds in watch.head.items()},
        "start_up": rounded(starts),
        "bytes_sent": [each["sent"] for each in learned if each["shard"] == 0],
        "bytes_returned": [each["returned"] for each in learned if each["shard"] == 0],
    }


def rounded(seconds: list[float]) -> list[float]:
    return [round(each, 3) for each in seconds]


def within(las: list[float], wanted: float) -> int | None:
    """The first epoch with such a score."""
    return next((number for number, each in enumerate(las, 1) if each >= wanted), None)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--full", action="store_true", help="all of EWT, 12 epochs")
    arguments.add_argument("--sentences", type=int, default=SENTENCES, help="0: all")
    arguments.add_argument("--epochs", type=int, default=EPOCHS)
    arguments.add_argument("--more", type=int, default=MORE, help="epochs, of several workers")
    arguments.add_argument("--workers", type=int, nargs="+", default=[2, 4])
    arguments.add_argument("--mixing", default="uniform")
    given = arguments.parse_args()
    count, epochs = (0, 12) if given.full else (given.sentences, given.epochs)
    with tempfile.TemporaryDirectory() as name:
        data = part_of(need(EWT / "en_ewt-ud-train.conllu"), count, Path(name))
        runs: dict[str, dict[str, Any]] = {}
        for workers in (1, *given.workers):
            folder = Path(name) / str(workers)
            folder.mkdir()
            load = os.getloadavg()[0]
            if workers == 1:
                found = serial(data, epochs, folder)
            else:
                found = by_workers(data, workers, epochs + given.more, given.mixing, folder)
            runs[str(workers)] = {**found, "load": round(load, 1)}
    best = max(runs["1"]["las"])
    for workers, found in runs.items():
        wanted = best - {"1": 0.0, "2": 0.2}.get(workers, 0.4)
        reached = within(found["las"], wanted)
        # Time until as many epochs as one worker has.
        found["best"] = max(found["las"])
        found["epochs_to_the_bar"] = reached
        share = epochs / len(found["las"])
        for clock in ("wall", "critical"):
            ratio = found[clock] * share / runs["1"][clock]
            found[f"{clock}_of_serial_for_as_many_epochs"] = round(ratio, 3)
    settings = {"sentences": count or "all", "epochs": epochs, "mixing": given.mixing}
    report("mixing" if count else "mixing-all", {"signature": signature(**settings), "runs": runs})


if __name__ == "__main__":
    main()
