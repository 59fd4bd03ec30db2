"""Answers ranked, on the questions of Wang et al. (2007): matchers, trees, sums, noise, costs.

python -m benchmarks.tasks.answers [--profile fast] [--parser MODEL] [--train]

Rankers learn from the 94 questions of the training part, with the trees that come with the data and
with those of the parser (tags predicted, entities as given). Scores are of questions with right and
wrong candidates ("clean") and by the judgments of 2007 ("judged"). --profile fast stays with dev;
--train also trains the parser on, with costs on each half of the training part by rankers of the
other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, trained
from niwaki.data.answers import (
    Judged,
    Question,
    Ranked,
    read_judgments,
    read_questions,
    write_rankings,
)
from niwaki.data.wordnet import WordNet
from niwaki.metrics.base import Evaluation
from niwaki.metrics.ranking import evaluate_ranking
from niwaki.metrics.significance import compare
from niwaki.pipeline.store import find_model
from niwaki.tasks.answers.learning import learn_answers
from niwaki.tasks.answers.lexical import terms
from niwaki.tasks.answers.model import AnswerModel, Settings
from niwaki.tasks.answers.quasi import QuasiSynchronous
from niwaki.tasks.answers.quasi_learning import QuasiSettings

TREC = DATA / "trec-qa"
WORDNET = DATA / "wordnet"
EWT = DATA / "ud-english-ewt"

# Weights begin with 1.
PAPER = QuasiSettings(first_weight=1.0)
ONE = Settings(matchers=("quasi",))
ROWS: dict[str, Settings] = {
    "word overlap": Settings(matchers=("overlap",)),
    "BM25": Settings(matchers=("bm25",)),
    "TreeMatch, no WordNet": Settings(matchers=("tree-match",), wordnet=False),
    "TreeMatch": Settings(matchers=("tree-match",)),
    "paths (Cui et al.), no WordNet": Settings(matchers=("paths",), wordnet=False),
    "paths (Cui et al.)": Settings(matchers=("paths",)),
    "QG, base": replace(ONE, quasi=replace(PAPER, lexical=False)),
    "QG, full, as in the paper": replace(ONE, quasi=PAPER),
    "QG, full, as in the paper: sum, then max": replace(ONE, quasi=replace(PAPER, rank_best=True)),
    "QG, full, as in the paper: max, then sum": replace(ONE, quasi=replace(PAPER, learn_best=True)),
    "QG, full, as in the paper: max, then max": replace(
        ONE, quasi=replace(PAPER, learn_best=True, rank_best=True)
    ),
    "QG, full": ONE,
    "QG, full, no WordNet": replace(ONE, wordnet=False),
    "BM25 + QG": Settings(),
    "overlap + BM25 + QG": Settings(matchers=("overlap", "bm25", "quasi")),
}
# Pairs of rows whose difference is asked for.
APART = (
    ("QG, base", "QG, full, as in the paper"),
    ("QG, base", "QG, full"),
    ("BM25", "QG, full"),
    ("BM25", "BM25 + QG"),
    ("BM25", "overlap + BM25 + QG"),
)
Scores = dict[str, dict[str, Evaluation]]


def read(part: str) -> list[Question]:
    return list(read_questions(need(TREC / f"{part}.jsonl.gz")))


def parsed(questions: Sequence[Question], model: str | Path) -> list[Question]:
    sentences = [sentence for question in questions for sentence in question.sentences]
    trees = niwaki.load(model).parse(sentences, retag=True)
    return [each.with_trees([next(trees) for _ in each.sentences]) for each in questions]


def learned(questions: Sequence[Question], settings: Settings, wordnet: WordNet) -> AnswerModel:
    return learn_answers(questions, settings, wordnet if settings.wordnet else None)


def scored(model: AnswerModel, parts: dict[str, list[Question]]) -> dict[str, Evaluation]:
    """By the labels of each part and by the judgments of 2007; of all parts together by labels."""
    found: dict[str, Evaluation] = {}
    gold: list[Judged] = []
    system: list[Ranked] = []
    for part, questions in parts.items():
        ranked = [model.rank(question) for question in questions]
        judged = [question.judged for question in questions]
        found[f"{part} clean"] = evaluate_ranking(judged, ranked)
        judgments = read_judgments(need(TREC / f"{part}.qrels"))
        found[f"{part} judged"] = evaluate_ranking(judgments, ranked)
        gold, system = gold + judged, system + ranked
    if len(parts) > 1:
        found["together"] = evaluate_ranking(gold, system)
    return found


def difference(a: dict[str, Evaluation], b: dict[str, Evaluation]) -> dict[str, Any]:
    """Difference, interval and p of each score."""
    return {
        part: {
            each.metric: [round(x, 4) for x in (each.difference, each.low, each.high, each.p)]
            for each in compare(a[part], b[part])
        }
        for part in a
    }


def as_json(found: dict[str, Evaluation]) -> dict[str, Any]:
    """Each score with its interval, and the number of questions."""
    result: dict[str, Any] = {}
    for part, each in found.items():
        ends = each.interval(2000)
        scores = {name: [score, *ends[name]] for name, score in each.scores.items()}
        rounded = {name: [round(x, 2) for x in row] for name, row in scores.items()}
        result[part] = {**rounded, "questions": each.sentences}
    return result


def table(
    train: Sequence[Question], parts: dict[str, list[Question]], wordnet: WordNet
) -> tuple[dict[str, Any], Scores]:
    found, weights = {}, {}
    for name, settings in ROWS.items():
        model = learned(train, settings, wordnet)
        found[name] = scored(model, parts)
        weights[name] = dict(zip(settings.matchers, model.weights, strict=True))
    result: dict[str, Any] = {
        name: {"weights": weights[name], **as_json(each)} for name, each in found.items()
    }
    result["differences"] = {f"{b} over {a}": difference(found[a], found[b]) for a, b in APART}
    return result, found


# -- noise ---------------------------------------------------------------------------------


def noisy(model: AnswerModel, known: set[str], parser: str) -> list[Question]:
    """Questions whose right candidates match a pattern and share three content words (2007)."""
    kept = []
    for question in read("noisy-1-2393"):
        if question.id in known:
            continue
        asked = set(terms(model.view(question.sentence)))
        right = tuple(
            each
            for each in question.answers
            if each.right
            and len(each.sentence) <= 40
            and len(asked.intersection(terms(model.view(each.sentence)))) >= 3
        )
        if right:
            kept.append(replace(question, answers=right))
    return parsed(kept, parser)


def noise(
    train: Sequence[Question], parts: dict[str, list[Question]], wordnet: WordNet, parser: str
) -> dict[str, Any]:
    """Added to the training part: entities of noisy sentences are not known."""
    model = learned(train, ONE, wordnet)
    more = noisy(model, {each.id for each in train}, parser)
    result: dict[str, Any] = {
        "questions": len(more),
        "right answers": sum(len(each.answers) for each in more),
    }
    for name in ("paths (Cui et al.)", "QG, base", "QG, full, as in the paper", "QG, full"):
        before = scored(learned(train, ROWS[name], wordnet), parts)
        after = scored(learned([*train, *more], ROWS[name], wordnet), parts)
        result[name] = {**as_json(after), "over without": difference(before, after)}
    return result


# -- another set ---------------------------------------------------------------------------


def wikiqa(wordnet: WordNet, parser: str) -> dict[str, Any]:
    """WikiQA (Yang et al. 2015), lower-cased and without entities: learned from train, on dev."""
    train, dev = (
        parsed(list(read_questions(need(DATA / "wikiqa" / f"{part}.jsonl.gz"))), parser)
        for part in ("train", "dev")
    )
    judged, found = [each.judged for each in dev], {}
    for name in ("word overlap", "BM25", "QG, base", "QG, full", "BM25 + QG"):
        model = learned(train, ROWS[name], wordnet)
        found[name] = {"dev": evaluate_ranking(judged, [model.rank(each) for each in dev])}
    return {
        **{name: as_json(each) for name, each in found.items()},
        "BM25 + QG over BM25": difference(found["BM25"], found["BM25 + QG"]),
        "QG, full over QG, base": difference(found["QG, base"], found["QG, full"]),
    }


# -- speed ---------------------------------------------------------------------------------


def speed(model: AnswerModel, questions: Sequence[Question]) -> dict[str, float]:
    """Pairs a second: in the kernel, and with everything from sentences to scores."""
    (matcher,) = model.matchers
    assert isinstance(matcher, QuasiSynchronous)
    started = time.perf_counter()
    for question in questions:
        model.rank(question)
    whole = time.perf_counter() - started
    data = matcher.pairs(
        [
            (model.view(each.sentence), model.view(answer.sentence))
            for each in questions
            for answer in each.answers
        ]
    )
    rounds = []
    for _ in range(5):
        started = time.perf_counter()
        matcher.grammar.scores(*data, False)
        rounds.append(time.perf_counter() - started)
    count = len(data.pairs)
    return {"kernel": round(count / min(rounds)), "in all": round(count / whole)}


# -- a parser trained for it -----------------------------------------------------------------


def halves(train: Sequence[Question]) -> Iterator[tuple[list[Question], list[Question]]]:
    """Questions to learn a ranker from, and those that it prices."""
    for half in (0, 1):
        yield list(train[half::2]), list(train[1 - half :: 2])


def trained_on(model: str, train: Sequence[Question], wordnet: WordNet, arguments: Any) -> Path:
    objectives: list[dict[str, Any]] = [{"data": str(need(EWT_TRAIN))}]
    for number, (known, asked) in enumerate(halves(train)):
        ranker, data = WORK / f"answers-{number}.niwaki", WORK / f"answers-{number}.jsonl"
        WORK.mkdir(parents=True, exist_ok=True)
        learned(known, ONE, wordnet).save(ranker)
        nothing = [Ranked(each.id, {a.id: 0.0 for a in each.answers}) for each in asked]
        write_rankings(zip(asked, nothing, strict=True), data, trees=True)
        more = {"ranker": str(ranker), "wordnet": str(WORDNET), "k": 16}
        more |= {"cost": arguments.cost, "parses": arguments.parses}
        objectives.append({"kind": "answers", "data": str(data), **more})
    return _trained("answers", objectives, model)


def _trained(name: str, objectives: list[dict[str, Any]], model: str) -> Path:
    record = {"objective": objectives, "training": {"epochs": 1}}
    return trained(name, record, init=find_model(model))


def las_of_questions(model: str | Path) -> dict[str, float]:
    """On EWT's sentences that end in a question mark, and on all of them."""
    gold = [
        s for part in ("dev", "test") for s in niwaki.read_conllu(EWT / f"en_ewt-ud-{part}.conllu")
    ]
    asked = [sentence for sentence in gold if "?" in sentence.forms[-2:]]
    pipeline = niwaki.load(model)
    return {
        name: niwaki.evaluate(each, list(pipeline.parse(each, retag=True))).scores["LAS"]
        for name, each in (("questions", asked), ("all", gold))
    }


def for_the_job(
    arguments: Any,
    before: Scores,
    train: Sequence[Question],
    parts: dict[str, list[Question]],
    wordnet: WordNet,
) -> dict[str, Any]:
    """The ranker stays; trees of questions, or of all sentences, are those of the new parser.

    The same epoch of the treebank without costs stands beside it.
    """
    model = learned(train, ONE, wordnet)
    path = trained_on(arguments.parser, train, wordnet, arguments)
    other = _trained("answers-control", [{"data": str(need(EWT_TRAIN))}], arguments.parser)
    after, control = (
        scored(model, _with_trees(parts, each, arguments.parses)) for each in (path, other)
    )
    return {
        **as_json(after),
        "over before": difference(before["QG, full"], after),
        "treebank alone": {
            **as_json(control),
            "over before": difference(before["QG, full"], control),
        },
        "over treebank alone": difference(control, after),
        "LAS on EWT": {
            "before": las_of_questions(arguments.parser),
            "after": las_of_questions(path),
            "treebank alone": las_of_questions(other),
        },
    }


def _with_trees(
    parts: dict[str, list[Question]], path: Path, parses: str
) -> dict[str, list[Question]]:
    new = {}
    for part, questions in parts.items():
        changed = parsed(questions, path)
        if parses == "question":
            both = zip(questions, changed, strict=True)
            changed = [replace(old, sentence=each.sentence) for old, each in both]
        new[part] = changed
    return new


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--parser", default="en", help="who makes the automatic trees")
    made.add_argument("--train", action="store_true", help="also train the parser for it")
    made.add_argument("--cost", default="smooth", help="with --train: precision, rank or smooth")
    made.add_argument("--parses", default="question", help="with --train: question or candidates")
    arguments = made.parse_args()
    wordnet = WordNet(WORDNET)
    names = ("dev",) if arguments.profile == "fast" else ("dev", "test")
    train, parts = read("train"), {part: read(part) for part in names}
    result: dict[str, Any] = {"signature": signature(parser=Path(arguments.parser).name)}
    result["trees of the data"], given = table(train, parts, wordnet)
    auto = {part: parsed(questions, arguments.parser) for part, questions in parts.items()}
    parsed_train = parsed(train, arguments.parser)
    result["trees of the parser"], found = table(parsed_train, auto, wordnet)
    result["parser over data"] = {
        name: difference(given[name], found[name]) for name in ("QG, base", "QG, full", "BM25 + QG")
    }
    result["pairs a second"] = speed(learned(train, ONE, wordnet), parts["dev"])
    result["noise, trees of the parser"] = noise(parsed_train, auto, wordnet, arguments.parser)
    result["WikiQA, trees of the parser"] = wikiqa(wordnet, arguments.parser)
    if arguments.train:
        result["trained for it"] = for_the_job(arguments, found, parsed_train, auto, wordnet)
    report(f"answers{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
