"""Accuracy of the English model in the box: EWT test and PUD, gold words, predicted tags.

Where the peers are at hand, each is compared with it by paired bootstrap.
python -m benchmarks.accuracy.english
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, PEER_MODELS, need, parser, peer, report, signature
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare

FILES = {
    "EWT test": DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu",
    "PUD": DATA / "ud-english-pud" / "en_pud-ud-test.conllu",
}
PEERS = {
    "spaCy": ("spacy", PEER_MODELS / "spacy-ewt"),
    "UDPipe, beam 5": ("udpipe", PEER_MODELS / "udpipe-ewt.model"),
}
METRICS = ("UAS", "LAS", "UPOS")


def measure(file: Path, folder: Path) -> dict[str, Any]:
    nlp = niwaki.load()
    gold = list(niwaki.read_conllu(file))
    scores: dict[str, Any] = {}
    for name, beam, keep in (("beam 8", 8, False), ("greedy", 1, False), ("gold tags", 8, True)):
        found = evaluate(gold, nlp.parse(gold, beam=beam, retag=not keep))
        scores[name] = {metric: round(score, 2) for metric, score in found.scores.items()}
        if name == "beam 8":
            ours = found
    for name, (tool, model) in PEERS.items():
        out = folder / "peer.conllu"
        if model.exists() and peer("parse.py", tool, model, "5", file, out):
            theirs = evaluate(gold, niwaki.read_conllu(out, multi_root=True))
            scores[name] = {metric: round(theirs.scores[metric], 2) for metric in METRICS}
            scores[f"beam 8 - {name}"] = {
                each.metric: {
                    "difference": round(each.difference, 2),
                    "interval": [round(each.low, 2), round(each.high, 2)],
                    "significant": each.is_significant,
                }
                for each in compare(theirs, ours)
                if each.metric in METRICS
            }
    return scores


def main() -> None:
    arguments = parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {name: measure(need(file), Path(folder)) for name, file in FILES.items()}
    report("english", {"signature": signature(model="en", profile=arguments.profile), **results})


if __name__ == "__main__":
    main()
