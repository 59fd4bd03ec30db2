"""Examples in docstrings become blocks of code on the site, wherever they stand."""

from __future__ import annotations

from typing import Any

import griffe


class Examples(griffe.Extension):
    """Fences lines that begin with `>>>` and what they print, up to the next empty line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith(">>>") and not inside:
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)
