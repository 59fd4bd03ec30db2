"""The tests: folders as in `src/niwaki`, and what they share."""

from __future__ import annotations

import os

# Tests that run on all cores leave none for the threads of NumPy and torch, which would only wait
# for each other. Read when these are imported, so it stands before everything else.
if "PYTEST_XDIST_WORKER" in os.environ:
    for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(_name, "1")
