"""`--shards FOLDER`: a command over many inputs, as a job on an engine.

A command takes part with two lines: `add_shards(parser, model=load)` instead of its argument FILE,
which says which of its arguments are models and what loads them, and `@over_shards` above `run`.
A worker loads the models once; for a shard it then runs the command itself, with the shard as its
input.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TextIO

import niwaki
from niwaki.cli import FAILED, OK, load_command
from niwaki.cli._arguments import amount, positive
from niwaki.cli._json import to_json
from niwaki.cli._loading import Load, Loading, content
from niwaki.cli._progress import Progress
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.scale.cutting import CONLLU, LINES, RECORDS, Shard, has_lines, shards_of
from niwaki.scale.engine import engine_of
from niwaki.scale.jobs import QUARANTINE, JobSettings, Report, run_job
from niwaki.scale.records import conllu_of
from niwaki.scale.shard_worker import PACKS, PARQUET

Run = Callable[[argparse.Namespace], int]

_MEGABYTE = 1_000_000
_RUNNER = "niwaki.cli._shards:CommandOnShards"
# Arguments that no output depends on.
_NO_SETTINGS = {
    *("run", "files", "file", "output", "shards", "engine", "workers", "json"),
    *("quiet", "traceback", "loads", "command", "gold", "target"),
    *("json_of_report", "writes_json", "input_form"),
}
# The end of an output's name, by --to.
_SUFFIXES = {"json": ".jsonl", "conllu": ".conllu", "table": ".tsv", "html": ".html"}


def add_shards(
    parser: argparse.ArgumentParser,
    /,
    *,
    files: bool = True,
    form: str | None = None,
    to: str = "conllu",
    **loads: Load | Loading,
) -> None:
    """FILE... and the options of a job; `loads` has what loads each argument that is a model.

    `form` is that of the input of a command without --from; `to` is that of the output of a command
    without --to, or of one whose default is not said.
    """
    if files:
        parser.add_argument("files", metavar="FILE", nargs="*", help="default: stdin")
    group = parser.add_argument_group("corpora", "many or large files (docs/guides/scale.md)")
    group.add_argument(
        "--shards", metavar="FOLDER", help="write an output file for each shard of the input here"
    )
    group.add_argument(
        "--engine",
        metavar="ENGINE",
        default="local",
        help="with --shards: local, ray or ray://HOST (default: local)",
    )
    group.add_argument(
        "--workers", type=positive, metavar="N", help="with --shards: default all cores"
    )
    group.add_argument(
        "--shard-size",
        type=_megabytes,
        default=4.0,
        metavar="MB",
        help="with --shards: megabytes of input a shard (default: 4)",
    )
    group.add_argument("--pack", choices=PACKS, help="with --shards: pack the output of each shard")
    of_report = not any("--json" in action.option_strings for action in parser._actions)
    if of_report:
        group.add_argument(
            "--json", action="store_true", help="with --shards: print the report as one JSON object"
        )
    parser.set_defaults(
        loads={
            name: load if isinstance(load, Loading) else Loading(load)
            for name, load in loads.items()
        },
        input_form=form,
        default_to=to,
        json_of_report=of_report,
        writes_json=any(
            action.dest == "to" and "json" in (action.choices or ()) for action in parser._actions
        ),
    )


def check_json(arguments: argparse.Namespace) -> None:
    """Without --shards there is no report; who asks for JSON may mean that of --to."""
    if arguments.json and arguments.json_of_report and arguments.shards is None:
        also = "; for JSON of the output: --to json" if arguments.writes_json else ""
        raise NiwakiError(f"--json goes with --shards, whose report it prints{also}")


def _megabytes(text: str) -> float:
    found = amount(text)
    if not found:
        raise argparse.ArgumentTypeError("found 0; give megabytes, such as 4 or 0.5")
    return found


def over_shards(run: Run) -> Run:
    """A command of one FILE that may be a job over many."""

    @functools.wraps(run)
    def run_either(arguments: argparse.Namespace) -> int:
        if arguments.shards is not None:
            if not arguments.files:
                raise NiwakiError("--shards needs files; standard input cannot be begun again")
            return status_of(run_shards(arguments, arguments.files))
        check_json(arguments)
        if len(arguments.files) > 1:
            raise NiwakiError(f"{len(arguments.files)} files; give one, or --shards FOLDER")
        arguments.file = arguments.files[0] if arguments.files else "-"
        return run(arguments)

    return run_either


def run_shards(
    arguments: argparse.Namespace,
    files: Sequence[str],
    cut: Callable[[int], Iterator[Shard]] | None = None,
    *,
    to_stderr: bool = False,
) -> Report:
    """Run the command over the shards of files, and tell what it came to.

    `cut` gives shards of about so many bytes, where these are not those of single files.
    """
    if getattr(arguments, "output", "-") != "-":
        raise NiwakiError("--shards names the output files itself; leave out -o")
    for name in ("links", "table"):
        if getattr(arguments, name, None):
            raise NiwakiError(f"--{name} goes with one file, line by line; leave out --shards")
    for file in files:
        if file == "-" or not os.path.isfile(file):
            raise NiwakiError(f"{file}: no file; --shards needs files")
        if arguments.input_form == LINES and not has_lines(file):
            raise NiwakiError(f"{file}: {arguments.command} reads lines; give a file that has them")
    settings = _settings(arguments)
    size = max(1, int(arguments.shard_size * _MEGABYTE))
    form = getattr(arguments, "source", arguments.input_form)
    shards = cut(size) if cut else shards_of(files, form, size)
    total = sum(map(os.path.getsize, files))
    workers = arguments.workers or os.cpu_count() or 1
    rate = _Rate(arguments.command, total)
    started = time.monotonic()
    with engine_of(arguments.engine, workers) as engine, rate:
        report = run_job(engine, shards, arguments.shards, settings, rate.done, started)
    _tell(report, arguments, sys.stderr if to_stderr else sys.stdout)
    return report


def _settings(arguments: argparse.Namespace) -> JobSettings:
    to = getattr(arguments, "to", None) or arguments.default_to
    if arguments.pack == PARQUET and to != CONLLU:
        raise NiwakiError(f"--pack parquet is for trees, not for {to}; leave out --to")
    suffix = _SUFFIXES.get(to, ".txt")
    if arguments.pack == PARQUET:
        suffix = ".parquet"
    elif arguments.pack:
        suffix += f".{arguments.pack}"
    given = {name: value for name, value in vars(arguments).items() if name not in _NO_SETTINGS}
    command = arguments.command
    # What is read is known by the checksums of its shards.
    known = {
        name: value if name == "source" else content(value, arguments.loads.get(name))
        for name, value in given.items()
    }
    record = json.dumps(
        {"niwaki": niwaki.__version__, "command": command, **known}, sort_keys=True, default=str
    )
    checksum = hashlib.sha256(record.encode()).hexdigest()
    # Workers are given the files that are found here, and need not find them there.
    given |= {name: loading.located(given[name]) for name, loading in arguments.loads.items()}
    models = [
        file for name, loading in arguments.loads.items() for file in loading.files(given[name])
    ]
    return JobSettings(checksum, suffix, arguments.pack, _RUNNER, (command, given), tuple(models))


class CommandOnShards:
    """In a worker: a command and its models, called with bytes of a shard."""

    def __init__(self, command: str, given: dict[str, Any]) -> None:
        module = load_command(command)
        parser = argparse.ArgumentParser()
        module.add_arguments(parser)
        # A command whose shards are not what it is itself says so.
        self._run: Callable[[argparse.Namespace], object]
        self._run = getattr(module, "run_shard", module.run)
        loads = parser.get_default("loads")
        self._given = given | {name: each.made(name, given) for name, each in loads.items()}

    def __call__(self, data: bytes, form: str | None, name: str, output: io.BufferedIOBase) -> None:
        given = dict(self._given)
        if form == RECORDS:
            lines = (json.loads(line) for line in data.split(b"\n") if line.strip())
            data, form = b"".join(conllu_of(lines, self._read_text)), CONLLU
        if "source" in given:
            given["source"] = form
        source = io.BytesIO(data)
        source.name = name
        arguments = argparse.Namespace(
            **given, shards=None, files=[source], output=output, json=False
        )
        # Progress, and what is left out, is told by the head.
        with contextlib.redirect_stderr(io.StringIO()):
            self._run(arguments)

    def _read_text(self, text: str, name: str) -> Iterable[Sentence]:
        for value in self._given.values():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, Pipeline):
                    return each.read_text(text, name)
        raise NiwakiError("texts need a model to split them; give one, or sentences with tokens")


class _Rate(Progress):
    """Words and words per second; the share that is done is that of the bytes of the files."""

    def __init__(self, command: str, total: int) -> None:
        super().__init__(command, "words")
        self._bytes = total
        self._read: dict[str, int] = {}
        self._shards = 0

    def done(self, shard: Shard, words: int) -> None:
        self._read[shard.file] = max(shard.read, self._read.get(shard.file, 0))
        self._shards += 1
        self.add(words)

    def _line(self, now: float) -> str:
        share = min(1.0, sum(self._read.values()) / max(self._bytes, 1))
        left = (now - self._started) * (1 - share) / share if share else 0.0
        return f"{super()._line(now)}, {self._shards:,} shards, {share:.0%}, {left:.0f} s left"


def _tell(report: Report, arguments: argparse.Namespace, stream: TextIO) -> None:
    if arguments.json:
        print(to_json(report.to_json()), file=stream)
        return
    before = f" ({report.finished_before:,} before)" if report.finished_before else ""
    print(
        f"{report.shards:,} shards{before}, {report.words:,} words, "
        f"{report.words_per_second:,.0f} words/s, {report.retries:,} retries, "
        f"{report.quarantined:,} quarantined",
        file=stream,
    )
    if report.quarantined:
        where = os.path.join(arguments.shards, QUARANTINE)
        print(f"niwaki: what is quarantined is in {where}", file=sys.stderr)


def status_of(report: Report) -> int:
    """A job of which nothing is left was given something else than it reads."""
    return FAILED if report.quarantined and not report.words else OK
