"""The family "transition", as the rest of Niwaki finds it."""

from __future__ import annotations

from niwaki.parsers.base import Family
from niwaki.parsers.transition.config import TransitionConfig

FAMILY = Family("transition", TransitionConfig)
