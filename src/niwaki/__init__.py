"""Niwaki trains dependency parsers for the job they will do.

Every command of `niwaki` is a function here: `niwaki.train`, `niwaki.evaluate` and so on. What is
listed in `__all__` is public; docs/reference/api.md says which rooms are public besides.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from niwaki.errors import (
    ConfigError,
    ConstraintError,
    CorpusError,
    ExtraMissingError,
    KernelMissingError,
    ModelError,
    NiwakiError,
    ObjectiveError,
    QueryError,
    RulesError,
    ScoresError,
)

if TYPE_CHECKING:
    import niwaki.draw as draw
    from niwaki.adapting.report import Adapted
    from niwaki.adapting.shrinking import Shrunk
    from niwaki.analysis.bilingual import BilingualReport
    from niwaki.analysis.curves import CurvesReport
    from niwaki.analysis.doubts import Doubts
    from niwaki.analysis.gains import GainsReport
    from niwaki.analysis.orders_report import Report as ReorderingReport
    from niwaki.analysis.profiles_report import ProfilesReport
    from niwaki.analysis.tradeoff import TradeOff
    from niwaki.analysis.treebanks_report import TreebanksReport
    from niwaki.data.bilingual.bitext import Links
    from niwaki.data.bilingual.posteriors import Posteriors
    from niwaki.data.bilingual.references import Reference
    from niwaki.data.conllu import read_conllu, validate, write_conllu
    from niwaki.data.constraints import Constraints
    from niwaki.data.expressions import Expression
    from niwaki.data.kbest import KBest
    from niwaki.data.meaning import Meaning
    from niwaki.data.sentence import Sentence
    from niwaki.data.sentence_list import SentenceList
    from niwaki.data.token import Token
    from niwaki.data.tree import Tree
    from niwaki.features.clusters import WordClusters
    from niwaki.integrations.arrow import to_arrow
    from niwaki.integrations.networkx import to_networkx
    from niwaki.integrations.pandas import to_pandas
    from niwaki.integrations.spacy_docs import to_spacy
    from niwaki.metrics.base import Evaluation
    from niwaki.metrics.significance import Difference
    from niwaki.objectives import Objective
    from niwaki.pipeline.ensemble import Ensemble
    from niwaki.pipeline.pipeline import Pipeline
    from niwaki.pipeline.store import load
    from niwaki.tasks.answers.model import AnswerModel
    from niwaki.tasks.compress.model import Compressor
    from niwaki.tasks.connectives.model import ConnectiveModel
    from niwaki.tasks.find.query import Query
    from niwaki.tasks.find.results import Match
    from niwaki.tasks.find.sets import QuerySet, load_queries
    from niwaki.tasks.grammar.judge import Judge
    from niwaki.tasks.reorder.learning import Learned
    from niwaki.tasks.reorder.reorderer import Reordering
    from niwaki.tasks.reorder.rules import RuleSet
    from niwaki.tasks.roles.model import RoleLabeller
    from niwaki.tasks.translate.system import System as TranslationSystem
    from niwaki.training.config import Config
    from niwaki.training.reporting import EpochReport, Reporter
    from niwaki.training.self_training import Round
    from niwaki.verbs.adapting import adapt
    from niwaki.verbs.aligning import (
        align,
        align_probabilities,
        bridge,
        bridge_probabilities,
        symmetrize,
    )
    from niwaki.verbs.analyzing import analyze, analyze_bilingual, analyze_curves, trade_off
    from niwaki.verbs.bridging import align_perplexity
    from niwaki.verbs.checking import RulesCheck, check_rules
    from niwaki.verbs.clustering import cluster
    from niwaki.verbs.compressing import compress, evaluate_compression, train_compressor
    from niwaki.verbs.connecting import (
        connectives,
        evaluate_connectives,
        relations,
        train_connectives,
    )
    from niwaki.verbs.describing import ModelInfo, info
    from niwaki.verbs.doubting import doubts
    from niwaki.verbs.drawing import draw_trees
    from niwaki.verbs.evaluating import (
        Comparison,
        compare,
        evaluate,
        evaluate_alignment,
        evaluate_all,
        evaluate_reordering,
    )
    from niwaki.verbs.expressing import draw_meaning, encode_meaning, evaluate_meaning, meaning
    from niwaki.verbs.extracting import evaluate_answers, extract_answers
    from niwaki.verbs.fetching import KnownModel, download, index_models, models
    from niwaki.verbs.finding import find, index
    from niwaki.verbs.judging import corrupt, evaluate_judge, judge, train_judge
    from niwaki.verbs.labelling import evaluate_roles, facts, roles, train_roles
    from niwaki.verbs.parsing import kbest, parse
    from niwaki.verbs.pricing import Prices, price
    from niwaki.verbs.ranking import evaluate_ranking, rank, train_ranker
    from niwaki.verbs.reordering import learn_rules, references, reorder
    from niwaki.verbs.sensing import translate_train_senses, with_senses
    from niwaki.verbs.serving import open_workbench
    from niwaki.verbs.shrinking import shrink
    from niwaki.verbs.training import SelfTrained, Uptrained, self_train, train, uptrain
    from niwaki.verbs.training_treebanks import train_ud
    from niwaki.verbs.translating import Translation, translate_run, translate_train
    from niwaki.verbs.tuning import (
        TunedSystem,
        translate_consensus,
        translate_evaluate,
        translate_tune,
    )

__version__ = "0.1.0"

# Where the names are: imported when first asked for. The command line is up at once (Ctrl-C is
# answered while the rest is imported), and nobody waits for rooms that he does not need.
# (The imports above tell type checkers the same; a test compares the two.)
_LATER = {
    "niwaki.adapting.report": ("Adapted",),
    "niwaki.adapting.shrinking": ("Shrunk",),
    "niwaki.analysis.bilingual": ("BilingualReport",),
    "niwaki.analysis.curves": ("CurvesReport",),
    "niwaki.analysis.doubts": ("Doubts",),
    "niwaki.analysis.gains": ("GainsReport",),
    "niwaki.analysis.orders_report": ("Report as ReorderingReport",),
    "niwaki.analysis.profiles_report": ("ProfilesReport",),
    "niwaki.analysis.tradeoff": ("TradeOff",),
    "niwaki.analysis.treebanks_report": ("TreebanksReport",),
    "niwaki.data.bilingual.bitext": ("Links",),
    "niwaki.data.bilingual.posteriors": ("Posteriors",),
    "niwaki.data.bilingual.references": ("Reference",),
    "niwaki.data.conllu": ("read_conllu", "validate", "write_conllu"),
    "niwaki.data.constraints": ("Constraints",),
    "niwaki.data.expressions": ("Expression",),
    "niwaki.data.kbest": ("KBest",),
    "niwaki.data.meaning": ("Meaning",),
    "niwaki.data.sentence": ("Sentence",),
    "niwaki.data.sentence_list": ("SentenceList",),
    "niwaki.data.token": ("Token",),
    "niwaki.data.tree": ("Tree",),
    "niwaki.features.clusters": ("WordClusters",),
    "niwaki.integrations.arrow": ("to_arrow",),
    "niwaki.integrations.networkx": ("to_networkx",),
    "niwaki.integrations.pandas": ("to_pandas",),
    "niwaki.integrations.spacy_docs": ("to_spacy",),
    "niwaki.metrics.base": ("Evaluation",),
    "niwaki.metrics.significance": ("Difference",),
    "niwaki.objectives": ("Objective",),
    "niwaki.pipeline.ensemble": ("Ensemble",),
    "niwaki.pipeline.pipeline": ("Pipeline",),
    "niwaki.pipeline.store": ("load",),
    "niwaki.tasks.answers.model": ("AnswerModel",),
    "niwaki.tasks.compress.model": ("Compressor",),
    "niwaki.tasks.connectives.model": ("ConnectiveModel",),
    "niwaki.tasks.find.query": ("Query",),
    "niwaki.tasks.find.results": ("Match",),
    "niwaki.tasks.find.sets": ("QuerySet", "load_queries"),
    "niwaki.tasks.grammar.judge": ("Judge",),
    "niwaki.tasks.reorder.learning": ("Learned",),
    "niwaki.tasks.reorder.reorderer": ("Reordering",),
    "niwaki.tasks.reorder.rules": ("RuleSet",),
    "niwaki.tasks.roles.model": ("RoleLabeller",),
    "niwaki.tasks.translate.system": ("System as TranslationSystem",),
    "niwaki.training.config": ("Config",),
    "niwaki.training.reporting": ("EpochReport", "Reporter"),
    "niwaki.training.self_training": ("Round",),
    "niwaki.verbs.adapting": ("adapt",),
    "niwaki.verbs.aligning": (
        *("align", "align_probabilities", "bridge", "bridge_probabilities", "symmetrize"),
    ),
    "niwaki.verbs.analyzing": ("analyze", "analyze_bilingual", "analyze_curves", "trade_off"),
    "niwaki.verbs.bridging": ("align_perplexity",),
    "niwaki.verbs.checking": ("RulesCheck", "check_rules"),
    "niwaki.verbs.clustering": ("cluster",),
    "niwaki.verbs.compressing": ("compress", "evaluate_compression", "train_compressor"),
    "niwaki.verbs.connecting": (
        "connectives",
        "evaluate_connectives",
        "relations",
        "train_connectives",
    ),
    "niwaki.verbs.describing": ("ModelInfo", "info"),
    "niwaki.verbs.doubting": ("doubts",),
    "niwaki.verbs.drawing": ("draw_trees",),
    "niwaki.verbs.evaluating": (
        *("Comparison", "compare", "evaluate", "evaluate_alignment", "evaluate_all"),
        "evaluate_reordering",
    ),
    "niwaki.verbs.expressing": (
        *("draw_meaning", "encode_meaning", "evaluate_meaning", "meaning"),
    ),
    "niwaki.verbs.fetching": ("KnownModel", "download", "index_models", "models"),
    "niwaki.verbs.finding": ("find", "index"),
    "niwaki.verbs.extracting": ("evaluate_answers", "extract_answers"),
    "niwaki.verbs.judging": ("corrupt", "evaluate_judge", "judge", "train_judge"),
    "niwaki.verbs.labelling": ("evaluate_roles", "facts", "roles", "train_roles"),
    "niwaki.verbs.parsing": ("kbest", "parse"),
    "niwaki.verbs.pricing": ("Prices", "price"),
    "niwaki.verbs.ranking": ("evaluate_ranking", "rank", "train_ranker"),
    "niwaki.verbs.reordering": ("learn_rules", "references", "reorder"),
    "niwaki.verbs.sensing": ("translate_train_senses", "with_senses"),
    "niwaki.verbs.serving": ("open_workbench",),
    "niwaki.verbs.shrinking": ("shrink",),
    "niwaki.verbs.training": ("SelfTrained", "Uptrained", "self_train", "train", "uptrain"),
    "niwaki.verbs.translating": ("Translation", "translate_run", "translate_train"),
    "niwaki.verbs.tuning": (
        "TunedSystem",
        "translate_consensus",
        "translate_evaluate",
        "translate_tune",
    ),
    "niwaki.verbs.training_treebanks": ("train_ud",),
}
_PLACES = {
    name.split(" as ")[-1]: (module, name.split(" as ")[0])
    for module, names in _LATER.items()
    for name in names
}

__all__ = [
    "Adapted",
    "AnswerModel",
    "BilingualReport",
    "Comparison",
    "Compressor",
    "Config",
    "ConfigError",
    "ConnectiveModel",
    "ConstraintError",
    "Constraints",
    "CorpusError",
    "CurvesReport",
    "Difference",
    "Doubts",
    "Ensemble",
    "EpochReport",
    "Evaluation",
    "Expression",
    "ExtraMissingError",
    "GainsReport",
    "Judge",
    "KBest",
    "KernelMissingError",
    "KnownModel",
    "Learned",
    "Links",
    "Match",
    "Meaning",
    "ModelError",
    "ModelInfo",
    "NiwakiError",
    "Objective",
    "ObjectiveError",
    "Pipeline",
    "Posteriors",
    "Prices",
    "ProfilesReport",
    "Query",
    "QueryError",
    "QuerySet",
    "Reference",
    "Reordering",
    "ReorderingReport",
    "Reporter",
    "RoleLabeller",
    "Round",
    "RuleSet",
    "RulesCheck",
    "RulesError",
    "ScoresError",
    "SelfTrained",
    "Sentence",
    "SentenceList",
    "Shrunk",
    "Token",
    "TradeOff",
    "Translation",
    "TranslationSystem",
    "Tree",
    "TreebanksReport",
    "TunedSystem",
    "Uptrained",
    "WordClusters",
    "adapt",
    "align",
    "align_perplexity",
    "align_probabilities",
    "analyze",
    "analyze_bilingual",
    "analyze_curves",
    "bridge",
    "bridge_probabilities",
    "check_rules",
    "cluster",
    "compare",
    "compress",
    "connectives",
    "corrupt",
    "doubts",
    "download",
    "draw",
    "draw_meaning",
    "draw_trees",
    "encode_meaning",
    "evaluate",
    "evaluate_alignment",
    "evaluate_all",
    "evaluate_answers",
    "evaluate_compression",
    "evaluate_connectives",
    "evaluate_judge",
    "evaluate_meaning",
    "evaluate_ranking",
    "evaluate_reordering",
    "evaluate_roles",
    "extract_answers",
    "facts",
    "find",
    "index",
    "index_models",
    "info",
    "judge",
    "kbest",
    "learn_rules",
    "load",
    "load_queries",
    "meaning",
    "models",
    "open_workbench",
    "parse",
    "price",
    "rank",
    "read_conllu",
    "references",
    "relations",
    "reorder",
    "roles",
    "self_train",
    "shrink",
    "symmetrize",
    "to_arrow",
    "to_networkx",
    "to_pandas",
    "to_spacy",
    "trade_off",
    "train",
    "train_compressor",
    "train_connectives",
    "train_judge",
    "train_ranker",
    "train_roles",
    "train_ud",
    "translate_consensus",
    "translate_evaluate",
    "translate_run",
    "translate_train",
    "translate_train_senses",
    "translate_tune",
    "uptrain",
    "validate",
    "with_senses",
    "write_conllu",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # With it, sentences draw themselves in notebooks.
    drawing = importlib.import_module("niwaki.draw")
    if name == "draw":
        return drawing
    module, name_there = _PLACES[name]
    # Kept, so that it is looked up once.
    found = globals()[name] = getattr(importlib.import_module(module), name_there)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
