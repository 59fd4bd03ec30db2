"""Seconds that queries take: in an index of a million sentences, and beside spaCy and udapi.

python -m benchmarks.speed.find

The million are AMALGUM's sentences, again and again under other names. The others hold some of them
in memory, and so does Niwaki beside them; spaCy's `DependencyMatcher` is given the same queries,
udapi has no queries and is given loops. All must find as much.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, best_of, need, parser, report, signature, timed
from niwaki.data.universal import UPOS
from niwaki.tasks.find.index import Index

CORPUS = DATA / "silver-amalgum"
# Selective ones, for a million sentences.
SELECTIVE = {
    "rare verb": '[lemma=plant]=v >"obj" NOUN=y',
    "word below": "VERB=v >> [lemma=lantern]=x",
    "pattern": '[lemma=/over[a-z]+/, upos=VERB]=v >"obj" *=y',
    "negation": '[lemma=eat]=v >"nsubj" *=x !>"obj" *',
    "order": "[words=however]=x ++ [lemma=never]=y",
}
# One that is not, for comparison.
BROAD = {"broad": 'VERB=v >"nsubj" NOUN=x >"obj" *=y'}

# The same for the others, as (name, relation to an earlier word, label, tag, lemma).
PATTERNS: dict[str, list[tuple[str, str, str, str | None, str | None, str | None]]] = {
    "broad": [
        ("v", "", "", None, "VERB", None),
        ("x", "v", ">", "nsubj", "NOUN", None),
        ("y", "v", ">", "obj", None, None),
    ],
    "verb and object": [("v", "", "", None, None, "make"), ("y", "v", ">", "obj", None, None)],
    "word below": [("v", "", "", None, "VERB", None), ("x", "v", ">>", None, None, "study")],
}
QUERIES = {
    **BROAD,
    "verb and object": '[lemma=make]=v >"obj" *=y',
    "word below": "VERB=v >> [lemma=study]=x",
}


def corpus(sentences: int) -> Iterator[niwaki.Sentence]:
    """So many sentences, in files of other names each time."""

    def endless() -> Iterator[niwaki.Sentence]:
        for copy in count(1):
            for file in sorted(CORPUS.glob("*.conllu.gz")):
                for each in niwaki.read_conllu(file, multi_root=True):
                    yield niwaki.Sentence(each.source, f"{copy}/{file.name}", each.line)

    return islice(endless(), sentences)


def spacy_pattern(name: str) -> list[dict[str, Any]]:
    pattern = []
    for word, above, relation, label, tag, lemma in PATTERNS[name]:
        values = {"DEP": label, "POS": tag, "LEMMA": lemma}
        asked = {key: value for key, value in values.items() if value is not None}
        node: dict[str, Any] = {"RIGHT_ID": word, "RIGHT_ATTRS": asked}
        if above:
            node |= {"LEFT_ID": above, "REL_OP": relation}
        pattern.append(node)
    return pattern


def spacy_work(path: Path) -> dict[str, Callable[[], int]]:
    """How many matches spaCy's matcher finds in Docs."""
    try:
        from spacy.matcher import DependencyMatcher
        from spacy.vocab import Vocab
    except ImportError:
        print("spaCy is missing: pip install niwaki[spacy]")
        return {}
    vocab = Vocab()
    docs = [niwaki.to_spacy(sentence, vocab) for sentence in niwaki.read_conllu(path)]
    found: dict[str, Callable[[], int]] = {}
    for name in QUERIES:
        matcher = DependencyMatcher(vocab)
        matcher.add(name, [spacy_pattern(name)])
        found[name] = lambda matcher=matcher: sum(len(matcher(doc)) for doc in docs)
    return found


def udapi_work(path: Path) -> dict[str, Callable[[], int]]:
    """How many matches loops over udapi's nodes find."""
    try:
        import udapi
    except ImportError:
        print("udapi is missing: pip install udapi")
        return {}
    document = udapi.Document(str(path))

    def broad() -> int:
        found = 0
        for node in document.nodes:
            if node.upos == "VERB":
                below = node.children
                subjects = sum(x.deprel == "nsubj" and x.upos == "NOUN" for x in below)
                found += subjects * sum(y.deprel == "obj" for y in below)
        return found

    def verb_and_object() -> int:
        return sum(
            child.deprel == "obj"
            for node in document.nodes
            if node.lemma == "make"
            for child in node.children
        )

    def word_below() -> int:
        return sum(
            below.lemma == "study"
            for node in document.nodes
            if node.upos == "VERB"
            for below in node.descendants
        )

    return {"broad": broad, "verb and object": verb_and_object, "word below": word_below}


def niwaki_work(path: Path) -> dict[str, Callable[[], int]]:
    """How many matches are found in sentences in memory."""
    sentences = list(niwaki.read_conllu(path))
    return {
        name: lambda query=query: sum(1 for _ in niwaki.find(query, sentences))
        for name, query in QUERIES.items()
    }


def index_work(path: Path) -> dict[str, Callable[[], int]]:
    """How many matches are found in an index."""
    index = path.with_suffix(".index")
    niwaki.index(path, index)
    return {
        name: lambda query=query: sum(1 for _ in niwaki.find(query, index=index))
        for name, query in QUERIES.items()
    }


LIBRARIES = {
    "niwaki": niwaki_work,
    "niwaki index": index_work,
    "spacy": spacy_work,
    "udapi": udapi_work,
}


def is_plain(sentence: niwaki.Sentence) -> bool:
    """Whether all take it: spaCy knows no other tags than the universal ones."""
    return sentence.heads.count(0) == 1 and set(sentence.upos) <= set(UPOS)


def side_by_side(size: int, rounds: int) -> dict[str, Any]:
    """CPU seconds of each library for the same sentences, and how much all found."""
    known = filter(is_plain, corpus(2 * size))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.conllu"
        niwaki.write_conllu(islice(known, size), path)
        work: dict[str, dict[str, Callable[[], int]]] = {}
        prepared = {}
        for library, prepare in LIBRARIES.items():
            prepare(path)  # imports what it needs
            start = time.process_time()
            work[library] = prepare(path)
            prepared[library] = round(time.process_time() - start, 2)
        result: dict[str, Any] = {"sentences": size, "cpu_seconds_to_prepare": prepared}
        for name, query in QUERIES.items():
            runs = {library: each[name] for library, each in work.items() if name in each}
            found = {library: run() for library, run in runs.items()}
            if len(set(found.values())) != 1:
                raise SystemExit(f"{name}: libraries do not agree: {found}")
            best = best_of(
                rounds,
                {x: lambda run=run: timed(run, time.process_time) for x, run in runs.items()},
            )
            times = {library: round(seconds, 4) for library, seconds in best.items()}
            result[name] = {"query": query, "matches": found["niwaki"], "cpu_seconds": times}
    return result


def large(path: Path, size: int, rounds: int) -> dict[str, Any]:
    """Seconds in an index of many sentences that is opened anew for each query."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        took = timed(lambda: niwaki.index(corpus(size), path), time.process_time)
        print(f"{path}: {size:,} sentences indexed in {took:.0f} s of CPU time")
    result: dict[str, Any] = {"sentences": len(Index(path)), "gigabytes": path.stat().st_size / 1e9}
    for name, query in (SELECTIVE | BROAD).items():

        def run(query: str = query) -> int:
            return sum(1 for _ in niwaki.find(query, index=path))

        matches = run()
        times = best_of(
            rounds,
            {
                "seconds": lambda run=run: timed(run),
                "cpu_seconds": lambda run=run: timed(run, time.process_time),
            },
        )
        rounded = {kind: round(seconds, 3) for kind, seconds in times.items()}
        result[name] = {"query": query, "matches": matches, **rounded}
    return result


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--index", type=Path, default=Path("build/find/million.index"))
    made.add_argument("--sentences", type=int, help="default: a million, fast: 20,000")
    arguments = made.parse_args()
    need(CORPUS)
    is_fast = arguments.profile == "fast"
    size = arguments.sentences or (20_000 if is_fast else 1_000_000)
    path = arguments.index.with_stem(f"{arguments.index.stem}-{size}")
    rounds = 2 if is_fast else 3
    report(
        "find",
        {
            "signature": signature(profile=arguments.profile),
            "index": large(path, size, rounds),
            "side by side": side_by_side(2000 if is_fast else 10_000, rounds),
        },
    )


if __name__ == "__main__":
    main()
