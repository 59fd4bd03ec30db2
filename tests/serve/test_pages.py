"""The files of the pages: nothing inline, nothing from elsewhere, nothing made of markup."""

from __future__ import annotations

import re
from pathlib import Path

import niwaki
from niwaki.serve.app import PAGES
from tests.serve.conftest import Client

STATIC = Path(niwaki.__file__).parent / "serve" / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
MARKUP = [path for path in FILES if path.suffix == ".html"]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]


def test_pages_are_served(bench: Client) -> None:
    page = bench.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for name in PAGES:
        assert bench.get(f"/{name}").data == page.data
        assert (STATIC / "pages" / f"{name}.js").exists()
    for path in FILES:
        reply = bench.get(f"/static/{path.relative_to(STATIC)}")
        assert (reply.status, reply.data) == (200, path.read_bytes())


def test_no_inline_script_or_style() -> None:
    for path in MARKUP:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)
        assert not re.search(r"<style|\sstyle=|\son\w+=", text)


def test_text_never_becomes_markup() -> None:
    for path in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
            r"|DOMParser|srcdoc",
            path.read_text(encoding="utf-8"),
        ), path


def test_nothing_is_loaded_from_elsewhere() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.[a-z]{2,}/|@import|url\(", text), path


def test_every_module_that_is_imported_is_there() -> None:
    imported = [
        (path.parent / name).resolve()
        for path in SCRIPTS
        for name in re.findall(r'from "(\.[^"]+)"', path.read_text(encoding="utf-8"))
    ]
    assert imported
    assert set(imported) <= set(FILES)
