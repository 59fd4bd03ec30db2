"""Writes what is generated: docs/reference/cli.md from the help texts of the commands,
docs/reference/configuration.md and configs/all.toml from the declarations of the keys,
docs/reference/api.md from docstrings.
"""

from __future__ import annotations

import inspect
import json
import os
import textwrap
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

# Help is wrapped to the terminal; the document must not depend on whose.
os.environ["COLUMNS"] = "88"

import niwaki
from niwaki import cli
from niwaki.keys import GIVEN, Key, keys_of
from niwaki.objectives import objective_names, settings_class
from niwaki.parsers.base import family_names, load_family
from niwaki.training.config import (
    OWNERS,
    CostConfig,
    ModelConfig,
    TreebankConfig,
    family_places,
    places,
    tables,
)

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "reference" / "cli.md"

# What a configuration must say; a file that lies beside it.
EXAMPLE = "../examples/garden.conllu"
_WIDTH = 98


def reference() -> str:
    names = cli.command_names()
    parser = cli.make_parser(names)
    commands = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    parts = [
        "# Commands",
        "Generated from `niwaki COMMAND --help` by `tools/make_reference.py`. Each command but "
        "`completion` is also a function of the package: see [the API](api.md).",
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
    for group, members in cli.grouped(names).items():
        parts.append(f"## {group}")
        parts += [
            f"### niwaki {name}\n\n```text\n{commands[name].format_help()}```" for name in members
        ]
    return "\n\n".join(parts) + "\n"


# -- who declares which keys ---------------------------------------------------------


class Section(NamedTuple):
    """Keys of a table that one owner declares; `kind` is the value of kind that they go with."""

    table: str
    title: str
    keys: tuple[Key, ...]
    kind: str = ""

    @property
    def heading(self) -> str:
        if self.table == "objective":
            kind = f'`kind = "{self.kind}"`' if self.kind else "any other `kind`"
            return f"`[[objective]]` with {kind}"
        kind = f' with `model.kind = "{self.kind}"`' if self.kind else ""
        return f"`[{self.table}]`{kind}"

    @property
    def defaults(self) -> dict[str, Any]:
        return {key.name: key.default for key in self.keys}


def sections() -> Iterator[Section]:
    """All keys, in the order in which configurations are written."""
    shared = tables(ModelConfig().kind)
    own = [table for family in family_names() for table in tables(family) if table not in shared]
    for table in [*shared[:2], *own, *shared[2:]]:
        if table == "objective":
            yield from objective_sections()
        if table in OWNERS:
            yield Section(table, _first_line(OWNERS[table]), keys_of(OWNERS[table]))
        for family in family_names():
            keys = tuple(each.key for each in family_places(family) if each.table == table)
            if keys:
                yield Section(table, _first_line(load_family(family).config), keys, family)


def objective_sections() -> Iterator[Section]:
    yield Section("objective", _first_line(TreebankConfig), keys_of(TreebankConfig), "treebank")
    yield Section("objective", _first_line(CostConfig), keys_of(CostConfig))
    for name in objective_names():
        owner = settings_class(name)
        if keys_of(owner):
            yield Section("objective", _first_line(owner), keys_of(owner), name)


def _first_line(owner: type[Any]) -> str:
    return (owner.__doc__ or "").strip().splitlines()[0]


# -- docs/reference/configuration.md -------------------------------------------------

_INTRODUCTION = """# Configurations

Generated from the declarations of the keys by `tools/make_reference.py`. What they are for is told
in [training](../guides/training.md), [adapting](../guides/adapting.md),
[uptraining](../guides/uptraining.md) and [graph-based parsers](../guides/graph.md);
[configs/all.toml](../../configs/all.toml) has all keys in one file.

A configuration is a TOML file, of which `niwaki train --set model.beam=16` changes a key, or a
nested mapping of the same shape. Only `[[objective]]` is needed. Paths are relative to the file.
A key that nobody knows, that has a value it cannot have, or that says nothing beside the others
is refused with its line; what says nothing only because of `--set` is left out. *With* names the
other keys beside which a key says something.
"""


def configuration() -> str:
    parts = [_INTRODUCTION.strip()]
    for section in sections():
        rows = [
            f"| `{key.name}` | {'needed' if key.needed else f'`{toml(key.default)}`'} "
            f"| {values(key)} | {condition(key)} | {_cell(key.doc)} |"
            for key in section.keys
        ]
        head = "| key | default | values | with | meaning |\n|-|-|-|-|-|\n"
        parts += [f"## {section.heading}", section.title, head + "\n".join(rows)]
    return "\n\n".join([*parts, *training_on()]) + "\n"


def training_on() -> Iterator[str]:
    """What `--init` does with keys, as they declare it."""
    yield "## Training on"
    yield (
        "With `niwaki train --init MODEL` the model stays what it is. What is fixed can be left "
        "out, or be what it is in the model:"
    )
    found = {place.whole: place.key for kind in family_names() for place in places(kind)}
    fixed = ", ".join(f"`{name}`" for name, key in found.items() if key.init == "fixed")
    same = ", ".join(f"`{name}`" for name, key in found.items() if key.init == "same")
    others = (
        f"`{name}` is `{toml(key.init)}`"
        for name, key in found.items()
        if key.init not in (None, "fixed", "same")
    )
    yield f"* fixed: {fixed}\n* as with the model, unless given: {same}\n* unless given, " + (
        " and ".join(others)
    )


def values(key: Key) -> str:
    """The values that a key takes."""
    hint, words = key.hint, typing.get_args(key.hint)
    if typing.get_origin(hint) is Literal:
        return ", ".join(f"`{toml(word)}`" for word in words)
    if typing.get_origin(hint) is tuple:
        inner = typing.get_args(words[0])
        return ", ".join(f"`{toml(word)}`" for word in inner) or (
            "files" if key.path == "file" else "texts"
        )
    if hint is bool:
        return "`true`, `false`"
    if key.path:
        named = f"{_names(key)} or a file" if key.choices else "a name or a file"
        return "a file" if key.path == "file" else named
    if key.choices:
        return _names(key)
    if hint is str:
        return "text"
    if hint in (int, float) or (words and words[0] in (int, float)):
        also = [f"`{toml(word)}`" for other in words[1:] for word in typing.get_args(other)]
        return " or ".join([limits(key), *also])
    return "a table of texts"


def limits(key: Key) -> str:
    least = f"{key.least}" if key.least is not None else ""
    if key.above is not None:
        least = f"above {key.above}"
    if key.most is not None:
        most = "2^63 - 1" if key.most == 2**63 - 1 else f"{key.most}"
        return f"{least} to {most}"
    if key.below is not None:
        return f"{least} to below {key.below}"
    return f"{least} or more" if key.least is not None else least


def _names(key: Key) -> str:
    return ", ".join(f"`{toml(name)}`" for name in key.choices()) if key.choices else ""


def condition(key: Key) -> str:
    """The other keys beside which a key says something, as Markdown."""
    parts = []
    for other, wanted in key.when.items():
        shown = (toml(value) for value in wanted)
        parts.append(f"`{other}`" if wanted == GIVEN else f"`{other}` = {' or '.join(shown)}")
    return "; ".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# -- configs/all.toml ----------------------------------------------------------------

_OPENING = """\
# Every key of a configuration with its default, generated by tools/make_reference.py. Only
# [[objective]] is needed. Paths are relative to the file. Lines that begin with `#` and no space
# after it go with other values of other keys: beside these, they would be refused.
"""


def all_keys() -> str:
    lines = [_OPENING.rstrip()]
    before = ""
    for section in sections():
        out = not _stands(section)
        if section.table != before or not section.kind:
            table = f"[[{section.table}]]" if section.table == "objective" else f"[{section.table}]"
            lines += ["", *_comment(section.title), f"{'#' if out else ''}{table}"]
        else:
            lines += ["", *_comment(f'With kind = "{section.kind}": {section.title}')]
        before = section.table
        for key in section.keys:
            silent = out or not key.says_something(section.defaults)
            lines += [*_comment(_with_condition(key)), _assignment(section, key, silent)]
    return "\n".join(lines) + "\n"


def _stands(section: Section) -> bool:
    """Whether the keys go with the defaults of the others."""
    if section.table == "objective":
        return section.kind == "treebank"
    return section.kind in ("", ModelConfig().kind)


def _assignment(section: Section, key: Key, silent: bool) -> str:
    value = key.default
    if section.kind == "treebank" and key.name == "data":
        value = EXAMPLE
    if not section.kind and section.table == "objective" and key.name == "kind":
        value = "arc-length"
    return f"{'#' if silent else ''}{key.name} = {toml(value)}"


def _with_condition(key: Key) -> str:
    found = condition(key).replace("`", "")
    return f"{key.doc} (With {found}.)" if found else key.doc


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def toml(value: Any) -> str:
    """A default as TOML writes it."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"{value:_}"
    if isinstance(value, float):
        return repr(value) if value >= 1e-4 or value == 0 else f"{value:f}".rstrip("0")
    if isinstance(value, tuple):
        return f"[{', '.join(toml(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)


# -- what is public -------------------------------------------------------------------

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
* `niwaki.scale`: `Parse` for batches of other frameworks, engines, and jobs over corpora
* `niwaki.tasks`: word alignment, reordering, connectives, answers to questions and compression
* `niwaki.typing`: names of types of arrays
"""


def verb_name(command: str) -> str:
    """The name of the function that a command calls."""
    return OTHER_NAMES.get(command, command.replace("-", "_"))


def api() -> str:
    commands = sorted(verb_name(n) for n in cli.command_names() if n not in cli.SHELL_ONLY)
    rest = [name for name in niwaki.__all__ if name not in commands]
    errors = [name for name in rest if name.endswith("Error")]
    types = [n for n in rest if n not in errors and inspect.isclass(getattr(niwaki, n))]
    others = [name for name in rest if name not in [*errors, *types]]
    parts = [_ABOUT_API + "\n" + _table(commands)]
    for title, names in (("Other functions", others), ("Types", types), ("Errors", errors)):
        parts.append(f"## {title}\n\n{_table(names)}")
    return "\n".join([*parts, _ROOMS])


def _table(names: Iterable[str]) -> str:
    rows = [f"| `{name}` | {_first_line(getattr(niwaki, name))} |" for name in names]
    return "\n".join(["| name | |", "|-|-|", *rows, ""])


GENERATED = {
    TARGET: reference,
    ROOT / "docs" / "reference" / "api.md": api,
    ROOT / "docs" / "reference" / "configuration.md": configuration,
    ROOT / "configs" / "all.toml": all_keys,
}


def write(targets: Iterable[Path] = tuple(GENERATED)) -> None:
    for target in targets:
        target.write_text(GENERATED[target](), encoding="utf-8")


if __name__ == "__main__":
    write()
