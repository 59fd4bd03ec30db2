"""What the letters of a word show, as plain values instead of hashes."""

from __future__ import annotations

WINDOW = 64


def kind(char: str) -> str:
    if char.isupper():
        return "X"
    if char.islower():
        return "x"
    if char.isdigit():
        return "d"
    return "c" if char.isalpha() else char


def shape(text: str) -> str:
    out = ""
    for char in map(kind, text[:WINDOW]):
        if not (len(out) >= 2 and out[-1] == out[-2] == char):
            out += char
    return out


def simple_lower(text: str) -> str:
    """Lower case character by character, as long as it stays one character."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def analyse(text: str) -> dict[str, object]:
    lower = simple_lower(text)
    values: dict[str, object] = {"form": text, "lower": lower, "shape": shape(text)}
    for size in range(1, 5):
        values[f"prefix{size}"] = lower[:size]
    for size in range(1, 7):
        values[f"suffix{size}"] = lower[-size:]
    values["capital"] = text[:1].isupper()
    values["length"] = min(len(text), 12)
    values["flags"] = (
        text[:1].isupper(),
        any(c.isdigit() for c in text),
        "-" in text,
        all(c.isupper() for c in text),
    )
    _, hyphen, tail = lower.rpartition("-")
    values["tail"] = tail if hyphen and tail else None
    return values


def grams(text: str) -> set[str]:
    lower = simple_lower(text)
    return {lower[i : i + 3] for i in range(len(lower) - 2)}
