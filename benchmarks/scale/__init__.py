"""Corpora and training by many workers, who have to find the modules that measure them."""

import os

from benchmarks.common import ROOT

_BEFORE = os.environ.get("PYTHONPATH")
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), _BEFORE] if _BEFORE else [str(ROOT)])
