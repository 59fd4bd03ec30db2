"""Metrics: one file each, found by its name; all of them keep the contract of `metrics/base.py`."""

from __future__ import annotations

import importlib
import pkgutil

from niwaki.errors import NiwakiError, nearest, shown
from niwaki.metrics.base import Metric


def metric_names() -> list[str]:
    """The metrics, found by looking for files that have a `METRIC`."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if _metric(m.name) is not None)


def load_metric(name: str) -> Metric:
    """A metric by the name of its file; raises NiwakiError for one that there is not."""
    if name not in metric_names():
        raise NiwakiError(f"no metric {shown(name)}; {nearest(name, metric_names())}")
    found = _metric(name)
    assert found is not None
    return found


def _metric(name: str) -> Metric | None:
    found: Metric | None = getattr(importlib.import_module(f"{__name__}.{name}"), "METRIC", None)
    return found
