"""Uptraining (Petrov et al. 2010): a fast parser learns from the trees of better teachers.

The teachers' trees stand in files, or are made by models from unlabelled text. What passes
the filters is kept in a folder beside the model, in parts, so that a run that was broken off
goes on with the part it was at. Then tagger and parser are trained on the treebank and these
trees.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from niwaki.data.conllu import read_conllu, read_stream
from niwaki.data.files import Input, atomic_write
from niwaki.data.modelfile import ModelFile
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import ConfigError, CorpusError
from niwaki.learning.checkpoint import hash_of_files
from niwaki.learning.corpus import shuffled
from niwaki.metrics.attachment import check_same_words
from niwaki.pipeline.ensemble import Ensemble
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import pipeline_of
from niwaki.scale.engine import Crew, Engine, answers_in_order
from niwaki.scale.sharing import shared_file
from niwaki.training.config import Config, TreebankConfig, UptrainingConfig
from niwaki.training.reporting import Reporter
from niwaki.training.run import engine_for, train
from niwaki.training.teacher_trees import (
    is_finished,
    note_finished,
    take_up,
    treebanks_of,
    with_trees,
)
from niwaki.training.treebanks import OnFault, fault_of, is_left_out, renamed

# Words that begin an English question, and the longest one (Petrov et al. 2010, section 2.1).
QUESTION_WORDS = tuple(
    "what who whom whose when where which why how is are was were am do does did can could "
    "will would shall should may might must has have had".split()
)
QUESTION_CHARACTERS = 160

# Sentences that are looked at before what is kept of them is written down.
_PART = 2000
_NAME = "trees-{:04}.conllu"
_WORKER = "niwaki.training.uptraining:model_teacher"


@dataclass(frozen=True)
class Teachers:
    """Where trees come from.

    `trees` are files, for each teacher a list; `models` parse `text`, or the sentences of
    those files. Text is read as `form` says (see `read_sentences`).
    """

    trees: Sequence[Sequence[str]] = ()
    models: Sequence[Pipeline] = ()
    text: Sequence[str] = ()
    form: str | None = None
    beam: int | None = None
    on_error: str = "fail"  # "skip" leaves out faulty sentences and counts them

    def __post_init__(self) -> None:
        if not self.trees and not self.models:
            raise ConfigError("nobody teaches; give files of trees, or models")
        if self.models and not self.trees and not self.text:
            raise ConfigError("the models have nothing to parse; give text")


@dataclass
class FilterCounts:
    """How many sentences were looked at, and why others than those kept were left out."""

    seen: int = 0
    kept: int = 0
    bad: int = 0  # faulty, or with other words than the text
    filtered: int = 0  # by their words or their length
    disputed: int = 0  # teachers did not agree
    first_fault: CorpusError | None = None

    def __str__(self) -> str:
        parts = [f"{self.kept:,} of {self.seen:,} sentences are kept"]
        for count, reason in (
            (self.filtered, "filtered"),
            (self.disputed, "disputed"),
            (self.bad, "bad"),
        ):
            if count:
                parts.append(f"{count:,} {reason}")
        return ", ".join(parts)


# -- trees of teachers -------------------------------------------------------------------


def is_wanted(sentence: Sentence, config: UptrainingConfig) -> bool:
    """Whether a sentence passes the filters on its words and its length."""
    if is_left_out(sentence, config.leave_out):
        return False
    first = {word.lower() for word in config.first_words}
    if first and sentence.forms[0].lower() not in first:
        return False
    return not config.max_characters or len(sentence.text) <= config.max_characters


def agreement(trees: Sequence[Sentence]) -> float:
    """The share of the words to which all teachers give the same head and label."""
    arcs = [list(zip(each.heads, each.deprels, strict=True)) for each in trees]
    same = sum(all(arc == row[0] for arc in row) for row in zip(*arcs, strict=True))
    return same / len(arcs[0])


# What stands where a sentence should: the sentence, or what is wrong with it.
_Read = Sentence | CorpusError


def _in_step(read: Callable[[OnFault], Iterable[Sentence]]) -> Iterator[_Read]:
    """Sentences, with each faulty one in its place, so that files stay in step."""
    faults: list[CorpusError] = []
    for sentence in read(faults.append):
        yield from faults
        faults.clear()
        yield sentence
    yield from faults


def _trees_of(files: Sequence[str], config: UptrainingConfig) -> Iterator[_Read]:
    for file in files:
        for sentence in _in_step(lambda on_fault: read_stream(Input(file), on_fault)):  # noqa: B023
            if isinstance(sentence, Sentence):
                yield fault_of(sentence) or renamed(sentence, config.label_map, config.tag_map)
            else:
                yield sentence


def _text_of(teachers: Teachers) -> Iterator[_Read]:
    segmenter = teachers.models[0].segmenter if teachers.models else None
    for file in teachers.text:
        yield from _in_step(
            lambda on_fault: read_sentences(file, teachers.form, segmenter, on_fault=on_fault)  # noqa: B023
        )


class _TeacherTrees:
    """What teachers make of the sentences, part by part."""

    def __init__(self, teachers: Teachers, config: UptrainingConfig, kept: FilterCounts) -> None:
        self._teachers, self._config, self._kept = teachers, config, kept
        self._sources = [_trees_of(files, config) for files in teachers.trees]
        if teachers.text:
            self._sources.insert(0, _text_of(teachers))
        if config.weight_by_confidence and teachers.models:
            self._check_confidence()

    def _check_confidence(self) -> None:
        """Raises ConfigError where sentences could not be weighed as they are to be."""
        models = self._teachers.models
        if len(models) > 1 and not self._config.agreement:
            raise ConfigError(
                "uptraining.weight_by_confidence: models that parse together say no "
                "probabilities; give uptraining.agreement, or leave it out"
            )
        if not all(model.parser.gives_probabilities for model in models):
            raise ConfigError(
                "uptraining.weight_by_confidence: a teacher is not calibrated and gives no "
                "probabilities; leave it out, or train the teacher with training.dev"
            )

    def skip(self, parts: int) -> None:
        """Pass over what an earlier run has done."""
        for source in self._sources:
            next(itertools.islice(source, parts * _PART, parts * _PART), None)

    def parts(self, crew: Crew | None) -> Iterator[list[Sentence]]:
        """The trees that are kept, of so many sentences at a time; a crew of `ModelTeacher`s, if
        there is one, parses several parts at a time.
        """
        if crew is None:
            teacher = ModelTeacher(self._teachers.models, self._config, self._teachers.beam)
            for rows in self._wanted():
                yield list(self._agreed(rows, teacher(_words(rows))))
            return
        waiting: deque[list[list[Sentence]]] = deque()

        def asked() -> Iterator[list[Sentence]]:
            for rows in self._wanted():
                waiting.append(rows)
                yield _words(rows)

        for parsed in answers_in_order(crew, asked()):
            yield list(self._agreed(waiting.popleft(), parsed))

    def _wanted(self) -> Iterator[list[list[Sentence]]]:
        """Sentences, each with what files say of it, that are sound and pass the filters."""
        while given := list(itertools.islice(itertools.zip_longest(*self._sources), _PART)):
            self._kept.seen += len(given)
            rows = [sound for row in given if (sound := self._checked(row))]
            wanted = [row for row in rows if is_wanted(row[0], self._config)]
            self._kept.filtered += len(rows) - len(wanted)
            yield wanted

    def _checked(self, row: Sequence[_Read | None]) -> list[Sentence]:
        """A sentence and what teachers made of it, if all is well with them; else nothing."""
        try:
            for each in row:
                if isinstance(each, CorpusError):
                    raise each
            sentences = [each for each in row if isinstance(each, Sentence)]
            for each in row:
                check_same_words(sentences[0], each)  # type: ignore[arg-type]
        except CorpusError as fault:
            if self._teachers.on_error == "fail":
                raise
            self._kept.bad += 1
            self._kept.first_fault = self._kept.first_fault or fault
            return []
        return sentences

    def _agreed(
        self, rows: list[list[Sentence]], parsed: Sequence[Sequence[Sentence]]
    ) -> Iterator[Sentence]:
        """The first teacher's tree, if the others agree with it well enough."""
        if self._teachers.text:
            rows = [row[1:] for row in rows]
        for trees in parsed:
            rows = [[*row, tree] for row, tree in zip(rows, trees, strict=True)]
        for row in rows:
            if len(row) == 1 or agreement(row) >= self._config.agreement:
                self._kept.kept += 1
                yield row[0]
            else:
                self._kept.disputed += 1


class ModelTeacher:
    """Models that parse sentences: together they are one teacher, unless they must agree."""

    def __init__(
        self, models: Sequence[Pipeline], config: UptrainingConfig, beam: int | None
    ) -> None:
        self._models, self._config, self._beam = models, config, beam

    def __call__(self, sentences: Sequence[Sentence]) -> list[list[Sentence]]:
        bare = [_bare(sentence) for sentence in sentences]
        if len(self._models) > 1 and not self._config.agreement:
            return [list(Ensemble(self._models).parse(bare))]
        soft = self._config.weight_by_confidence
        return [
            list(model.parse(bare, beam=self._beam, probabilities=soft)) for model in self._models
        ]


def model_teacher(
    files: Sequence[ModelFile], config: UptrainingConfig, beam: int | None
) -> ModelTeacher:
    """In a worker: the same, of models that workers share."""
    return ModelTeacher([pipeline_of(file) for file in files], config, beam)


def _words(rows: Sequence[Sequence[Sentence]]) -> list[Sentence]:
    return [row[0] for row in rows]


def _bare(sentence: Sentence) -> Sentence:
    """The words alone: a teacher of trees does not see the tags of another one."""
    return Sentence.from_words(sentence.forms, comments=sentence.comments)


def gather_trees(
    teachers: Teachers,
    config: UptrainingConfig,
    folder: Path,
    *,
    advance: Callable[[int], None] = lambda count: None,
    engine: Engine | None = None,
) -> tuple[list[str], FilterCounts]:
    """Write what the teachers teach to files of a folder; go on where an earlier run stopped.

    The workers of an engine, if there is one, do what models have to do; files are the same.
    """
    kept = FilterCounts()
    room = _TeacherTrees(teachers, config, kept)
    files: list[Path] = []
    while (folder / _NAME.format(len(files))).exists():
        files.append(folder / _NAME.format(len(files)))
    room.skip(len(files))
    with _crew_of(teachers, config, engine) as crew:
        for trees in room.parts(crew):
            files.append(folder / _NAME.format(len(files)))
            with atomic_write(files[-1]) as out:
                out.writelines(tree.source for tree in trees)
            advance(_PART)
    # CoNLL-U knows no empty files.
    return [str(file) for file in files if file.stat().st_size], kept


def _crew_of(
    teachers: Teachers, config: UptrainingConfig, engine: Engine | None
) -> AbstractContextManager[Crew | None]:
    if engine is None or not teachers.models:
        return nullcontext()
    files = [shared_file(model.as_file()) for model in teachers.models]
    return engine.crew(_WORKER, files, config, teachers.beam)


# -- training --------------------------------------------------------------------------------


def uptrain(
    config: Config,
    output: str | os.PathLike[str],
    teachers: Teachers,
    reporter: Reporter,
    *,
    sizes: Sequence[int] = (),
    resume: bool = False,
    threads: int | None = None,
    engine: str = "local",
) -> dict[int, Path]:
    """Train on the treebanks of a configuration and on what teachers teach.

    With `sizes`, a model is trained for each number of the teachers' sentences (0: the
    treebanks alone), drawn at random, those of a smaller number among those of a larger.
    Returns the models by number; `output` is that of the largest. A run with other sizes
    that goes on with this one trains only what is not there.
    """
    folder = Path(f"{os.fspath(output)}.trees")
    resume = take_up(folder, _identity(config, teachers), resume)
    reporter.stage("trees of the teachers", 0)
    with engine_for(config, engine) as started:
        files, kept = gather_trees(
            teachers, config.uptraining, folder, advance=reporter.advance, engine=started
        )
    reporter.note(str(kept))
    if kept.first_fault:
        reporter.note(f"the first bad one: {kept.first_fault}")
    if not files:
        raise ConfigError("no sentence of the teachers is kept; change the filters")
    trees = [sentence for file in files for sentence in read_conllu(file)]
    if not sizes:
        if not is_finished(folder, Path(output)):
            with_teachers = with_trees(config, _added(config.uptraining, files))
            train(with_teachers, output, reporter, resume=resume, threads=threads, engine=engine)
            note_finished(folder, Path(output))
        return {len(trees): Path(output)}
    models = {}
    order = shuffled(len(trees), config.training.seed, "curve", 0)
    for size in sorted({min(size, len(trees)) for size in sizes}):
        models[size] = folder / f"{size}.niwaki"
        if is_finished(folder, models[size]):
            continue
        with_teachers = dataclasses.replace(config, objective=treebanks_of(config))
        if size:
            part = folder / f"{size}.conllu"
            with atomic_write(part) as out:
                out.writelines(trees[number].source for number in order[:size])
            with_teachers = with_trees(config, _added(config.uptraining, [str(part)]))
        reporter.note(f"{size:,} trees of the teachers")
        train(with_teachers, models[size], reporter, resume=resume, threads=threads, engine=engine)
        note_finished(folder, models[size])
    with atomic_write(output) as out:
        out.write(models[max(models)].read_bytes())
    return models


def _added(config: UptrainingConfig, files: Sequence[str]) -> TreebankConfig:
    return TreebankConfig(
        data=tuple(files),
        weight=config.weight,
        weight_by_confidence=config.weight_by_confidence,
        trains=config.trains,
    )


def _identity(config: Config, teachers: Teachers) -> dict[str, object]:
    files = [file for each in config.objective for file in each.data]
    given = [file for each in teachers.trees for file in each]
    return {
        "config": config.to_json(),
        "models": [model.config.get("data", {}).get("sha256", "") for model in teachers.models],
        "beam": teachers.beam,
        "on_error": teachers.on_error,
        "data": hash_of_files([*files, *given, *teachers.text]),
    }
