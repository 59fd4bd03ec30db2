"""The model in the box adapted to word order, scored on links by people, in folds.

python -m benchmarks.tasks.people_links [kftt ja ko] [--without automatic] [--sizes 50 100 200]
python -m benchmarks.tasks.people_links kftt --base en-accurate --without automatic silver

Five folds: what is scored was never learned from, neither its links nor its text. Beside a quarter
of EWT and automatic trees (those that `make model` trains the model in the box on) it learns by
references of people (the other four folds) and by automatic ones of text in the same language;
rules are learned from the former, on trees of either parser. `--without` leaves out an ingredient;
`--sizes` draws learning curves. Settings were chosen on two folds of KFTT, with `en`.
A network takes longer: give it fewer `--passes`; `--folds` scores the first ones only.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, loaded, trained, write
from niwaki.analysis.orders import rule_system
from niwaki.data.bilingual.bitext import read_linked_bitext
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.reordering import OrderEvaluation, linked_mask
from niwaki.metrics.significance import compare
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.align import link, train
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.rulefile import load_rules

FOLDS = 5
SHOWN = ("frs_linked", "exact_linked")
PEOPLE: dict[str, Any] = {"k": 64}
PASSES = 10
AUTOMATIC = 3000
# Of automatic references, those with links on so many words, and on such a share of them.
LEAST_LINKED, SHARE_LINKED = 4, 0.6
# Trees beside the references, so that the parser forgets nothing: of EWT every so many, and so
# many of the automatic ones that the model in the box was trained on.
EWT_STEP, SILVER = 4, 6000
SILVER_TREES = Path("build/silver-accurate")
INGREDIENTS = ("people", "automatic", "silver")
# Words of text that nobody split: what spaces and punctuation at the ends of words divide.
_WORD = re.compile(r"\S+(?<=\w)(?=[^\w\s]+(?:\s|$))|[^\w\s]+(?=\s|$)|\S+")


@dataclass(frozen=True)
class Text:
    """Sentences with links by people, and pairs of the same kind of text."""

    folder: Path
    language: str
    pairs: tuple[Path, ...]  # NAME.en.gz, NAME.ja.gz
    lowercase: bool
    raw: bool = False  # pairs are not split into words


TEXTS = {
    "kftt": Text(DATA / "align-enja-kftt", "ja", (DATA / "kftt-30k" / "train",), lowercase=True),
    "ja": Text(DATA / "align-pud" / "en-ja", "ja", (DATA / "kftt-30k" / "train",), lowercase=False),
    "ko": Text(
        DATA / "align-pud" / "en-ko",
        "ko",
        tuple(DATA / pack / "en-ko" for pack in ("python-docs", "libreoffice-help", "game-text")),
        lowercase=False,
        raw=True,
    ),
}


def people_references(text: Text) -> list[Reference]:
    source, target, links = (
        need(text.folder / f"dev.{end}") for end in ("en", text.language, "align")
    )
    pairs = read_linked_bitext(source, target, links, lambda fault: None)
    return [make_reference(list(p.source), p.links, str(p.number)) for p in pairs if p.links]


@cache
def pairs_of(text: Text) -> list[tuple[list[str], list[str]]]:
    """Parallel text of the language, in a drawn order, without sentences that are scored."""
    scored = {_key(each.tokens) for each in people_references(text)}
    found = []
    for name in text.pairs:
        sides = []
        for language in ("en", text.language):
            path = need(Path(f"{name}.{language}.gz"))
            with gzip.open(path, "rt", encoding="utf-8") as file:
                sides.append([_WORD.findall(line) if text.raw else line.split() for line in file])
        found += [p for p in zip(*sides, strict=True) if p[0] and p[1] and _key(p[0]) not in scored]
    return [found[at] for at in np.random.default_rng(1).permutation(len(found)).tolist()]


def _key(words: Sequence[str]) -> str:
    return " ".join(words).lower()


def automatic_references(text: Text) -> Path:
    """References from links that `niwaki align` finds, where it links much."""
    path = WORK / f"people-links-{text.language}-{text.lowercase}.jsonl"
    if not path.exists():
        pairs = pairs_of(text)
        made: list[Reference] = []
        for number, each in enumerate(train(pairs).posteriors()):
            words = [w.lower() for w in pairs[number][0]] if text.lowercase else pairs[number][0]
            reference = make_reference(words, link(each), f"a{number}")
            if linked_mask(reference).sum() >= max(LEAST_LINKED, SHARE_LINKED * len(words)):
                made.append(reference)
        WORK.mkdir(parents=True, exist_ok=True)
        write_references(made[:AUTOMATIC], path)
    return path


def trees_beside(name: str, files: Sequence[Path], step: int = 1, most: int | None = None) -> Path:
    """Every so many of the trees in files, or so many drawn ones, as one file."""
    trees = [tree for file in files for tree in niwaki.read_conllu(file)][::step]
    drawn = np.random.default_rng(1).permutation(len(trees))[:most].tolist() if most else None
    kept = trees if drawn is None else [trees[at] for at in drawn]
    return write(WORK / f"{name}-{len(kept)}.conllu", kept)


@dataclass(frozen=True)
class Recipe:
    """What is learned from, how often, and in which folds."""

    parts: Sequence[str]
    passes: int
    folds: int
    threads: int | None


def adapted(
    base: Path, name: str, text: Text, learned: Sequence[Reference], recipe: Recipe
) -> Path:
    """A model adapted by some ingredients."""
    parts = recipe.parts
    banks = [trees_beside("ewt", [need(EWT_TRAIN)], EWT_STEP)]
    if "silver" in parts:
        files = sorted(need(SILVER_TREES).glob("*.conllu.gz"))
        banks.append(trees_beside("silver", files, most=SILVER))
    trees = sum(1 for bank in banks for _ in niwaki.read_conllu(bank))
    order = {"kind": "reordering", "rules": text.language}
    costs = []
    if "people" in parts:
        file = WORK / f"people-links-{name}.jsonl"
        write_references(learned, file)
        visits = recipe.passes * len(learned) / trees
        costs.append({**order, **PEOPLE, "data": str(file), "schedule": visits})
    if "automatic" in parts:
        data = str(automatic_references(text))
        costs.append({**order, "k": 16, "data": data, "schedule": AUTOMATIC / trees})
    treebanks = [{"data": str(bank)} for bank in banks]
    record = {"objective": [*treebanks, *costs], "training": {"epochs": 1}}
    return trained(f"people-links-{base.stem}-{name}", record, base, threads=recipe.threads)


def judged(start: Path, name: str, recipe: Recipe, size: int | None) -> dict[str, Any]:
    """Gains over the folds: of the parser, of rules, of both; and what became of EWT dev."""
    text = TEXTS[name]
    references, base = people_references(text), loaded(start)
    gold = list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu")))
    pieces: dict[str, list[Any]] = {}
    las = []
    for fold in range(recipe.folds):
        others = [r for at, r in enumerate(references) if at % FOLDS != fold]
        drawn = np.random.default_rng(fold).permutation(len(others))[:size].tolist()
        learned = [others[at] for at in drawn]
        model = loaded(adapted(start, f"{name}-{fold}", text, learned, recipe))
        las.append(evaluate(gold, list(model.parse(gold, retag=True))).scores["LAS"])
        for parser, nlp in (("base", base), ("adapted", model)):
            rules = {
                "by hand": load_rules(text.language),
                "learned": learn_rules(collect_events(_parsed(nlp, learned), learned)).rules,
            }
            tested = references[fold::FOLDS]
            trees = _parsed(nlp, tested)
            for kind, each in rules.items():
                found = rule_system(name, tested, trees, each).evaluation.pieces
                pieces.setdefault(f"{parser}, rules {kind}", []).append(found)
    systems = {
        way: OrderEvaluation.of_pieces(np.concatenate(x), np.ones(sum(map(len, x)), dtype=np.bool_))
        for way, x in pieces.items()
    }
    before = systems.pop("base, rules by hand")
    gains = {way: _gains(before, system) for way, system in systems.items()}
    before_las = evaluate(gold, list(base.parse(gold, retag=True))).scores["LAS"]
    return {**gains, "EWT LAS": [round(before_las, 2), round(float(np.mean(las)), 2)]}


def _parsed(model: Pipeline, references: Sequence[Reference]) -> list[Sentence]:
    return list(model.parse([Sentence.from_words(each.tokens) for each in references]))


def _gains(before: OrderEvaluation, after: OrderEvaluation) -> dict[str, Any]:
    return {
        each.metric: {
            "before": round(each.a, 4),
            "gain": round(each.difference, 4),
            "interval": [round(each.low, 4), round(each.high, 4)],
        }
        for each in compare(before, after)
        if each.metric in SHOWN
    }


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("texts", nargs="*", default=list(TEXTS), help="default: all")
    made.add_argument("--base", type=Path, default=Path("en"), help="a model (default: en)")
    made.add_argument("--without", nargs="*", default=[], choices=INGREDIENTS)
    made.add_argument("--sizes", nargs="*", type=int, default=[], help="of references of people")
    made.add_argument("--passes", type=int, default=PASSES, help="over references of people")
    made.add_argument("--folds", type=int, default=FOLDS, help=f"of {FOLDS}, the first so many")
    made.add_argument("--threads", type=int, help="to train with (default: all cores)")
    arguments = made.parse_args()
    recipe = Recipe(
        [each for each in INGREDIENTS if each not in arguments.without],
        arguments.passes,
        arguments.folds,
        arguments.threads,
    )
    result: dict[str, Any] = {
        "signature": signature(
            base=str(arguments.base),
            people=PEOPLE,
            passes=recipe.passes,
            folds=f"{recipe.folds} of {FOLDS}",
            parts=recipe.parts,
        )
    }
    for name in arguments.texts:
        for size in arguments.sizes or [None]:
            row = f"{name} {size}" if size else name
            result[row] = judged(arguments.base, name, recipe, size)
            print(row, result[row], file=sys.stderr, flush=True)
    left = "".join(f"-without-{each}" for each in arguments.without)
    of = "" if arguments.base == Path("en") else f"-{arguments.base.stem}"
    report(f"people-links{of}{left}{'-sizes' if arguments.sizes else ''}", result)


if __name__ == "__main__":
    main()
