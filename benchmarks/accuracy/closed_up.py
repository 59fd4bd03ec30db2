"""Treebanks with a space before full stops: does their segmenter read text as people write it?

The segmenter is trained twice, with the text as it is alone and as it is trained today, and scored
on the development part as it is and with signs closed up: F1 of words and of sentences.
python -m benchmarks.accuracy.closed_up
"""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

import niwaki
from benchmarks.common import DATA, parser, report, signature
from niwaki.data.rawtext import paragraphs, raw_text, token_spans
from niwaki.data.sentence import Sentence
from niwaki.learning.corpus import Corpus
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.segmenting import trainer
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.typography import closed_up

TREEBANKS = (
    *("ud-telugu-mtg", "ud-turkish-framenet", "ud-vietnamese-vtb", "ud-greek-gud"),
    "ud25-coptic-scriptorium",
)


def part(treebank: str, name: str) -> list[Sentence]:
    (path,) = (DATA / "ud-languages" / treebank).glob(f"*-ud-{name}.conllu*")
    return list(niwaki.read_conllu(path))


def written(sentences: Sequence[Sentence]) -> str:
    """The raw text of sentences, with signs closed up."""
    texts = (
        " ".join(closed_up(*token_spans(sentence))[0] for sentence in paragraph)
        for paragraph in paragraphs(sentences)
    )
    return "\n\n".join(texts) + "\n"


def row(treebank: str) -> dict[str, dict[str, float]]:
    corpus, gold = Corpus((treebank,), tuple(part(treebank, "train"))), part(treebank, "dev")
    texts = {"as it is": "".join(raw_text(gold)), "closed up": written(gold)}
    found = {}
    for name, learns_both in (("before", False), ("today", True)):
        with mock.patch.object(trainer, "is_cut_apart", return_value=learns_both):
            segmenter = trainer.train_segmenter(corpus, SegmenterConfig(), 1, lambda count: None)
        for way, text in texts.items():
            scores = evaluate_segmentation(gold, list(segmenter.segment(text))).scores
            found[f"{way}, {name}"] = {x: round(scores[x], 2) for x in ("Words", "Sentences")}
    return found


def main() -> None:
    parser(__doc__).parse_args()
    rows = {treebank: row(treebank) for treebank in TREEBANKS}
    report("closed_up", {**signature(seed=1), "rows": rows})


if __name__ == "__main__":
    main()
