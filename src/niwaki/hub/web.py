"""An index on a web server: HTTP and HTTPS only, wherever it redirects to."""

from __future__ import annotations

import contextlib
import http.client
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from niwaki.errors import ModelError, shown
from niwaki.hub.index import INDEX_FILE, LARGEST_INDEX, is_index_file
from niwaki.hub.sources import Opened

_SCHEMES = ("http", "https")
_SECONDS = 30.0
_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18})")
_GONE_ON = 206
_NO_SUCH_RANGE = 416
_REDIRECTS = range(300, 400)


@dataclass(frozen=True)
class Website:
    """An index at a URL."""

    name: str  # the URL of the index file

    @classmethod
    def of(cls, url: str) -> Website:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise ModelError(f"index {shown(url, 100)}: give a URL that begins with https://")
        if parts.username or parts.password:
            raise ModelError(f"the index at {parts.hostname}: a URL with a password; leave it out")
        if is_index_file(parts.path):
            return cls(url)
        # What follows a `?` stays behind the path.
        path = f"{parts.path.rstrip('/')}/{INDEX_FILE}"
        return cls(urllib.parse.urlunsplit(parts._replace(path=path)))

    def index(self) -> bytes:
        with _answered(self.name, {}) as response:
            opened = _opened(self.name, response, 0)
            data = opened.stream.read(LARGEST_INDEX + 1)
        if opened.size is not None and len(data) < min(opened.size, LARGEST_INDEX):
            raise ModelError(f"{self.name}: the connection broke off; try again")
        return data

    @contextlib.contextmanager
    def open(self, file: str, have: int = 0, validator: str = "") -> Iterator[Opened]:
        url = urllib.parse.urljoin(self.name, urllib.parse.quote(file))
        # With If-Range, a server whose file has changed sends all of the new one.
        resume = {"Range": f"bytes={have}-", "If-Range": validator} if have and validator else {}
        with contextlib.ExitStack() as stack:
            try:
                response = stack.enter_context(_answered(url, resume))
            except _NoSuchRangeError:
                response = stack.enter_context(_answered(url, {}))
            yield _opened(url, response, have)


class _NoSuchRangeError(Exception):
    """What the server has does not go on where we left off."""


def _opened(url: str, response: Any, have: int) -> Opened:
    headers = response.headers
    validator = headers.get("ETag") or headers.get("Last-Modified") or ""
    if validator.startswith("W/"):
        validator = ""  # a weak one does not promise the same bytes
    stream = _Body(response)
    if response.status == _GONE_ON:
        said = _RANGE.fullmatch(headers.get("Content-Range", ""))
        if not said or int(said[1]) != have:
            raise ModelError(f"{url}: the server sent other bytes than it was asked for")
        return Opened(stream, have, int(said[2]), validator)
    length = headers.get("Content-Length", "")
    return Opened(stream, 0, int(length) if length.isdecimal() else None, validator)


@dataclass(frozen=True)
class _Body:
    """The body of an answer. Where the connection breaks, it ends: whoever reads knows its size."""

    response: Any

    def read(self, size: int, /) -> bytes:
        try:
            return bytes(self.response.read(size))
        except (OSError, http.client.HTTPException):
            return b""


@contextlib.contextmanager
def _answered(url: str, headers: dict[str, str]) -> Iterator[Any]:
    """The answer to a request, or one line that says why there is none."""
    request = urllib.request.Request(
        url, headers={"User-Agent": "niwaki", "Accept-Encoding": "identity", **headers}
    )
    try:
        response = _OPENER.open(request, timeout=_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _NO_SUCH_RANGE and headers:
            raise _NoSuchRangeError from error
        if error.code in _REDIRECTS:
            target = shown(error.headers.get("Location", ""), 100)
            raise ModelError(
                f"{url}: the server redirects to {target}, which is not followed: it is one "
                "redirect too many, or leads from HTTPS elsewhere; give the URL of an index that "
                "you trust"
            ) from error
        raise ModelError(f"{url}: the server answers {error.code} {shown(error.msg)}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        # What urllib says of a connection is the reason of the reason.
        reason = shown(str(getattr(error, "reason", error)) or type(error).__name__, 200)
        raise ModelError(f"{url}: no connection ({reason}); try again later") from error
    with response:
        yield response


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects within the web, and never from HTTPS to HTTP."""

    max_redirections = 5

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        scheme = urllib.parse.urlsplit(newurl).scheme
        if scheme not in _SCHEMES or (req.type == "https" and scheme != "https"):
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _web_only() -> urllib.request.OpenerDirector:
    """An opener that knows no `file:`, `ftp:` or `data:`."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        _Redirects,
    ):
        opener.add_handler(handler())
    return opener


_OPENER = _web_only()
