"""Questions with candidate answers, as JSON Lines; rankings of them, and judgments of rankings.

    {"id": "7", "question": "Who rakes gravel ?", "candidates": [{"text": "...", "label": 1}, ...]}

A sentence is a text, a list of words, or an object with `text` or `tokens` and, if they are known,
`lemmas`, `upos`, `xpos`, `heads`, `deprels` and `entities`: a list each, one value a word. The data
of Wang et al. (2007) call them `forms`, `pos`, `head`, `deprel` and `ne`; `right` and `wrong`,
lists of texts, may stand in place of `candidates`. Entities are kept in MISC, as `NE=PERSON`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from niwaki.data.files import Input, Source, Target, open_output
from niwaki.data.jsonlines import objects
from niwaki.data.sentence import Sentence
from niwaki.data.text import TextSegmenter
from niwaki.errors import CorpusError, NiwakiError, shown

ENTITY = "NE"
NO_ENTITY = "-"
# Time and memory of rankers grow with the square of an answer's length.
MOST_WORDS = 2000
_ALIASES = {"forms": "tokens", "pos": "xpos", "head": "heads", "deprel": "deprels"}
_COLUMNS = ("lemmas", "upos", "xpos", "heads", "deprels")
_LABELS: dict[Any, bool] = {0: False, 1: True}


@dataclass(frozen=True)
class Answer:
    """A sentence that may answer a question; whether it does is None if nobody has said."""

    id: str
    sentence: Sentence
    right: bool | None = None


@dataclass(frozen=True)
class Question:
    """A question with the sentences that may answer it, and where it was read."""

    id: str
    sentence: Sentence
    answers: tuple[Answer, ...]
    file: str = "<memory>"
    line: int = 0

    @property
    def sentences(self) -> list[Sentence]:
        """The question and its answers."""
        return [self.sentence, *(answer.sentence for answer in self.answers)]

    def with_trees(self, parsed: Sequence[Sentence]) -> Question:
        """The same with other sentences of the same words."""
        first, *others = parsed
        answers = zip(self.answers, others, strict=True)
        return replace(
            self,
            sentence=first,
            answers=tuple(replace(answer, sentence=each) for answer, each in answers),
        )

    @property
    def judged(self) -> Judged:
        """What is right; raises CorpusError if that was not said of an answer."""
        labels = {}
        for answer in self.answers:
            if answer.right is None:
                found = f"candidate {shown(answer.id)} has no label"
                raise self.fault("label", found, "give 1 if it answers the question, else 0")
            labels[answer.id] = answer.right
        return Judged(self.id, labels)

    def fault(self, key: str, found: str, advice: str) -> CorpusError:
        return CorpusError(self.file, self.line, key, found, advice)


@dataclass(frozen=True)
class Judged:
    """Which answers of a question are right, by their ids."""

    id: str
    right: Mapping[str, bool]


@dataclass(frozen=True)
class Ranked:
    """Scores of the answers of a question, by their ids; more is better."""

    id: str
    scores: Mapping[str, float]


# -- reading -----------------------------------------------------------------------------------


def read_questions(source: Source, segmenter: TextSegmenter | None = None) -> Iterator[Question]:
    """Yield the questions of a file; raises CorpusError with the line of what is wrong.

    Texts are cut into words by the segmenter, or else at spaces.
    """
    with Input(source) as stream:
        seen: set[str] = set()
        for number, record in objects(stream):
            question = _Line(stream.name, number, segmenter).question(record)
            if question.id in seen:
                raise question.fault(
                    "id", f"a second question {shown(question.id)}", "name it anew"
                )
            seen.add(question.id)
            yield question


@dataclass(frozen=True)
class _Line:
    """A line of a file, and how its texts are cut into words."""

    file: str
    line: int
    segmenter: TextSegmenter | None

    def fault(self, key: str, found: str, advice: str) -> CorpusError:
        return CorpusError(self.file, self.line, key, found, advice)

    def question(self, record: dict[str, Any]) -> Question:
        if "question" not in record:
            raise self.fault("question", "candidates without a question", "give the question, too")
        answers = self._answers(record)
        if len({answer.id for answer in answers}) < len(answers):
            raise self.fault("candidates", "two candidates with one id", "give each its own")
        name = self._name(record.get("id", self.line))
        asked = self._sentence("question", record["question"])
        return Question(name, asked, answers, self.file, self.line)

    def _answers(self, record: dict[str, Any]) -> tuple[Answer, ...]:
        given = record.get("candidates")
        if given is None and ("right" in record or "wrong" in record):
            labelled = [(1, text) for text in self._list("right", record.get("right", []))]
            labelled += [(0, text) for text in self._list("wrong", record.get("wrong", []))]
            given = [{"label": label, "text": text} for label, text in labelled]
        if given is None:
            raise self.fault("candidates", "a question without candidates", "give a list of them")
        rows = enumerate(self._list("candidates", given), start=1)
        return tuple(self._answer(place, each) for place, each in rows)

    def _answer(self, place: int, given: Any) -> Answer:
        sentence = self._sentence("candidates", given)
        if not isinstance(given, dict):
            return Answer(str(place), sentence)
        label = given.get("label")
        if label is not None and (not isinstance(label, int) or label not in _LABELS):
            found = f"label {shown(json.dumps(label))} of candidate {place}"
            raise self.fault("label", found, "give 1 if it answers the question, else 0")
        name = self._name(given.get("id", given.get("doc", place)))
        return Answer(name, sentence, None if label is None else _LABELS[label])

    def _name(self, given: Any) -> str:
        """An id; half of a pair of surrogates can be read from JSON, but cannot be written."""
        name = str(given)
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise self.fault("id", f"found {shown(name)}", "give Unicode text")
        return name

    def _list(self, key: str, given: Any) -> list[Any]:
        if not isinstance(given, list):
            raise self.fault(key, f"found {shown(json.dumps(given))}", "give a list")
        return given

    def _sentence(self, key: str, given: Any) -> Sentence:
        if not isinstance(given, dict):
            given = {"tokens" if isinstance(given, list) else "text": given}
        record = {_ALIASES.get(name, name): value for name, value in given.items()}
        if "tokens" in record:
            return self._of_words(key, record)
        text = record.get("text")
        if not isinstance(text, str) or not text.strip():
            found = f"found {shown(json.dumps(text))}" if "text" in record else "no text"
            raise self.fault(key, found, "give a text or a list of words")
        return self._of_words(key, self._cut(text))

    def _cut(self, text: str) -> dict[str, Any]:
        """The words of a text; what the segmenter finds beside them is not kept."""
        line = " ".join(text.split()).replace("\0", "\ufffd")
        if self.segmenter is None:
            return {"tokens": line.split(), "text": text}
        cut = self.segmenter.segment(line, by_lines=True, file=self.file)
        return {"tokens": [form for sentence in cut for form in sentence.forms], "text": text}

    def _of_words(self, key: str, record: dict[str, Any]) -> Sentence:
        words = self._list(key, record["tokens"])
        if not all(isinstance(word, str) for word in words):
            raise self.fault(key, f"found {shown(json.dumps(words))}", "give words as texts")
        if len(words) > MOST_WORDS:
            advice = f"give sentences, of {MOST_WORDS:,} words at most"
            raise self.fault(key, f"a sentence of {len(words):,} words", advice)
        columns = {name: record[name] for name in _COLUMNS if name in record}
        entities = record.get("entities", record.get("ne"))
        said = record.get("text")
        comments = [f"text = {' '.join(said.split())}"] if isinstance(said, str) else []
        try:
            if entities is not None:
                columns["misc"] = [_note(each) for each in entities]
            made = Sentence.from_words(words, comments=comments, **columns)
        except (TypeError, ValueError, AttributeError) as error:
            raise self.fault(key, shown(str(error), 80), "give lists, one value a word") from error
        return Sentence(made.source, self.file, self.line)


def _note(entity: str) -> str:
    """`PERSON-B` begins an entity, `PERSON-I` goes on with it; what counts is the type."""
    name = entity.removesuffix("-B").removesuffix("-I").replace("|", "/")
    return "_" if name in (NO_ENTITY, "", "_") else f"{ENTITY}={name}"


def read_rankings(source: Source) -> list[Ranked]:
    """Scores as `niwaki rank` writes them."""
    found = []
    with Input(source) as stream:
        for number, record in objects(stream):
            scores: dict[str, float] = {}
            for each in record.get("candidates") or ():
                score = each.get("score", math.nan) if isinstance(each, dict) else math.nan
                given = isinstance(score, int | float) and not isinstance(score, bool)
                if not given or not math.isfinite(score) or "id" not in each:
                    raise CorpusError(
                        *(stream.name, number, "candidates", f"found {shown(json.dumps(each))}"),
                        "give an id and a score each, as `niwaki rank` does",
                    )
                scores[str(each["id"])] = float(score)
            found.append(Ranked(str(record.get("id", number)), scores))
    return found


def read_judgments(source: Source) -> list[Judged]:
    """What is right: questions with labels, or qrels as trec_eval reads them.

    A line of qrels is `question 0 candidate label`.
    """
    with Input(source) as stream:
        if stream.peek(1).lstrip()[:1] != b"{":
            return _qrels(stream)
        return [
            _Line(stream.name, number, None).question(r).judged for number, r in objects(stream)
        ]


def _qrels(stream: Input) -> list[Judged]:
    found: dict[str, dict[str, bool]] = {}
    for number, line in stream.lines():
        if not line.strip():
            continue
        fields = line.split()
        if len(fields) != 4 or not fields[3].lstrip("-").isdigit():
            raise CorpusError(
                *(stream.name, number, "LINE", f"found {shown(line)}"),
                "write: question 0 candidate label",
            )
        found.setdefault(fields[0], {})[fields[2]] = int(fields[3]) > 0
    return [Judged(name, right) for name, right in found.items()]


# -- writing -----------------------------------------------------------------------------------


def write_rankings(
    ranked: Iterable[tuple[Question, Ranked]], target: Target, *, trees: bool = False
) -> None:
    """Questions with their candidates, best first; `trees` keeps words, tags and trees of all.

    What is written can be read again as questions.
    """
    with open_output(target) as out:
        for question, each in ranked:
            out.write(
                f"{json.dumps(_record(question, each, trees), ensure_ascii=False)}\n".encode()
            )


def _record(question: Question, ranked: Ranked, trees: bool) -> dict[str, Any]:
    candidates = []
    for answer in sorted(question.answers, key=lambda each: -ranked.scores[each.id]):
        record: dict[str, Any] = {"id": answer.id, "score": ranked.scores[answer.id]}
        if answer.right is not None:
            record["label"] = int(answer.right)
        candidates.append(record | _words(answer.sentence, trees))
    return {
        "id": question.id,
        "question": _words(question.sentence, trees) if trees else question.sentence.text,
        "candidates": candidates,
    }


def _words(sentence: Sentence, trees: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"text": sentence.text}
    if trees:
        found["tokens"] = list(sentence.forms)
        found |= {name: list(getattr(sentence, name)) for name in _COLUMNS}
        entities = [notes.get(ENTITY, NO_ENTITY) for notes in sentence.notes]
        if any(each != NO_ENTITY for each in entities):
            found["entities"] = entities
    return found


def of_question(ranked: Sequence[Ranked], judged: Sequence[Judged]) -> list[Ranked]:
    """The rankings of the questions that were judged, in their order.

    Judgments that know none of the names number the questions as they come, from 1.
    """
    names = {each.id: each for each in ranked}
    if not any(each.id in names for each in judged):
        names = {str(place): each for place, each in enumerate(ranked, start=1)}
    missing = [each.id for each in judged if each.id not in names]
    if missing:
        raise NiwakiError(f"no ranking of question {shown(missing[0])}; rank all that were judged")
    return [names[each.id] for each in judged]
