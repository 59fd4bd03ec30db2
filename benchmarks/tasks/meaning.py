"""What sentences mean, on EWT and GeoQuery: trees, formal labels, alignment, and a cost.

python -m benchmarks.tasks.meaning trees|conditions|roles|pruning|uptraining|cost [--part test]
    [--share N] [--teacher MODEL]
python -m benchmarks.tasks.meaning speed|queries|folds

EWT's trees become expressions by the rules in the box, the same for training and test. Parsers of
formal labels see words and classes of words (`niwaki cluster --by-tags` of AMALGUM), no tags, and
are greedy, as in Alshawi et al. (2011); as there, trees that are not projective are not learned
from, and are scored. `trees` compares them with the rules on trees of UD parsers. `queries` and
`folds` are GeoQuery: the usual test questions, and ten folds with and without the cost `meaning`.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, best_of, need, report, signature, timed
from benchmarks.tasks._adapting import WORK, trained, write
from niwaki.cli import main as niwaki_command
from niwaki.data.expression_text import read_expression
from niwaki.data.meaning import Meaning, Pair
from niwaki.data.roles import with_table
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.features.clusters import write_clusters
from niwaki.metrics.base import Evaluation
from niwaki.metrics.meaning import evaluate_meaning
from niwaki.metrics.means import evaluate_means
from niwaki.metrics.significance import compare
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model
from niwaki.tasks.meaning.align import aligned
from niwaki.tasks.meaning.decode import meaning_of, most_consistent
from niwaki.tasks.meaning.encode import encode
from niwaki.tasks.meaning.from_ud import converted
from niwaki.tasks.meaning.funql import decode_query, encode_query, nodes_of
from niwaki.tasks.meaning.rules import load_meaning_rules
from niwaki.tasks.meaning.writing import ExpressionWriter
from niwaki.verbs.expressing import expressed

RULES = load_meaning_rules()
PROPBANK, AMALGUM = DATA / "ewt-propbank", DATA / "silver-amalgum"
SAMPLES = 2000
LABELS_KEPT = (50, 25, 12)
FOLDS = 10
# Words, and classes of words; a greedy parser that takes all it learns into the model.
PLAIN: dict[str, Any] = {"segmenter": {"enabled": False}, "tagger": {"tags": False}}
GREEDY: dict[str, Any] = {
    **PLAIN,
    "model": {"features": "words", "beam": 1, "least_weight": 1, "max_rows": 1_000_000},
}
# Questions are few and labels are many. Chosen by five folds of the training questions.
QUERIES: dict[str, Any] = {
    **PLAIN,
    "model": {
        "features": "words",
        "case": "insensitive",
        "nonprojective": "pseudo-projective",
        "least_weight": 1,
        "greedy": False,
    },
    "training": {"epochs": 12},
}
CANDIDATES = 16
THROUGHOUT = "facts throughout"
# Of speed; on a busy machine the best of few is still a busy one.
ROUNDS = 15


def classes() -> Path:
    path = WORK / "classes-en.txt"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        write_clusters(niwaki.cluster(sorted(need(AMALGUM).glob("*.gz")), by_tags=True), path)
    return path


# -- EWT -----------------------------------------------------------------------------------


def ewt(part: str) -> Path:
    return need(DATA / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu")


def read(part: str, share: int = 1, *, roles: bool = False) -> list[Meaning]:
    """Every so-many-th sentence of a part."""
    trees: Iterable[Sentence] = niwaki.read_conllu(
        need(DATA / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu")
    )
    if roles:
        trees = with_table(trees, need(PROPBANK / f"{part}.roles.tsv.gz"))
    return [converted(sentence, RULES) for sentence in itertools.islice(trees, 0, None, share)]


def covered(given: Iterable[Meaning]) -> list[Meaning]:
    """Without % in them."""
    return [each for each in given if each.expression is None or each.expression.is_covered]


def realigned(given: Iterable[Meaning]) -> list[Meaning]:
    """The same with the positions of words thrown away and found again."""
    made = []
    for each in given:
        if each.expression is not None:
            found = aligned(Pair(each.sentence, read_expression(str(each))))
            tree = encode(found, len(each.sentence))
            each = Meaning(each.sentence.with_tree(tree), found)
        made.append(each)
    return made


def learned(name: str, *given: Iterable[Meaning], weights: Sequence[float] = ()) -> Pipeline:
    """A greedy parser of formal labels; what is not projective is not learned from."""
    objectives = []
    for number, meanings in enumerate(given):
        sentences = [each.sentence for each in meanings if each.sentence.tree.is_projective]
        data = write(WORK / f"meaning-{name}-{number}.conllu", sentences)
        weight = weights[number] if weights else 1.0
        objectives.append({"kind": "treebank", "data": str(data), "weight": weight})
    record = {**GREEDY, "objective": objectives}
    record["model"] = {**GREEDY["model"], "clusters": str(classes())}
    return niwaki.load(trained(f"meaning-{name}", record))


def scored(model: Pipeline, gold: Sequence[Meaning]) -> Evaluation:
    parsed = model.parse([each.sentence for each in gold])
    return evaluate_meaning(gold, [meaning_of(sentence) for sentence in parsed])


def difference(a: Evaluation, b: Evaluation) -> dict[str, Any]:
    return {each.metric: each.to_json() for each in compare(a, b)}


def data_of(given: Sequence[Meaning]) -> dict[str, Any]:
    projective = [each for each in given if each.sentence.tree.is_projective]
    labels = Counter(name for each in projective for name in each.sentence.deprels)
    total = labels.total()
    shares = {
        k: round(100 * sum(n for _, n in labels.most_common(k)) / total, 2) for k in LABELS_KEPT
    }
    return {
        "sentences": len(given),
        "with %": len(given) - len(covered(given)),
        "projective": len(projective),
        "labels": len(labels),
        "most frequent": shares,
    }


def trees(part: str, share: int, models: Sequence[str]) -> dict[str, Any]:
    """Rules on the trees of UD parsers beside a parser of formal labels; rules on gold trees are
    what all are scored against."""
    gold = read(part)
    result: dict[str, Any] = {"data": data_of(gold)}
    direct = scored(learned("+Null", read("train", share)), gold)
    result["formal labels"] = direct.to_json(SAMPLES)
    said = [each.expression is None or each.expression.is_covered for each in gold]
    without = replace(direct, counts=direct.counts[np.array(said)])
    result["formal labels, without %"] = without.to_json(SAMPLES)
    for name in models:
        parsed = niwaki.load(name).parse(niwaki.read_conllu(ewt(part)), retag=True)
        found = evaluate_meaning(gold, list(expressed(parsed, RULES)))
        result[Path(name).stem] = found.to_json(SAMPLES)
        result[f"{Path(name).stem} over formal labels"] = difference(direct, found)
    return result


def conditions(part: str, share: int) -> dict[str, Any]:
    """Tables 5 and 6: with and without % in training and test, alignment known or found."""
    train, test = read("train", share), read(part)
    tests = {"+Null": test, "-Null": covered(test)}
    result: dict[str, Any] = {"train": data_of(train), "test": data_of(test)}
    found: dict[tuple[str, str, str], Evaluation] = {}
    for how, given in (("", train), ("+AAlign", realigned(train))):
        result[f"train{how}"] = data_of(given)
        for null, learn_from in (("+Null", given), ("-Null", covered(given))):
            model = learned(f"{null}{how}", learn_from)
            for name, gold in tests.items():
                found[how, null, name] = scored(model, gold)
    for (how, null, name), each in found.items():
        result[f"{null}{how} -> {name}"] = each.to_json(SAMPLES)
    for name in tests:
        result[f"+Null over -Null -> {name}"] = difference(
            found["", "-Null", name], found["", "+Null", name]
        )
        result[f"+AAlign over known -> {name}"] = difference(
            found["", "+Null", name], found["+AAlign", "+Null", name]
        )
    return result


def roles(part: str, share: int) -> dict[str, Any]:
    """Arguments at PropBank's places."""
    train, test = read("train", share, roles=True), read(part, roles=True)
    found = scored(learned("roles", train), test)
    return {"train": data_of(train), "test": found.to_json(SAMPLES)}


def pruning(part: str, share: int) -> dict[str, Any]:
    """Table 7: training sentences all of whose labels are among the k most frequent."""
    train, test = realigned(covered(read("train", share))), covered(read(part))
    projective = [each for each in train if each.sentence.tree.is_projective]
    labels = Counter(name for each in projective for name in each.sentence.deprels)
    whole = scored(learned("-Null+AAlign", train), test)
    result: dict[str, Any] = {
        f"{len(labels)} (all)": {"trained on": len(projective), **whole.to_json(SAMPLES)}
    }
    for k in LABELS_KEPT:
        kept = {name for name, _ in labels.most_common(k)}
        few = [each for each in projective if kept.issuperset(each.sentence.deprels)]
        found = scored(learned(f"labels-{k}", few), test)
        result[str(k)] = {
            "trained on": len(few),
            **found.to_json(SAMPLES),
            "over all": difference(whole, found)["words"],
        }
    return result


def uptraining(part: str, share: int, sentences: int, teacher: str) -> dict[str, Any]:
    """The same rules on so many of AMALGUM's trees, which a parser made, or on those of a teacher
    for the same sentences; EWT counts twice."""
    train, test = read("train", share), read(part)
    silver = itertools.chain.from_iterable(
        niwaki.read_conllu(file, multi_root=True) for file in sorted(need(AMALGUM).glob("*.gz"))
    )
    whole = list(silver)
    step = max(1, len(whole) // sentences)
    chosen: Iterable[Sentence] = [s for s in whole[::step] if s.heads.count(0) == 1]
    if teacher:
        chosen = niwaki.load(teacher).parse(chosen, retag=True)
    more = [converted(sentence, RULES) for sentence in chosen]
    alone = scored(learned("+Null", train), test)
    name = f"silver-{len(more)}{Path(teacher).stem}"
    both = scored(learned(name, train, more, weights=(2.0, 1.0)), test)
    return {
        "sentences": len(more),
        "EWT": alone.to_json(SAMPLES),
        "EWT and AMALGUM": both.to_json(SAMPLES),
        "over EWT": difference(alone, both),
    }


def cost(part: str, model: str, share: int) -> dict[str, Any]:
    """A UD parser trained on, with every so-many-th tree of EWT, and with what trees say."""
    gold = read(part)
    words = list(niwaki.read_conllu(ewt(part)))
    some = list(niwaki.read_conllu(ewt("train")))[::share]
    examples = list(niwaki.read_conllu(ewt("dev")))
    if part == "dev":
        examples, gold, words = examples[::2], gold[1::2], words[1::2]
    data = {"data": str(write(WORK / f"ewt-train-{share}.conllu", some))}
    priced = {
        "kind": "meaning",
        "data": str(write(WORK / f"meaning-examples-{len(examples)}.conllu", examples)),
        "schedule": 1,
    }

    def found(path: str | Path) -> Evaluation:
        parsed = niwaki.load(path).parse(words, retag=True)
        return evaluate_meaning(gold, [converted(sentence, RULES) for sentence in parsed])

    before = found(model)
    runs = {}
    for name, objectives in (("trees alone", [data]), ("trees and meaning", [data, priced])):
        record = {"objective": objectives, "training": {"epochs": 1}}
        runs[name] = found(trained("meaning-cost", record, init=find_model(model)))
    return {
        "before": before.to_json(SAMPLES),
        **{name: each.to_json(SAMPLES) for name, each in runs.items()},
        "trees and meaning over trees alone": difference(*runs.values()),
    }


def speed() -> dict[str, Any]:
    """Words a second of the processor: parsing alone, `parse` and `parse --to meaning`, which load
    the model and write a file; of a model of formal labels, and of `en` by rules, also without
    loading, as with long files."""

    def cpu(work: Callable[[], object]) -> float:
        return timed(work, time.process_time)

    source = str(ewt("dev"))
    sentences = list(niwaki.read_conllu(source))
    model = learned("+Null", read("train"))
    file = WORK / "meaning-speed.niwaki"
    model.save(file)
    out = str(WORK / "meaning-speed.out")

    english, writer = niwaki.load("en"), ExpressionWriter(RULES)

    def written(given: Iterable[Sentence]) -> Iterable[bytes]:
        return map(writer.write, english.parse(given, retag=True))

    def command(model: str, to: str) -> Callable[[], float]:
        return lambda: cpu(
            lambda: niwaki_command(["parse", source, "-m", model, "-o", out, "--to", to])
        )

    seconds = best_of(
        ROUNDS,
        {
            "parsing": lambda: cpu(lambda: list(model.parse(sentences))),
            "parse": command(str(file), "conllu"),
            "parse --to meaning": command(str(file), "meaning"),
            "parse, en": command("en", "conllu"),
            "parse --to meaning, en": command("en", "meaning"),
            "parsing, en": lambda: cpu(lambda: list(english.parse(sentences, retag=True))),
            "parsing and writing, en": lambda: cpu(lambda: list(written(sentences))),
        },
    )
    words = sum(map(len, sentences))
    return {name: round(words / took) for name, took in seconds.items()}


# -- GeoQuery ------------------------------------------------------------------------------


class Questions:
    """Questions as sentences with trees, beside their queries; some cannot be encoded."""

    def __init__(self, records: Iterable[dict[str, Any]]) -> None:
        self.sentences: list[Sentence] = []
        self.queries: list[str] = []
        for record in records:
            linked = record["nodes_of_tokens"] or [None] * len(record["tokens"])
            nodes = nodes_of(record["productions"], linked)
            tree = encode_query(nodes, record["tokens"]) if nodes else None
            made = Sentence.from_words(record["tokens"], comments=[f"sent_id = {record['id']}"])
            self.sentences.append(made.with_tree(tree) if tree else made)
            self.queries.append(record["funql"])

    @property
    def trees(self) -> list[Sentence]:
        return [sentence for sentence in self.sentences if -1 not in sentence.heads]

    def right(self, model: Pipeline) -> list[list[float]]:
        """For each question 100 if its query comes out exactly, of the best tree and of the best
        one that does not contradict itself; and 100 if the best tree does."""
        found = []
        for sentence, query in zip(self.sentences, self.queries, strict=True):
            best = model.kbest(sentence, CANDIDATES)
            trees = best.trees[0], most_consistent(best, partial(conflicts, sentence.forms))
            said = [decode_query(tree, sentence.forms) for tree in trees]
            right = [100.0 * (str(each.term) == query) for each in said]
            found.append([*right, 100.0 * (said[0].conflicts > 0)])
        return found


def conflicts(forms: Sequence[str], tree: Tree) -> int:
    return decode_query(tree, forms).conflicts


NAMES = ("exact", "exact of consistent", "contradictory")


def questions() -> list[dict[str, Any]]:
    with gzip.open(need(DATA / "geoquery" / "geo880.jsonl.gz"), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def of_queries(
    name: str, given: Questions, kinds: Sequence[str] = (), asked: Questions | None = None
) -> Pipeline:
    """A parser of queries, as it is or trained on: with the same "trees", or also with a cost.

    "conflicts" needs no gold trees, and sees the words of what is asked then. With "facts
    throughout" the parser learns from trees and from that cost from the beginning.
    """
    data = str(write(WORK / f"geo-{name}.conllu", given.trees))
    trees = {"data": data}

    def priced(kind: str) -> dict[str, Any]:
        examples = data
        if kind == "conflicts" and asked is not None:
            words = [Sentence.from_words(s.forms) for s in asked.sentences]
            examples = str(write(WORK / f"geo-{name}-words.conllu", words))
        told = {"kind": "meaning", "language": "funql", "cost": kind, "data": examples}
        return {**told, "k": CANDIDATES, "schedule": 1}

    record = {**QUERIES, "objective": [trees]}
    if THROUGHOUT in kinds:
        record["objective"] = [trees, priced("facts")]
        record["training"] = {**QUERIES["training"], "costs": "throughout"}
    path = trained("geo", record, threads=1)
    for kind in kinds:
        if kind != THROUGHOUT:
            more = [trees] if kind == "trees" else [trees, priced(kind)]
            once = {"objective": more, "training": {"epochs": 1}}
            path = trained(f"geo-{kind}", once, init=path, threads=1)
    return niwaki.load(path)


def queries() -> dict[str, Any]:
    records = questions()
    whole = Questions(records)
    train = Questions(r for r in records if r["split"] in ("train", "dev"))
    test = Questions(r for r in records if r["split"] == "test")
    right = test.right(of_queries("train", train))
    identical = sum(
        str(decode_query(s.tree, s.forms).term) == query
        for s, query in zip(whole.sentences, whole.queries, strict=True)
        if -1 not in s.heads
    )
    return {
        "encoded": len(whole.trees),
        "identical": identical,
        "projective": sum(s.tree.is_projective for s in whole.trees),
        "labels": len({name for s in whole.trees for name in s.deprels}),
        "train": len(train.trees),
        "test": evaluate_means(NAMES, right).to_json(SAMPLES),
    }


def folds(kinds: Sequence[str]) -> dict[str, Any]:
    """Each tenth of the questions by a parser of the other nine, trained in some ways."""
    records = questions()
    found: dict[str, list[list[float]]] = {kind: [] for kind in ("", "trees", *kinds)}
    for fold in range(FOLDS):
        train = Questions(r for n, r in enumerate(records) if n % FOLDS != fold)
        test = Questions(records[fold::FOLDS])
        for kind, rows in found.items():
            in_turn = kind.split(", ") if kind else ()
            rows += test.right(of_queries(f"fold-{fold}", train, in_turn, test))
    scores = {kind or "trees, once": evaluate_means(NAMES, rows) for kind, rows in found.items()}
    result: dict[str, Any] = {name: each.to_json(SAMPLES) for name, each in scores.items()}
    for kind in kinds:
        result[f"{kind} over trees"] = difference(scores["trees"], scores[kind])
    return result


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    of_ewt = ("trees", "conditions", "roles", "pruning", "uptraining", "cost")
    made.add_argument("what", choices=(*of_ewt, "speed", "queries", "folds"))
    made.add_argument("--part", choices=["dev", "test"], default="dev")
    made.add_argument("--parser", action="append", help="UD parsers (default: en)")
    made.add_argument("--silver", type=int, default=20_000, help="sentences of AMALGUM")
    made.add_argument("--teacher", default="", help="who parses AMALGUM (default: its own trees)")
    made.add_argument("--share", type=int, default=1, help="every so-many-th training sentence")
    made.add_argument(
        "--kinds", nargs="+", default=["facts", "conflicts"], help='of costs; "a, b" in turn'
    )
    arguments = made.parse_args()
    part, share, models = arguments.part, arguments.share, arguments.parser or ["en"]
    work = {
        "trees": lambda: trees(part, share, models),
        "conditions": lambda: conditions(part, share),
        "roles": lambda: roles(part, share),
        "pruning": lambda: pruning(part, share),
        "uptraining": lambda: uptraining(part, share, arguments.silver, arguments.teacher),
        "cost": lambda: cost(part, models[0], max(share, 4)),
        "speed": speed,
        "queries": queries,
        "folds": lambda: folds(arguments.kinds),
    }
    names = [Path(name).stem for name in models]
    told = signature(part=part, share=share, what=arguments.what, parsers=names)
    if arguments.teacher:
        told["teacher"] = Path(arguments.teacher).stem
    name = f"meaning-{arguments.what}"
    if arguments.what in of_ewt:
        name += f"-{part}" + (f"-share{share}" if share > 1 else "")
    if arguments.teacher:
        name += f"-{Path(arguments.teacher).stem}"
    if arguments.what == "folds" and any(THROUGHOUT in kind for kind in arguments.kinds):
        name += "-throughout"
    report(name, {"signature": told, **work[arguments.what]()})


if __name__ == "__main__":
    main()
