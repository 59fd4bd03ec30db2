"""Changes that someone would make to a model who knows how one is built."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from safetensors import SafetensorError

from tests.apart import packed
from tests.fuzz.choices import ODD, Choices

_NUMBERS = (
    *(0, 1, -1, True, 2, 63, 64, 128, 255, 256, 4096, 65535, 2**31 - 1, 2**31, 2**64, 10**30),
    *(0.0, -0.0, 1e-320, 1e-30, 1e-9, 0.5, 1e9, 1e20, 1e300, float("inf"), float("nan")),
)
_ODD = tuple(value for value in ODD if not isinstance(value, bytes))
_TEXTS = (
    *("", "_", "a", "a\tb", "a\n", "\r", "\0", "\ud800", " ", "\u2028", "a b", "x" * 5000, "root"),
    *(
        "keep-0+",
        "keep-99999999999999999999+a",
        "lower--1+",
        "title-1+\u00df",
        "obl↑nsubj",
        "↑",
        "#",
    ),
)
_ATOMS = (
    *("s0.form", "s0.tag", "b0.upos", "s1.label", "distance(s0,b0)", "s0-1.form", "b0.cluster4"),
    *("w0.form", "w-1.lower", "t-1", "t+1", "case", "first", "w0.grams", "w+2.suffix3"),
    *("h.tag", "d.form", "s.tag", "between.tag", "h+1.tag", "direction", "distance(h, d)"),
    *("distance(s, d)", "c0", "c-1", "k0", "k-1", "contiguous(s1,s0)", "?", "s0." + "x" * 50),
)
_DEGREES = ("0", "1", "2", "3", "9", "20", "999999999", "degree", "nonlexical-degree", "9" * 30)
_KINDS = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "?")


def change(parts: dict[str, Any], other: dict[str, Any], choices: Choices) -> None:
    """Change something; `other` are the parts of another model."""
    what = choices.of(_CHANGES)
    if what is _swap:
        _swap(parts, other, choices)
    else:
        what(parts, choices)


def _swap(parts: dict[str, Any], other: dict[str, Any], choices: Choices) -> None:
    """Take a part, or a record, from the other model."""
    name = choices.of(sorted(other))
    if name == "designs.json" and isinstance(parts.get(name), dict):
        record = choices.of(sorted(other[name]))
        parts[name][record] = other[name][record]
    else:
        parts[name] = other[name]


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where the numbers and texts of a JSON value stand."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in items:
        if isinstance(each, dict | list):
            yield from _leaves(each)
        else:
            yield value, key


def _json(parts: dict[str, Any], choices: Choices) -> Any:
    names = [name for name, part in parts.items() if isinstance(part, dict) and ".json" in name]
    # Most of a model is in its designs.
    name = "designs.json" if choices.below(3) else choices.of(sorted(names) or [""])
    return parts.get(name) if isinstance(parts.get(name), dict | list) else {}


def _set_number(parts: dict[str, Any], choices: Choices) -> None:
    found = [(h, k) for h, k in _leaves(_json(parts, choices)) if isinstance(h[k], int | float)]
    if found:
        holder, key = choices.of(found)
        holder[key] = choices.of(_NUMBERS)


def _set_text(parts: dict[str, Any], choices: Choices) -> None:
    found = [(h, k) for h, k in _leaves(_json(parts, choices)) if isinstance(h[k], str)]
    if found:
        holder, key = choices.of(found)
        text = choices.of(_TEXTS)
        holder[key] = holder[key] + text if choices.below(3) == 0 else text


def _set_odd(parts: dict[str, Any], choices: Choices) -> None:
    found = list(_leaves(_json(parts, choices)))
    if found:
        holder, key = choices.of(found)
        holder[key] = choices.of(_ODD)


def _set_list(parts: dict[str, Any], choices: Choices) -> None:
    """Make a list of a record longer, shorter, or turn it around."""
    designs = parts.get("designs.json")
    records = designs.values() if isinstance(designs, dict) else ()
    lists = [v for r in records if isinstance(r, dict) for v in r.values() if isinstance(v, list)]
    if not lists:
        return
    values = choices.of(lists)
    what = choices.below(5)
    if what == 0:
        values.extend(f"n{n}" for n in range(choices.below(5000)))
    elif what == 1:
        del values[choices.below(len(values) + 1) :]
    elif what == 2:
        values.reverse()
    elif what == 3 and values:
        values.insert(choices.below(len(values) + 1), choices.of(values))
    elif values:
        values.pop(choices.below(len(values)))


def _set_features(parts: dict[str, Any], choices: Choices) -> None:
    """Write lines of features, once or thousands of times."""
    leaves = _leaves(parts["designs.json"]) if isinstance(parts.get("designs.json"), dict) else ()
    found = [(h, k) for h, k in leaves if isinstance(h[k], str) and "\n" in h[k]]
    if not found:
        return
    holder, key = choices.of(found)
    atoms = [choices.of(_ATOMS) for _ in range(choices.below(14))]
    line = (" + " if choices.below(2) else " ").join(atoms)
    if choices.below(2):
        line = f"combine {choices.of(_DEGREES)}: {line}"
    line = f"{line}\n" * choices.of((1, 1, 1, 2, 5000, 100_000))
    holder[key] = line if choices.below(2) else holder[key] + "\n" + line


def _set_rules(parts: dict[str, Any], choices: Choices) -> None:
    designs = parts.get("designs.json")
    if not isinstance(designs, dict) or not isinstance(designs.get("segmenter"), dict):
        return
    places = (0, 1, -1, 2, -2, None, 1000, -1000, 1001, 10**30, True, "0")
    texts = ("", "", "a", *_TEXTS)

    def piece() -> list[Any]:
        return [choices.of(texts), choices.of(places), choices.of(places), choices.of(texts)]

    rules = designs["segmenter"].get("rules")
    many = choices.of((1, 2, 3, 100, 5000))
    rule = [piece() for _ in range(min(many, 4))] * max(1, many // 4)
    if isinstance(rules, list) and rules:
        rules[choices.below(len(rules))] = rule


def _set_clusters(parts: dict[str, Any], choices: Choices) -> None:
    lines = [b"0\tpine\tmaple\n", b"01\tThe\n", b"10\t\xc3\xa9\n"]
    for _ in range(choices.below(4)):
        lines.insert(choices.below(len(lines) + 1), choices.take())
    text = b"".join(lines) * choices.of((1, 1, 1, 2, 1000))
    text += choices.of((b"", b"\t" * 1_000_000, b"0" * 5_000_000, b"1" * 30 + b"\tlast"))
    found = zlib.compress(text)
    parts["clusters.bin"] = found[: len(found) - choices.below(4)] if choices.below(4) else found


def _set_tensor(parts: dict[str, Any], choices: Choices) -> None:
    names = sorted(name for name, part in parts.items() if ".safetensors" in name and part)
    arrays = parts[choices.of(names)] if names else b""
    if isinstance(arrays, bytes):
        return
    name = choices.of(sorted(arrays))
    array = arrays[name]
    what = choices.below(9)
    if what == 0 and array.size:
        start = choices.below(array.size)
        array = array.copy()
        value = np.asarray(choices.of((0, 1, 2, 16, 17, 255, 65535, 2**63, -1, 0.5)))
        array.flat[start : start + choices.below(300)] = value.astype(array.dtype)
    elif what == 1:
        array = np.concatenate(
            [array, np.zeros((choices.of((1, 63, 5000, 10**6)), *array.shape[1:]))]
        )
        array = array.astype(arrays[name].dtype)
    elif what == 2:
        array = np.repeat(array, choices.below(50), axis=0)
    elif what == 3:
        array = array.astype(choices.of(_KINDS))
    elif what == 4:
        array = np.ascontiguousarray(array[::-1])
    elif what == 5:
        # Keys that meet.
        array = (np.arange(1, len(array) + 1) << choices.below(64)).astype(array.dtype)
    elif what == 6:
        array = np.empty((0, *choices.of(((), (1,), (2**31,), (2**40,)))), array.dtype)
    elif what == 7:
        array = array.reshape(choices.of(((1, -1), (-1, 1), (1, 1, -1))))
    else:
        array = arrays[choices.of(sorted(arrays))]
    arrays[name] = np.ascontiguousarray(array)


def _permute(parts: dict[str, Any], choices: Choices) -> None:
    """Values in another order: all sums stay right, and nothing is where it was."""
    names = sorted(name for name, part in parts.items() if ".safetensors" in name and part)
    arrays = parts[choices.of(names)] if names else b""
    if isinstance(arrays, bytes):
        return
    chance = np.random.default_rng(choices.byte())
    for name in sorted(arrays) if choices.below(2) else [choices.of(sorted(arrays))]:
        arrays[name] = np.ascontiguousarray(chance.permutation(arrays[name]))


def _empty_table(parts: dict[str, Any], choices: Choices) -> None:
    """A table of weights with buckets but few rows, all of it consistent."""
    names = sorted(name for name in parts if name.startswith("weights-"))
    if not names:
        return
    buckets, rows = choices.of((0, 1, 64, 65, 10**6)), choices.below(300)
    fill = np.zeros(buckets, np.uint8)
    fill[: rows // 16 + 1] = 16
    rows = int(fill.sum())
    parts[choices.of(names)] = {
        "fill": fill,
        "prints": np.ones(rows, np.uint16),
        "counts": np.ones(rows, np.uint16),
        "entry_classes": np.full(rows, choices.below(3), np.uint16),
        "entry_weights": np.full(rows, choices.byte(), np.uint8).view(np.int8),
    }


def _set_bytes(parts: dict[str, Any], choices: Choices) -> None:
    """Change bytes of a part as it is in the file: headers of tensors, JSON."""
    name = choices.of(sorted(parts))
    try:
        data = bytearray(packed(name, parts[name]))
    except (TypeError, ValueError, SafetensorError):
        return  # something else made it what no file could hold
    at = choices.below(min(len(data), 400) + 1)
    data[at : at + choices.below(9)] = choices.take(12)
    parts[name] = bytes(data)


_CHANGES = (
    *(_swap, _set_number, _set_number, _set_text, _set_text, _set_odd, _set_list, _set_features),
    *(
        _permute,
        _permute,
        _set_rules,
        _set_clusters,
        _set_tensor,
        _set_tensor,
        _empty_table,
        _set_bytes,
    ),
)
