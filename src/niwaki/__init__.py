"""Niwaki trains dependency parsers for the job they will do."""

from niwaki import draw
from niwaki.data.conllu import read_conllu, validate, write_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError, ConstraintError, CorpusError, ModelError, NiwakiError
from niwaki.features.brown import cluster
from niwaki.pipeline.ensemble import Ensemble
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tasks.align import align

__version__ = "0.1.0.dev0"

__all__ = [
    "ConfigError",
    "ConstraintError",
    "Constraints",
    "CorpusError",
    "Ensemble",
    "KBest",
    "ModelError",
    "NiwakiError",
    "Pipeline",
    "Sentence",
    "Tree",
    "align",
    "cluster",
    "draw",
    "load",
    "read_conllu",
    "validate",
    "write_conllu",
]
