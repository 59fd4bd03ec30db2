"""Settings and paths that all tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from tests.toy import TOY, quick_model

ROOT = Path(__file__).resolve().parent.parent
# Real corpora, which need not be there: $NIWAKI_DATA, or else ../shared/data.
DATA = Path(os.environ.get("NIWAKI_DATA") or ROOT.parent / "shared" / "data").absolute()

# No deadlines: these machines are shared, and no test here is about time.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")

# What `make test` leaves out: tests with these markers have targets of the same names.
TARGETS = ("slow", "acceptance", "endurance")
# Fixtures that take long to make or to use: a browser, a cluster, a fresh environment.
SLOW_FIXTURES = {"browser", "small_ray", "binaries"}


@pytest.fixture
def fixtures() -> Path:
    return ROOT / "tests" / "fixtures"


@pytest.fixture(scope="session")
def toy() -> list[Sentence]:
    """The sentences of the toy treebank."""
    return list(read_conllu(TOY))


@pytest.fixture(scope="session")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the toy treebank, trained once."""
    path = tmp_path_factory.mktemp("model") / "toy.niwaki"
    quick_model(path)
    return path


@pytest.fixture(scope="session")
def model(model_path: Path) -> Pipeline:
    return load(model_path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = Path(item.fspath).relative_to(ROOT / "tests").parts[0]
        if folder in ("kernel", "acceptance", "endurance"):
            item.add_marker(folder)
        if not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker("slow")


def pytest_configure(config: pytest.Config) -> None:
    # `make test` leaves what takes long to `make slow`, `make acceptance` and `make endurance`.
    if not config.option.markexpr:
        config.option.markexpr = " and ".join(f"not {marker}" for marker in TARGETS)


def pytest_sessionfinish() -> None:
    # pytest-xdist kills processes that take long to end, so what was counted is written before.
    counting = sys.modules.get("coverage")
    if counting is not None and (counted := counting.Coverage.current()) is not None:
        counted.save()
