"""Trains UDPipe 1 on a treebank: train_udpipe.py EPOCHS OUT --train FILE ... --dev FILE ...

Run by the benchmarks in the peers' own environment; prints seconds of processor time as JSON.
Tagger and parser have UDPipe's defaults, as has the tokenizer but for the number of its epochs,
because it learns 7,000 characters a second.
"""

import argparse
import gzip
import json
import os
import time
from collections.abc import Sequence

import ufal.udpipe as udpipe


def sentences(files: Sequence[str]) -> udpipe.Sentences:
    found = udpipe.Sentences()
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            reader = udpipe.InputFormat.newConlluInputFormat()
            reader.setText(file.read())
            sentence = udpipe.Sentence()
            while reader.nextSentence(sentence):
                found.push_back(sentence)
                sentence = udpipe.Sentence()
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("epochs", type=int)
    arguments.add_argument("out")
    arguments.add_argument("--train", nargs="+")
    arguments.add_argument("--dev", nargs="+")
    given = arguments.parse_args()
    default, start = udpipe.Trainer.DEFAULT, time.process_time()
    trained = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences(given.train),
        sentences(given.dev),
        f"epochs={given.epochs}",
        default,
        default,
        error := udpipe.ProcessingError(),
    )
    if error.occurred():
        raise SystemExit(f"UDPipe says {error.message}")
    with open(f"{given.out}.part", "wb") as file:
        file.write(trained)
    os.replace(f"{given.out}.part", given.out)
    print(json.dumps({"seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()
