"""The family "graph", as the rest of Niwaki finds it."""

from __future__ import annotations

from niwaki.parsers.base import Family
from niwaki.parsers.graph.config import GraphConfig

FAMILY = Family("graph", GraphConfig)
