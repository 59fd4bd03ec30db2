"""Uptraining (Petrov et al. 2010) of greedy students: a curve, self-training, and questions.

python -m benchmarks.tasks.uptraining curve [--most 150000]
python -m benchmarks.tasks.uptraining self-training
python -m benchmarks.tasks.uptraining questions
python -m benchmarks.tasks.uptraining sizes
python -m benchmarks.tasks.uptraining model

`curve`: EWT and more and more of AMALGUM's trees. `self-training`: the same sentences with
the student's own trees. `questions`: EWT without its questions is the treebank; a teacher
that never saw them parses other questions. `sizes`: how few rows of weights do. `model`: the
English model in the box beside one that was trained on EWT alone.
Models are kept in build/tasks and found again. One thread.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import niwaki
from benchmarks._training import train_weights
from benchmarks.common import (
    DATA,
    DATA_LINK,
    EWT_MODEL,
    RESULTS,
    ROOT,
    best_of,
    need,
    parser,
    report,
    signature,
    timed,
)
from benchmarks.tasks._adapting import WORK, Lines, write
from niwaki.analysis.gains import GainsReport, Row, learning_curve, measure
from niwaki.data.faults import DEPREL
from niwaki.data.sentence import Sentence
from niwaki.draw import line_chart, round_limits
from niwaki.features.weights import PackedWeights, compress
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.parsers.transition.trainer import TransitionTrainer, WeightsPlan
from niwaki.training.config import Config, TreebankConfig, UptrainingConfig
from niwaki.training.config_file import read_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank
from niwaki.training.uptraining import QUESTION_CHARACTERS, QUESTION_WORDS, Teachers, uptrain

EWT = DATA / "ud-english-ewt"
QUESTIONS = DATA / "questions"
SIZES = (0, 100, 1_000, 10_000, 50_000, 150_000)
# The students: quick to train, greedy, without what comes from the teacher's text otherwise.
STUDENT = (
    "model.beam=1",
    'model.clusters=""',
    "segmenter.enabled=false",
    "tagger.feats=false",
    "tagger.lemmas=false",
    "training.greedy_epochs=5",
)
TEACHER = ('model.clusters=""', "model.greedy=false", "tagger.feats=false", "tagger.lemmas=false")


def tests() -> dict[str, list[Sentence]]:
    """Gold sentences by name."""
    pooled = [QUESTIONS / f"questions-ewt-{part}.conllu" for part in ("dev", "test")]
    files = {
        "EWT test": [EWT / "en_ewt-ud-test.conllu"],
        "PUD": [DATA / "ud-english-pud" / "en_pud-ud-test.conllu"],
        "questions, EWT": pooled,
        "questions, CHILDES": [QUESTIONS / "questions-childes-dev.conllu"],
        "questions, Atis": [QUESTIONS / f"questions-atis-{x}.conllu" for x in ("dev", "test")],
    }
    return {
        name: [s for path in paths for s in niwaki.read_conllu(need(path))]
        for name, paths in files.items()
    }


def settings(overrides: Sequence[str], gold: Sequence[TreebankConfig]) -> tuple[Config, list[str]]:
    """The configuration of the model in the box for other data, and the teacher's files."""
    need(DATA_LINK)
    config = read_config(str(ROOT / "configs" / "en.toml"), overrides)
    silver = config.objective[-1]
    assert isinstance(silver, TreebankConfig)
    teacher = UptrainingConfig(
        label_map=silver.label_map, tag_map=silver.tag_map, trains=silver.trains
    )
    config = dataclasses.replace(config, objective=tuple(gold), uptraining=teacher)
    return config, list(silver.data)


def treebank(path: Path, weight: float = 1.0) -> TreebankConfig:
    return TreebankConfig(data=(str(need(path)),), weight=weight)


def model_of(config: Config, name: str) -> Path:
    path = WORK / f"uptraining-{name}.niwaki"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        train(config, path, Lines(name), resume=True, threads=1)
    return path


def uptrained(
    config: Config, name: str, teachers: Teachers, sizes: Sequence[int]
) -> dict[int, Path]:
    path = WORK / f"uptraining-{name}.niwaki"
    WORK.mkdir(parents=True, exist_ok=True)
    return uptrain(config, path, teachers, Lines(name), sizes=sizes, resume=True, threads=1)


def known_words(*files: Path) -> set[str]:
    return {form for file in files for s in niwaki.read_conllu(file) for form in s.forms}


def rows_of(system: str, model: Path, known: set[str] | None = None) -> list[Row]:
    nlp = niwaki.load(model)
    return [
        measure(nlp, gold, system=system, test=test, known=known) for test, gold in tests().items()
    ]


def by_test(systems: Iterable[Sequence[Row]]) -> list[Row]:
    """The rows of all systems on the first test set, then on the next."""
    return [row for together in zip(*systems, strict=True) for row in together]


def brief(rows: Sequence[Row]) -> dict[str, Any]:
    return {row.test: {key: round(value, 2) for key, value in row.scores.items()} for row in rows}


# -- the parts ---------------------------------------------------------------------------------


def curve(most: int) -> None:
    gold = EWT / "en_ewt-ud-train.conllu"
    config, silver = settings(STUDENT, [treebank(gold)])
    sizes = [size for size in SIZES if size <= most]
    models = uptrained(config, "curve", Teachers(trees=[silver], on_error="skip"), sizes)
    known = known_words(gold)
    rows = {size: rows_of(f"{size:,} trees", path, known) for size, path in models.items()}
    ordered = [
        row for test in tests() for found in rows.values() for row in found if row.test == test
    ]
    print(GainsReport(ordered).to_text(), file=sys.stderr)
    lines = {
        test: {
            size: row.scores["LAS"]
            for size, found in rows.items()
            for row in found
            if row.test == test
        }
        for test in tests()
    }
    (RESULTS / "uptraining-curve.svg").write_text(learning_curve(lines))
    result: dict[str, Any] = {"signature": signature(most=most)}
    result |= {f"{size}": brief(found) for size, found in rows.items()}
    result["report"] = GainsReport(ordered).to_json()
    report("uptraining-curve", result)


def self_training(most: int) -> None:
    """The student's own trees of the sentences that the curve of so many had from the teacher."""
    gold = EWT / "en_ewt-ud-train.conllu"
    config, silver = settings(STUDENT, [treebank(gold)])
    sizes = [size for size in SIZES if size <= most]
    models = uptrained(config, "curve", Teachers(trees=[silver], on_error="skip"), sizes)
    text = WORK / "uptraining-curve.niwaki.trees" / f"{max(models)}.conllu"
    teachers = Teachers(models=[niwaki.load(models[0])], text=[str(text)], form="conllu")
    (own,) = uptrained(config, f"self-{most}", teachers, ()).values()
    result: dict[str, Any] = {"signature": signature(sentences=max(models))}
    found = {}
    for name, path in (
        ("EWT", models[0]),
        ("self-training", own),
        ("uptraining", models[max(models)]),
    ):
        found[name] = rows_of(name, path)
        result[name] = brief(found[name])
    print(GainsReport(by_test(found.values())).to_text(), file=sys.stderr)
    report("uptraining-self", result)


def without_questions() -> tuple[Path, Path]:
    """EWT without its questions, and these."""
    listed = set((QUESTIONS / "ids" / "questionlike-ewt-train.txt").read_text().split())
    sentences = list(niwaki.read_conllu(need(EWT / "en_ewt-ud-train.conllu")))
    rest = write(WORK / "ewt-statements.conllu", (s for s in sentences if s.id not in listed))
    return rest, write(WORK / "ewt-questions.conllu", (s for s in sentences if s.id in listed))


def questions(most: int) -> None:
    rest, removed = without_questions()
    unlabelled = [
        str(need(DATA / "unlabelled-questions" / f"{name}.txt"))
        for name in ("tatoeba", "webquestions", "naturalquestions")
    ]
    teacher_config, silver = settings(TEACHER, [treebank(rest)])
    (teacher,) = [
        path
        for size, path in uptrained(
            teacher_config, "teacher", Teachers(trees=[silver], on_error="skip"), [most]
        ).items()
    ]
    config, _ = settings(STUDENT, [treebank(rest)])
    # This teacher writes tags as EWT does, so that they can be learned too.
    asking = UptrainingConfig(first_words=QUESTION_WORDS, max_characters=QUESTION_CHARACTERS)
    config = dataclasses.replace(config, uptraining=asking)
    with_gold = dataclasses.replace(config, objective=(treebank(rest), treebank(removed, 10)))
    nlp = niwaki.load(teacher)
    base = model_of(config, "statements")
    by_teacher = Teachers(models=[nlp], text=unlabelled, form="lines", beam=16)
    # Students have no segmenter: the words are those that the teacher saw.
    systems = {"statements": base, "teacher": teacher}
    (systems["uptraining"],) = uptrained(config, "questions", by_teacher, ()).values()
    kept = sorted((WORK / "uptraining-questions.niwaki.trees").glob("trees-*.conllu"))
    words = [str(path) for path in kept if path.stat().st_size]
    own = Teachers(models=[niwaki.load(base)], text=words, form="conllu")
    (systems["self-training"],) = uptrained(config, "questions-self", own, ()).values()
    systems["gold questions"] = model_of(
        dataclasses.replace(config, objective=(treebank(rest), treebank(removed))), "supervised"
    )
    systems["gold questions, 10x"] = model_of(with_gold, "supervised-10")
    (systems["uptraining, gold questions 10x"],) = uptrained(
        with_gold, "questions-gold", by_teacher, ()
    ).values()
    known = known_words(rest)
    rows = {name: rows_of(name, path, known) for name, path in systems.items()}
    result: dict[str, Any] = {
        "signature": signature(teacher=f"EWT statements, {most} silver trees")
    }
    result |= {name: brief(found) for name, found in rows.items()}
    pooled = tests()["questions, EWT"]
    low, high, student = (
        evaluate(pooled, niwaki.load(systems[name]).parse(pooled, retag=True))
        for name in ("statements", "gold questions", "uptraining")
    )
    gain, supervised = (x.scores["LAS"] - low.scores["LAS"] for x in (student, high))
    result["pooled"] = {
        "gain": round(gain, 2),
        "gain of supervision": round(supervised, 2),
        "recovered": round(100 * gain / supervised, 1),
        "intervals": {
            name: [round(each.low, 2), round(each.high, 2)]
            for name, other in (("gain", student), ("gain of supervision", high))
            for each in compare(low, other)
            if each.metric == "LAS"
        },
    }
    ordered = by_test([rows["statements"], rows["uptraining"]])
    result["report"] = GainsReport(ordered).to_json()
    print(GainsReport(ordered).to_text(), file=sys.stderr)
    report("uptraining-questions", result)


ROWS = (60_000, 120_000, 240_000, 480_000, 1_000_000)


def sizes(most: int) -> None:
    """Accuracy on EWT dev, size and speed of one greedy student, cut to fewer and fewer rows."""
    gold = EWT / "en_ewt-ud-train.conllu"
    config, silver = settings(STUDENT, [treebank(gold)])
    models = uptrained(config, "curve", Teachers(trees=[silver], on_error="skip"), [most])
    nlp = niwaki.load(models[most])
    assert nlp.tagger is not None and isinstance(nlp.parser, TransitionParser)
    trees = WORK / "uptraining-curve.niwaki.trees" / f"{most}.conllu"
    corpus = read_treebank([str(gold), str(trees)])
    dev = read_treebank([str(need(EWT / "en_ewt-ud-dev.conllu"))])
    plan = WeightsPlan(nlp.parser.model.spec, 1, config.family, ROWS[-1], clusters=None, seed=1)
    # Tags of words that the tagger has seen: a little too good, for all sizes alike.
    trainer = TransitionTrainer(plan, corpus, nlp.tagger.tag(corpus.batch, keep=False))
    train_weights("sizes", trainer, corpus, config.family.greedy_epochs)
    learned = trainer.weights.export()
    tags = nlp.tagger.tag(dev.batch, keep=False)
    result: dict[str, Any] = {"signature": signature(trees=most, features=len(learned["keys"]))}
    students = {
        rows: nlp.parser.model.with_weights(compress(learned, trainer.weights.classes, rows))
        for rows in ROWS
    }
    times = best_of(
        5,
        {
            str(rows): lambda student=student: timed(  # type: ignore[misc]
                lambda: student.parse(dev.batch, tags, 1), time.process_time
            )
            for rows, student in students.items()
        },
    )
    for rows, student in students.items():
        heads, labels = student.parse(dev.batch, tags, 1)
        right = (heads == dev.batch.given_heads()) & (
            labels == dev.batch.numbers(DEPREL, student.labels.symbols)
        )
        weights = student.weights
        assert isinstance(weights, PackedWeights)
        result[str(rows)] = {
            "LAS on dev": round(100 * float(right.mean()), 2),
            "rows": weights.rows,
            "MB": round(weights.size / 1e6, 1),
            "words/s, parsing alone": round(dev.words / times[str(rows)], -3),
        }
    report("uptraining-sizes", result)
    points = {"greedy": [(result[str(r)]["MB"], result[str(r)]["LAS on dev"]) for r in ROWS]}
    chart = line_chart(
        points,
        title="LAS and size",
        x="weights (MB)",
        y="LAS on EWT dev (%)",
        x_limits=round_limits([0, *(x for x, _ in points["greedy"])]),
        y_limits=round_limits([y for _, y in points["greedy"]]),
    )
    (RESULTS / "uptraining-sizes.svg").write_text(chart)


def english() -> None:
    """The model in the box beside one of EWT alone (`niwaki train configs/en-ewt.toml`)."""
    alone = need(EWT_MODEL)
    result: dict[str, Any] = {"signature": signature(model="en")}
    for name, model in (("EWT", niwaki.load(alone)), ("uptrained", niwaki.load())):
        result[name] = {
            way: brief(
                [
                    measure(model, gold, system=name, test=test, beam=beam)
                    for test, gold in tests().items()
                ]
            )
            for way, beam in (("greedy", 1), ("beam 8", 8))
        }
    report("uptraining-model", result)


def main() -> None:
    made = parser(__doc__)
    parts = ["curve", "self-training", "questions", "sizes", "model"]
    made.add_argument("part", choices=parts)
    made.add_argument("--most", type=int, default=SIZES[-1], help="trees of the teacher")
    arguments = made.parse_args()
    if arguments.part == "model":
        english()
    else:
        work = {
            "curve": curve,
            "self-training": self_training,
            "questions": questions,
            "sizes": sizes,
        }
        work[arguments.part](arguments.most)


if __name__ == "__main__":
    main()
