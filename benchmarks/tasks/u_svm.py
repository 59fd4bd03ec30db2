"""U-SVM (Wu et al. 2007) on TREC 2004: unsupervised classes of snippets, beside simpler ways.

python -m benchmarks.tasks.u_svm [--profile fast] [--parser MODEL] [--search]

Candidates are entities of the type that is asked for in the question's own sentences (FGS: its best
50); with SGS (--search), sentences of all packs that have the candidate and half of the question's
content words are added (the best 50). S-SVM learns from the 94 training questions, right or wrong,
without words near candidates. Trees are the parser's; all but the question's verb needs none.
Scores are over questions that have a right candidate. --profile fast scores the training questions,
without S-SVM.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks.answer_extraction import TREC, difference, only
from benchmarks.tasks.answers import WORDNET, parsed
from niwaki.data.answers import Question, read_questions
from niwaki.data.extraction import Extracted, Found, Patterns, read_patterns
from niwaki.data.sentence import Sentence
from niwaki.data.wordnet import WordNet
from niwaki.learning.svm import TwoClasses, learn_two
from niwaki.metrics.extraction import evaluate_extraction
from niwaki.tasks.answers.lexical import learn_bm25
from niwaki.tasks.answers.words import WordView
from niwaki.tasks.extraction.lexical import Frequency
from niwaki.tasks.extraction.model import Extractor
from niwaki.tasks.extraction.phrases import Asked, Candidate
from niwaki.tasks.extraction.snippets import Features, Snippet, snippets_of
from niwaki.tasks.extraction.unsupervised import Nearest, UnsupervisedSvm

MOST = 50
# Snippets that S-SVM learns from: all right ones, and so many in all.
MOST_LEARNED = 1500


class Library:
    """All sentences of the packs, found by a phrase and the words of a question."""

    def __init__(self, sentences: Sequence[Sentence], wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._sentences = list({" ".join(s.forms).lower(): s for s in sentences}.values())
        self._of_word: dict[str, set[int]] = defaultdict(set)
        for number, sentence in enumerate(self._sentences):
            for form in sentence.forms:
                self._of_word[form.lower()].add(number)

    def search(self, asked: Asked, candidate: Candidate) -> list[Snippet]:
        phrase = candidate.text.lower().split()
        keys = [
            f
            for f, c in zip(asked.question.words.forms, asked.question.words.content, strict=True)
            if c
        ]
        places = set.intersection(*(self._of_word.get(word, set()) for word in phrase))
        shared = {
            n: sum(n in self._of_word[key] for key in keys if key in self._of_word) for n in places
        }
        own = {text.words.forms for text in asked.sentences}
        # A search engine would not find sentences with fewer of the words.
        near = (n for n in places if shared[n] and 2 * shared[n] >= len(keys))
        best = sorted(near, key=lambda n: (-shared[n], n))
        found = []
        for number in best[: 2 * MOST]:
            words = WordView(self._sentences[number], self._wordnet)
            start = _place(words.forms, phrase)
            if start is not None and words.forms not in own:
                found.append(Snippet(words, start, start + len(phrase)))
        return found[:MOST]


def _place(forms: Sequence[str], phrase: Sequence[str]) -> int | None:
    size = len(phrase)
    ways = (n for n in range(len(forms) - size + 1) if list(forms[n : n + size]) == list(phrase))
    return next(ways, None)


class SupervisedSvm:
    """S-SVM: whether a snippet is of a right candidate; a candidate is worth its best snippet."""

    def __init__(self, model: TwoClasses) -> None:
        self._model = model

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        features = Features(asked)
        return [
            float(self._model.decide(_rows(features, each, snippets_of(asked, each))).max())
            for each in candidates
        ]


def _rows(features: Features, candidate: Candidate, found: Sequence[Snippet]) -> Any:
    return np.array([features.numbers(each, candidate.type) for each in found])


def supervised(questions: Sequence[Asked], patterns: Sequence[Patterns]) -> SupervisedSvm:
    rows: dict[bool, list[Any]] = {True: [], False: []}
    for asked, known in zip(questions, patterns, strict=True):
        features = Features(asked)
        for each in asked.candidates:
            kept = [s for s in snippets_of(asked, each) if features.keeps(s)]
            if kept:
                rows[known.accept(each.text)] += list(_rows(features, each, kept))
    right = rows[True]
    order = np.random.default_rng(1).permutation(len(rows[False]))[: MOST_LEARNED - len(right)]
    points = np.array([*right, *(rows[False][n] for n in order)])
    return SupervisedSvm(learn_two(points, [n < len(right) for n in range(len(points))]))


def extracted(way: Extractor, name: str, asked: Asked) -> Extracted:
    scores = np.round(way.scores(asked, asked.candidates), 9).tolist()
    pairs = zip(asked.candidates, scores, strict=True)
    return Extracted(name, tuple(Found(each.text, score) for each, score in pairs))


def best_sentences(question: Question) -> Question:
    """The pool cut to its best sentences by BM25."""
    views = [WordView(answer.sentence) for answer in question.answers]
    scores = learn_bm25(views).scores(WordView(question.sentence), views)
    order = sorted(np.argsort(-scores, kind="stable")[:MOST].tolist())
    return replace(question, answers=tuple(question.answers[n] for n in order))


def read(part: str) -> list[Question]:
    return [best_sentences(q) for q in read_questions(need(TREC / f"{part}.jsonl.gz"))]


def every_sentence() -> list[Sentence]:
    files = [TREC / "trec2004-pool.jsonl.gz", TREC / "noisy-1-2393.jsonl.gz"]
    files += [DATA / "wikiqa" / f"{part}.jsonl.gz" for part in ("train", "dev")]
    return [a.sentence for file in files for q in read_questions(need(file)) for a in q.answers]


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--parser", default="en", help="who makes the trees")
    made.add_argument("--search", action="store_true", help="also SGS")
    arguments = made.parse_args()
    wordnet, fast = WordNet(WORDNET), arguments.profile == "fast"
    old = {each.id: each for each in read_patterns(need(TREC / "patterns-trec8-12.txt"))}
    train = [q for q in parsed(read("train"), arguments.parser) if q.id in old]
    ways: dict[str, Extractor] = {
        "Retrieval-M": Nearest(),
        "most frequent": Frequency(),
        "U-SVM, numbers": UnsupervisedSvm(kinds="numbers"),
        "U-SVM, words": UnsupervisedSvm(kinds="words"),
        "U-SVM, all": UnsupervisedSvm(),
    }
    if arguments.search:
        library = Library(every_sentence(), wordnet)
        ways["U-SVM, numbers, SGS"] = UnsupervisedSvm(kinds="numbers", search=library.search)
        ways["U-SVM, all, SGS"] = UnsupervisedSvm(search=library.search)
    questions, gold = train, old
    if not fast:
        views = [Asked(q, wordnet) for q in train]
        ways["S-SVM"] = supervised(views, [old[q.id] for q in train])
        gold = {p.id: p for p in read_patterns(need(TREC / "patterns-trec2004.txt"))}
        pool = parsed(read("trec2004-pool"), arguments.parser)
        questions = [q for q in pool if q.id in gold]
    asked = {q.id: Asked(q, wordnet) for q in questions}
    kept = {
        name
        for name, each in asked.items()
        if any(gold[name].accept(c.text) for c in each.candidates)
    }
    patterns = list(gold.values())
    rated = {
        name: evaluate_extraction(
            patterns,
            only([extracted(way, n, each) for n, each in asked.items() if n in kept], kept),
        )
        for name, way in ways.items()
    }
    result: dict[str, Any] = {
        "signature": signature(parser=Path(arguments.parser).name),
        "questions": len(asked),
        "with a right candidate": len(kept),
    }
    for name, each in rated.items():
        ends = [round(x, 1) for x in each.interval(2000)["top1"]]
        scores = {key: round(x, 1) for key, x in each.scores.items()}
        result[name] = {**scores, "interval of top1": ends}
    base = rated["U-SVM, all"]
    result["U-SVM, all, over"] = {
        name: difference(each, base) for name, each in rated.items() if each is not base
    }
    report(f"u-svm{'-1999' if fast else ''}{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
