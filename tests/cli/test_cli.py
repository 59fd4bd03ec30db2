"""The command line: one-line errors, exit statuses, help."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.cli._progress import Progress
from niwaki.data.modelfile import write_model_file
from niwaki.training.config_file import make_config
from tests.toy import niwaki

GOOD = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.conllu"
    path.write_text(GOOD)
    return path


def test_validate(good: Path, tmp_path: Path) -> None:
    assert niwaki("validate", good).returncode == 0
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\ta\n\n" + GOOD + GOOD.replace("\t0\t", "\t1_0\t"))
    done = niwaki("validate", good, bad)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"{bad}:1:LINE: 2 columns; a word has ten columns with a tab between each two",
        f"{bad}:5:HEAD: found '1_0'; write a plain decimal, or _ if unknown",
    ]
    answer = json.loads(niwaki("validate", "--json", bad).stdout)
    assert answer["sentences"] == 3
    assert [(f["line"], f["column"]) for f in answer["faults"]] == [(1, "LINE"), (5, "HEAD")]
    assert niwaki("validate", "-", stdin=GOOD).returncode == 0


def test_validate_options(tmp_path: Path) -> None:
    path = tmp_path / "p.conllu"
    path.write_text(GOOD.replace("\t0\t", "\t_\t"))
    assert niwaki("validate", path).returncode == 1
    assert niwaki("validate", "--unknown-heads", path).returncode == 0


def test_draw(good: Path, tmp_path: Path) -> None:
    assert niwaki("draw", good).stdout == "# a\n● a  X  root\n"
    assert niwaki("draw", good, "--tree").stdout == "# a\na  X  root\n"
    for option, start in (("--svg", "<svg"), ("--html", "<!doctype html>")):
        target = tmp_path / "picture"
        assert niwaki("draw", good, option, target).returncode == 0
        assert target.read_text().startswith(start)
    missing = niwaki("draw", good, "--id", "nowhere", "--svg", "-")
    assert missing.returncode == 1
    assert "no sentence 'nowhere'" in missing.stderr


def test_info(tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    write_model_file(
        path, {"config.json": {"name": "m", "licences": ["A", "B"], "scores": {"LAS": 1}}}
    )
    card = "name: m\nlicences: A, B\nscores\n  LAS: 1\nlearned from: not recorded\nparts\n"
    assert niwaki("info", path).stdout.startswith(card)
    assert json.loads(niwaki("info", path, "--json").stdout)["name"] == "m"


def test_info_of_a_card_with_anything_in_it(tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"in": deep}
    text = "漢 \x9b2J \u202e \U000e0001 \x1b[2J"
    mixed = [{"a": 1}, "b", 3, [{"c": 2}], None]
    write_model_file(path, {"config.json": {"mixed": mixed, "deep": deep, "text": text}})
    done = niwaki("info", path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith("mixed\n  a: 1\nmixed: b\nmixed: 3\nmixed\n  c: 2\n")
    done = niwaki("info", path, "--json")
    assert all(char.isprintable() or char == "\n" for char in done.stdout)
    assert "漢" in done.stdout
    assert json.loads(done.stdout)["text"] == text


def test_info_says_what_treebanks_were_used_for() -> None:
    lines = [line.strip() for line in niwaki("info", "en").stdout.splitlines()]
    for line in (
        *("weight: 3.0", "interpolate: 0.5", "joined: 0.15", "weight: 10.0", "trains: trees"),
        *("trains: tags, trees", "nonprojective: projectivize", "greedy: true"),
    ):
        assert line in lines
    assert not [line for line in lines if line.startswith(("trainer", "teaches", "rules", "k:"))]


def test_info_of_a_graph_model_says_nothing_of_beams(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    config = make_config(
        {
            "objective": [{"data": str(good)}],
            "model": {"kind": "graph"},
            "graph": {"trainer": "mira"},
        }
    )
    write_model_file(path, {"config.json": json.loads(json.dumps(config.to_json()))})
    lines = [line.strip() for line in niwaki("info", path).stdout.splitlines()]
    keys = [line.partition(":")[0] for line in lines]
    assert "kind: graph" in lines and "trainer: mira" in lines and "aggressiveness: 0.01" in lines
    assert f"data: {good}" in lines
    for key in ("system", "beam", "explore", "eg_learning_rate", "optimizer", "schedule"):
        assert key not in keys
    assert json.loads(niwaki("info", path, "--json").stdout)["graph"]["optimizer"] == "adagrad"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["validate", "no-such-file"], 1, "niwaki: no-such-file: No such file or directory"),
        (["info", os.devnull], 1, "not a regular file"),
        (["draw", os.devnull], 1, "an empty file"),
        (["valdate"], 2, "did you mean 'validate'?"),
    ],
)
def test_errors_are_one_line(words: list[str], status: int, message: str) -> None:
    done = niwaki(*words)
    assert done.returncode == status
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_traceback_on_request() -> None:
    assert "Traceback" in niwaki("info", os.devnull, "--traceback").stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_text(GOOD * 20_000)
    command = f"{sys.executable} -m niwaki draw {path} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "# a\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("closed", "status", "message"),
    [
        ("<&-", 1, "niwaki: <stdin>: closed; give a file\n"),
        (">&-", 1, "niwaki: <stdout>: closed; if nobody wants the output, give /dev/null\n"),
        ("2>&-", 0, ""),
        ("<&- >&- 2>&-", 1, ""),
    ],
)
@pytest.mark.parametrize("command", ["validate -", "draw -", "parse"])
def test_closed_standard_streams(
    good: Path, command: str, closed: str, status: int, message: str
) -> None:
    words = f"{sys.executable} -m niwaki {command} < {good} {closed}"
    done = subprocess.run(words, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, message)


def test_interrupted_while_a_command_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "load_command", interrupted)
    assert cli.main(["validate"]) == cli.INTERRUPTED
    assert capsys.readouterr().err == "niwaki: interrupted\n"


def test_every_command_has_help_with_an_example() -> None:
    for name in cli.command_names():
        module = cli.load_command(name)
        words = name.replace("-", "[ -]")
        assert re.search(f"^ *niwaki {words} ", module.__doc__ or "", re.M), name
        help_text = niwaki(name, "--help").stdout
        assert re.search(r"^usage: niwaki " + name, help_text)
    listing = niwaki("--help").stdout
    assert all(name in listing for name in cli.command_names())
    assert niwaki().returncode == 2
    assert niwaki("--version").stdout.startswith("niwaki ")


def test_quiet_shows_no_progress(
    good: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = itertools.count(0, 11)
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    assert cli.main(["validate", str(good)]) == cli.OK
    said = capsys.readouterr().err
    assert "validated: 1 sentences" in said and "no faults" in said
    assert cli.main(["validate", str(good), "--quiet"]) == cli.OK
    assert capsys.readouterr().err == ""
    # For that run only.
    assert cli.main(["validate", str(good)]) == cli.OK
    assert "validated: 1 sentences" in capsys.readouterr().err


def test_progress_is_lines_in_a_log_and_quiet_when_short(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 11))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    log = io.StringIO()
    with Progress("reading", "words", total=4, stream=log) as progress:
        progress.add(2)
    assert log.getvalue().splitlines()[0] == "reading: 2 words, 0/s, 50%, 11 s left"
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    quiet = io.StringIO()
    with Progress("reading", "words", stream=quiet) as progress:
        progress.add(2)
    assert quiet.getvalue() == ""


def test_a_terminal_shows_only_work_that_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    screen = Terminal()
    with Progress("parsed", "sentences", stream=screen) as progress:
        now = 1.9
        progress.add(1)
        assert screen.getvalue() == ""
        now = 2.0
        progress.add(1)
        assert screen.getvalue() == "parsed: 2 sentences, 1/s\x1b[K\r"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_no_room_for_what_is_printed(good: Path, unbuffered: str) -> None:
    words = f"{sys.executable} -m niwaki draw {good} > /dev/full"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        words, shell=True, capture_output=True, text=True, check=False, env=environment
    )
    assert done.stderr == "niwaki: <stdout>: No space left on device\n"
    assert done.returncode == 1
