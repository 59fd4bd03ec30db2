"""Only the root is known (Hall et al. 2011, Table 2): English Atis, and the questions of EWT.

python -m benchmarks.tasks.known_roots [--profile fast] [--base MODEL] [--tune]

Two treebank models are the ends of a gap: one trained on EWT, one on the target's trees.
The third is the first one trained on, with the roots of the target's training sentences
and nothing else of their trees. Everything is without punctuation (Atis has none) and in
lower case; all tags are those of a tagger that never saw a tag of the target. Settings
were chosen on the development data (--tune shows it); the tests are scored once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    EWT_TRAIN,
    LEAN,
    WORK,
    closed_gaps,
    graph_model,
    parse,
    tagged_treebank,
    task_parser,
    trained,
    tree_counts,
    tree_scores,
    write,
)
from niwaki.data.sentence import Sentence

EWT = DATA / "ud-english-ewt"
ATIS = DATA / "ud-english-atis"
QUESTIONS = DATA / "questions"

# What was chosen on Atis dev, and what else was tried there.
ROOTS: dict[str, Any] = {
    "kind": "partial",
    "k": 16,
    "schedule": 1.0,
    "step": 8.0,
    "select": "expected",
    "scale": 100.0,
}
# `share`: how much of EWT beside it, one in so many sentences.
TUNED: list[dict[str, Any]] = [
    {},
    {"step": 4.0},
    {"share": 1, "step": 4.0},
    {"share": 1},
    {"share": 1, "step": 16.0},
    {"share": 1, "k": 64},
    {"share": 1, "scale": 200.0},
    {"share": 1, "k": 64, "scale": 200.0},
    {"share": 1, "step": 4.0, "scale": 50.0},
    {"share": 1, "step": 4.0, "schedule": 2.0},
    {"select": "hope-fear", "step": 0.5, "scale": 600.0},
    {"select": "hope-fear", "step": 2.0, "scale": 600.0},
    {"share": 1, "select": "hope-fear", "step": 0.5, "scale": 600.0},
    {"share": 1, "select": "hope-fear", "step": 1.0, "scale": 600.0},
    {"share": 1, "select": "hope-fear", "step": 2.0, "scale": 600.0},
]
# Ways in which a graph parser learns roots, from one in so many sentences of Atis and of EWT.
# Nothing was tuned.
GRAPH_SELECT: dict[str, dict[str, Any]] = {
    "hard": {"k": 8, "select": "hard", "step": 1.0},
    "augmented": {"select": "augmented", "step": 1.0},
    "exact": {"select": "exact", "scale": 1.0, "step": 10.0},
}
GRAPH_SHARE, GRAPH_EVERY = 16, 6
# Shares of EWT that are seen while a model is trained on, and passes over it.
PROFILES = {
    "full": {"epochs": 10, "share": 1, "on": 3},
    "standard": {"epochs": 10, "share": 2, "on": 1},
    "fast": {"epochs": 3, "share": 2, "on": 1},
}


def without_punctuation(sentence: Sentence) -> Sentence | None:
    """The tree without punctuation; what hung from it hangs from its head."""
    heads, labels = list(sentence.heads), list(sentence.deprels)
    columns = zip(labels, sentence.upos, strict=True)
    kept = [label != "punct" and upos != "PUNCT" for label, upos in columns]
    root = heads.index(0)
    if not kept[root]:
        children = [i for i, head in enumerate(heads) if head == root + 1 and kept[i]]
        if not children:
            return None
        for child in children:
            heads[child] = children[0] + 1
        heads[children[0]], labels[children[0]] = 0, "root"
    number = {0: 0}
    for word, keep in enumerate(kept, start=1):
        if keep:
            number[word] = len(number)
    lines = [f"# sent_id = {sentence.id}"]
    for i in (i for i, keep in enumerate(kept) if keep):
        head = heads[i]
        while head and not kept[head - 1]:
            head = heads[head - 1]
        tags = (sentence.lemmas[i], sentence.upos[i], sentence.xpos[i], sentence.feats[i])
        cells = (number[i + 1], sentence.forms[i], *tags, number[head], labels[i], "_", "_")
        lines.append("\t".join(map(str, cells)))
    return Sentence.from_conllu("\n".join(lines) + "\n\n")


def plain(path: Path, leave_out: Path | None = None) -> list[Sentence]:
    """The sentences of a file without punctuation, and without those whose ids are listed."""
    ids = set(leave_out.read_text().split()) if leave_out else set()
    stripped = (without_punctuation(s) for s in niwaki.read_conllu(need(path)) if s.id not in ids)
    return [sentence for sentence in stripped if sentence is not None]


def roots_only(sentences: list[Sentence]) -> list[Sentence]:
    return [
        s.replace(heads=[head if head == 0 else -1 for head in s.heads], deprels=["_"] * len(s))
        for s in sentences
    ]


def tagged(model: Path, sentences: list[Sentence]) -> list[Sentence]:
    """With the tags of a model, whatever tags they had, and with their own trees."""
    parsed = niwaki.load(model).parse(sentences, retag=True, beam=1)
    return [
        s.replace(upos=p.upos, xpos=p.xpos, feats=["_"] * len(s))
        for s, p in zip(sentences, parsed, strict=True)
    ]


def untagged(sentences: list[Sentence]) -> list[Sentence]:
    """Without tags, so that the model's own tagger gives them, with its doubts."""
    return [s.replace(upos=["_"] * len(s), xpos=["_"] * len(s)) for s in sentences]


def compare(
    name: str,
    base: Path,
    source: Path,
    target: list[Sentence],
    test: list[Sentence],
    profile: dict[str, int],
    choices: dict[str, Any],
) -> dict[str, Any]:
    """The three models of one target, scored on its test sentences."""
    trees = write(WORK / f"{name}-target.conllu", tagged(base, target))
    beside = tagged_treebank(source.stem, base, source, profile["share"])
    roots = write(WORK / f"{name}-roots.conllu", roots_only(untagged(target)))
    gold = tagged(base, test)
    there = trained(
        f"{name}-target",
        {
            "objective": [{"data": str(trees)}],
            **LEAN,
            "tagger": {"folds": 0, "feats": False, "lemmas": False},
            "training": {"epochs": profile["epochs"]},
        },
    )
    objectives = [{"data": str(beside.file)}, {**ROOTS, **choices, "data": str(roots)}]
    on = {"objective": objectives, "training": {"epochs": profile["on"]}}
    models = {
        "EWT trees": base,
        "target's trees": there,
        "EWT trees, target's roots": trained(f"{name}-roots", on, base, beside.tags),
    }
    # The model of the target has learned from given tags; the others tag as they parse.
    counts = {
        model: tree_counts(gold, parse(path, gold, retag=path != there))
        for model, path in models.items()
    }
    return {
        "sentences": len(gold),
        **{model: tree_scores(each) for model, each in counts.items()},
        "closed": closed_gaps(*counts.values()),
    }


def graph_rows(target: list[Sentence], test: list[Sentence], names: list[str]) -> dict[str, Any]:
    """A graph parser of EWT (with punctuation) before and after, by each way to learn roots."""
    base = graph_model()
    beside = tagged_treebank("ewt-lower", base, EWT_TRAIN, GRAPH_SHARE)
    roots = write(WORK / "atis-roots-graph.conllu", roots_only(untagged(target[::GRAPH_EVERY])))
    before = tree_counts(test, parse(base, test))
    result: dict[str, Any] = {"sentences": len(test), "EWT trees": tree_scores(before)}
    for name in names:
        cost = {"kind": "partial", "data": str(roots), **GRAPH_SELECT[name]}
        record = {"objective": [{"data": str(beside.file)}, cost], "training": {"epochs": 1}}
        path = trained(f"atis-graph-{name}", record, base, beside.tags)
        after = tree_counts(test, parse(path, test))
        gains = closed_gaps(before, after, after)
        result[name] = {
            metric: {
                "score": tree_scores(after)[metric],
                "gain": gains[metric]["gain"],
                "interval": gains[metric]["interval"],
            }
            for metric in gains
        }
    return result


def main() -> None:
    made = task_parser(__doc__)
    made.add_argument("--tune", action="store_true", help="try settings on Atis dev, and stop")
    made.add_argument(
        "--only", choices=["atis", "questions", "graph"], help="leave out the other parts"
    )
    made.add_argument(
        "--select", nargs="*", default=list(GRAPH_SELECT), help="for the graph parser"
    )
    arguments = made.parse_args()
    profile = PROFILES[arguments.profile]
    files = {part: EWT / f"en_ewt-ud-{part}.conllu" for part in ("train", "dev", "test")}
    atis = {p: list(niwaki.read_conllu(need(ATIS / f"en_atis-ud-{p}.conllu"))) for p in files}
    if arguments.only == "graph":
        found = graph_rows(atis["train"], atis["test"], arguments.select)
        settings = {"share of EWT": GRAPH_SHARE, "every": GRAPH_EVERY, **GRAPH_SELECT}
        report("known-roots-graph", {"signature": signature(settings=settings), **found})
        return
    train = write(WORK / "ewt-plain.conllu", plain(files["train"]))
    record = {"objective": [{"data": str(train)}], **LEAN}
    record["training"] = {"epochs": profile["epochs"]}
    base = arguments.base or trained("ewt-plain", record)
    if arguments.tune:
        for tried in TUNED:
            beside = {**profile, "share": tried.get("share", profile["share"])}
            choices = {key: value for key, value in tried.items() if key != "share"}
            found = compare("atis", base, train, atis["train"], atis["dev"], beside, choices)
            print(tried, found, file=sys.stderr, flush=True)
        return
    result: dict[str, Any] = {"signature": signature(profile=arguments.profile, settings=ROOTS)}
    if arguments.only != "questions":
        result["atis"] = compare("atis", base, train, atis["train"], atis["test"], profile, {})
    if arguments.only != "atis":
        listed = QUESTIONS / "ids" / "questionlike-ewt-train.txt"
        rest = write(WORK / "ewt-rest.conllu", plain(files["train"], leave_out=listed))
        questions = {p: plain(QUESTIONS / f"questions-ewt-{p}.conllu") for p in files}
        record["objective"] = [{"data": str(rest)}]
        without = trained("ewt-rest", record)
        pooled = questions["dev"] + questions["test"]
        result["questions"] = compare(
            "questions", without, rest, questions["train"], pooled, profile, {}
        )
    report("known-roots", result)


if __name__ == "__main__":
    main()
