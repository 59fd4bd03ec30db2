"""The part of JSON Schema that the API needs: written once, used to check and to document."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from niwaki.errors import nearest, shown
from niwaki.serve.errors import RequestError

Schema = dict[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def text(description: str = "", *, most: int = 1 << 22, **more: Any) -> Schema:
    return {"type": "string", "maxLength": most, **_about(description), **more}


def whole(low: int, high: int, description: str = "", **more: Any) -> Schema:
    return {
        "type": "integer",
        "minimum": low,
        "maximum": high,
        **_about(description),
        **more,
    }


def number(low: float, high: float, description: str = "", **more: Any) -> Schema:
    return {"type": "number", "minimum": low, "maximum": high, **_about(description), **more}


def flag(description: str = "", *, default: bool = False) -> Schema:
    return {"type": "boolean", "default": default, **_about(description)}


def choice(values: tuple[str, ...], description: str = "", **more: Any) -> Schema:
    return {"type": "string", "enum": list(values), **_about(description), **more}


def items(each: Schema, most: int, description: str = "", *, least: int = 0) -> Schema:
    return {
        "type": "array",
        "items": each,
        "minItems": least,
        "maxItems": most,
        **_about(description),
    }


def record(
    properties: Mapping[str, Schema], *required: str, description: str = "", **more: Any
) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
        **_about(description),
        **more,
    }


def _about(description: str) -> Schema:
    return {"description": description} if description else {}


def load_json(data: bytes) -> Any:
    """Strict JSON; raises ValueError."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(data, parse_constant=refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def check(value: Any, schema: Schema, place: str = "") -> None:
    """Raise RequestError 422 that names the place, what was found and what is wanted."""
    kind = schema["type"]
    if not _is(kind, value):
        raise _wrong(place, value, f"give {_NAMES[kind]}")
    if kind == "object":
        _check_object(value, schema, place)
    elif kind == "array":
        low, high = schema["minItems"], schema["maxItems"]
        if not low <= len(value) <= high:
            raise _refused(place, f"{len(value)} entries", f"give {low} to {high}")
        for at, each in enumerate(value):
            check(each, schema["items"], f"{place}[{at}]")
    elif kind == "string":
        _check_text(value, schema, place)
    elif "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        raise _wrong(place, value, f"give {schema['minimum']} to {schema['maximum']}")


def _check_object(value: dict[str, Any], schema: Schema, place: str) -> None:
    known = schema["properties"]
    prefix = f"{place}." if place else ""
    for key in value:
        if key not in known:
            raise _refused(prefix + _printable(key), "an unknown key", nearest(key, known))
    for key in schema["required"]:
        if key not in value:
            raise _refused(f"{prefix}{key}", "nothing", "it is needed")
    for key, each in value.items():
        check(each, known[key], f"{prefix}{key}")


def _check_text(value: str, schema: Schema, place: str) -> None:
    if _SURROGATE.search(value):
        raise _refused(place, "half of a surrogate pair", "give Unicode text")
    if len(value) > schema.get("maxLength", math.inf):
        raise _refused(place, f"{len(value)} characters", f"give at most {schema['maxLength']}")
    if len(value) < schema.get("minLength", 0):
        raise _refused(place, "an empty text", "give some")
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(place, value, nearest(value, schema["enum"]))
    # The whole text: to `search`, a newline at the end is as good as the end.
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        raise _wrong(place, value, f"it must fit {schema['pattern']}")


def _is(kind: str, value: Any) -> bool:
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            # A whole number may be too large to become a float.
            return _is("integer", value) or (isinstance(value, float) and math.isfinite(value))


def _printable(key: str) -> str:
    return key if key.isprintable() and len(key) < 60 else shown(key)


def _wrong(place: str, value: Any, advice: str) -> RequestError:
    if isinstance(value, dict | list):
        found = _NAMES["object" if isinstance(value, dict) else "array"]
    elif isinstance(value, int) and abs(value) > 10**20:
        found = "a very large number"
    else:
        found = shown(value) if isinstance(value, str) else json.dumps(value)
    return _refused(place, found, advice)


def _refused(place: str, found: str, advice: str) -> RequestError:
    return RequestError(422, f"{place or 'the request'}: found {found}; {advice}")
