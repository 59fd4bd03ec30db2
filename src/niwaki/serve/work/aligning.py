"""Word links for the API, learned from the pairs of the request and a registered text."""

from __future__ import annotations

from typing import Any

import numpy as np

from niwaki.data.bilingual.bitext import read_bitext
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import kept
from niwaki.tasks.align import link, preset, train

# Links that are put forward to annotators are rather too few than wrong.
_SUGGESTED = 0.5

# Posteriors below this are not worth the bytes.
_LEAST = 0.01


def align(
    pairs: list[dict[str, Any]],
    limits: dict[str, int],
    *,
    settings: str = "default",
    method: str = "posterior",
    threshold: float = 0.5,
    probabilities: bool = False,
    bitext: list[str] | None = None,
    most: int | None = None,
) -> dict[str, Any]:
    """Links of each pair; `bitext` are the files of a text to learn from as well."""
    total = 0
    for number, pair in enumerate(pairs):
        for side in ("source", "target"):
            words = len(pair[side])
            total += words
            if not words:
                raise RequestError(422, f"pairs[{number}].{side}: found no words; leave it out")
            if words > limits["sentence_words"]:
                raise RequestError(413, f"pairs[{number}].{side}: {words} words are too many")
    if total > limits["request_words"]:
        raise RequestError(413, f"{total} words in one request; send it in parts")
    texts = [(pair["source"], pair["target"]) for pair in pairs]
    if bitext is not None:
        more = ((p.source, p.target) for p in read_bitext(*bitext[:2]) if p.source and p.target)
        texts += [pair for _, pair in zip(range(most or 20_000), more, strict=False)]
    found = []
    for posteriors in train(texts, preset(settings)).posteriors(len(pairs)):
        links = link(posteriors, method, threshold)
        record: dict[str, Any] = {"links": sorted(links.sure), "pharaoh": str(links)}
        if probabilities:
            mean = posteriors.mean
            likely = np.argwhere(mean >= _LEAST).tolist()
            record["probabilities"] = [[i, j, round(float(mean[i, j]), 4)] for i, j in likely]
        found.append(record)
    return {"pairs": found}


def suggest(source: str, target: str, number: int) -> dict[str, Any]:
    """Links of one pair of two files, learned from all their pairs, for a person to correct."""

    def align_all(path: str) -> list[list[tuple[int, int]]]:
        pairs = [(pair.source, pair.target) for pair in read_bitext(path, target)]
        found = train(pairs, preset("default")).posteriors()
        return [sorted(link(each, "posterior", _SUGGESTED).sure) for each in found]

    return {"links": kept("links", source, align_all)[number]}
