"""Transition systems, one file each: `arc_hybrid` is the system "arc-hybrid"."""

import importlib
import pkgutil

from niwaki.errors import ConfigError, nearest
from niwaki.kernel.transition.systems._system import MOVE_NAMES as MOVES
from niwaki.kernel.transition.systems._system import System

__all__ = ["MOVES", "System", "load_system", "system_names"]


def system_names() -> list[str]:
    """The systems, found by looking for their files."""
    modules = pkgutil.iter_modules(__path__)
    return sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_"))


def load_system(name: str) -> System:
    if name not in system_names():
        raise ConfigError(f"no transition system {name!r}; {nearest(name, system_names())}")
    system: System = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").SYSTEM
    return system
