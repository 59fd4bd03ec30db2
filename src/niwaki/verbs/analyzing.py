"""What systems get wrong, what links tell, how training went, what a task has cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from niwaki.analysis.bilingual import BilingualReport, decide, first_mistakes, moves_of
from niwaki.analysis.curves import CurvesReport, read_log
from niwaki.analysis.profiles import SAMPLES as PROFILE_SAMPLES
from niwaki.analysis.profiles import profile_errors
from niwaki.analysis.profiles_report import ProfilesReport
from niwaki.analysis.tradeoff import TradeOff, weigh_up
from niwaki.data.conllu import read_conllu
from niwaki.data.files import Source
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, NiwakiError
from niwaki.metrics.base import SAMPLES
from niwaki.pipeline.learned import overlap_of
from niwaki.training.examples import load_costs
from niwaki.verbs._given import (
    Model,
    OnError,
    Sentences,
    Watch,
    fault_handler,
    is_source,
    linked,
    model_of,
    name_of,
    sentences_of,
    short_names,
    unwatched,
)
from niwaki.verbs.training import Configuration, config_of


def analyze(
    gold: Sentences,
    systems: Sequence[str] | Mapping[str, Sentences],
    *,
    labelled: bool = True,
    punctuation: bool = True,
    samples: int = PROFILE_SAMPLES,
    seed: int = 1,
    watch: Watch = unwatched,
) -> ProfilesReport:
    """Where two or more systems err: by length, depth, part of speech, label and more.

    `systems` are CoNLL-U files, or trees by name; all are compared with the first by paired
    bootstrap. Without `labelled`, an arc is right if its head is; without `punctuation`, words
    that gold tags as PUNCT are not scored.

        >>> report = analyze("gold.conllu", ["greedy.conllu", "beam.conllu"])
        >>> report.to_text(), report.to_json(), report.to_html("Errors")
    """
    named = systems if isinstance(systems, Mapping) else _by_short_names(systems)
    if len(named) < 2:
        raise NiwakiError("one system; give the trees of two or more")
    found = profile_errors(
        _whole_trees(gold),
        {name: _whole_trees(trees) for name, trees in named.items()},
        labelled=labelled,
        punctuation=punctuation,
        samples=samples,
        seed=seed,
        report=lambda _: watch("profiling", 1, 0),
    )
    return ProfilesReport(found)


def _by_short_names(files: Sequence[str]) -> dict[str, str]:
    return dict(zip(short_names(files), files, strict=True)) if files else {}


def _whole_trees(given: Sentences) -> list[Sentence]:
    if is_source(given):
        return list(read_conllu(given, multi_root=True, unknown_heads=False))  # type: ignore[arg-type]
    return list(given)  # type: ignore[arg-type]


def analyze_bilingual(
    gold: Sentences,
    links: Source | None = None,
    model: Model | None = None,
    *,
    beam: int = 1,
    retag: bool = False,
    unseen: bool = False,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> BilingualReport:
    """Whether links to a translation tell when to shift and when to reduce (Huang et al. 2009).

    Links stand in a file, a line for each sentence, or in MISC. With a model, its first mistake
    in each sentence is counted too; with `unseen`, sentences that it has learned from are left out.
    With `on_error="skip"`, sentences whose line does not fit go without links.

        >>> analyze_bilingual("gold.conllu", "gold.align", "en").to_json()
    """
    on_fault = fault_handler(on_error)
    sentences = list(linked(sentences_of(gold), links, on_fault))
    loaded = None if model is None else model_of(model)
    records = [] if loaded is None else [loaded.learned]
    numbers, overlap = overlap_of(records, sentences, unseen=unseen)
    sentences = [sentences[number] for number in numbers]
    mistakes = {}
    if loaded is not None:
        ways = []
        for way in moves_of(loaded, sentences, beam, retag):
            ways.append(way)
            watch("parsing", 1, len(sentences))
        mistakes = {
            "against the canonical way": first_mistakes(sentences, ways, genuine=False),
            "genuine": first_mistakes(sentences, ways, genuine=True),
        }
    return BilingualReport(decide(sentences), mistakes, overlap if records else None)


def analyze_curves(logs: Sequence[str]) -> CurvesReport:
    """The costs of training objectives, epoch by epoch, from the logs beside models.

    >>> analyze_curves(["first.niwaki.log.jsonl", "second.niwaki.log.jsonl"]).to_text()
    """
    if not logs:
        raise NiwakiError("no log; give at least one")
    return CurvesReport({name: read_log(file) for name, file in _by_short_names(logs).items()})


def trade_off(
    gold: Sentences,
    task: Configuration,
    before: Model,
    after: Model,
    *,
    words: Iterable[str] = (),
    overrides: Sequence[str] = (),
    samples: int = SAMPLES,
    seed: int = 1,
    unseen: bool = False,
) -> TradeOff:
    """What a model has gained for a task, and what it has paid in treebank scores.

    `task` is a configuration whose costs say what trees are for, with examples that neither
    model was trained on. `overlaps` of the result says how many of them, and of the gold trees,
    were learned all the same; with `unseen`, these are left out. The tags of `words` in the
    examples are counted.

        >>> found = trade_off("gold.conllu", "task.toml", "en", "task.niwaki", words=["click"])
        >>> found.costs, found.to_json()
    """
    read = config_of(task, overrides)
    if not read.costs:
        file = name_of(task, "the task")
        raise ConfigError(f"{file}: no objective is a cost; there is nothing to weigh")
    models = model_of(before), model_of(after)
    costs = load_costs(read, segmenter=models[0].segmenter)
    return weigh_up(
        (name_of(before, "before"), name_of(after, "after")),
        models,
        list(read_conllu(gold) if is_source(gold) else gold),  # type: ignore[arg-type]
        {each.name: each.objective for each in costs},
        words=list(words),
        samples=samples,
        seed=seed,
        unseen=unseen,
    )
