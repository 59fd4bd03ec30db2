"""The accurate English model beside the fast one: trees, questions, raw text, probabilities, speed.

python -m benchmarks.accuracy.accurate [--model en-accurate] [--part dev] [--profile fast]

Gold words and predicted tags, but for raw text. Differences are paired, with 95% intervals. Speed
is that of a fresh process, in words a second of EWT, and beside it the memory that it took.
`--profile fast` leaves speed out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.data.rawtext import raw_text
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.calibration import measure
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.metrics.significance import compare

FAST = "en"
EWT = DATA / "ud-english-ewt"
QUESTIONS = DATA / "questions"
FILES = {
    "dev": {
        "EWT": EWT / "en_ewt-ud-dev.conllu",
        "questions of EWT": QUESTIONS / "questions-ewt-dev.conllu",
        "questions of CHILDES": QUESTIONS / "questions-childes-dev.conllu",
        "questions of Atis": QUESTIONS / "questions-atis-dev.conllu",
        "questions of ESLSpok": QUESTIONS / "questions-eslspok-dev.conllu",
    },
    "test": {
        "EWT": EWT / "en_ewt-ud-test.conllu",
        "PUD": DATA / "ud-english-pud" / "en_pud-ud-test.conllu",
        "questions of EWT": QUESTIONS / "questions-ewt-test.conllu",
        "questions of CHILDES (dev)": QUESTIONS / "questions-childes-dev.conllu",
        "questions of Atis": QUESTIONS / "questions-atis-test.conllu",
        "questions of ESLSpok": QUESTIONS / "questions-eslspok-test.conllu",
        "questions of PUD": QUESTIONS / "questions-pud-test.conllu",
    },
}
METRICS = ("UAS", "LAS", "UPOS", "XPOS", "FEATS", "LEMMA")
# Parses all of a file once for the caches and once for the clock, in a process of its own.
SPEED = """
import json, pathlib, re, sys, time
import niwaki
began = time.perf_counter()
nlp = niwaki.load(sys.argv[1])
loaded = time.perf_counter() - began
sentences = list(niwaki.read_conllu(sys.argv[2]))
words = sum(map(len, sentences))
best = 0.0
for _ in range(3):
    began = time.perf_counter()
    for _ in nlp.parse(sentences, retag=True, threads=int(sys.argv[3])):
        pass
    best = max(best, words / (time.perf_counter() - began))
# The most memory of this process; that of rusage includes what its parent had.
status = pathlib.Path("/proc/self/status").read_text()
memory = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024
print(json.dumps({"words/s": round(best), "MB": round(memory), "load s": round(loaded, 2)}))
"""


def trees(model: str, file: Path) -> dict[str, Any]:
    """Scores of a model, and what it gains over the fast one."""
    gold = list(niwaki.read_conllu(need(file)))
    ours, fast = (
        evaluate(gold, list(niwaki.load(name).parse(gold, retag=True))) for name in (model, FAST)
    )
    (las,) = (each for each in compare(fast, ours) if each.metric == "LAS")
    scores = {m: round(ours.scores[m], 2) for m in METRICS if m in ours.scores}
    gain = {"gain": round(las.difference, 2), "interval": [round(las.low, 2), round(las.high, 2)]}
    return {**scores, "LAS of the fast model": round(fast.scores["LAS"], 2), **gain}


def from_text(model: str, file: Path) -> dict[str, float]:
    gold = list(niwaki.read_conllu(file))
    nlp = niwaki.load(model)
    found = evaluate_segmentation(gold, list(nlp.parse(nlp.read(raw_text(gold)))))
    return {name: round(score, 2) for name, score in found.scores.items()}


def probabilities(model: str, file: Path) -> dict[str, float]:
    gold = list(niwaki.read_conllu(file))
    system = list(niwaki.load(model).parse(gold, retag=True, probabilities=True))
    return {name: round(x, 4) for name, x in measure(gold, system).scores.items()}


def speed(model: str, threads: int) -> dict[str, Any]:
    command = [sys.executable, "-c", SPEED, model, str(FILES["dev"]["EWT"]), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--model", default="en-accurate")
    made.add_argument("--part", choices=list(FILES), default="test")
    arguments = made.parse_args()
    model, files = arguments.model, FILES[arguments.part]
    result: dict[str, Any] = {
        "signature": signature(model=model, part=arguments.part),
        "trees": {name: trees(model, file) for name, file in files.items()},
        "from raw text": from_text(model, files["EWT"]),
        "probabilities": {
            name: probabilities(model, files[name]) for name in ("EWT", "PUD") if name in files
        },
    }
    if arguments.profile != "fast":
        result["speed"] = {
            f"{name}, {threads} threads": speed(name, threads)
            for name in (model, FAST)
            for threads in (1, 2)
        }
    report("accurate" if arguments.part == "test" else "accurate-dev", result)


if __name__ == "__main__":
    main()
