"""Where a new sentence belongs in a document: a section, and a paragraph in it (Chen et al. 2007).

python examples/insertion.py [FILE]    learn from all insertions of a file but the last; place that

FILE is JSON Lines (examples/insertions.jsonl): `sections` are pairs of a title and paragraphs,
which are lists of sentences; `sentence` was put into `paragraph` of `section`, counted from 0.
Trees tell subjects, objects and tenses; the rest is words, places and years.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np

import niwaki
from niwaki.learning.candidates import CandidateSets
from niwaki.learning.ranker import RankerSettings, learn_ranker
from niwaki.typing import FloatArray, IntArray

SECTION = (
    *("cosine", "cosine of title", "cosine of first sentence", "subjects and objects", "adjacency"),
    *("first in document", "last in document"),
)
PARAGRAPH = (
    *("cosine", "subjects and objects", "adjacency", "first in section", "last in section"),
    *("first in document", "last in document", "tense", "years"),
)
# Features that trees tell.
OF_TREES = frozenset({"subjects and objects", "tense"})
PASSES = 6
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})
_ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "csubj"})
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SMOOTHING = 0.1


@dataclass(frozen=True)
class View:
    """What features see of a sentence, or of several together."""

    words: Counter[str]
    content: frozenset[str]
    arguments: frozenset[str]  # lemmas of subjects and objects
    tenses: frozenset[str]  # of main clauses
    years: frozenset[int]

    @classmethod
    def of(cls, sentences: Iterable[niwaki.Sentence]) -> View:
        words, years = Counter[str](), set[int]()
        content, arguments, tenses = set[str](), set[str](), set[str]()
        for each in sentences:
            rows = zip(each.forms, each.lemmas, each.upos, each.deprels, strict=True)
            for form, lemma, tag, label in rows:
                if tag != "PUNCT":
                    words[form.lower()] += 1
                if tag in _CONTENT:
                    content.add(lemma.lower())
                    if label.partition(":")[0] in _ARGUMENTS:
                        arguments.add(lemma.lower())
                years.update(map(int, _YEAR.findall(form)))
            tenses.add(tense(each))
        sets = frozenset(content), frozenset(arguments), frozenset(tenses), frozenset(years)
        return cls(words, *sets)

    @classmethod
    def together(cls, views: Sequence[View]) -> View:
        return cls(
            sum((each.words for each in views), Counter[str]()),
            *(
                frozenset().union(*(getattr(each, name) for each in views))
                for name in ("content", "arguments", "tenses", "years")
            ),
        )


def tense(sentence: niwaki.Sentence) -> str:
    """Of the main clause: that of its finite verb or auxiliary; imperatives count as one."""
    root = sentence.tree.root
    for word in (root, *(sentence.tree.children(root) if root else ())):
        if word and (word == root or sentence.deprels[word - 1].startswith(("aux", "cop"))):
            if sentence.lemmas[word - 1] in ("will", "shall"):
                return "Fut"
            feats = sentence.feats[word - 1]
            for feature in ("Mood=Imp", "Tense=Past", "Tense=Pres"):
                if feature in feats and ("VerbForm=Fin" in feats or feature == "Mood=Imp"):
                    return feature[-4:].strip("=")
    return "none"


@dataclass(frozen=True)
class Document:
    """Titles of sections, and the sentences of each of their paragraphs."""

    titles: tuple[View, ...]
    sections: tuple[tuple[tuple[View, ...], ...], ...]

    @cached_property
    def section_of(self) -> IntArray:
        """The section of each paragraph of the document."""
        sizes = [len(each) for each in self.sections]
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @cached_property
    def paragraphs(self) -> list[View]:
        return [View.together(each) for section in self.sections for each in section]

    @cached_property
    def whole_sections(self) -> list[View]:
        flat = [[view for paragraph in section for view in paragraph] for section in self.sections]
        return [View.together(each) for each in flat]


@dataclass(frozen=True)
class Insertion:
    """A sentence, and the place where somebody put it."""

    sentence: View
    document: Document
    section: int
    paragraph: int  # within the section

    @property
    def place(self) -> int:
        """The paragraph, counted through the document."""
        return int(np.flatnonzero(self.document.section_of == self.section)[self.paragraph])


def read_insertions(records: Sequence[Mapping[str, Any]], nlp: niwaki.Pipeline) -> list[Insertion]:
    """Insertions, parsed; what occurs in several documents is parsed once."""
    lines: dict[str, None] = {}
    for record in records:
        lines[_line(record["sentence"])] = None
        for title, paragraphs in record["sections"]:
            lines.update(dict.fromkeys(map(_line, [title, *(s for p in paragraphs for s in p)])))
    texts = [line for line in lines if line]
    parsed = nlp.parse(nlp.read("\n".join(texts), by_lines=True))
    views = dict(zip(texts, (View.of([each]) for each in parsed), strict=True)) | {"": View.of([])}
    documents: dict[str, Document] = {}
    for record in records:
        key = json.dumps(record["sections"])
        if key not in documents:
            documents[key] = Document(
                tuple(views[_line(title)] for title, _ in record["sections"]),
                tuple(
                    tuple(tuple(views[_line(s)] for s in paragraph) for paragraph in paragraphs)
                    for _, paragraphs in record["sections"]
                ),
            )
    return [
        Insertion(
            views[_line(x["sentence"])],
            documents[json.dumps(x["sections"])],
            x["section"],
            x["paragraph"],
        )
        for x in records
    ]


def _line(text: str) -> str:
    return " ".join(text.split())


# -- features -------------------------------------------------------------------------------


class Statistics:
    """In how many documents words occur, and which occur in neighbouring sentences."""

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self.size, self.documents = 0, Counter[str]()
        self.pairs, self.singles = Counter[tuple[str, str]](), Counter[str]()
        for document in documents:
            self.size += 1
            self.documents.update(frozenset[str]().union(*(x.words for x in document.paragraphs)))
            for section in document.sections:
                for pair in pairwise(view.content for views in section for view in views):
                    self.pairs.update((a, b) for a in pair[0] for b in pair[1])
                    self.pairs.update((b, a) for a in pair[0] for b in pair[1])
                    for one, other in (pair, pair[::-1]):
                        for word in one:
                            self.singles[word] += len(other)

    def without(self, others: Statistics) -> Statistics:
        """Of the documents that are not among others, all of which are."""
        found = Statistics()
        found.size = self.size - others.size
        for name in ("documents", "pairs", "singles"):
            counts = getattr(self, name).copy()
            counts.subtract(getattr(others, name))
            setattr(found, name, counts)
        return found

    def weights(self, view: View) -> dict[str, float]:
        """tf-idf, of length 1."""
        found = {
            word: count * math.log((self.size + 1) / (self.documents[word] + 0.5))
            for word, count in view.words.items()
        }
        length = math.sqrt(sum(each * each for each in found.values()))
        return {word: each / length for word, each in found.items()} if length else {}

    def adjacency(self, sentence: View, neighbours: Sequence[View]) -> list[float]:
        """The mean of log P(a | b) over the words a of a sentence and b of each neighbour: how
        usual they are beside each other, whichever comes first (Lapata 2003, smoothed).
        """
        # Words of a set come in any order; `fsum` does not care.
        size, pairs = len(self.singles) + 1, self.pairs
        sums: dict[str, float] = {}
        for b in frozenset[str]().union(*(each.content for each in neighbours)):
            # Most pairs are never seen.
            seen = [math.log1p(n / _SMOOTHING) for a in sentence.content if (n := pairs[a, b])]
            least = math.log(_SMOOTHING / (self.singles[b] + _SMOOTHING * size))
            sums[b] = least + math.fsum(seen) / max(1, len(sentence.content))
        return [
            math.fsum(sums[b] for b in each.content) / len(each.content)
            if each.content
            else -math.log(size)
            for each in neighbours
        ]


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    few, many = sorted((one, other), key=len)
    return sum(weight * many.get(word, 0.0) for word, weight in few.items())


def overlap(one: frozenset[Any], other: frozenset[Any]) -> float:
    """The share of the first that the other has."""
    return len(one & other) / len(one) if one else 0.0


def years_overlap(one: frozenset[int], other: frozenset[int]) -> float:
    """The years that two spans of time share, of those of both."""
    if not one or not other:
        return 0.0
    shared = min(max(one), max(other)) - max(min(one), min(other)) + 1
    return max(0, shared) / (max(one | other) - min(one | other) + 1)


@dataclass(frozen=True)
class Instance:
    """An insertion in numbers: a row for each section, one for each paragraph."""

    sections: FloatArray
    paragraphs: FloatArray
    section_of: IntArray
    place: int

    @property
    def section(self) -> int:
        return int(self.section_of[self.place])


def instance(insertion: Insertion, statistics: Statistics) -> Instance:
    new, document = insertion.sentence, insertion.document
    section_of = document.section_of
    own = statistics.weights(new)

    def alike(view: View) -> float:
        return cosine(own, statistics.weights(view))

    views = [paragraph for section in document.sections for paragraph in section]
    starts = np.cumsum([0, *map(len, views)])[:-1]
    flat = [view for paragraph in views for view in paragraph]
    usual = np.maximum.reduceat(statistics.adjacency(new, flat), starts)
    sections, last = [], len(document.sections) - 1
    for at, (section, whole) in enumerate(
        zip(document.sections, document.whole_sections, strict=True)
    ):
        sections.append(
            [
                *(alike(whole), alike(document.titles[at]), alike(section[0][0])),
                *(overlap(new.arguments, whole.arguments), usual[section_of == at].max()),
                *(at == 0, at == last),
            ]
        )
    paragraphs, last = [], len(views) - 1
    for at, whole in enumerate(document.paragraphs):
        paragraphs.append(
            [
                *(alike(whole), overlap(new.arguments, whole.arguments), usual[at]),
                at == 0 or section_of[at - 1] != section_of[at],
                at == last or section_of[at + 1] != section_of[at],
                *(at == 0, at == last),
                *(bool(new.tenses & whole.tenses), years_overlap(new.years, whole.years)),
            ]
        )
    rows = np.array(sections, np.float64), np.array(paragraphs, np.float64)
    return Instance(*rows, section_of, insertion.place)


# -- rankers --------------------------------------------------------------------------------

Learner = Literal["perceptron", "likelihood"]


@dataclass(frozen=True)
class Placer:
    """Weights of the features of sections and of paragraphs, and how they choose.

    "sum": the paragraph with the highest score, its section's included. "steps": the best section,
    then its best paragraph. "product": the same by probabilities, of section and paragraph at once.
    """

    sections: FloatArray
    paragraphs: FloatArray
    choose: Literal["sum", "steps", "product"]

    def __call__(self, given: Instance) -> int:
        above, below = given.sections @ self.sections, given.paragraphs @ self.paragraphs
        if self.choose == "product":
            sums = np.bincount(given.section_of, np.exp(below), minlength=len(above))
            below = below - np.log(sums)[given.section_of]
        elif self.choose == "steps":
            below = np.where(given.section_of == above.argmax(), below, -np.inf)
        return int(np.argmax(above[given.section_of] + below))


def flat(data: Sequence[Instance], learner: Learner, seed: int = 1) -> Placer:
    """One ranker of paragraphs, which have the features of their sections, too."""
    sets = [(np.hstack([x.sections[x.section_of], x.paragraphs]), x.place) for x in data]
    weights = _learned(sets, learner, seed)
    return Placer(weights[: len(SECTION)], weights[len(SECTION) :], "sum")


def pipeline(data: Sequence[Instance], learner: Learner, seed: int = 1) -> Placer:
    """A ranker of sections, and one of the paragraphs of the right section."""
    above = _learned([(x.sections, x.section) for x in data], learner, seed)
    inside = [np.flatnonzero(x.section_of == x.section) for x in data]
    sets = [
        (x.paragraphs[own], int(np.flatnonzero(own == x.place)[0]))
        for x, own in zip(data, inside, strict=True)
    ]
    return Placer(above, _learned(sets, learner, seed), "steps")


def hierarchy(data: Sequence[Instance], learner: Learner, seed: int = 1) -> Placer:
    """Both layers choose together, but a mistake is learned only where the ways part.

    The perceptron's is the paper's: a wrong section changes weights of sections alone. By
    likelihood, P(section) P(paragraph | section) has the same property.
    """
    if learner == "likelihood":
        found = pipeline(data, learner, seed)
        return Placer(found.sections, found.paragraphs, "product")
    random = np.random.default_rng(seed)
    above, below = np.zeros(len(SECTION)), np.zeros(len(PARAGRAPH))
    sums = [np.zeros_like(above), np.zeros_like(below)]
    for _ in range(PASSES):
        for number in random.permutation(len(data)).tolist():
            given = data[number]
            place = Placer(above, below, "sum")(given)
            section = int(given.section_of[place])
            if section != given.section:
                above += given.sections[given.section] - given.sections[section]
            elif place != given.place:
                below += given.paragraphs[given.place] - given.paragraphs[place]
            sums[0] += above
            sums[1] += below
    return Placer(sums[0], sums[1], "sum")


RANKERS: dict[str, Callable[[Sequence[Instance], Learner, int], Placer]] = {
    "pipeline": pipeline,
    "flat": flat,
    "hierarchy": hierarchy,
}


def _learned(sets: Sequence[tuple[FloatArray, int]], learner: Learner, seed: int) -> FloatArray:
    width = sets[0][0].shape[1]
    keys = range(width)
    data = CandidateSets.of(
        (([keys] * len(rows), right) for rows, right in sets), (rows.tolist() for rows, _ in sets)
    )
    passes = PASSES if learner == "perceptron" else 100
    found = learn_ranker(data, RankerSettings(learner=learner, passes=passes, seed=seed))
    weights = np.zeros(width)
    weights[found.keys] = found.weights
    return weights


def scaled(data: Sequence[Instance], by: Sequence[Instance]) -> list[Instance]:
    """With features that deviate by 1 among the candidates of some instances."""
    scales = []
    for name in ("sections", "paragraphs"):
        deviation = np.concatenate([getattr(x, name) for x in by]).std(axis=0)
        scales.append(np.where(deviation > 0, deviation, 1.0))
    return [
        Instance(x.sections / scales[0], x.paragraphs / scales[1], x.section_of, x.place)
        for x in data
    ]


def main() -> None:
    file = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("insertions.jsonl")
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    insertions = read_insertions(records, niwaki.load())
    statistics = Statistics([each.document for each in insertions[:-1]])
    *known, new = (instance(each, statistics) for each in insertions)
    (last,) = scaled([new], known)
    print(records[-1]["sentence"])
    for name, learn in RANKERS.items():
        place = learn(scaled(known, known), "likelihood", 1)(last)
        section = int(last.section_of[place])
        within = place - int(np.flatnonzero(last.section_of == section)[0])
        title, paragraphs = records[-1]["sections"][section]
        print(f"{name}: {title}, after {paragraphs[within][-1]!r}")


if __name__ == "__main__":
    main()
