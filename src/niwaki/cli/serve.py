"""Open the workbench: a local web page and an HTTP API.

See, compare, correct and adapt: parse text and draw it, edit reordering rules, look into
translations, see what connectives join and who did what to whom, make sentences shorter, compare
two models, annotate with single keystrokes, train on what was annotated. Files are given here by
name and never by a request; NAME=PATH chooses the name. What is made is kept in --work.

  niwaki serve
  niwaki serve -m mine=my.niwaki --trees dev.conllu --references pairs.jsonl
  niwaki serve --connectives connectives.niwaki --roles roles.niwaki
  niwaki serve --compressor short.niwaki --translator en-ja
  niwaki serve --bitext garden=src.txt,tgt.txt --port 9000

The server listens on this machine only. Another --host needs --token-file. A line for each request
goes to standard error, without --quiet.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from niwaki.cli import OK
from niwaki.cli._arguments import natural, positive
from niwaki.verbs.serving import open_workbench

GROUP = "Workbench and scale"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--model",
        metavar="[NAME=]MODEL",
        action="append",
        default=[],
        help="a model besides en; may be repeated",
    )
    for flag, kind, text in (
        ("--trees", "FILE", "a treebank (CoNLL-U)"),
        ("--references", "FILE", "reference orders (JSON Lines)"),
        ("--bitext", "SRC,TGT", "parallel text, two files"),
        ("--rules", "FILE", "a rule file"),
        ("--connectives", "FILE", "a model of connectives"),
        ("--roles", "FILE", "a labeller of roles besides en-roles"),
        ("--compressor", "FILE", "a compressor of `niwaki train-compressor`"),
        ("--translator", "FOLDER", "a translator of `niwaki translate train`"),
    ):
        parser.add_argument(
            flag,
            metavar=f"[NAME=]{kind}",
            action="append",
            default=[],
            help=f"{text}; may be repeated",
        )
    parser.add_argument(
        "--work",
        metavar="FOLDER",
        default="niwaki-work",
        help="where annotations and adapted models are kept (default: niwaki-work)",
    )
    parser.add_argument("--port", type=natural, default=8470, help="default: 8470; 0 finds one")
    parser.add_argument("--host", default="127.0.0.1", help="address (default: 127.0.0.1)")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="a secret that clients must send; made if there is none",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="another name by which this server is reached; may be repeated",
    )
    parser.add_argument("--workers", type=positive, default=2, help="processes (default: 2)")
    parser.add_argument(
        "--seconds", type=positive, default=10, help="time limit of a request (default: 10)"
    )


def run(arguments: argparse.Namespace) -> int:
    with _logging(arguments.quiet):
        open_workbench(
            arguments.model,
            trees=arguments.trees,
            references=arguments.references,
            bitext=arguments.bitext,
            rules=arguments.rules,
            connectives=arguments.connectives,
            roles=arguments.roles,
            compressors=arguments.compressor,
            translators=arguments.translator,
            work=arguments.work,
            host=arguments.host,
            port=arguments.port,
            token=_token(arguments.token_file),
            allow_hosts=arguments.allow_host,
            workers=arguments.workers,
            seconds=arguments.seconds,
            opened=_say_where,
        )
    return OK


def _say_where(url: str) -> None:
    print(url, flush=True)
    print("the workbench is open; Ctrl-C closes it", file=sys.stderr)


def _token(path: str | None) -> str | None:
    """The secret in a file that nobody else can read; one is made if there is no file."""
    if path is None:
        return None
    with contextlib.suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="ascii") as out:
            out.write(secrets.token_urlsafe() + "\n")
        print(f"made a token: {path}", file=sys.stderr)
    if os.stat(path).st_mode & 0o077:
        try:
            os.chmod(path, 0o600)
            print(f"{path}: others could read the token; now they cannot", file=sys.stderr)
        except OSError:
            print(f"{path}: others can read the token; see to it", file=sys.stderr)
    # Whatever else is in it: only ASCII is a token.
    return Path(path).read_text(encoding="utf-8", errors="replace").strip()


@contextlib.contextmanager
def _logging(quiet: bool) -> Iterator[None]:
    """Requests as lines on stderr, for as long as the workbench is open."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("niwaki.serve")
    log.addHandler(handler)
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
