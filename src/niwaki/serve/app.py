"""The application: API, pages and their files, behind the guard."""

from __future__ import annotations

import asyncio
import functools
import hmac
import re
from collections.abc import Awaitable
from importlib import resources
from pathlib import Path
from typing import Any

from niwaki.errors import ExtraMissingError
from niwaki.serve.api import ENDPOINTS
from niwaki.serve.endpoint import Answer, Call, Endpoint, Result, read_body, read_query
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.frames import dump
from niwaki.serve.guard import COOKIE, LOGIN, Guard
from niwaki.serve.openapi import describe
from niwaki.serve.schema import record, text
from niwaki.serve.state import AppState

try:
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route, Router
except ImportError as error:
    raise ExtraMissingError(
        "the server needs starlette and uvicorn; run: pip install niwaki[serve]"
    ) from error

PAGES = (
    *("parse", "find", "reorder", "translate", "relate", "shorten"),
    *("compare", "annotate", "analyze", "adapt", "api"),
)
_MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# What the log says of a request whose client went away; nobody is told.
CLIENT_GONE = 499
_SMALL = 1 << 16  # bytes that are read at once
_LOGIN_BODY = record({"token": text(most=500)}, "token")


def make_app(state: AppState, hosts: frozenset[str], token: str | None = None) -> Any:
    """An ASGI application; whoever runs it opens, starts and stops the state."""
    routes = [
        Route(each.path, functools.partial(_call, state, each), methods=[each.method])
        for each in ENDPOINTS
    ]
    description = dump(describe(ENDPOINTS))

    async def openapi(request: Request) -> Response:
        request.scope["niwaki.route"] = "/openapi.json"
        return _response(Answer(description))

    async def login(request: Request) -> Response:
        request.scope["niwaki.route"] = LOGIN
        given = read_body(await request.body(), _LOGIN_BODY)["token"]
        if token is not None and not hmac.compare_digest(given.encode(), token.encode()):
            raise RequestError(401, "this is not the token")
        # Neither scripts nor other sites can read it, and it ends with the browser.
        cookie = f"{COOKIE}={given}; Path=/; HttpOnly; SameSite=Strict"
        answer = Answer(b"{}", headers={"set-cookie": cookie} if token else {})
        return _response(answer)

    routes += [
        Route("/openapi.json", openapi, methods=["GET"]),
        Route(LOGIN, login, methods=["POST"]),
        Route("/static/{name:path}", _static, methods=["GET"]),
        Route("/", functools.partial(_page, "parse"), methods=["GET"]),
        *(Route(f"/{name}", functools.partial(_page, name), methods=["GET"]) for name in PAGES),
    ]
    router = Router(routes=routes)

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        # With an app in its scope, the router raises what it would else answer in plain text.
        scope["app"] = router
        try:
            await router(scope, receive, send)
        except HTTPException as error:
            raise RequestError(
                error.status_code, "there is nothing here; see /openapi.json"
            ) from error
        except ClientDisconnect as error:
            raise RequestError(CLIENT_GONE, "the client went away in its request") from error

    return Guard(inner, state.limits, hosts, token, state.refusal)


async def _call(state: AppState, endpoint: Endpoint, request: Request) -> Response:
    request.scope["niwaki.route"] = endpoint.path
    query = read_query(request.scope["query_string"], endpoint.query)
    body: dict[str, Any] = {}
    if endpoint.body is not None:
        data = await request.body()
        # Millions of values take seconds to check, in which others must be answered.
        if len(data) > _SMALL:
            body = await asyncio.to_thread(read_body, data, endpoint.body)
        else:
            body = read_body(data, endpoint.body)
    work = endpoint.run(state, Call(body, dict(request.path_params), query))
    result = await (work if endpoint.lasting else _while_awaited(request, work))
    if isinstance(result, Answer):
        return _response(result)
    return _response(Answer(result if isinstance(result, bytes) else dump(result)))


async def _while_awaited(request: Request, work: Awaitable[Result]) -> Result:
    """The result, unless the client goes away before: what still waits then is not begun."""
    wanted = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_end_of(request))
    try:
        await asyncio.wait((wanted, gone), return_when=asyncio.FIRST_COMPLETED)
        if not wanted.done():
            raise RequestError(CLIENT_GONE, "the client did not wait")
        return wanted.result()
    finally:
        wanted.cancel()
        gone.cancel()


async def _end_of(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(answer: Answer) -> Response:
    headers = {"content-type": answer.media, "cache-control": "no-store", **answer.headers}
    return Response(answer.content, headers=headers)


def _folder() -> Path:
    return Path(str(resources.files("niwaki"))) / "serve" / "static"


@functools.cache
def _files() -> dict[str, Path]:
    """The files that there are; no other name opens anything."""
    folder = _folder()
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.suffix in _MEDIA and path.is_file()
    }


def _file(name: str) -> Response:
    path = _files()[name]
    headers = {"content-type": _MEDIA[path.suffix], "cache-control": "no-cache"}
    return Response(path.read_bytes(), headers=headers)


async def _static(request: Request) -> Response:
    request.scope["niwaki.route"] = "/static"
    name = request.path_params["name"]
    if name not in _files():
        raise unknown("file", re.sub(r"[^\w./-]", "?", name))
    return _file(name)


async def _page(name: str, request: Request) -> Response:
    request.scope["niwaki.route"] = f"/{name}"
    return _file("index.html")
