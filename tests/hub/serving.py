"""A web server on the loopback that serves files from memory, well or badly, and keeps a log."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Site:
    """What is served, and what is wrong with it."""

    files: dict[str, bytes]
    url: str = ""
    breaks_after: int | None = None  # the connection ends after so many bytes of a model
    length: int | None = None  # instead of the true Content-Length of a model; -1: none is said
    redirects: dict[str, str] = field(default_factory=dict)
    etag: str = '"one"'
    ranges: bool = True
    wrong_range: bool = False
    requests: list[tuple[str, str]] = field(default_factory=list)  # path, Range

    def index(self, **changes: Any) -> None:
        """Change the first entry of the index."""
        record = json.loads(self.files["/index.json"])
        record["models"][0].update(changes)
        self.files["/index.json"] = json.dumps(record).encode()


@contextlib.contextmanager
def serving(site: Site) -> Iterator[Site]:
    handler = type("Handler", (_Handler,), {"site": site})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        site.url = f"http://127.0.0.1:{server.server_address[1]}/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        site = self.site
        asked = self.headers.get("Range", "")
        site.requests.append((self.path, asked))
        if self.path in site.redirects:
            self.send_response(302)
            self.send_header("Location", site.redirects[self.path])
            self.end_headers()
        elif self.path not in site.files:
            self.send_error(404)
        else:
            self._send(site.files[self.path], asked, self.path.endswith(".niwaki"))

    def _send(self, data: bytes, asked: str, is_model: bool) -> None:
        site, start = self.site, 0
        found = re.fullmatch(r"bytes=(\d+)-", asked)
        if found and site.ranges and self.headers.get("If-Range") == site.etag:
            start = int(found[1])
            if start >= len(data):
                self.send_error(416)
                return
            self.send_response(206)
            first = start + 1 if site.wrong_range else start
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        length = len(data) - start
        if is_model and site.length is not None:
            length = site.length
        if length >= 0:
            self.send_header("Content-Length", str(length))
        if site.etag:
            self.send_header("ETag", site.etag)
        self.end_headers()
        end = len(data) if site.breaks_after is None or not is_model else start + site.breaks_after
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data[start:end])

    def log_message(self, *_: Any) -> None:
        pass
