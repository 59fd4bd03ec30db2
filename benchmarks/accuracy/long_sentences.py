"""Long sentences: the beam and greedy search of the English model by length, on EWT dev.

Real ones by their length, and neighbours read as one, as where ends of sentences are missed; there
the words count whose gold head is a word. Then the model is trained on with neighbours that are
joined (`joined`) and, for as many visits of sentences, without.
python -m benchmarks.accuracy.long_sentences
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from niwaki import Sentence
from niwaki.metrics.attachment import AttachmentEvaluation
from niwaki.metrics.significance import compare
from niwaki.pipeline.lengths import joined_tree
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.config_file import make_config
from niwaki.training.run import train

EWT = DATA / "ud-english-ewt"
LENGTHS = (1, 10, 20, 30, 40, 50, 1000)
JOINED_LENGTHS = (20, 40, 80, 120, 200, 300, 500)
WIDTHS = (1, 8, 64)
# How often sentences are visited, and how much of that as parts of joined ones.
VISITS = 0.75
JOINED = (0.0, 0.15, 0.5)
SCORES = ("LAS", "LAS without punctuation")


def joined(sentences: Iterable[Sentence], words: int) -> list[list[Sentence]]:
    """Neighbours that have so many words together; what is left at the end is dropped."""
    groups: list[list[Sentence]] = [[]]
    for sentence in sentences:
        groups[-1].append(sentence)
        if sum(map(len, groups[-1])) >= words:
            groups.append([])
    return groups[:-1]


def score(
    groups: Sequence[Sequence[Sentence]], nlp: Pipeline, beam: int, *, roots: bool = False
) -> AttachmentEvaluation:
    """Of groups that are read as one sentence each; with `roots`, the first one's counts too."""
    texts = [Sentence.from_words([form for s in group for form in s.forms]) for group in groups]
    counts = []
    for group, parsed in zip(groups, nlp.parse(texts, beam=beam, retag=True), strict=True):
        gold = joined_tree(group)
        heads = [head for sentence in group for head in sentence.heads]
        tags = [tag for sentence in group for tag in sentence.upos]
        right = [
            (head, label) == (found, name)
            for head, label, found, name in zip(
                gold.heads, gold.deprels, parsed.heads, parsed.deprels, strict=True
            )
        ]
        scored = np.array([roots or head > 0 for head in heads])
        words = scored & np.array([tag != "PUNCT" for tag in tags])
        row = [(np.sum(right & each), each.sum(), each.sum()) for each in (scored, words)]
        counts.append(row)
    return AttachmentEvaluation(np.array(counts), SCORES)


def shown(evaluation: AttachmentEvaluation) -> dict[str, float]:
    return {name: round(float(each), 2) for name, each in evaluation.scores.items()}


def row(greedy: AttachmentEvaluation, beam: AttachmentEvaluation) -> dict[str, Any]:
    found = {"greedy": shown(greedy), "beam 8": shown(beam)}
    return {**found, "beam 8 - greedy": gain(greedy, beam)}


def gain(one: AttachmentEvaluation, other: AttachmentEvaluation) -> dict[str, Any]:
    """How much more the other has, with intervals over sentences."""
    return {
        each.metric: {
            "difference": round(each.difference, 2),
            "interval": [round(each.low, 2), round(each.high, 2)],
        }
        for each in compare(one, other)
    }


def by_length(gold: Sequence[Sentence], nlp: Pipeline) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for least, below in pairwise(LENGTHS):
        chosen = [[sentence] for sentence in gold if least <= len(sentence) < below]
        name = f"{least} to {below - 1} words"
        pair = [score(chosen, nlp, beam, roots=True) for beam in (1, 8)]
        found[name] = {"sentences": len(chosen), **row(pair[0], pair[1])}
    for words in JOINED_LENGTHS:
        groups = joined(gold, words)
        greedy, beam, wide = (score(groups, nlp, beam) for beam in WIDTHS)
        found[f"joined to {words}"] = {
            "sentences": len(groups),
            **row(greedy, beam),
            "beam 64": shown(wide),
        }
    return found


def trained_on(share: float, seed: int) -> Pipeline:
    """The model in the box after most of EWT train once more."""
    trees = {"data": str(need(EWT / "en_ewt-ud-train.conllu")), "trains": ["trees"]}
    trees |= {"weight": VISITS / (1 + share), "joined": share}
    config = make_config({"objective": [trees], "training": {"epochs": 1, "seed": seed}})
    with tempfile.TemporaryDirectory() as folder:
        return train(config, Path(folder) / "m.niwaki", threads=1, init=niwaki.load())


def by_training(gold: Sequence[Sentence], seeds: int) -> dict[str, Any]:
    """Scores of all seeds together."""
    sets = {"as they are": [[sentence] for sentence in gold]}
    sets["of 40 words and more"] = [[sentence] for sentence in gold if len(sentence) >= 40]
    sets |= {f"joined to {words}": joined(gold, words) for words in (40, 120, 300)}
    counts: dict[tuple[float, str, int], Any] = {}
    for seed in range(1, seeds + 1):
        for share in JOINED:
            nlp = trained_on(share, seed)
            for name, groups in sets.items():
                for beam in (1, 8):
                    found = score(groups, nlp, beam, roots=not name.startswith("joined"))
                    place = (share, name, beam)
                    counts[place] = counts.get(place, 0) + found.counts
    pooled = {place: AttachmentEvaluation(each, SCORES) for place, each in counts.items()}
    rows: dict[str, Any] = {"seeds": seeds}
    for share in JOINED:
        rows[f"joined = {share}"] = {
            name: row(pooled[share, name, 1], pooled[share, name, 8]) for name in sets
        }
        if share:
            rows[f"joined = {share}, minus 0"] = {
                name: {
                    way: gain(pooled[0.0, name, beam], pooled[share, name, beam])
                    for way, beam in (("greedy", 1), ("beam 8", 8))
                }
                for name in sets
            }
    return rows


def main() -> None:
    arguments = parser(__doc__).parse_args()
    gold = list(niwaki.read_conllu(need(EWT / "en_ewt-ud-dev.conllu")))
    results: dict[str, Any] = {"signature": signature(model="en", profile=arguments.profile)}
    results["model in the box"] = by_length(gold, niwaki.load())
    results["trained on"] = by_training(gold, 1 if arguments.profile == "fast" else 3)
    report("long-sentences", results)


if __name__ == "__main__":
    main()
