"""Parses a raw text with UDPipe 1: read_text.py MODEL TEXT OUT; prints seconds as JSON.

Run by the benchmarks in the peers' own environment; OUT is CoNLL-U.
"""

import json
import sys
import time

from ufal.udpipe import Model, Pipeline, ProcessingError


def main() -> None:
    path, text, out = sys.argv[1:]
    with open(text, encoding="utf-8") as file:
        given = file.read()
    model = Model.load(path)  # the pipeline does not keep it alive
    pipeline = Pipeline(model, "tokenize", Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu")
    start = time.perf_counter()
    found = pipeline.process(given, ProcessingError())
    seconds = time.perf_counter() - start
    with open(out, "w", encoding="utf-8") as file:
        file.write(found)
    print(json.dumps({"seconds": seconds}))


main()
