"""Rule sets as files that a person can read and change."""

from __future__ import annotations

from collections.abc import Iterable

from niwaki.tasks.reorder.rules import Pattern, Placement, RuleSet, Turn

# Comments by (number of the rule, number of the tuple or -1 for the rule itself).
Notes = dict[tuple[int, int], str]


def format_rules(rules: RuleSet, notes: Notes | None = None) -> str:
    """A rule set as a file that a person can read and change; `notes` become comments."""
    said = notes or {}
    parts = []
    if rules.description:
        text = _escaped(rules.description, kept='\n"').replace('"""', r'""\"')
        parts.append(f'description = """\n{text}\n"""')
    parts.append(f'labels = "{rules.scheme}"')
    for number, rule in enumerate(rules.rules):
        lines = [f"# {said[number, -1]}"] if (number, -1) in said else []
        lines += ["[[rule]]", f"name = {_text(rule.name)}"]
        if fields := _fields(rule.head):
            lines.append(f"head = {{ {', '.join(fields)} }}")
        if rule.barriers:
            lines.append(f"barriers = {_texts(rule.barriers)}")
        lines.append("tuples = [")
        for at, each in enumerate(rule.placements):
            note = f"  # {said[number, at]}" if (number, at) in said else ""
            lines.append(f"  {{ {', '.join(tuple_fields(each))} }},{note}")
        parts.append("\n".join([*lines, "]"]))
    return "\n\n".join(parts) + "\n"


def tuple_fields(placement: Placement) -> list[str]:
    """A tuple as the fields that stand for it in a file."""
    if placement.is_self:
        fields = ['label = "self"']
    else:
        fields = _fields(placement.child)
        if not placement.child.labels:
            fields.insert(0, 'label = "*"')
    # Exactly: what is read again is the same.
    fields.append(f"weight = {float(placement.weight)!r}".removesuffix(".0"))
    if placement.turn is Turn.REVERSE:
        fields.append('order = "REVERSE"')
    return fields


def _fields(pattern: Pattern) -> list[str]:
    fields = []
    for key, values in (
        *(("label", pattern.labels), ("upos", pattern.upos), ("xpos", pattern.xpos)),
        *(("feats", pattern.feats), ("words", pattern.words)),
        *(("has", pattern.has), ("lacks", pattern.lacks)),
    ):
        if values:
            fields.append(f"{key} = {_text(values[0]) if len(values) == 1 else _texts(values)}")
    if pattern.children is not None:
        low, high = pattern.children
        count = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
        fields.append(f'children = "{count}"')
    if pattern.side:
        fields.append(f'side = "{pattern.side}"')
    return fields


def _texts(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A TOML basic string."""
    return f'"{_escaped(value)}"'


def _escaped(value: str, kept: str = "") -> str:
    """The inside of a TOML string, in which the characters `kept` stand for themselves."""
    written = ""
    for char in value:
        if char in kept or (char.isprintable() and char not in '"\\'):
            written += char
        else:
            written += f"\\{char}" if char in '"\\' else f"\\U{ord(char):08x}"
    return written
