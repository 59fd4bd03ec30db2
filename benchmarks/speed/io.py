"""Words per second of reading CoNLL-U, and of reading and writing it, beside other libraries.

python -m benchmarks.speed.io
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import niwaki
from benchmarks.common import DATA, best_of, need, parser, peer, report, signature, timed

FILE = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"


def read_lines() -> int:
    """Sentences found, checked and kept as lines: what `niwaki parse` needs."""
    return sum(1 for _ in niwaki.read_conllu(FILE))


def read_all_columns() -> int:
    """All ten columns as Python values, FEATS and MISC as mappings."""
    words = 0
    for sentence in niwaki.read_conllu(FILE):
        words += len(sentence.forms)
        _ = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.features, sentence.heads)
        _ = (sentence.deprels, sentence.deps, sentence.notes)
    return words


def read_change_write(target: Path) -> int:
    """Read, put new tags and trees in, write: the I/O of `niwaki parse`."""

    def changed() -> niwaki.Sentence:
        for sentence in niwaki.read_conllu(FILE):
            yield sentence.replace(
                upos=sentence.upos,
                xpos=sentence.xpos,
                heads=sentence.heads,
                deprels=sentence.deprels,
            )

    return niwaki.write_conllu(changed(), target)


def main() -> None:
    arguments = parser(__doc__).parse_args()
    need(FILE)
    words = read_all_columns()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.conllu"
        work = {
            "niwaki read lines": lambda: timed(read_lines),
            "niwaki read all columns": lambda: timed(read_all_columns),
            "niwaki read, write": lambda: timed(
                lambda: niwaki.write_conllu(niwaki.read_conllu(FILE), out)
            ),
            "niwaki read, change, write": lambda: timed(lambda: read_change_write(out)),
        }
        for library in ("conllu", "udapi"):
            if peer("read_conllu.py", library, FILE):
                work[f"{library} read all columns"] = lambda library=library: peer(
                    "read_conllu.py", library, FILE
                )["seconds"]
                work[f"{library} read, write"] = lambda library=library: peer(
                    "read_conllu.py", library, FILE, out
                )["seconds"]
        best = best_of(3 if arguments.profile == "fast" else 9, work)
    ratios = {
        f"{task} / {library}": best[f"{library} {task}"] / best[f"niwaki {task}"]
        for task in ("read all columns", "read, write")
        for library in ("conllu", "udapi")
        if f"{library} {task}" in best
    }
    report(
        "io",
        {
            "signature": signature(file=FILE.name, words=words, profile=arguments.profile),
            "words_per_second": {name: round(words / seconds) for name, seconds in best.items()},
            "times_faster": {name: round(ratio, 1) for name, ratio in ratios.items()},
        },
    )


if __name__ == "__main__":
    main()
