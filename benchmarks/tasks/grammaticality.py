"""Broken sentences: judges of what is well formed, and parsers that are trained to be robust.

python -m benchmarks.tasks.grammaticality [--parser MODEL] [--share N] [--reference-share N]
python -m benchmarks.tasks.grammaticality --pairs (the same)
python -m benchmarks.tasks.grammaticality --as-it-is [--part test] [--parser MODEL] [--share N]
python -m benchmarks.tasks.grammaticality --train [--part test] [--parser MODEL] [--share N]
    [--test-share N]

A judge learns from sentences of GUM that the parser has not learned from, each broken in every way,
and is scored in five folds on the paper's four kinds, and apart from them on words that are
misspelt as none; patterns are counted in AMALGUM, parsed by the same
parser. With --pairs, a judge that learned from all folds ranks pairs of JFLEG (learners' sentences
and their corrections), BLiMP and corrections from git histories. --share and --reference-share
take every so-many-th sentence of GUM and of AMALGUM. What was parsed is kept in build/tasks.

--as-it-is parses EWT's dev or test part, clean and broken, and tells how much better tags and the
parser's own trees of the clean sentences would do. --train trains the model on: its tagger with
EWT's training part, its parser with every N-th sentence of GUM's that it has not learned from, as
they are and broken. Beside it stands the same with those sentences as they are, so that what GUM's
trees are worth is not taken for robustness.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import pickle
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import niwaki
from benchmarks.common import DATA, need, of_parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, trained, write
from niwaki.data.sentence import Sentence
from niwaki.learning.checkpoint import hash_of_files
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import Evaluation
from niwaki.metrics.judging import JudgingEvaluation, judging_of
from niwaki.metrics.means import MeanEvaluation
from niwaki.metrics.significance import compare
from niwaki.parsers.base import TaggingParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model
from niwaki.tasks.grammar.broken import clean_words, surviving_tree, with_whole_tree
from niwaki.tasks.grammar.corrupt import ERRORS, JUDGED, KINDS, SLIPS, broken
from niwaki.tasks.grammar.features import Expected, Look, numbers_of, table_of
from niwaki.tasks.grammar.judge import METHODS, Judge, Settings, learn_trees
from niwaki.tasks.grammar.lexicon import Lexicon
from niwaki.tasks.grammar.patterns import PatternCounts
from niwaki.typing import FloatArray
from niwaki.verbs.judging import looks_of

T = TypeVar("T")
GRAMMAR = DATA / "grammaticality"
SAMPLES = 2000
FOLDS = 5
# Words seen so often in AMALGUM are what others are misspelt as.
OFTEN = 20
LENGTHS = range(5, 41)
# Pairs of each of BLiMP's 67 paradigms.
PARADIGMS, BLIMP_PAIRS = 67, 100
BUT_AGREEMENT = tuple(group for group in METHODS["all"] if group != "agreement")
# To be robust: how often a tree is broken, and how tagger and parser learn. Chosen on EWT dev.
COPIES = 3
ROBUST: dict[str, Any] = {
    "tagger": {"finetune_epochs": 2, "learning_rate": 0.03},
    "training": {"epochs": 1, "min_updates": 5, "finetune_share": 0.5},
}


def amalgum(share: int) -> Iterator[Sentence]:
    for file in sorted(need(DATA / "silver-amalgum").glob("*.conllu.gz")):
        yield from list(niwaki.read_conllu(file, multi_root=True))[::share]


def gum(model: Pipeline, share: int) -> list[Sentence]:
    """Sentences of GUM that the parser has not learned from."""
    found: list[Sentence] = []
    for part in ("train", "dev"):
        path = WORK / f"gum-{part}.conllu"
        if not path.exists():
            WORK.mkdir(parents=True, exist_ok=True)
            packed = need(DATA / "gum-discourse" / f"gum-{part}.conllu.xz").read_bytes()
            path.write_bytes(lzma.decompress(packed))
        found += niwaki.read_conllu(path, multi_root=True)
    found = [sentence for sentence in found if len(sentence) in LENGTHS]
    assert model.learned is not None
    known = model.learned.knows(found).tolist()
    return [s for s, learned in zip(found, known, strict=True) if not learned][::share]


# -- judging -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Corpus:
    """Clean sentences and all that was made of them, as a parser sees them."""

    looks: list[Look]
    source: NDArray[np.int64]  # the number of the clean sentence
    kinds: list[str]  # "" for clean ones

    @property
    def clean(self) -> NDArray[np.bool_]:
        return np.array([not kind for kind in self.kinds], dtype=np.bool_)


def corpus(model: Pipeline, clean: Sequence[Sentence], lexicon: Lexicon) -> Corpus:
    rows = []
    for number, sentence in enumerate(clean):
        rows.append((number, "", sentence))
        for kind in JUDGED:
            found = broken(sentence, kind, lexicon)
            if found is not None:
                rows.append((number, kind, found))
    looks = list(looks_of([sentence for *_, sentence in rows], model))
    return Corpus(looks, np.array([row[0] for row in rows]), [row[1] for row in rows])


def numbers_by_fold(data: Corpus, counts: PatternCounts) -> list[dict[str, FloatArray]]:
    """The numbers of all sentences, with what other folds let expect of scores."""
    numbers = numbers_of(data.looks, counts, Expected({}, 1.0))
    found = []
    for fold in range(FOLDS):
        others = np.flatnonzero((data.source % FOLDS != fold) & data.clean)
        expected = Expected.of([data.looks[at] for at in others])
        over = np.array([expected.over(look) for look in data.looks])
        found.append({**numbers, "score over expected": over})
    return found


def in_folds(
    data: Corpus, numbers: Sequence[Mapping[str, FloatArray]], groups: Sequence[str]
) -> FloatArray:
    """Log odds of every sentence, by trees that have seen neither it nor what was made of it."""
    odds = np.zeros(len(data.looks))
    for fold, found in enumerate(numbers):
        held = data.source % FOLDS == fold
        rows, seen = table_of(found, groups), np.flatnonzero(~held)
        looks = [data.looks[at] for at in seen]
        trees = learn_trees(rows[seen], looks, data.clean[seen], Settings())
        odds[held] = trees.log_odds(rows[held])
    return odds


def threshold(data: Corpus, values: FloatArray) -> FloatArray:
    """Method 2: well formed is what is above a threshold that other folds choose."""
    odds = np.zeros(len(values))
    for fold in range(FOLDS):
        held = data.source % FOLDS == fold
        seen, of = values[~held], data.clean[~held]
        cuts = np.unique(seen)
        right = [((seen >= cut)[of].mean() + (seen < cut)[~of].mean()) / 2 for cut in cuts]
        odds[held] = np.where(values[held] >= cuts[int(np.argmax(right))], 1.0, -1.0)
    return odds


def judged(data: Corpus, odds: FloatArray, kinds: Collection[str] = ERRORS) -> JudgingEvaluation:
    beliefs = (1 / (1 + np.exp(-odds))).tolist()
    clean = {int(data.source[at]): beliefs[at] for at in np.flatnonzero(data.clean)}
    return judging_of(
        [
            (str(n), kind, clean[n], belief)
            for n, kind, belief in zip(data.source.tolist(), data.kinds, beliefs, strict=True)
            if kind in kinds
        ]
    )


def kept(name: str, settings: Sequence[object], make: Callable[[], T]) -> T:
    """What was made with these settings; made if it is not there from an earlier run."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{name}-{hashlib.sha256(repr(settings).encode()).hexdigest()[:10]}.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(make()))
    found: T = pickle.loads(path.read_bytes())
    return found


def parsed(name: str, share: int, reference_share: int) -> tuple[Corpus, PatternCounts]:
    """Clean and broken sentences of GUM, and counts of patterns in AMALGUM."""
    model, by = niwaki.load(name), hash_of_files([str(find_model(name))])

    def counted() -> PatternCounts:
        return PatternCounts.of(model.parse(amalgum(reference_share), retag=True))

    def made() -> tuple[Any, ...]:
        lexicon = Lexicon.of(amalgum(reference_share), OFTEN)
        found = corpus(model, gum(model, share), lexicon)
        return found.looks, found.source, found.kinds

    data = Corpus(*kept("gum", [by, share, reference_share], made))
    return data, kept("patterns", [by, reference_share], counted)


def judging(data: Corpus, counts: PatternCounts) -> dict[str, Any]:
    numbers = numbers_by_fold(data, counts)
    odds = {
        "2: rarest run of five tags": threshold(data, numbers[0]["tags5 least"]),
        "3: parser": in_folds(data, numbers, METHODS["parser"]),
        "4: runs of tags": in_folds(data, numbers, METHODS["ngrams"]),
        "runs of tags and words": in_folds(data, numbers, ("ngrams", "words")),
        "all but agreement": in_folds(data, numbers, BUT_AGREEMENT),
        "5: all": in_folds(data, numbers, METHODS["all"]),
    }
    found = {name: judged(data, each) for name, each in odds.items()}
    best = found["5: all"]
    return {
        "sentences": {"clean": int(data.clean.sum()), "all": len(data.looks)},
        "methods": {name: each.to_json(SAMPLES) for name, each in found.items()},
        "misspelling": {
            name: judged(data, each, SLIPS).to_json(SAMPLES) for name, each in odds.items()
        },
        "all over others": {
            name: difference(each, best)["accuracy"]
            for name, each in found.items()
            if each is not best
        },
    }


def difference(a: Evaluation, b: Evaluation) -> dict[str, Any]:
    return {each.metric: each.to_json() for each in compare(a, b, SAMPLES)}


# -- real pairs ----------------------------------------------------------------------------

# A name, a good sentence and a bad one.
Pair = tuple[str, Sentence, Sentence]


def jfleg() -> Iterator[Pair]:
    files = [
        need(GRAMMAR / f"jfleg-dev.{name}") for name in ("src", "ref0", "ref1", "ref2", "ref3")
    ]
    rows = zip(*(file.read_text("utf-8").splitlines() for file in files), strict=True)
    for number, (bad, *corrections) in enumerate(rows):
        for good in corrections:
            if good.split() and bad.split() and good.split() != bad.split():
                yield str(number), words(good), words(bad)


def words(line: str) -> Sentence:
    return Sentence.from_words(line.split())


def blimp(model: Pipeline) -> Iterator[Pair]:
    lines = lzma.decompress(need(GRAMMAR / "blimp.tsv.xz").read_bytes()).decode().splitlines()
    seen: dict[str, int] = {}
    rows = []
    for line in lines:
        paradigm, _, good, bad = line.split("\t")
        seen[paradigm] = seen.get(paradigm, 0) + 1
        if seen[paradigm] <= BLIMP_PAIRS:
            rows.append((paradigm, good, bad))
    yield from segmented(model, rows)


def corrections(model: Pipeline) -> Iterator[Pair]:
    rows = []
    for line in need(GRAMMAR / "git-corrections.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        kind = "missing" if not each["from"] else "extra" if not each["to"] else "substitution"
        rows.append((kind, each["right"], each["wrong"]))
    yield from segmented(model, rows)


def segmented(model: Pipeline, rows: Sequence[tuple[str, str, str]]) -> Iterator[Pair]:
    """Lines as sentences; those of which only one is a single sentence are left out."""
    for name, *texts in rows:
        both = [list(model.read(text, by_lines=True)) for text in texts]
        if all(len(found) == 1 for found in both):
            yield name, both[0][0], both[1][0]


def ranked(model: Pipeline, judge: Judge, pairs: Sequence[Pair]) -> dict[str, Any]:
    """How often the good one is judged better, by the judge and by the score of a word alone."""
    good, bad = (list(looks_of([pair[at] for pair in pairs], model)) for at in (1, 2))
    apart = judge.log_odds(good) - judge.log_odds(bad)
    per_word = [
        float(a.scores[0]) / len(a.sentence) - float(b.scores[0]) / len(b.sentence)
        for a, b in zip(good, bad, strict=True)
    ]
    names = [pair[0] for pair in pairs]
    result: dict[str, Any] = {"count": len(pairs)}
    for how, values in (("judge", apart), ("score of a word", np.array(per_word))):
        wins = (values > 0) + (values == 0) / 2
        groups: dict[str, list[float]] = {}
        for name, win in zip(names, wins.tolist(), strict=True):
            groups.setdefault(name, []).append(win)
        counts = np.array([[(100 * sum(x), len(x))] for x in groups.values()])
        found = MeanEvaluation(counts, ("pairs",)).to_json(SAMPLES)
        result[how] = {"pairs": found["pairs"], "interval": found["intervals"]["pairs"]}
        if len(groups) <= PARADIGMS:
            result[how]["by kind"] = {name: float(100 * np.mean(x)) for name, x in groups.items()}
    return result


def real_pairs(model: Pipeline, data: Corpus, counts: PatternCounts) -> dict[str, Any]:
    judge = Judge.learn(data.looks, data.clean, counts)
    judge.save(WORK / "judge.niwaki")
    return {
        "bytes of the judge": (WORK / "judge.niwaki").stat().st_size,
        "JFLEG": ranked(model, judge, list(jfleg())),
        "BLiMP": ranked(model, judge, list(blimp(model))),
        "git": ranked(model, judge, list(corrections(model))),
    }


# -- robustness ----------------------------------------------------------------------------


def broken_copies(clean: Sequence[Sentence], lexicon: Lexicon, count: int) -> list[Sentence]:
    """Each sentence broken in so many different ways, if it can be, as trees to learn from."""
    found: list[Sentence] = []
    for sentence in clean:
        order = random.Random(" ".join(sentence.forms)).sample(list(KINDS), len(KINDS))
        made = (broken(sentence, kind, lexicon) for kind in order)
        found += map(with_whole_tree, islice((each for each in made if each is not None), count))
    return found


def trained_on(model: str, share: int, *, breaks: bool) -> Path:
    """The model trained on: its tagger with EWT's tags, its parser with trees of GUM, which it has
    not learned from; each sentence once as it is, and some times broken or as it is again.

    A network tags by what it sees in order to parse, so it learns tags and trees of both; as that
    takes long, of every so-many-th sentence of EWT, too, and of one copy.
    """
    begun = niwaki.load(model)
    is_network = isinstance(begun.parser, TaggingParser)
    ewt = list(niwaki.read_conllu(need(EWT_TRAIN)))
    # Of several roots, none is the right one.
    trees = [s for s in gum(begun, 1) if s.heads.count(0) == 1][::share]
    lexicon = Lexicon.of(ewt)
    parts = (
        [("both", ewt[::share] + trees, 1, {})]
        if is_network
        else [("ewt", ewt, 1, {"trains": ["tags"]}), ("gum", trees, COPIES, {"trains": ["trees"]})]
    )
    objectives: list[dict[str, Any]] = []
    for name, clean, count, layers in parts:
        more = broken_copies(clean, lexicon, count) if breaks else clean * count
        files = [
            str(write(WORK / f"{name}-robust-{share}-{number}-{breaks}.conllu", part))
            for number, part in enumerate((clean, more))
        ]
        objectives.append({"data": files, **layers})
    settings = {"training": {"epochs": 1}} if is_network else ROBUST
    record = {"objective": objectives, **settings}
    return trained("robustness", record, find_model(model), threads=1)


def surviving(gold: Sequence[Sentence], system: Sequence[Sentence]) -> MeanEvaluation:
    """UAS over the words that survive."""
    counts = []
    for one, other in zip(gold, system, strict=True):
        pairs = [(a, b) for a, b in zip(one.heads, other.heads, strict=True) if a >= 0]
        counts.append([(100 * sum(a == b for a, b in pairs), len(pairs))])
    return MeanEvaluation(np.array(counts, dtype=np.float64), ("UAS",))


def agreement(model: Pipeline, share: int) -> MeanEvaluation:
    """How often words that a learner's sentence shares with its correction have the same head."""
    pairs = list(jfleg())[::share]
    good, bad = (list(model.parse([pair[at] for pair in pairs], retag=True)) for at in (1, 2))
    counts = []
    for one, other in zip(good, bad, strict=True):
        match = SequenceMatcher(None, other.forms, one.forms, autojunk=False)
        shared = {0: 0}
        for block in match.get_matching_blocks():
            shared |= {block.a + at + 1: block.b + at + 1 for at in range(block.size)}
        same = [
            shared.get(other.heads[a - 1], -1) == one.heads[b - 1] for a, b in shared.items() if a
        ]
        counts.append([(100.0 * sum(same), len(same))])
    return MeanEvaluation(np.array(counts), ("UAS",))


def measured(
    model: Path, gold: Sequence[Sentence], test: dict[str, list[Sentence]], share: int = 1
) -> dict[str, Evaluation]:
    pipeline = niwaki.load(model)
    found: dict[str, Evaluation] = {
        "clean": evaluate(gold, list(pipeline.parse(gold, retag=True))),
        "JFLEG": agreement(pipeline, share),
    }
    for kind, sentences in test.items():
        found[kind] = surviving(sentences, list(pipeline.parse(sentences, retag=True)))
    return found


def broken_ewt(part: str, share: int = 1) -> tuple[list[Sentence], dict[str, list[Sentence]]]:
    """Sentences of EWT, and the same broken in every way."""
    file = need(EWT_TRAIN.with_name(f"en_ewt-ud-{part}.conllu"))
    gold = list(niwaki.read_conllu(file))[::share]
    lexicon = Lexicon.of(niwaki.read_conllu(EWT_TRAIN))
    return gold, {
        kind: [each for s in gold if (each := broken(s, kind, lexicon, seed=2)) is not None]
        for kind in KINDS
    }


def suffering(model: str, part: str, share: int) -> dict[str, Any]:
    """What a parser loses as it is; and what it would have with right tags, and if it kept the
    trees of the clean sentences.
    """
    gold, test = broken_ewt(part, share)
    result: dict[str, Any] = {
        row: each.to_json(SAMPLES)
        for row, each in measured(find_model(model), gold, test, share).items()
    }
    pipeline = niwaki.load(model)
    own = {s.id: s for s in pipeline.parse(gold, retag=True)}
    for kind, sentences in test.items():
        trees = [
            surviving_tree(own[s.id.removesuffix(f"-{kind}")], clean_words(s)) for s in sentences
        ]
        kept = [
            s.replace(heads=heads, deprels=labels)
            for s, (heads, labels) in zip(sentences, trees, strict=True)
        ]
        result[kind]["with right tags"] = surviving(
            sentences, list(pipeline.parse(sentences))
        ).scores["UAS"]
        result[kind]["with the tree of the clean sentence"] = surviving(sentences, kept).scores[
            "UAS"
        ]
    return result


def robustness(model: str, part: str, share: int, of_test: int) -> dict[str, Any]:
    gold, test = broken_ewt(part, of_test)
    systems = {
        name: measured(each, gold, test, of_test)
        for name, each in (
            ("as it is", find_model(model)),
            ("whole sentences", trained_on(model, share, breaks=False)),
            ("broken sentences", trained_on(model, share, breaks=True)),
        )
    }
    last = systems["broken sentences"]
    result: dict[str, Any] = {
        name: {
            row: {metric: each.scores[metric] for metric in ("UAS", "LAS") if metric in each.names}
            for row, each in found.items()
        }
        for name, found in systems.items()
    }
    for name in list(systems)[:-1]:
        before = systems[name]
        result[f"over {name}"] = {
            row: difference(before[row], last[row])["LAS" if row == "clean" else "UAS"]
            for row in last
        }
    return result


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--part", choices=["dev", "test"], default="dev", help="of EWT")
    made.add_argument("--parser", default="en", help="who parses")
    made.add_argument("--train", action="store_true", help="train the parser to be robust instead")
    made.add_argument("--share", type=int, default=1, help="every so-many-th sentence")
    made.add_argument("--test-share", type=int, default=1, help="of EWT and JFLEG, with --train")
    made.add_argument("--reference-share", type=int, default=1, help="of AMALGUM")
    made.add_argument("--as-it-is", action="store_true", help="parse broken sentences of EWT")
    made.add_argument("--pairs", action="store_true", help="rank real pairs instead")
    arguments = made.parse_args()
    name, shares = arguments.parser, (arguments.share, arguments.reference_share)
    shown: dict[str, Any] = {"parser": Path(name).name, "share": arguments.share}
    if arguments.train:
        shown["part"] = arguments.part
        shown["test share"] = arguments.test_share
        result = robustness(name, arguments.part, arguments.share, arguments.test_share)
        title = f"robustness-{arguments.part}"
    elif arguments.as_it_is:
        shown["part"] = arguments.part
        result = suffering(name, arguments.part, arguments.share)
        title = f"broken-{arguments.part}"
    elif arguments.pairs:
        result = real_pairs(niwaki.load(name), *parsed(name, *shares))
        title = "grammaticality-pairs"
    else:
        result = judging(*parsed(name, *shares))
        title = "grammaticality"
    report(f"{title}{of_parser(name)}", {"signature": signature(**shown), **result})


if __name__ == "__main__":
    main()
