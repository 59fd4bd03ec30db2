"""Turkish and Hindi, for which no links by people are at hand: rules against automatic links.

python -m benchmarks.tasks.automatic [tr] [hi] [--model en]

`niwaki.align` links each pair of languages over all its text at once. Rules were tuned on the
first part of each corpus, and are learned on it (on its first 5,000 sentences at most); only
the other part is scored here.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.analysis.orders import compare_systems, rule_system
from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.align import Settings, link, train
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import Settings as Learning
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.rulefile import load_rules

BASELINES = ("none", "reverse", "head-final-before", "head-final-after")
METRICS = ("frs_linked", "tau")
LEARNED_FROM = 5_000
# Much text has many votes; a split must gain more of them than by default to be worth reading.
LEARNING = Learning(class_gain=4, head_gain=6, move_gain=2, splits=30)
# Suffixes are many: words count by their first letters.
ALIGNER = dataclasses.replace(Settings(), target_prefix=5)
MARKS = r"[.,!?;:\"()…।|]"
TOKEN = re.compile(rf"{MARKS}|(?:(?!{MARKS})\S)+")


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Trees of the English side and the words of the other; the first `seen` are for learning."""

    trees: Sequence[Sentence]
    targets: Sequence[Sequence[str]]
    seen: int


def treebanks(english: str, other: str, parts: Sequence[str]) -> Corpus:
    """Two parallel treebanks; the last part is kept for scoring, or the second half of one."""

    def read(base: str) -> list[list[Sentence]]:
        return [list(niwaki.read_conllu(need(DATA / base.format(part)))) for part in parts]

    trees, targets = read(english), read(other)
    seen = sum(map(len, trees[:-1])) or len(trees[0]) // 2
    words = [sentence.forms for part in targets for sentence in part]
    return Corpus([tree for part in trees for tree in part], words, seen)


def tatoeba(language: str, model: Pipeline) -> Corpus:
    """Raw text, a sentence a line, parsed; the last tenth is kept for scoring."""
    base = need(DATA / "parallel-tatoeba" / f"en-{language}.en")
    other = base.with_suffix(f".{language}").read_text(encoding="utf-8").splitlines()
    assert model.segmenter is not None
    sentences = model.segmenter.segment(base.read_text(encoding="utf-8"), by_lines=True)
    trees = list(model.parse(sentences))
    return Corpus(trees, [TOKEN.findall(line) for line in other], len(trees) * 9 // 10)


def corpora(language: str, model: Pipeline) -> dict[str, Corpus]:
    pud = "ud-{0}-pud/{1}_pud-ud-test.conllu"
    name = {"tr": "turkish", "hi": "hindi"}[language]
    found = {
        "PUD": treebanks(pud.format("english", "en"), pud.format(name, language), [""]),
        "Tatoeba": tatoeba(language, model),
    }
    if language == "tr":
        atis = "ud-{0}-atis/{1}_atis-ud-{{}}.conllu"
        found["Atis"] = treebanks(
            atis.format("english", "en"), atis.format(name, "tr"), ["train", "dev", "test"]
        )
    return found


def make_references(corpora: dict[str, Corpus]) -> dict[str, list[Reference]]:
    """References from links that are learned over all corpora together."""
    pairs = [
        (tree.forms, target)
        for corpus in corpora.values()
        for tree, target in zip(corpus.trees, corpus.targets, strict=True)
    ]
    links = [link(each) for each in train(pairs, ALIGNER, threads=2).posteriors(len(pairs))]
    found: dict[str, list[Reference]] = {}
    start = 0
    for name, corpus in corpora.items():
        mine = links[start : start + len(corpus.trees)]
        start += len(mine)
        found[name] = [
            make_reference(tree.forms, each, str(number))
            for number, (tree, each) in enumerate(zip(corpus.trees, mine, strict=True), start=1)
        ]
    return found


def scored(language: str, corpus: Corpus, wanted: Sequence[Reference]) -> dict[str, Any]:
    trees, seen = corpus.trees, corpus.seen
    first = slice(min(seen, LEARNED_FROM))
    learned = learn_rules(collect_events(trees[first], wanted[first]), settings=LEARNING).rules
    sets = {name: load_rules(name) for name in (*BASELINES, language)} | {"learned": learned}
    systems = [
        rule_system(name, wanted[seen:], trees[seen:], rules) for name, rules in sets.items()
    ]
    hand = len(BASELINES)
    return {
        "sentences": len(wanted) - seen,
        "linked": round(
            sum(len(each.linked or ()) for each in wanted[seen:])
            / sum(len(each.tokens) for each in wanted[seen:]),
            3,
        ),
        "rules, tuples learned": [
            len(learned.rules),
            sum(len(rule.placements) for rule in learned.rules),
        ],
        **{
            system.name: {m: round(system.evaluation.scores[m], 4) for m in METRICS}
            for system in systems
        },
        "learned minus hand": {
            each.metric: [round(each.difference, 4), round(each.p, 4)]
            for each in compare_systems(systems, 10_000, 1)[hand, hand + 1]
            if each.metric in METRICS
        },
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("languages", nargs="*", help="tr, hi (default: both)")
    made.add_argument("--model", default="en", help="parses Tatoeba")
    arguments = made.parse_args()
    model = niwaki.load(arguments.model)
    for language in arguments.languages or ("tr", "hi"):
        found = corpora(language, model)
        wanted = make_references(found)
        result = {
            "signature": signature(
                model=arguments.model, aligner=ALIGNER.signature, learning=str(LEARNING)
            ),
            **{name: scored(language, corpus, wanted[name]) for name, corpus in found.items()},
        }
        report(f"reordering-automatic-{language}", result)


if __name__ == "__main__":
    main()
