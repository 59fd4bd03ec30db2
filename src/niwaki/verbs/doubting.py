"""What a parser is least certain of in a file."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from niwaki.analysis.doubts import KINDS, Doubts, least_certain
from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.errors import NiwakiError, nearest
from niwaki.verbs._given import Model, Sentences, model_of, read_given
from niwaki.verbs.parsing import parse

_IN_THE_BOX = "en"


def doubts(
    source: Sentences,
    model: Model | None = None,
    *,
    first: int = 20,
    of: Iterable[str] = tuple(KINDS),
    form: str | None = None,
    threads: int = 1,
) -> Doubts:
    """What a parser is least certain of in a file: the `first` of each kind.

    `of` says of what: "sentences", "arcs", "labels" or "tags" (default: all four).

    With a model, or where the first sentence has no probabilities, the input is parsed first;
    it may then be anything that `parse` takes. Otherwise the probabilities in MISC are taken.

        >>> found = doubts("letter.txt", "en", first=5)
        >>> [(each.probability, each.answer) for each in found["arcs"]]
    """
    kinds = [of] if isinstance(of, str) else list(of)
    for kind in kinds:
        if kind not in KINDS:
            raise NiwakiError(f"no doubts of {kind!r}; {nearest(kind, KINDS)}")
    if first < 1:
        raise NiwakiError(f"first is {first}; give at least 1")
    return least_certain(_certain(source, model, form, threads), first, kinds)


def _certain(
    source: Sentences, model: Model | None, form: str | None, threads: int
) -> Iterator[Sentence]:
    """Sentences with probabilities."""
    pipeline = model_of(_IN_THE_BOX if model is None else model)
    read = iter(read_given(source, pipeline, form))
    start = list(itertools.islice(read, 1))
    everything = itertools.chain(start, read)
    if model is None and start and "arc" in known_probabilities(start[0]):
        return everything
    return parse(everything, pipeline, threads=threads, probabilities=True)
