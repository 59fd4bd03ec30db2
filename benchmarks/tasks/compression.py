"""Shorter sentences on the Edinburgh corpora: rules, baselines, the integer programme, a parser.

python -m benchmarks.tasks.compression [--profile fast] [--parser MODEL] [--corpus bnc] [--svm]
python -m benchmarks.tasks.compression --programme|--train [--parser MODEL]

Five folds over documents; each is shortened by models of the other four, at the gold rate: as many
words in the whole fold as people kept, shared out where they bring most. The broadcast news are
those of the first of three annotators. Relations are those of the parser, in trees of the shorter
sentences. --svm adds rules that were learned by margins, as Cohn and Lapata do: most of the time
goes there. --programme is the integer programme on bnc, with and without discourse. With --train,
the parser is trained on, with costs by a compressor of other documents.
"""

from __future__ import annotations

import gzip
import lzma
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, of_parser, parser, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, trained, write
from benchmarks.tasks._adjacency import Adjacency
from niwaki.data.compressions import Compression, Kept, marked, read_compressions, shortened
from niwaki.data.conllu import read_conllu
from niwaki.data.documents import begins_document, cut_at_documents
from niwaki.data.wordnet import WordNet
from niwaki.learning.candidates import CandidateSets
from niwaki.learning.ranker import RankerSettings, learn_ranker
from niwaki.metrics.base import Evaluation
from niwaki.metrics.compression import CompressionEvaluation, evaluate_compression, kept_f1
from niwaki.metrics.significance import compare
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model
from niwaki.tasks.compress.budget import shared_out
from niwaki.tasks.compress.discourse import centres, chains, needed_words, nouns_of
from niwaki.tasks.compress.features import word_features
from niwaki.tasks.compress.ilp import shorten
from niwaki.tasks.compress.learning import learn_compressor
from niwaki.tasks.compress.model import Compressor, Settings
from niwaki.tasks.compress.ngrams import NGrams, count_ngrams
from niwaki.tasks.trees import TreeView

EDINBURGH = DATA / "compression-edinburgh"
GUM = DATA / "gum-discourse"
NEWS = DATA / "silver-amalgum" / "news.conllu.gz"
EWT_TEST = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
FOLDS = 5
# Every so-many-th tree of EWT stands beside the cost.
TREES = 12
# Trees of a sentence that are priced.
CANDIDATES = 8
# Of the local classifier that the prototype had.
FLOORS = {"bnc": 78.1, "broadcast": 88.3}
LOOSE = frozenset("advmod amod advcl acl:relcl nmod parataxis discourse".split())

Documents = list[list[Compression]]
Rows = dict[str, list[Kept]]


def read(corpus: str, pipeline: Pipeline) -> Documents:
    """Documents with trees; of several people the first."""
    given = list(read_compressions(need(EDINBURGH / f"{corpus}.jsonl")))
    parsed = pipeline.parse((each.sentence for each in given), retag=True)
    found: Documents = []
    for each, sentence in zip(given, parsed, strict=True):
        if begins_document(each.sentence):
            found.append([])
        found[-1].append(replace(each, sentence=sentence, references=each.references[:1]))
    return found


def flat(documents: Documents) -> list[Compression]:
    return [each for document in documents for each in document]


# -- systems -------------------------------------------------------------------------------


def shortened_fold(
    train: Documents, test: Documents, svm: bool
) -> Iterator[tuple[str, list[Kept]]]:
    """What each system keeps of a fold."""
    learned, given = flat(train), flat(test)
    trees = [TreeView(each.sentence) for each in given]
    wanted = [sum(each.references[0]) for each in given]
    yield "copy-all", [(True,) * len(tree.heads) for tree in trees]
    yield "drop by label", [by_label(tree) for tree in trees]
    yield "local classifier, gold rate", local(learned, trees, sum(wanted))
    adjacency = Adjacency.learned([(TreeView(e.sentence), e.references[0]) for e in learned])
    charts = [adjacency.chart(tree) for tree in trees]
    sizes = shared_out([chart.best for chart in charts], sum(wanted))
    yield "adjacency", [chart.kept(int(chart.best.argmax())) for chart in charts]
    yield "adjacency, gold rate", [c.kept(size) for c, size in zip(charts, sizes, strict=True)]
    sentences = [each.sentence for each in given]
    learners = {"rules": Settings(), **({"rules by svm": Settings(learner="svm")} if svm else {})}
    for name, settings in learners.items():
        model = learn_compressor(learned, settings)
        yield name, model.compress(sentences)
        tables = [chart.best[:, 0] for chart in model.charts(trees)]
        yield f"{name}, gold rate", model.compress(sentences, sizes=shared_out(tables, sum(wanted)))
        yield f"{name}, length of the reference", model.compress(sentences, sizes=wanted)


def by_label(tree: TreeView) -> Kept:
    """Everything but what hangs by a label of modifiers, with all below it."""
    kept = tuple(
        not any(tree.deprels[above - 1] in LOOSE for above in chain[:-1]) for chain in tree.chains
    )
    return kept if any(kept) else (True,) * len(kept)


def local(train: Sequence[Compression], trees: Sequence[TreeView], total: int) -> list[Kept]:
    """Each word by itself, by the same features; the most likely ones are kept."""
    rows = [
        ([[], keys.tolist()], int(keep))
        for each in train
        for keys, keep in zip(
            word_features(TreeView(each.sentence)), each.references[0], strict=True
        )
    ]
    ranker = learn_ranker(CandidateSets.of(rows), RankerSettings(l2=2.0, least_count=2))
    asked = [[keys.tolist()] for tree in trees for keys in word_features(tree)]
    scores = ranker.scores(CandidateSets.of((row, None) for row in asked))
    least = np.sort(scores)[-total]
    ends = np.cumsum([len(tree.heads) for tree in trees])
    found = [tuple((part >= least).tolist()) for part in np.split(scores, ends[:-1])]
    return [kept if any(kept) else (True,) * len(kept) for kept in found]


def folded(documents: Documents, folds: Sequence[int], svm: bool) -> tuple[list[Compression], Rows]:
    gold: list[Compression] = []
    rows: Rows = {}
    for fold in folds:
        test = documents[fold::FOLDS]
        train = [each for at, each in enumerate(documents) if at % FOLDS != fold]
        gold += flat(test)
        for name, kept in shortened_fold(train, test, svm):
            rows.setdefault(name, []).extend(kept)
    return gold, rows


def trees_of(
    gold: Sequence[Compression], kept: Sequence[Kept], pipeline: Pipeline
) -> list[niwaki.Sentence]:
    """The shorter sentences, parsed."""
    pairs = zip(gold, kept, strict=True)
    return list(pipeline.parse((shortened(e.sentence, k) for e, k in pairs), retag=True))


def scored(
    gold: Sequence[Compression], rows: Rows, pipeline: Pipeline
) -> dict[str, CompressionEvaluation]:
    of_people = trees_of(gold, [each.references[0] for each in gold], pipeline)
    return {
        name: evaluate_compression(gold, kept, (of_people, trees_of(gold, kept, pipeline)))
        for name, kept in rows.items()
    }


def difference(a: Evaluation, b: Evaluation) -> dict[str, Any]:
    return {each.metric: each.to_json() for each in compare(a, b, 2000)}


def table(
    corpus: str, documents: Documents, folds: Sequence[int], pipeline: Pipeline, svm: bool
) -> Any:
    gold, rows = folded(documents, folds, svm)
    found = scored(gold, rows, pipeline)
    best, other = found["rules, gold rate"], found["adjacency, gold rate"]
    return {
        **{name: each.to_json(2000) for name, each in found.items()},
        "floor": FLOORS[corpus],
        "rules over local classifier": difference(found["local classifier, gold rate"], best),
        "rules over adjacency": difference(other, best),
    }


# -- the integer programme -----------------------------------------------------------------


def counted(documents: Documents) -> NGrams:
    """Words in a row, in documents and, if they are there, in AMALGUM's news."""
    text = [each.sentence.forms for each in flat(documents)]
    if NEWS.exists():
        with gzip.open(NEWS) as file:
            text += [sentence.forms for sentence in read_conllu(file, multi_root=True)]
    return count_ngrams(text)


def programme(documents: Documents, pipeline: Pipeline) -> Any:
    """With the demands of the discourse and without, on every third document.

    What the discourse demands makes sentences longer than they should be, so the other is given
    the lengths that came out.
    """
    test = documents[::3]
    counts = counted([each for at, each in enumerate(documents) if at % 3])
    wordnet = WordNet(need(DATA / "wordnet"))
    gold = flat(test)
    held, free = [], []
    start = time.process_time()
    for document in test:
        trees = [TreeView(each.sentence) for each in document]
        sizes = [sum(each.references[0]) for each in document]
        kept = list(shorten(trees, counts, sizes, wordnet=wordnet))
        held += kept
        free += shorten(trees, counts, [sum(each) for each in kept], discourse=False)
    seconds = (time.process_time() - start) / 2 / len(gold)
    one, other = scored(gold, {"free": free, "held": held}, pipeline).values()
    nouns = nouns_by_demand(test, wordnet, {"without": free, "with": held})
    return {
        "nouns by what the discourse says": nouns,
        "without discourse": {**one.to_json(2000), "nouns": nouns_kept(gold, free)},
        "with discourse": {**other.to_json(2000), "nouns": nouns_kept(gold, held)},
        "discourse over none": difference(one, other),
        "seconds a sentence": seconds,
    }


def nouns_kept(gold: Sequence[Compression], kept: Sequence[Kept]) -> float:
    """The share of nouns that people kept and the system kept as well, in percent."""
    found = [
        keep
        for each, choice in zip(gold, kept, strict=True)
        for tag, right, keep in zip(each.sentence.upos, each.references[0], choice, strict=True)
        if right and tag in ("NOUN", "PROPN")
    ]
    return 100 * sum(found) / len(found)


def nouns_by_demand(
    documents: Documents, wordnet: WordNet, rows: Mapping[str, Sequence[Kept]]
) -> dict[str, Any]:
    """How many nouns people and systems keep: of centres, of chains, of those demanded, of others;
    and the most that demands can gain, if nothing else is lost for them.
    """
    found: dict[str, list[tuple[bool, ...]]] = {}
    kept = iter(zip(*rows.values(), strict=True))
    for document in documents:
        trees = [TreeView(each.sentence) for each in document]
        looking_back = centres(trees)
        in_chains = set().union(*chains(trees, wordnet))
        for number, words in enumerate(needed_words(trees, wordnet)):
            here, tree, choices = looking_back[number : number + 2], trees[number], next(kept)
            for word in nouns_of(tree):
                lemma, people = tree.lemmas[word - 1], document[number].references[0]
                is_centre, is_chained = lemma in here, lemma in in_chains
                row = tuple(choice[word - 1] for choice in (people, *choices))
                for group in (
                    "all",
                    "of centres" if is_centre else "not of centres",
                    "of chains" if is_chained else "not of chains",
                    "demanded" if word in words else "not demanded",
                ):
                    found.setdefault(group, []).append(row)
    names = ("people", *rows)
    result: dict[str, Any] = {
        group: {"nouns": len(seen), **dict(zip(names, shares_of(seen), strict=True))}
        for group, seen in found.items()
    }
    lost = sum(people and not free for people, free, *_ in found["demanded"])
    result["most that can be gained"] = 100 * lost / sum(people for people, *_ in found["all"])
    return result


def shares_of(rows: Sequence[Sequence[bool]]) -> list[float]:
    """How often each column is true, in percent."""
    shares: list[float] = (100 * np.mean(rows, axis=0)).tolist()
    return shares


def centring(pipeline: Pipeline) -> dict[str, Any]:
    """Centres beside those that GUM's people marked (a star behind the rank), on its dev part."""
    path = WORK / "gum-dev.conllu"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.decompress(need(GUM / "gum-dev.conllu.xz").read_bytes()))
    blocks = list(cut_at_documents(read_conllu(path, multi_root=True)))
    result = {}
    for name in ("gold trees", "automatic trees"):
        right = found = both = 0
        for block in blocks:
            trees = block if name == "gold trees" else list(pipeline.parse(block, retag=True))
            for sentence, centre in zip(block, centres(list(map(TreeView, trees))), strict=True):
                people = marked_centre(sentence)
                right += bool(people)
                found += centre is not None
                both += centre in people
        result[name] = {"marked": right, "found": found, "F1": 200 * both / (right + found)}
    return result


def marked_centre(sentence: niwaki.Sentence) -> set[str]:
    """Lemmas of the heads of what is marked as the centre."""
    found = set()
    for word, notes in enumerate(sentence.notes):
        for mention in re.findall(r"\(([^()]*)", notes.get("Entity", "")):
            fields = mention.split("-")
            ranks = [at for at, each in enumerate(fields) if re.fullmatch(r"cf\d+\*", each)]
            if ranks and ranks[0] + 1 < len(fields):
                first = fields[ranks[0] + 1].partition(",")[0]
                place = word + int(first) - 1 if first.isdigit() else word
                found.add(sentence.lemmas[min(place, len(sentence) - 1)].lower())
    return found


# -- a parser trained for it ---------------------------------------------------------------


def after_training(model: str, documents: Documents, corpus: str, pipeline: Pipeline) -> Any:
    """A third of the documents is for the compressor, one for the parser, one is the test.

    Beside it what choosing among its trees, or having better ones, could gain: the best of the
    candidates by the reference, and trees of the accurate model. "Relearned" are rules of the first
    third with trees of the trained parser, so that what it does otherwise is known to them.
    """
    compressor = learn_compressor(flat(documents[::3]))
    path, data = WORK / f"compressor-{corpus}.niwaki", WORK / f"{corpus}-shorter.conllu"
    WORK.mkdir(parents=True, exist_ok=True)
    compressor.save(path)
    teaching = flat(documents[1::3])
    niwaki.write_conllu((marked(e.sentence, e.references[0]) for e in teaching), str(data))
    cost = {"kind": "compression", "data": str(data), "compressor": str(path), "k": CANDIDATES}
    trees = write(WORK / f"ewt-train-{TREES}.conllu", list(read_conllu(need(EWT_TRAIN)))[::TREES])
    record = {"objective": [{"data": str(trees)}, cost], "training": {"epochs": 1}}
    after = trained("compression", record, init=find_model(model), threads=1)
    test = flat(documents[2::3])
    sizes = [sum(each.references[0]) for each in test]
    other = niwaki.load(after)
    relearned = learn_compressor(reparsed(flat(documents[::3]), other))
    found = {
        name: evaluate_compression(
            test, rules.compress([e.sentence for e in reparsed(test, each)], sizes=sizes)
        )
        for name, each, rules in (
            ("before", pipeline, compressor),
            ("after", other, compressor),
            ("after, relearned", other, relearned),
            ("trees of en-accurate", niwaki.load("en-accurate"), compressor),
        )
    }
    best = best_candidates(test, pipeline, compressor)
    found[f"best of {CANDIDATES} trees"] = evaluate_compression(test, best)
    las = {
        name: niwaki.evaluate(EWT_TEST, each).scores["LAS"]
        for name, each in (("before", model), ("after", after))
    }
    return {
        **{name: each.to_json() for name, each in found.items()},
        **{
            f"{name} over before": difference(found["before"], each)["F1"]
            for name, each in found.items()
            if name != "before"
        },
        "EWT test": las,
    }


def reparsed(given: Sequence[Compression], pipeline: Pipeline) -> list[Compression]:
    trees = pipeline.parse((each.sentence for each in given), retag=True)
    return [replace(each, sentence=tree) for each, tree in zip(given, trees, strict=True)]


def best_candidates(
    given: Sequence[Compression], pipeline: Pipeline, compressor: Compressor
) -> list[Kept]:
    """What is kept on that one of a parser's best trees on which it is most like the reference."""
    found = []
    for each in given:
        right = each.references[0]
        trees = pipeline.kbest(each.sentence, CANDIDATES, retag=True).ranked()
        charts = compressor.charts([TreeView(tree) for tree in trees])
        kept = [tuple(map(bool, chart.kept(sum(right), 0))) for chart in charts]
        found.append(max(kept, key=lambda choice: kept_f1(right, choice)))
    return found


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--parser", default="en", help="who makes the trees")
    made.add_argument("--corpus", choices=list(FLOORS), help="one of the two")
    made.add_argument("--svm", action="store_true", help="also rules learned by margins")
    made.add_argument("--programme", action="store_true", help="the integer programme instead")
    made.add_argument("--train", action="store_true", help="train the parser for it instead")
    arguments = made.parse_args()
    pipeline = niwaki.load(arguments.parser)
    folds = [0] if arguments.profile == "fast" else range(FOLDS)
    name = Path(arguments.parser).name
    result: dict[str, Any] = {"signature": signature(parser=name, folds=len(folds))}
    if arguments.programme:
        result |= programme(read("bnc", pipeline), pipeline)
        result["centres on GUM dev"] = centring(pipeline)
        report(f"compression-programme{of_parser(arguments.parser)}", result)
        return
    for corpus in [arguments.corpus] if arguments.corpus else list(FLOORS):
        documents = read(corpus, pipeline)
        if arguments.train:
            result[corpus] = after_training(arguments.parser, documents, corpus, pipeline)
            continue
        result[corpus] = table(corpus, documents, folds, pipeline, arguments.svm)
    ending = "-trained" if arguments.train else ""
    ending += f"-{arguments.corpus}" if arguments.corpus else ""
    report(f"compression{ending}{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
