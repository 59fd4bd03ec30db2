"""Writes docs/reference/cli.md from the help texts of the commands."""

from __future__ import annotations

import os
from pathlib import Path

# Help is wrapped to the terminal; the document must not depend on whose.
os.environ["COLUMNS"] = "88"

from niwaki import cli

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"


def reference() -> str:
    names = cli.command_names()
    parser = cli.make_parser(names)
    commands = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    parts = [
        "# Commands",
        "Generated from `niwaki COMMAND --help` by `tools/make_reference.py`. Each command is also "
        "a function of the package: see [the API](api.md).",
        "## Exit status",
        "\n".join(
            ["| status | meaning |", "|-|-|"]
            + [f"| {status} | {text} |" for status, text in cli.STATUSES.items()]
        ),
        "`--on-error` means the same in every command that has it. `fail` (the default) stops at "
        "the first faulty item, and no file is written. `skip` leaves faulty items out; they are "
        "counted and the first is named, in one line on stderr.",
    ]
    parts += [f"## niwaki {name}\n\n```text\n{commands[name].format_help()}```" for name in names]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
