"""Translations for the API: the order of the words, the phrases, what else came into question."""

from __future__ import annotations

from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import model_of, translator_of
from niwaki.serve.work.ordering import shown_reordering
from niwaki.serve.work.reading import Given, read_given
from niwaki.serve.work.showing import language_of
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.nbest import Hypothesis
from niwaki.tasks.translate.preorder import Preordered, Preorderer
from niwaki.tasks.translate.system import System

Record = dict[str, Any]


def translators(entries: list[tuple[str, str]]) -> list[Record]:
    """What there is to tell of each translator."""
    found = []
    for name, path in entries:
        system = translator_of(path)
        words = system.table.source_words
        found.append(
            {
                "id": name,
                "rules": [rule.name for rule in system.rules.rules] if system.rules else None,
                "phrases": len(system.table),
                "lowercase": not any(word[:1].isupper() for word in words),
                "weights": dict(system.weights),
            }
        )
    return found


def translate(
    translator: str,
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    own_parser: bool = True,
    limit: int = SearchSettings.limit,
    nbest: int = 1,
    lowercase: bool = False,
) -> Record:
    """Translations of all sentences; where the system orders words, by trees of its own parser."""
    system = translator_of(translator)
    pipeline = _parser(system) if own_parser and system.rules is not None else model_of(model)
    sentences = read_given(given, pipeline, limits)
    texts = [tuple(each.lower() if lowercase else each for each in s.forms) for s in sentences]
    decoder = system.decoder(SearchSettings(limit))
    answers = []
    for ordered in _ordered(texts, system, pipeline):
        hypotheses = decoder.translate(ordered.tokens, nbest)
        answers.append(_record(ordered, hypotheses, system))
    told = language_of(pipeline, sentences) if system.rules is not None else {}
    return {"rules": _rule_names(system), "sentences": answers, **told}


def _parser(system: System) -> Pipeline:
    """The parser that the system was trained with; where it lies is nobody's business."""
    try:
        if system.parser is not None:
            return model_of(str(find_model(system.parser)))
    except (NiwakiError, OSError):
        pass
    raise RequestError(422, "the parser of this translator is not there; choose a model")


def _rule_names(system: System) -> list[str]:
    return [] if system.rules is None else [rule.name for rule in system.rules.rules]


def _ordered(texts: list[tuple[str, ...]], system: System, pipeline: Pipeline) -> list[Preordered]:
    if system.rules is None:
        return [Preordered(each, tuple(range(len(each)))) for each in texts]
    return list(Preorderer(pipeline.parse, system.rules).reorder(texts))


def _record(ordered: Preordered, hypotheses: tuple[Hypothesis, ...], system: System) -> Record:
    """Words as they stand in the source, their order, and phrases of places in that order."""
    if ordered.reordering is None:
        sentence = Sentence.from_words(ordered.tokens)
        record: Record = {
            "tokens": sentence.forms,
            "heads": [],
            "order": list(range(len(sentence))),
            "moves": [],
        }
    else:
        shown = shown_reordering(ordered.reordering)
        record = {
            key: shown[key] for key in ("tokens", "upos", "heads", "deprels", "order", "moves")
        }
    options = system.table.find(ordered.tokens)
    missing = set(options.spans[options.rows < 0, 0].tolist())
    return {**record, "translations": [_shown(each, missing, system) for each in hypotheses]}


def _shown(hypothesis: Hypothesis, missing: set[int], system: System) -> Record:
    """A translation; words at `missing` places have no phrase of their own."""
    features = dict(zip(system.names, map(float, hypothesis.features), strict=True))
    return {
        "tokens": hypothesis.tokens,
        "text": hypothesis.text,
        "score": hypothesis.score,
        "phrases": hypothesis.phrases,
        "copied": [
            begin for begin, end, *_ in hypothesis.phrases if end == begin + 1 and begin in missing
        ],
        "features": {
            name: {"value": value, "weight": float(system.weights[name])}
            for name, value in features.items()
        },
    }
