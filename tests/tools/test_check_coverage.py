"""How much the tests run: of Python as coverage.py counts it, of the kernel as gcov does."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

TOOL: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "check_coverage.py"))

# As Cython writes it: comments say which line the C after them was made of.
C = """\
static int __pyx_f_sign(int __pyx_v_a) {
  int __pyx_r;

  /* "niwaki/kernel/sparse.pyx":12
 *     cdef int sign(int a) noexcept nogil:
 *         if a < 0:             # <<<<<<<<<<<<<<
 *             return -1
*/
  if (__pyx_v_a < 0) {

    /* "niwaki/kernel/sparse.pyx":13
 *         if a < 0:
 *             return -1             # <<<<<<<<<<<<<<
*/
    __pyx_r = -1;
    goto __pyx_L0;
  }

  /* "niwaki/kernel/sparse.pyx":14
 *         return a > 0             # <<<<<<<<<<<<<<
*/
  __pyx_r = __pyx_v_a > 0;
  goto __pyx_L0;

  /* function exit code */
  __pyx_L0:;
  return __pyx_r;
}

int main(void) {
  return __pyx_f_sign(3) != 1;
}
"""


def test_lines_of_c_are_those_of_the_file_that_they_were_made_of() -> None:
    made_of = {number: (name, line) for number, name, line in TOOL["lines_of_c"](C)}
    numbers = {line.strip(): number for number, line in enumerate(C.splitlines(), 1)}
    for text, line in (
        ("if (__pyx_v_a < 0) {", 12),
        ("__pyx_r = -1;", 13),
        ("__pyx_r = __pyx_v_a > 0;", 14),
    ):
        assert made_of[numbers[text]] == ("niwaki/kernel/sparse.pyx", line)
    for text in ("int __pyx_r;", "return __pyx_r;", "return __pyx_f_sign(3) != 1;"):
        assert numbers[text] not in made_of


def test_a_line_counts_as_run_where_its_code_was(tmp_path: Path) -> None:
    if sys.platform != "linux" or not (shutil.which("gcc") and shutil.which("gcov")):
        pytest.skip("lines are counted on Linux, with gcc and its gcov")
    (tmp_path / "sign.c").write_text(C)
    build = ["gcc", "-O0", "--coverage", str(tmp_path / "sign.c"), "-o", "sign"]
    subprocess.run(build, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "sign"], cwd=tmp_path, check=True)
    hits = TOOL["kernel_hits"](TOOL["gcov"](tmp_path))
    assert hits == {"niwaki/kernel/sparse.pyx": {12: True, 13: False, 14: True}}
    shares = TOOL["kernel_shares"](hits)
    text, percent = TOOL["table"]("kernel", shares)
    assert percent == pytest.approx(200 / 3)
    assert text.splitlines()[-1].split() == ["all", "3", "1", "0", "0", "66.7"]


def test_without_counts_it_is_said_what_makes_them(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="make asan"):
        list(TOOL["gcov"](tmp_path))


def test_branches_count_like_lines() -> None:
    share = TOOL["Share"](lines=6, missed=1, ways=4, missed_ways=1)
    assert share.percent == 80.0


def test_what_is_held_is_measured() -> None:
    assert set(TOOL["floors"]()) == {"python", "kernel"}
    assert all(0 < floor <= 100 for floor in TOOL["floors"]().values())
