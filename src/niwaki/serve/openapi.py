"""The description of the API in OpenAPI 3.1, made from the endpoints themselves."""

from __future__ import annotations

import re
from typing import Any

from niwaki import __version__
from niwaki.serve.endpoint import Endpoint
from niwaki.serve.registry import NAME

_ERRORS = {
    "GET": {404: "there is no such thing", 422: "a wrong parameter"},
    "POST": {
        400: "the body is not JSON",
        403: "the request comes from a page of another site",
        404: "something is not registered",
        409: "it was changed meanwhile, or cannot be done now",
        413: "too many bytes or words",
        415: "the body is not declared as JSON",
        422: "the body is not what this path takes; the message says where",
        504: "it took too long and was stopped",
    },
}
_ALWAYS = {
    401: "a token is needed",
    421: "a host name that is not served",
    503: "too many requests are waiting; see Retry-After",
}


def describe(endpoints: list[Endpoint]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Niwaki",
            "version": __version__,
            "description": "Dependency parsing, word order and annotation over HTTP.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": {
                "Error": {
                    "type": "object",
                    "properties": {"error": {"type": "string"}},
                    "required": ["error"],
                }
            }
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    kinds = endpoint.media or ("application/json",)
    contents: dict[str, Any] = {kind: {"schema": {}} for kind in kinds}
    if endpoint.texts or "/files/" in endpoint.path:
        contents["text/plain"] = {"schema": {"type": "string"}}
    responses: dict[str, Any] = {"200": {"description": "done", "content": contents}}
    for status, text in sorted({**_ERRORS[endpoint.method], **_ALWAYS}.items()):
        responses[str(status)] = {
            "description": text,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    operation: dict[str, Any] = {
        "operationId": re.sub(r"[^a-z]+", "_", endpoint.path.removeprefix("/api/")).strip("_")
        + f"_{endpoint.method.lower()}",
        "summary": endpoint.summary,
        "responses": responses,
    }
    if endpoint.description:
        operation["description"] = endpoint.description
    parameters = [
        {"name": each, "in": "path", "required": True, "schema": _path_schema(each)}
        for each in re.findall(r"\{(\w+)\}", endpoint.path)
    ]
    parameters += [
        {"name": each, "in": "query", "required": False, "schema": schema}
        for each, schema in endpoint.query.items()
    ]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        content: dict[str, Any] = {"schema": endpoint.body}
        if endpoint.example is not None:
            content["example"] = endpoint.example
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    return operation


def _path_schema(parameter: str) -> dict[str, Any]:
    if parameter == "n":
        return {"type": "integer", "minimum": 0}
    return {"type": "string", "pattern": NAME}
