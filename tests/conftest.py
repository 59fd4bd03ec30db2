"""Settings and paths that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# No deadlines: these machines are shared, and no test here is about time.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")


@pytest.fixture
def fixtures() -> Path:
    return ROOT / "tests" / "fixtures"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = Path(item.fspath).relative_to(ROOT / "tests").parts[0]
        if folder in ("kernel", "acceptance"):
            item.add_marker(folder)


def pytest_configure(config: pytest.Config) -> None:
    # `make test` leaves the slow checks on real corpora to `make acceptance`.
    if not config.option.markexpr:
        config.option.markexpr = "not acceptance"
