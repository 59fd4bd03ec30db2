"""Writes docs/reference: cli.md from the help texts of the commands, api.md from docstrings."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from pathlib import Path

# Help is wrapped to the terminal; the document must not depend on whose.
os.environ["COLUMNS"] = "88"

import niwaki
from niwaki import cli

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
API_TARGET = TARGET.with_name("api.md")

# Commands whose function cannot have their name, because a room has it.
OTHER_NAMES = {"draw": "draw_trees", "serve": "open_workbench"}

_ABOUT_API = """\
# The Python API

Generated from docstrings by `tools/make_reference.py`.

The names that `import niwaki` gives are public, and changes to them are said in the
[changelog](../../CHANGELOG.md). [Rooms](#rooms) of the package that are public besides are listed
at the end. Everything else may change at any time: rooms that say so in their first lines, and
modules and names that begin with an underscore.

## Commands

Each command is a function that takes what the command takes, files or what such a file holds, and
gives what the command prints. Two have other names, because rooms have theirs: `niwaki draw` is
`draw_trees`, `niwaki serve` is `open_workbench`. `on_error` is as `--on-error` of the commands
([exit statuses](cli.md#exit-status)); it may also be a function, which is told of each fault.

```python
import niwaki

niwaki.train("examples/tiny.toml", "tiny.niwaki", overrides=["training.seed=2"])
for sentence in niwaki.parse("examples/sentences.txt", "tiny.niwaki", form="tokens"):
    for token in sentence:
        print(token.form, token.deprel, token.head, token.start, token.end)
print(niwaki.evaluate("examples/garden.conllu", "tiny.niwaki").scores["LAS"])
```
"""

_ROOMS = """\
## Rooms

Public for those who add to Niwaki, or need more than the names above:

* `niwaki.data`: sentences, trees, candidates, and the files they live in
* `niwaki.draw`: pictures of trees, orders and charts
* `niwaki.errors`: all errors, as one tree
* `niwaki.integrations`: Niwaki inside other tools
* `niwaki.keys`: how the keys of a configuration are declared
* `niwaki.metrics`: scores, found by the names of their files (contract: `niwaki.metrics.base`)
* `niwaki.objectives`: what parsers can be trained for, found by the names of their files
* `niwaki.parsers.base`: what a parser is, and how families of parsers are found
* `niwaki.parsers.decoding`: trees and sums over trees from scores of arcs
* `niwaki.tasks`: word alignment and reordering
* `niwaki.typing`: names of types of arrays
"""


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
        "counted and the first is named, in one line on stderr. Sentences that are scored are "
        "never left out.",
    ]
    parts += [f"## niwaki {name}\n\n```text\n{commands[name].format_help()}```" for name in names]
    return "\n\n".join(parts) + "\n"


def verb_name(command: str) -> str:
    """The name of the function that a command calls."""
    return OTHER_NAMES.get(command, command.replace("-", "_"))


def api() -> str:
    commands = sorted(map(verb_name, cli.command_names()))
    rest = [name for name in niwaki.__all__ if name not in commands]
    errors = [name for name in rest if name.endswith("Error")]
    types = [n for n in rest if n not in errors and inspect.isclass(getattr(niwaki, n))]
    others = [name for name in rest if name not in [*errors, *types]]
    parts = [_ABOUT_API + "\n" + _table(commands)]
    for title, names in (("Other functions", others), ("Types", types), ("Errors", errors)):
        parts.append(f"## {title}\n\n{_table(names)}")
    return "\n".join([*parts, _ROOMS])


def _table(names: Iterable[str]) -> str:
    rows = [f"| `{name}` | {_first_line(name)} |" for name in names]
    return "\n".join(["| name | |", "|-|-|", *rows, ""])


def _first_line(name: str) -> str:
    return (inspect.getdoc(getattr(niwaki, name)) or "").partition("\n")[0]


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
    API_TARGET.write_text(api(), encoding="utf-8")
