"""A parser trained for word order (Hall et al. 2011, Table 1): English for Japanese.

python -m benchmarks.tasks.word_order [--profile fast] [--kind graph] [--base MODEL] [--tune]

References come from `niwaki align` on 50,000 pairs, so they are automatic. Held out for
the test are the last 5,000 pairs whose English stands nowhere else, and 2,000 before
them for choosing settings (--tune). The links of people on other text (align-pud) are
scored too. A model of EWT is trained on with the objective, beside EWT; what it is
compared with was trained on for as long with EWT alone.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    WORK,
    TaggedTreebank,
    graph_model,
    loaded,
    lower_case,
    task_parser,
    trained,
)
from niwaki.analysis.orders import rule_system
from niwaki.data.bilingual.bitext import read_bitext, read_linked_bitext
from niwaki.data.bilingual.references import Reference, read_references, write_references
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import AttachmentEvaluation, evaluate
from niwaki.metrics.reordering import OrderEvaluation, linked_mask
from niwaki.metrics.significance import compare
from niwaki.tasks.align import link, train
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.rulefile import load_rules

EWT = DATA / "ud-english-ewt"
TEXT = DATA / "parallel-enja-small"
PUD = DATA / "align-pud" / "en-ja"
SHOWN = ("frs_linked", "exact_linked", "tau", "frs")

# What was chosen on the held-out development references and EWT dev.
ORDER: dict[str, Any] = {"kind": "reordering", "rules": "ja", "k": 8, "select": "hard", "step": 1.0}
SELECT: dict[str, dict[str, dict[str, Any]]] = {
    "transition": {
        "hope-fear": {"select": "hope-fear", "scale": 300.0},
        "all-cheaper": {"select": "all-cheaper"},
        "expected": {"select": "expected", "scale": 50.0, "step": 20.0},
    },
    "graph": {
        "hope-fear": {"select": "hope-fear", "scale": 4.0},
        "all-cheaper": {"select": "all-cheaper"},
        "expected": {"select": "expected", "scale": 1.0, "step": 4.0},
    },
}
# One in `share` sentences of EWT is seen beside the task, in `on` passes.
PROFILES: dict[str, dict[str, Any]] = {
    "full": {"epochs": 12, "share": 1, "on": 2, "schedules": (0.5, 1.0, 2.0)},
    "standard": {"epochs": 12, "share": 2, "on": 1, "schedules": (0.5, 1.0, 2.0)},
    "fast": {"epochs": 3, "share": 4, "on": 1, "schedules": (0.5, 1.0, 2.0, 4.0)},
}
# Of the references to learn from, those with better links: at least so likely, on so many
# words, and on such a share of them.
SURE = {"threshold": 0.8, "words": 6, "share": 0.5}


def make_references() -> dict[str, Path]:
    """The references of all parts, aligned once and kept."""
    files = {part: WORK / f"enja-{part}.jsonl" for part in ("train", "sure", "dev", "test")}
    if all(path.exists() for path in files.values()):
        return files
    WORK.mkdir(parents=True, exist_ok=True)
    pairs = list(read_bitext(need(TEXT / "train.en"), TEXT / "train.ja"))
    links, sure = [], []
    for each in train([(p.source, p.target) for p in pairs]).posteriors():
        links.append(link(each))
        sure.append(link(each, threshold=SURE["threshold"]))
    seen = Counter(tuple(pair.source) for pair in pairs)
    single = [at for at, pair in enumerate(pairs) if seen[tuple(pair.source)] == 1]
    test, dev = single[-5000:], single[-7000:-5000]
    held_out = {*test, *dev}
    parts = {"test": test, "dev": dev}
    parts["train"] = [at for at in range(len(pairs)) if at not in held_out]
    for part, numbers in parts.items():
        made = (make_reference(pairs[at].source, links[at], str(at + 1)) for at in numbers)
        write_references(made, files[part])
    made = (make_reference(pairs[at].source, sure[at], str(at + 1)) for at in parts["train"])
    write_references((each for each in made if _is_sure(each)), files["sure"])
    return files


def _is_sure(reference: Reference) -> bool:
    linked = int(linked_mask(reference).sum())
    return linked >= SURE["words"] and linked >= SURE["share"] * len(reference.tokens)


def people_references() -> list[Reference]:
    """References of links by people, in lower case like the training text."""
    pairs = read_linked_bitext(
        *(need(PUD / f"dev.{end}") for end in ("en", "ja", "align")), lambda fault: None
    )
    return [
        make_reference([word.lower() for word in p.source], p.links, str(p.number))
        for p in pairs
        if p.links
    ]


Look = tuple[dict[str, OrderEvaluation], AttachmentEvaluation]


class Judge:
    """Scores models beside a baseline, on word order and on trees."""

    def __init__(self, part: str, references: dict[str, list[Reference]]) -> None:
        self._part, self._references = part, references
        self._gold = list(niwaki.read_conllu(need(EWT / f"en_ewt-ud-{part}.conllu")))

    def look(self, model: Path) -> Look:
        """What a model does; kept, because it never changes."""
        path = WORK / f"{model.stem}-{self._part}.safetensors"
        if not path.exists():
            found = {"trees": evaluate(self._gold, self._parsed(model, self._gold)).counts}
            for name, references in self._references.items():
                words = [Sentence.from_words(each.tokens) for each in references]
                parsed = self._parsed(model, words)
                system = rule_system(name, references, parsed, load_rules("ja"))
                found[name] = system.evaluation.pieces
            save_file(found, path)
        kept = load_file(path)
        orders = {
            name: OrderEvaluation.of_pieces(kept[name], np.ones(len(kept[name]), dtype=np.bool_))
            for name in self._references
        }
        return orders, AttachmentEvaluation(kept["trees"])

    @staticmethod
    def _parsed(model: Path, sentences: list[Sentence]) -> list[Sentence]:
        return list(loaded(model).parse(sentences, retag=True))

    def beside(self, baseline: Look, model: Path) -> dict[str, Any]:
        orders, trees = self.look(model)
        found: dict[str, Any] = {}
        for name, evaluation in orders.items():
            found[name] = {
                each.metric: {
                    "score": round(each.b, 4),
                    "gain": round(each.difference, 4),
                    "interval": [round(each.low, 4), round(each.high, 4)],
                }
                for each in compare(baseline[0][name], evaluation)
                if each.metric in SHOWN
            }
        found["EWT"] = {
            each.metric: {
                "score": round(each.b, 2),
                "gain": round(each.difference, 2),
                "interval": [round(each.low, 2), round(each.high, 2)],
            }
            for each in compare(baseline[1], trees)
            if each.metric in ("UAS", "LAS")
        }
        return found


class Runs:
    """The runs of one kind of parser: its base trained on, with and without the objective."""

    def __init__(
        self, kind: str, base: Path, profile: dict[str, Any], beside: TaggedTreebank
    ) -> None:
        self.kind, self.base, self._profile, self._beside = kind, base, profile, beside

    def train_on(self, data: dict[str, Path], **more: Any) -> Path:
        """The base trained on; without `schedule` there is only the treebank."""
        objectives: list[dict[str, Any]] = [{"data": str(self._beside.file)}]
        if "schedule" in more:
            references = data[more.pop("references", "train")]
            objectives.append({**ORDER, **more, "data": str(references)})
        record: dict[str, Any] = {
            "objective": objectives,
            "training": {"epochs": self._profile["on"]},
        }
        return trained(f"on-{self.kind}", record, self.base, self._beside.tags)

    def variants(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for schedule in self._profile["schedules"]:
            yield f"schedule {schedule}", {"schedule": schedule}
        yield "schedule 2.0, sure links", {"schedule": 2.0, "references": "sure"}
        yield "schedule 2.0, k 16", {"schedule": 2.0, "k": 16}
        yield "schedule 2.0, tags 4", {"schedule": 2.0, "tags": 4}
        for name, choice in SELECT[self.kind].items():
            yield f"schedule 2.0, {name}", {"schedule": 2.0, **choice}


def main() -> None:
    made = task_parser(__doc__)
    made.add_argument("--kind", choices=["transition", "graph"], default="transition")
    made.add_argument("--tune", action="store_true", help="score on the development data")
    made.add_argument("--only", nargs="*", help="names of variants, such as 'schedule 2.0'")
    arguments = made.parse_args()
    profile = PROFILES[arguments.profile]
    data = make_references()
    base, beside = lower_case(arguments, profile)
    if arguments.kind == "graph":
        base = graph_model()
    runs = Runs(arguments.kind, base, profile, beside)
    part = "dev" if arguments.tune else "test"
    references = {"automatic": list(read_references(data[part]))}
    if not arguments.tune:
        references["people"] = people_references()
    judge = Judge(part, references)
    baseline = judge.look(runs.train_on(data))
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, settings=ORDER, part=part),
        "sentences": {name: len(each) for name, each in references.items()},
        "before": judge.beside(baseline, base),
        "EWT alone": judge.beside(baseline, runs.train_on(data)),
    }
    for name, more in runs.variants():
        if arguments.only and name not in arguments.only:
            continue
        result[name] = judge.beside(baseline, runs.train_on(data, **more))
        print(arguments.kind, name, result[name], file=sys.stderr, flush=True)
        if not arguments.tune:
            report(f"word-order-{arguments.kind}", result)


if __name__ == "__main__":
    main()
