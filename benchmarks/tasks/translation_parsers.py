"""What a parser trained for word order is worth in translation (katzbrown2011, Tables 2 and 5).

python -m benchmarks.tasks.translation_parsers [--pairs N] [--profile fast]

English to Japanese, parallel-enja-small. Held out are the last 1,000 questions and the last 4,000
other sentences whose English stands nowhere else; parsers, rules and translators learn from the
rest. A parser of EWT is trained on with automatic references of word order ("after"), or for as
long with EWT alone ("before"). Each way to order words has its own translator, with the
reordering model and jumps of at most 4 words. As in the paper, all share the weights, tuned with
a third parser (`en`): nothing but the order differs. `frs_linked` is that of the same test
sentences against their automatic references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import report, signature
from benchmarks.tasks._adapting import WORK, loaded, lower_case, task_parser
from benchmarks.tasks._translation import (
    Made,
    Parts,
    Texts,
    Trial,
    add_settings,
    ordered,
    parts_of,
    together,
)
from benchmarks.tasks.word_order import PROFILES, Runs, make_references
from niwaki.analysis.orders import rule_system
from niwaki.data.bilingual.references import Reference, read_references, write_references
from niwaki.data.sentence import Sentence
from niwaki.metrics.reordering import OrderEvaluation
from niwaki.metrics.significance import compare
from niwaki.metrics.translation import TranslationEvaluation, evaluate_translation
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rulewriting import format_rules

QUESTIONS, OTHERS = 1_000, 4_000
LEARNED_FROM = 5_000
# How often references are visited for each tree: what benchmarks.tasks.word_order chose.
SCHEDULE = 2.0
SETS = ("questions", "others", "all")


@dataclass(frozen=True)
class Held:
    """What is held out: references of the test, those to learn from, and parts for translators."""

    test: list[Reference]
    learned: list[Reference]
    parts: Parts

    @cached_property
    def is_question(self) -> np.ndarray:
        return np.array([each.tokens[-1] == "?" for each in self.test])

    def of(self, name: str) -> np.ndarray:
        """Which test sentences belong to a set."""
        if name == "all":
            return np.ones(len(self.test), np.bool_)
        return self.is_question == (name == "questions")


def held_out(pairs: int, tuning: int) -> Held:
    """The data in parts; ids of references are lines of the training text."""
    files = make_references()
    text = parts_of("enja").train
    seen = Counter(source for source, _ in text)
    single = [at for at, (source, _) in enumerate(text) if seen[source] == 1]
    kinds: tuple[list[int], list[int]] = [], []
    for at in single:
        kinds[text[at][0].endswith("?")].append(at)
    wanted = sorted([*kinds[1][-QUESTIONS:], *kinds[0][-OTHERS:]])
    away = set(wanted)
    # The parser's references are of the words of all pairs but the last; ids count from 1.
    known = {
        each.id: each for part in ("train", "dev", "test") for each in read_references(files[part])
    }
    learned = [each for each in read_references(files["train"]) if int(each.id) - 1 not in away]
    rest = [pair for at, pair in enumerate(text) if at not in away][:pairs]
    test = Texts([tuple(text[at][0].split()) for at in wanted], [text[at][1] for at in wanted])
    parts = Parts(rest, parts_of("enja", tuning=tuning).tuning, test)
    return Held([known[str(at + 1)] for at in wanted], learned, parts)


def parsed(model: str | Path, references: Sequence[Reference]) -> list[Sentence]:
    words = [Sentence.from_words(each.tokens) for each in references]
    return list(loaded(Path(model)).parse(words, retag=True))


def learned_rules(model: Path, held: Held) -> Path:
    """Rules learned from references, on trees of a parser."""
    path = WORK / f"translation-rules-{model.stem}.toml"
    if not path.exists():
        some = held.learned[:LEARNED_FROM]
        rules = learn_rules(collect_events(parsed(model, some), some)).rules
        path.write_text(format_rules(rules), encoding="utf-8")
    return path


class Ways:
    """Ways to order words, each with its translator; all decode with one set of weights."""

    def __init__(self, held: Held, arguments: Any) -> None:
        self._held, self._arguments = held, arguments
        self._weights: list[np.ndarray] | None = None

    def _trial(self, rules: str | None, model: str) -> Trial:
        made = Made("enja-parsers", self._held.parts.train, rules, model)
        system, _ = made.train_system()
        tuning, test = (
            ordered(system, each, model)
            for each in (self._held.parts.tuning, self._held.parts.test)
        )
        return Trial(f"parsers {made.identity}", system, tuning, test, self._arguments)

    def tune(self, rules: str, model: str) -> list[float]:
        trial = self._trial(rules, model)
        found = [trial.tuned(seed) for seed in range(1, self._arguments.runs + 1)]
        self._weights = [weights for weights, _ in found]
        return [round(bleu, 2) for _, bleu in found]

    def texts(self, rules: str | None, model: str) -> list[list[str]]:
        """Translations of the test, one for each set of weights."""
        assert self._weights is not None
        trial = self._trial(rules, model)
        return [trial.texts(weights) for weights in self._weights]

    def scored(self, texts: Sequence[Sequence[str]], name: str) -> TranslationEvaluation:
        places = np.flatnonzero(self._held.of(name)).tolist()
        wanted = [self._held.parts.test.references[at] for at in places]
        return together(
            [
                evaluate_translation(wanted, [run[at] for at in places], scores=("BLEU",))
                for run in texts
            ]
        )

    def orders(self, rules: str, model: str) -> np.ndarray:
        """Counts of `frs_linked` and its kin, a row a sentence."""
        trees = parsed(model, self._held.test)
        return rule_system("", self._held.test, trees, load_rules(rules)).evaluation.pieces

    def order_score(self, pieces: np.ndarray, name: str) -> OrderEvaluation:
        some = pieces[self._held.of(name)]
        return OrderEvaluation.of_pieces(some, np.ones(len(some), dtype=np.bool_))


def difference(first: Any, other: Any, metric: str, digits: int) -> dict[str, Any]:
    (found,) = (each for each in compare(first, other) if each.metric == metric)
    return {
        "gain": round(found.difference, digits),
        "interval": [round(found.low, digits), round(found.high, digits)],
    }


def main() -> None:
    made = task_parser(__doc__)
    made.add_argument("--pairs", type=int, default=20_000, help="to train translators on")
    add_settings(made)
    made.set_defaults(limit=4, profile="fast")
    arguments = made.parse_args()
    held = held_out(arguments.pairs, arguments.tuning)
    profile = PROFILES[arguments.profile]
    base, beside = lower_case(arguments, profile)
    runs = Runs("transition", base, profile, beside)
    file = WORK / "translation-parsers.jsonl"
    write_references(held.learned, file)
    before = runs.train_on({})
    after = runs.train_on({"train": file}, schedule=SCHEDULE)
    ways: dict[str, tuple[str | None, str]] = {
        "hand rules, before": ("ja", str(before)),
        "hand rules, after": ("ja", str(after)),
        "learned rules, before": (str(learned_rules(before, held)), str(before)),
        "learned rules, after": (str(learned_rules(after, held)), str(after)),
        "hand rules, en": ("ja", "en"),
        "no pre-ordering": (None, "en"),
    }
    work = Ways(held, arguments)
    result: dict[str, Any] = {
        "signature": signature(**{k: str(v) for k, v in vars(arguments).items()}),
        "sentences": {
            "references to learn from": len(held.learned),
            "training": len(held.parts.train),
            "tuning": len(held.parts.tuning.source),
            **{name: int(held.of(name).sum()) for name in SETS},
        },
        "tuned with hand rules, en": work.tune("ja", "en"),
    }
    texts: dict[str, list[list[str]]] = {}
    orders: dict[str, np.ndarray] = {}
    first = next(iter(ways))
    for name, (rules, model) in ways.items():
        texts[name] = work.texts(rules, model)
        orders[name] = work.orders(rules or "none", model)
        result[name] = {
            each: {
                "BLEU": round(work.scored(texts[name], each).scores["BLEU"], 2),
                "frs_linked": round(work.order_score(orders[name], each).scores["frs_linked"], 4),
                "BLEU over the first": difference(
                    work.scored(texts[first], each), work.scored(texts[name], each), "BLEU", 2
                ),
                "frs_linked over the first": difference(
                    work.order_score(orders[first], each),
                    work.order_score(orders[name], each),
                    "frs_linked",
                    4,
                ),
            }
            for each in SETS
        }
        report("translation-parsers", result)


if __name__ == "__main__":
    main()
