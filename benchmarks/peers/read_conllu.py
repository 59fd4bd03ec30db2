"""Reads a CoNLL-U file with another library and prints words and seconds as JSON.

Usage: read_conllu.py conllu|udapi FILE [OUT]. Run by the benchmarks in the peers'
own environment; with OUT, the file is also written again.
"""

import io
import json
import os
import sys
import time


def with_conllu(path: str, out: str | None) -> int:
    import conllu

    words = 0
    with (
        open(path, encoding="utf-8") as file,
        open(out or os.devnull, "w", encoding="utf-8") as sink,
    ):
        for sentence in conllu.parse_incr(file):
            words += sum(isinstance(token["id"], int) for token in sentence)
            if out:
                sink.write(sentence.serialize())
    return words


def with_udapi(path: str, out: str | None) -> int:
    import udapi

    document = udapi.Document(path)
    words = 0
    for node in document.nodes:
        words += 1
        _ = (node.form, node.lemma, node.upos, node.xpos, dict(node.feats), node.deps)
        _ = (node.parent, node.deprel, dict(node.misc))
    if out:
        document.store_conllu(out)
    return words


def main() -> None:
    library, path = sys.argv[1:3]
    out = sys.argv[3] if len(sys.argv) > 3 else None
    read = {"conllu": with_conllu, "udapi": with_udapi}[library]
    __import__(library)
    stdout, sys.stdout = sys.stdout, io.StringIO()
    start = time.perf_counter()
    words = read(path, out)
    seconds = time.perf_counter() - start
    sys.stdout = stdout
    print(json.dumps({"words": words, "seconds": seconds}))


main()
