"""No test is forgotten: what `make test` leaves out is run by another target, and that by CI."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT, TARGETS

CI = "\n".join(
    path.read_text(encoding="utf-8")
    for path in [ROOT / ".ci" / "run", *(ROOT / ".github" / "workflows").glob("*.yml")]
)


@pytest.mark.parametrize("name", TARGETS)
def test_what_the_suite_leaves_out_has_a_target_that_is_run(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(rf"^{name}:.*\n((?:\t.*\n)+)", makefile, re.M)
    assert recipe is not None
    assert re.search(rf" -m {name}\b", recipe[1])
    assert re.search(rf"\bmake {name}\b|target: .*\b{name}\b", CI)


def test_the_gate_counts_lines_of_all_tests() -> None:
    """The slow tests add to what the others ran: `make test` begins the count anew."""
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make (.*COUNT=1|held-coverage)$", gate, re.M) == [
        "test COUNT=1",
        "slow COUNT=1",
        "held-coverage",
    ]
