"""Engines for tests: processes, and one small Ray for all tests that need it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers find what the tests give them to do."""
    path = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))


@pytest.fixture(scope="session")
def small_ray() -> Iterator[None]:
    """A Ray of this machine with two processors; `RayEngine` uses a session that is open."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray = pytest.importorskip("ray", reason="install niwaki[scale] to test Ray")
        try:
            ray.init(
                num_cpus=2,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="error",
                object_store_memory=100 * 2**20,
                runtime_env={"env_vars": {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}},
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            pytest.skip(f"Ray does not start here: {error}")
        yield
        ray.shutdown()


@pytest.fixture(params=["local", pytest.param("ray", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "ray":
        request.getfixturevalue("small_ray")
    return str(request.param)
