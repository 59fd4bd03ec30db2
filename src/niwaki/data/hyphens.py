"""Splits hyphenated words, for text whose other users write them as several words."""

from __future__ import annotations

import re

from niwaki.data.faults import COLUMNS
from niwaki.data.sentence import Sentence

_HYPHEN = "[-\u2010\u2011]"
# Words and initials; not addresses, dates or numbers.
_PART = r"(?:(?:[^\W\d_]\.)+|[\w'’]+)"
_HYPHENATED = re.compile(rf"(?=.*[^\W\d_]){_PART}(?:{_HYPHEN}{_PART})+")
_RANGE = re.compile(r"TokenRange=(\d+):(\d+)")

_ID, _FORM, _LEMMA, _UPOS, _XPOS, _FEATS, _HEAD, _DEPREL, _DEPS, _MISC = range(len(COLUMNS))


def hyphen_parts(form: str) -> list[str]:
    """`pine-tree` as pine, -, tree; anything but a hyphenated word as it is."""
    if not _HYPHENATED.fullmatch(form):
        return [form]
    return re.split(f"({_HYPHEN})", form)


def split_hyphens(sentence: Sentence) -> Sentence:
    """The same sentence with its hyphenated words split.

    The parts have the tags of the word, its last part has its place in the tree and
    the others hang from that one. A sentence without such words is given back as it is.
    """
    parts = [hyphen_parts(form) for form in sentence.forms]
    if all(len(part) == 1 for part in parts):
        return sentence
    # For each word, with 0 for the root: its first and its last (its main) new number.
    firsts, mains = [0], [0]
    for part in parts:
        firsts.append(mains[-1] + 1)
        mains.append(mains[-1] + len(part))
    inner = {word for r in sentence.ranges for word in range(r.first, r.last + 1)}
    lines = []
    for line in str(sentence).rstrip("\r\n").split("\n"):
        row = line.rstrip("\r").split("\t")
        if line.startswith("#"):
            lines.append(line)
        elif "-" in row[_ID]:
            first, last = map(int, row[_ID].split("-"))
            lines.append("\t".join([f"{firsts[first]}-{mains[last]}", *row[1:]]))
        elif "." in row[_ID]:
            before, _, number = row[_ID].partition(".")
            row[_ID] = f"{mains[int(before)]}.{number}"
            lines.append("\t".join([*row[:_DEPS], _renumber(row[_DEPS], mains), row[_MISC]]))
        else:
            word = int(row[_ID])
            if row[_HEAD] != "_":
                row[_HEAD] = str(mains[int(row[_HEAD])])
            row[_DEPS] = _renumber(row[_DEPS], mains)
            lines += _rows(row, parts[word - 1], firsts[word], word not in inner)
    return Sentence("\n".join([*lines, "", ""]).encode("utf-8"), sentence.file, sentence.line)


def _rows(row: list[str], parts: list[str], first: int, glued: bool) -> list[str]:
    """A word's lines; `glued` if the parts are tokens of their own, with no space between."""
    main = first + len(parts) - 1
    lemmas = hyphen_parts(row[_LEMMA])
    if row[_LEMMA] == "_":
        lemmas = ["_"] * len(parts)
    elif len(lemmas) != len(parts):
        lemmas = [row[_LEMMA]] if len(parts) == 1 else parts
    place = _RANGE.search(row[_MISC])
    start = int(place[1]) if place and int(place[2]) - int(place[1]) == len(row[_FORM]) else None
    lines = []
    for number, (form, lemma) in enumerate(zip(parts, lemmas, strict=True), start=first):
        new = [*row]
        new[_ID], new[_FORM], new[_LEMMA] = str(number), form, lemma
        notes = [] if row[_MISC] == "_" else row[_MISC].split("|")
        if number < main:
            deprel = "compound" if len(form) > 1 or form.isalnum() else "punct"
            new[_FEATS] = "_"
            new[_HEAD] = "_" if row[_HEAD] == "_" else str(main)
            new[_DEPREL] = "_" if row[_DEPREL] == "_" else deprel
            new[_DEPS] = "_" if row[_DEPS] == "_" else f"{main}:{deprel}"
            notes = ["SpaceAfter=No"] if glued else []
        if start is not None:
            notes = [note for note in notes if not note.startswith("TokenRange=")]
            notes.append(f"TokenRange={start}:{start + len(form)}")
            start += len(form)
        new[_MISC] = "|".join(notes) or "_"
        lines.append("\t".join(new))
    return lines


def _renumber(deps: str, mains: list[int]) -> str:
    """Enhanced dependencies with new numbers; those on empty nodes, too."""
    if deps == "_":
        return deps
    items = []
    for item in deps.split("|"):
        head, _, label = item.partition(":")
        word, dot, number = head.partition(".")
        items.append(f"{mains[int(word)]}{dot}{number}:{label}")
    return "|".join(items)
