"""What the site needs beyond docs/: a page of the Python API, and files that pages link to.

Pages of docs/ also link to the README, examples and configurations beside it, as they are read in
the repository. Here such a file is copied into the site, under `source/`, and the link follows it.
"""

from __future__ import annotations

import ast
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
API = "reference/python.md"
SOURCE = "source"
_LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]*)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, API, content=api_page()))
    for page in files.documentation_pages():
        for name in _LINK.findall(page.content_string):
            outside = outside_docs(page.src_uri, name[1])
            if outside and not files.get_file_from_path(f"{SOURCE}/{outside}"):
                files.append(
                    File.generated(config, f"{SOURCE}/{outside}", content=text_of(outside))
                )
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    here = posixpath.dirname(page.file.src_uri)

    def follow(found: re.Match[str]) -> str:
        outside = outside_docs(page.file.src_uri, found[2])
        if outside is None:
            return found[0]
        return found[1] + posixpath.relpath(f"{SOURCE}/{outside}", here)

    return _LINK.sub(follow, markdown)


def outside_docs(page: str, link: str) -> str | None:
    """The path from the project's root that a page links to, if it lies outside docs/."""
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    inside = target.startswith("docs/") or target == "docs"
    if inside or not (ROOT / target).exists():
        return None
    # A page of the site is read as one; all else is shown as text.
    return f"{target}.txt"


def text_of(outside: str) -> str | bytes:
    path = ROOT / outside.removesuffix(".txt")
    if path.is_dir():
        return "".join(f"{each.name}\n" for each in sorted(path.iterdir()))
    return path.read_bytes()


def api_page() -> str:
    """One entry for each public name: functions first, then classes, then errors."""
    tree = ast.parse((ROOT / "src" / "niwaki" / "__init__.py").read_text(encoding="utf-8"))
    public: list[str] = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    kinds: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    for name in public:
        if name.startswith("_") or name == "draw":
            continue
        kind = (
            "Errors" if name.endswith("Error") else "Classes" if name[0].isupper() else "Functions"
        )
        kinds[kind].append(f"::: niwaki.{name}\n")
    parts = [f"## {kind}\n\n" + "\n".join(entries) for kind, entries in kinds.items()]
    return "# Every public name\n\n" + "\n".join(parts)
