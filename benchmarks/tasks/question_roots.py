"""Roots of questions: a rule finds them in unlabelled text, the English model learns them.

The rule looks at words and predicted tags of unlabelled questions. It, and the settings of
configs/question-roots.toml, were chosen on the dev parts (and ESL's training part, which no model
here learns from); test parts are only scored. To tell what the roots do from what training on does,
the model is also trained on with EWT alone: with the same visits of its sentences, and with as many
visits as EWT and the questions have together. `--write` only writes the questions with their roots.
python -m benchmarks.tasks.question_roots
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, DATA_LINK, ROOT, need, parser, report, signature
from niwaki import Sentence
from niwaki.metrics.attachment import AttachmentEvaluation
from niwaki.metrics.significance import compare
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.config import TreebankConfig
from niwaki.training.config_file import read_config
from niwaki.training.run import train

CONFIG = ROOT / "configs" / "question-roots.toml"
ROOTS = ROOT / "build" / "question-roots.conllu"
SOURCES = ("tatoeba", "webquestions", "naturalquestions")
QUESTIONS = ("ewt-dev", "childes-dev", "atis-dev", "eslspok-train", "ewt-test", "atis-test")
EWT = ("dev", "test")
SCORES = ("root", "LAS")
BOX, SAME, AS_MANY = "model in the box", "EWT alone", "EWT alone, as many sentences"
WITH_ROOTS = "roots by rule"

QUESTION_WORDS = frozenset("what which who whose where when why how".split())
BE = frozenset("is are was were 's ’s 're ’re".split())
OPENINGS = frozenset("so well then and but also".split())
NOMINAL = frozenset({"DET", "NOUN", "PROPN", "PRON", "ADJ", "NUM"})
NOUNS = frozenset({"NOUN", "PROPN", "PRON"})


def root_by_rule(sentence: Sentence) -> tuple[str, int] | None:
    """Which rule tells the root of a tagged question, and where that is.

    copula: "What is the capital ...?", without a verb: the question word, as in EWT.
    verb: a question with one verb and no form of "be": that verb.
    """
    words, tags = [form.lower() for form in sentence.forms], sentence.upos
    start = 0
    while start < len(words) - 2 and (
        tags[start] in ("INTJ", "PUNCT", "CCONJ") or words[start] in OPENINGS
    ):
        start += 1
    if start + 3 > len(words) or words[start] not in QUESTION_WORDS:
        return None
    verbs = [place for place, tag in enumerate(tags) if tag == "VERB"]
    if words[start + 1] in BE:
        fits = words[start] in ("what", "who", "where", "when") and tags[start + 2] in NOMINAL
        is_copula = fits and not verbs and not NOUNS.isdisjoint(tags[start + 2 :])
        return ("copula", start) if is_copula else None
    if len(verbs) == 1 and BE.isdisjoint(words) and words[start + 1] != "about":
        return "verb", verbs[0]
    return None


def write_roots(nlp: Pipeline) -> dict[str, Any]:
    """Write the questions whose root is known; how often the model finds another one."""
    counts: dict[str, dict[str, int]] = {}
    found = []
    for source in SOURCES:
        text = need(DATA / "unlabelled-questions" / f"{source}.txt").read_text()
        for sentence in nlp.parse(nlp.read(text, by_lines=True)):
            known = root_by_rule(sentence)
            if known is None:
                continue
            rule, root = known
            of_rule = counts.setdefault(f"{source}, {rule}", {"questions": 0, "other root": 0})
            of_rule["questions"] += 1
            of_rule["other root"] += sentence.heads[root] != 0
            unknown = range(len(sentence))
            found.append(
                sentence.replace(
                    heads=[0 if place == root else -1 for place in unknown],
                    deprels=["root" if place == root else "_" for place in unknown],
                )
            )
    ROOTS.parent.mkdir(exist_ok=True)
    niwaki.write_conllu(found, ROOTS)
    return counts


def score(gold: Sequence[Sentence], nlp: Pipeline, beam: int = 8) -> AttachmentEvaluation:
    rows = []
    for one, other in zip(gold, nlp.parse(gold, beam=beam, retag=True), strict=True):
        arcs = zip(one.heads, one.deprels, other.heads, other.deprels, strict=True)
        right = sum((head, label) == (found, name) for head, label, found, name in arcs)
        root = one.heads.index(0) == other.heads.index(0)
        rows.append([(root, 1, 1), (right, len(one), len(one))])
    return AttachmentEvaluation(np.array(rows, dtype=np.int64), SCORES)


def rule_scores(sets: dict[str, list[Sentence]], nlp: Pipeline) -> dict[str, Any]:
    """How often the rule and the model are right where the rule says something, on dev parts."""
    found: dict[str, Any] = {}
    for name in QUESTIONS[:4]:
        for gold, parsed in zip(sets[name], nlp.parse(sets[name], retag=True), strict=True):
            known = root_by_rule(parsed)
            if known is not None:
                row = found.setdefault(f"{name}, {known[0]}", {"all": 0, "rule": 0, "model": 0})
                row["all"] += 1
                row["rule"] += gold.heads[known[1]] == 0
                row["model"] += gold.heads[parsed.heads.index(0)] == 0
    return found


def trained_on(way: str, seed: int) -> Pipeline:
    need(DATA_LINK)
    config = read_config(str(CONFIG))
    objectives = config.objective
    if way != WITH_ROOTS:
        trees, questions = objectives
        assert isinstance(trees, TreebankConfig) and isinstance(questions, TreebankConfig)
        share = count(questions) / count(trees) if way == AS_MANY else 0
        objectives = (replace(trees, weight=trees.weight + questions.weight * share),)
    training = replace(config.training, seed=seed)
    config = replace(config, objective=objectives, training=training)
    with tempfile.TemporaryDirectory() as folder:
        return train(config, Path(folder) / "m.niwaki", threads=1, init=niwaki.load())


def count(treebank: TreebankConfig) -> int:
    return sum(1 for file in treebank.data for _ in niwaki.read_conllu(file, unknown_heads=True))


def measure(sets: dict[str, list[Sentence]], seeds: int) -> dict[str, Any]:
    """Scores of all seeds together, and differences to the model in the box and to the controls."""
    ways = {BOX: [niwaki.load()] * seeds}
    for way in (SAME, AS_MANY, WITH_ROOTS):
        ways[way] = [trained_on(way, seed) for seed in range(1, seeds + 1)]
    results: dict[str, Any] = {"seeds": seeds}
    for beam, search in ((8, "beam 8"), (1, "greedy")):
        for name, gold in sets.items():
            found = {
                way: AttachmentEvaluation(sum(score(gold, m, beam).counts for m in models), SCORES)
                for way, models in ways.items()
            }
            rows = {way: shown(found[BOX], each) for way, each in found.items()}
            for other in (SAME, AS_MANY):
                rows[f"{WITH_ROOTS} - {other}"] = shown(found[other], found[WITH_ROOTS])
            results[f"{name}, {search}"] = rows
    return results


def shown(before: AttachmentEvaluation, after: AttachmentEvaluation) -> dict[str, Any]:
    return {
        each.metric: {
            "score": round(each.b, 2),
            "difference": round(each.difference, 2),
            "interval": [round(each.low, 2), round(each.high, 2)],
        }
        for each in compare(before, after)
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--write", action="store_true", help=f"only write {ROOTS.name}")
    arguments = made.parse_args()
    nlp = niwaki.load()
    counts = write_roots(nlp)
    if arguments.write:
        return
    files = {name: DATA / "questions" / f"questions-{name}.conllu" for name in QUESTIONS}
    treebank = DATA / "ud-english-ewt"
    files |= {f"EWT {part}": treebank / f"en_ewt-ud-{part}.conllu" for part in EWT}
    sets = {name: list(niwaki.read_conllu(need(file))) for name, file in files.items()}
    results: dict[str, Any] = {"signature": signature(model="en", profile=arguments.profile)}
    results |= {"questions with a root": counts, "rules": rule_scores(sets, nlp)}
    results |= measure(sets, 1 if arguments.profile == "fast" else 3)
    report("question-roots", results)


if __name__ == "__main__":
    main()
