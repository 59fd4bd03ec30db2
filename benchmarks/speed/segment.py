"""Characters per second of the segmenter beside a regular expression, and its F1.

python -m benchmarks.speed.segment
"""

from __future__ import annotations

import re
import time
from functools import partial

import niwaki
from benchmarks.common import DATA, best_of, need, parser, report, signature, timed
from niwaki.data.rawtext import raw_text
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.segmenter import Segmenter, codes_of
from niwaki.segmenting.trainer import train_segmenter
from niwaki.training.treebanks import read_treebank

TREEBANKS = {
    "ud-english-ewt": "en_ewt",
    "ud-korean-gsd": "ko_gsd",
    "ud-lithuanian-hse": "lt_hse",
}
ENGLISH = "ud-english-ewt"
_WORDS_AND_SIGNS = re.compile(r"\w+|[^\w\s]")


def train(folder: str) -> Segmenter:
    path = need(DATA / folder / f"{TREEBANKS[folder]}-ud-train.conllu")
    return train_segmenter(read_treebank([str(path)]), SegmenterConfig(), 1, lambda count: None)


def gold(folder: str, part: str) -> list[niwaki.Sentence]:
    path = need(DATA / folder / f"{TREEBANKS[folder]}-ud-{part}.conllu")
    return list(niwaki.read_conllu(path, multi_root=True))


def main() -> None:
    arguments = parser(__doc__).parse_args()
    segmenters = {folder: train(folder) for folder in TREEBANKS}
    scores = {}
    for folder, segmenter in segmenters.items():
        for part in ("dev", "test"):
            sentences = gold(folder, part)
            found = evaluate_segmentation(sentences, segmenter.segment(raw_text(sentences))).scores
            names = ("Tokens", "Words", "Sentences")
            scores[f"{folder} {part}"] = {name: round(found[name], 2) for name in names}
    segmenter = segmenters[ENGLISH]
    text = "".join(raw_text(gold(ENGLISH, "test")))
    codes = codes_of(text)
    # Time of the processor: all of this runs in one thread.
    clocked = partial(timed, clock=time.process_time)
    best = best_of(
        5 if arguments.profile == "fast" else 25,
        {
            "segmenter": lambda: clocked(lambda: segmenter.kernel.segment(codes)),
            "segmenter, sentences made": lambda: clocked(lambda: list(segmenter.segment(text))),
            "regular expression": lambda: clocked(lambda: _WORDS_AND_SIGNS.findall(text)),
        },
    )
    models = [model for model in (segmenter.model, segmenter.split_model) if model is not None]
    report(
        "segment",
        {
            "signature": signature(
                text=f"{ENGLISH} test", characters=len(text), profile=arguments.profile
            ),
            "f1": scores,
            "bytes_of_weights": sum(model.size for model in models),
            "characters_per_second": {
                name: round(len(text) / seconds) for name, seconds in best.items()
            },
        },
    )


if __name__ == "__main__":
    main()
