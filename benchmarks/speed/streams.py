"""Memory of long streams and long sentences, and the time that one sentence takes.

python -m benchmarks.speed.streams [--gigabytes 1]

Files are made of the sentences of examples/garden.conllu, again and again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import niwaki
from benchmarks.common import ROOT, parser, report, signature

GARDEN = ROOT / "examples" / "garden.conllu"
LENGTHS = (10_000, 20_000, 40_000)
WORDS = (
    "We saw a grey heron on the roof of the old tea house , "
    "and it flew away over the pond before you came ."
).split()

# Runs a command and says how long it took and how much memory it had at most.
_MEASURE = """
import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode
seconds = time.monotonic() - start
print(status, seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measure(*arguments: str) -> dict[str, float]:
    """Seconds and peak megabytes of `niwaki parse`."""
    command = [sys.executable, "-c", _MEASURE, sys.executable, "-m", "niwaki", "parse", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, seconds, peak = done.stdout.split()
    if status != "0":
        sys.exit(f"niwaki parse {' '.join(arguments)} ended with {status}")
    return {"seconds": round(float(seconds), 2), "peak_mb": round(float(peak) / 1024, 1)}


def write_long_file(path: Path, size: int) -> int:
    block = GARDEN.read_bytes()
    times = size // len(block) + 1
    with path.open("wb") as file:
        for _ in range(times):
            file.write(block)
    return times * len(block)


def latency(beam: int) -> dict[str, float]:
    """Milliseconds of one sentence alone, from words to a tree."""
    nlp = niwaki.load()

    def once() -> float:
        sentence = niwaki.Sentence.from_words(WORDS)
        start = time.perf_counter()
        (parsed,) = nlp.parse([sentence], beam=beam)
        _ = parsed.heads
        return time.perf_counter() - start

    times = sorted(once() for _ in range(500))
    return {
        "median_ms": round(1000 * times[len(times) // 2], 3),
        "p99_ms": round(1000 * times[int(0.99 * len(times))], 3),
        "best_ms": round(1000 * times[0], 3),
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--gigabytes", type=float, default=1.0)
    arguments = made.parse_args()
    size = arguments.gigabytes if arguments.profile == "full" else 0.05
    results: dict[str, object] = {}
    results[f"latency of {len(WORDS)} words"] = {f"beam {b}": latency(b) for b in (1, 8)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.conllu"
        for length in LENGTHS:
            repeated = WORDS * (length // len(WORDS) + 1)
            path.write_text(" ".join(repeated[:length]) + "\n", encoding="utf-8")
            options = ["--from", "tokens", "--max-length", str(length), "-o", "/dev/null"]
            results[f"a sentence of {length} words"] = measure(str(path), *options)
        written = write_long_file(path, int(size * 1e9))
        measured = measure(str(path), "--beam", "1", "-o", "/dev/null")
        results[f"a file of {written / 1e9:.2f} GB, beam 1"] = measured
    report("streams", {"signature": signature(profile=arguments.profile), **results})


if __name__ == "__main__":
    main()
