"""The model of cost: constants measured here, predictions beside measurements, and large figures.

Times are processor times, so that a busy machine does not count: what a job took is that of the
worker that was busy longest. Constants of jobs are those of one worker; jobs of two and four are
predicted. Constants of training are those of benchmarks.scale.mixing with one and two workers;
four are predicted. The rest are assumptions, and stated in the result.
python -m benchmarks.scale.mixing && python -m benchmarks.scale.costs
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from benchmarks.common import DATA, RESULTS, ROOT, need, parser, report, signature
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.draw import line_chart
from niwaki.scale.costs import JobCosts, MixingCosts, Outcome, simulate_job, simulate_training
from niwaki.scale.engine import engine_of

EWT = DATA / "ud-english-ewt" / "en_ewt-ud-train.conllu"
SHARD, SHARDS = 250, 50
PARSE = "benchmarks.scale._parsing:TimedParse"
# Assumed, not measured: a crawl in shards of a million words on 100 machines of 16 cores, storage
# that reads and writes 10 GB a second, a worker that fails every thousand hours, money.
CRAWL, CRAWL_SHARD = 1e12, 1e6
NODES, CORES = 100, 16
STORAGE, HOURS = 10e9, 1000.0
CORE_HOUR = 0.04
NETWORK = 1.25e9  # bytes a second of a head with 10 Gbit
TEXT_BYTES = 5.5  # of a word of English and its space
MANY = (1, 2, 4, 8, 16, 32, 64, 128)
PICTURE = ROOT / "docs" / "images" / "scale.svg"


def measured_job(
    shards: Sequence[list[Sentence]], workers: int, beam: int | None
) -> dict[str, Any]:
    with engine_of("local", workers) as engine, engine.crew(PARSE, "en", beam) as crew:
        for shard in shards:
            crew.submit(shard)
        done = []
        for each in crew.finished():
            if each.error is not None:
                raise each.error
            done.append(each.value)
    busy: dict[int, float] = {}
    for each in done:
        busy.setdefault(each["worker"], each["start_up"])
        busy[each["worker"]] += each["seconds"]
    rates = [each["seconds"] / each["words"] for each in done]
    words = sum(each["words"] for each in done)
    return {
        "workers": workers,
        "seconds": max(busy.values()),
        "words": words,
        "words_per_second": words / sum(each["seconds"] for each in done),
        "start_up": statistics.mean(each["start_up"] for each in done),
        "spread": statistics.stdev(rates) / statistics.mean(rates),
        "bytes_per_word": sum(each["bytes"] for each in done) / words,
    }


def dispatch(item: bytes, items: int) -> float:
    """Processor seconds of the head for such an item."""
    with engine_of("local", 1) as engine:
        begun = time.process_time()
        found = sum(1 for _ in engine.map("builtins:len", [item] * items))
        assert found == items
        return (time.process_time() - begun) / items


def job_costs(one: dict[str, Any], head: float) -> JobCosts:
    return JobCosts(one["words_per_second"], one["start_up"], dispatch=head, spread=one["spread"])


def mixing_costs(runs: dict[str, Any]) -> MixingCosts:
    """Constants of training, by runs of one worker and of two."""
    one, two = runs["1"], runs["2"]
    epochs = len(two["las"])
    sent = sum(two["bytes_sent"][1:]) + sum(two["bytes_returned"])
    exchanged = 2 * sent  # by two workers
    carried = two["head"]["send"] + two["head"]["receive"]
    shards = two["shards"]
    pairs = [shards[at : at + epochs] for at in (0, epochs)]
    learn = statistics.mean(one["cpu"]["learn"])
    own = statistics.mean(shards)
    return MixingCosts(
        epoch=learn,
        start_up=max(two["start_up"]),
        # What a shard takes beside its part of the sentences.
        handling=max(0.0, own - learn / 2) + two["handling"],
        table_bytes=sent / (2 * epochs),
        bandwidth=exchanged / carried,
        mixing=two["head"]["mix"] / (2 * epochs),
        finish=(two["head"]["take up"] + two["head"]["finish"]) / epochs,
        spread=statistics.mean(abs(a - b) / (a + b) for a, b in zip(*pairs, strict=True)),
    )


def shown(outcome: Outcome) -> dict[str, Any]:
    found = {name: round(value, 3) for name, value in asdict(outcome).items()}
    return {**found, "hours": round(outcome.seconds / 3600, 2), "bottleneck": outcome.bottleneck}


def crawl(costs: JobCosts) -> dict[str, Any]:
    found = simulate_job(costs, CRAWL, CRAWL_SHARD, NODES * CORES)
    return {
        **shown(found),
        "core_hours": round(found.core_hours),
        "price": round(found.price(CORE_HOUR)),
        "gigabytes_a_second": round(CRAWL * costs.bytes_per_word / found.seconds / 1e9, 2),
    }


def jobs(
    beam: int | None, shards: Sequence[list[Sentence]], head: float, text: float
) -> dict[str, Any]:
    runs = [measured_job(shards, workers, beam) for workers in (1, 2, 4)]
    costs = job_costs(runs[0], head)
    words = runs[0]["words"]
    compared = []
    for run in runs:
        predicted = simulate_job(costs, words, words / len(shards), run["workers"]).seconds
        compared.append(
            {
                "workers": run["workers"],
                "measured": round(run["seconds"], 2),
                "predicted": round(predicted, 2),
                "error": round(predicted / run["seconds"] - 1, 3),
            }
        )
    large = replace(
        costs,
        bytes_per_word=runs[0]["bytes_per_word"],
        bandwidth=STORAGE,
        hours_to_failure=HOURS,
    )
    constants = {name: value for name, value in asdict(costs).items() if math.isfinite(value)}
    constants["bytes_per_word"] = runs[0]["bytes_per_word"]
    crawls = {
        "shards_are_files": crawl(large),
        "text_is_sent": crawl(replace(large, dispatch=text)),
    }
    return {"constants": constants, "dispatch_of_text": text, "compared": compared, **crawls}


def training(runs: dict[str, Any]) -> dict[str, Any]:
    costs = mixing_costs(runs)
    compared = []
    for workers, run in runs.items():
        # Of the scores, one worker's time is that of its own way to end an epoch.
        own = (
            costs
            if workers != "1"
            else replace(costs, finish=statistics.mean(run["cpu"]["finish"]))
        )
        predicted = simulate_training(own, int(workers), len(run["las"])).seconds
        compared.append(
            {
                "workers": int(workers),
                "measured": run["critical"],
                "predicted": round(predicted, 2),
                "error": round(predicted / run["critical"] - 1, 3),
            }
        )
    # A treebank a hundred times as large: its weights grow about as the root of it.
    large = replace(
        costs,
        epoch=100 * costs.epoch,
        table_bytes=10 * costs.table_bytes,
        mixing=10 * costs.mixing,
        handling=10 * costs.handling,
        bandwidth=NETWORK,
    )
    curves = {
        "as it is": [(n, _gain(large, n)) for n in MANY],
        "mixed in a tree": [(n, _gain(large, n, tree=True)) for n in MANY],
    }
    hundred = simulate_training(large, NODES, 12)
    return {
        "constants": {name: round(value, 4) for name, value in asdict(costs).items()},
        "compared": compared,
        "hundred_times_the_data": {
            "one": shown(simulate_training(large, 1, 12)),
            "hundred_workers": shown(hundred),
            "price": round(hundred.price(CORE_HOUR), 2),
            "times_as_fast": {name: [round(y, 1) for _, y in x] for name, x in curves.items()},
            "workers": MANY,
        },
    }


def _gain(costs: MixingCosts, workers: int, *, tree: bool = False) -> float:
    one = simulate_training(costs, 1, 12).seconds
    return one / simulate_training(costs, workers, 12, tree=tree).seconds


def draw(found: dict[str, Any]) -> None:
    large = found["training"]["hundred_times_the_data"]
    series = {
        name: [(float(n), y) for n, y in zip(MANY, gains, strict=True)]
        for name, gains in large["times_as_fast"].items()
    }
    highest = max(y for points in series.values() for _, y in points)
    svg = line_chart(
        series,
        title="Training on many workers (simulated)",
        x="workers",
        y="times as fast as one",
        x_limits=(0.0, float(MANY[-1])),
        y_limits=(0.0, 10.0 * (int(highest / 10) + 1)),
        whole_x=True,
        size=(420, 300),
    )
    PICTURE.write_text(svg + "\n")


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--draw-only", action="store_true", help="the picture, of the last run")
    if arguments.parse_args().draw_only:
        draw(json.loads((RESULTS / "scale-costs.json").read_text()))
        return
    mixing = json.loads(need(RESULTS / "mixing.json").read_text())["runs"]
    sentences = list(read_conllu(need(EWT)))[: SHARD * SHARDS]
    shards = [sentences[at : at + SHARD] for at in range(0, len(sentences), SHARD)]
    head = dispatch(b"shard-000001.txt", 3000)
    # The same where the head reads the crawl and sends its text; reading it is not counted.
    text = dispatch(bytes(int(CRAWL_SHARD * TEXT_BYTES)), 40)
    found: dict[str, Any] = {
        "signature": signature(shards=len(shards), price_of_a_core_hour=CORE_HOUR),
        "beam 8": jobs(None, shards, head, text),
        "greedy": jobs(1, shards, head, text),
        "training": training(mixing),
    }
    report("scale-costs", found)
    draw(found)


if __name__ == "__main__":
    main()
