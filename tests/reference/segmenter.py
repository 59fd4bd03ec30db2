"""The segmenter spelled out: plain strings, one decision after the other, nothing kept."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

MASK = (1 << 64) - 1
NONE = 1 << 20
REACH, AHEAD, AFFIX, FAR = 2, 8, 5, 20
LONGEST, MOST_SPACES = 31, 3

KINDS = {
    "Ll": "lower",
    "Lu": "upper",
    "Lt": "upper",
    "Lm": "letter",
    "Lo": "letter",
    "Nd": "digit",
    "Pd": "hyphen",
    "Ps": "open",
    "Pe": "close",
    "Pi": "quote",
    "Pf": "quote",
    "Mn": "mark",
    "Mc": "mark",
    "Me": "mark",
}
SIGNS = {
    **dict.fromkeys(".", "period"),
    **dict.fromkeys("!?‼‽⁇⁈⁉…؟۔।॥。！？｡．", "ender"),
    **dict.fromkeys(",;:،؛、，；：", "comma"),
    **dict.fromkeys("-−", "hyphen"),
    **dict.fromkeys("'’‘`´ʼ＇", "apostrophe"),
    **dict.fromkeys('"“”„‟＂', "quote"),
    **dict.fromkeys("([{<", "open"),
    **dict.fromkeys(")]}>", "close"),
}


def kind(char: str) -> str:
    if char in SIGNS:
        return SIGNS[char]
    if char.isspace():
        return "space"
    if ord(char) >= 1 << 16:
        return "letter" if char.isalpha() else "other"
    other = "symbol" if " " < char < "\x7f" else "other"
    return KINDS.get(unicodedata.category(char), other)


NAMES = (
    *("space", "lower", "upper", "digit", "letter", "period", "ender", "comma", "hyphen"),
    *("apostrophe", "quote", "open", "close", "symbol", "other", "mark"),
)


def number(char: str) -> int:
    return NAMES.index(kind(char))


def fold(char: str) -> int:
    same = {"digit": "0", "apostrophe": "'", "quote": '"'}.get(kind(char))
    if same is not None:
        return ord(same)
    lower = char.lower()
    return ord(lower if len(lower) == 1 else char)


# -- hashes, as kernel/hashing.pxd defines them ---------------------------------


def mix(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def atom(value: int, salt: int) -> int:
    value = (value + salt) * 0x9E3779B97F4A7C15 & MASK
    return value ^ value >> 32


def key(kind_of_decision: int, template: int, values: Sequence[int]) -> int:
    salt = mix(kind_of_decision * 1000 + template + 1)
    joined = salt
    for place, value in enumerate(values, start=1):
        joined ^= atom(value, mix(salt + place & MASK))
    joined = joined * 0xD6E8FEB86659FD93 & MASK
    return joined ^ joined >> 32 or 1


def hashed(text: str) -> int:
    value = 5381
    for char in text:
        value = (value ^ fold(char)) * 0x100000001B3 & MASK
    return value


def runs(text: str) -> list[int]:
    """Kinds without repetition."""
    kinds = [number(char) for char in text]
    return [k for k, before in zip(kinds, [0, *kinds], strict=False) if k != before]


def packed(kinds: Sequence[int]) -> int:
    """The first five, the first lowest."""
    return sum(k << 4 * place for place, k in enumerate(kinds[:5]))


# -- text -----------------------------------------------------------------------


class Chunk(NamedTuple):
    start: int
    text: str
    is_last: bool  # of its paragraph


def chunks(text: str, by_lines: bool = False) -> list[Chunk]:
    found = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        gap = end
        while gap < len(text) and text[gap].isspace():
            gap += 1
        between = text[end:gap]
        if by_lines:
            is_last = "\n" in between
        else:
            lines = between.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
            is_last = lines.replace("\u2029", "\n\n").count("\n") >= 2
        found.append(Chunk(at, text[at:end], is_last))
        at = gap
    return found


class Token(NamedTuple):
    start: int
    form: str
    gap: int  # 0 nothing, 1 a space, 2 a blank line


Values = dict[str, int]


# -- known words ------------------------------------------------------------------


def folded(text: str) -> str:
    return "".join(" " if char.isspace() else chr(fold(char)) for char in text)


class Known(NamedTuple):
    """The known words of a text: (start, end) of all of them."""

    spans: frozenset[tuple[int, int]]

    @classmethod
    def of(
        cls,
        text: str,
        words: frozenset[str],
        may_end: Callable[[int, int], bool],
        anywhere: bool,
        across: bool,
        by_lines: bool = False,
    ) -> Known:
        """By trying all of them: chunks with what follows behind single spaces."""
        every = chunks(text, by_lines)
        found = set()
        for c, chunk in enumerate(every):
            end, last = chunk.start + len(chunk.text), c
            borders = set()
            for spaces in range(MOST_SPACES + 1):
                if spaces:
                    if not across or every[last].is_last or last + 1 == len(every):
                        break
                    if every[last + 1].start != end + 1:
                        break
                    last += 1
                    end = every[last].start + len(every[last].text)
                for place in range(every[last].start + 1, end):
                    if anywhere or may_end(number(text[place - 1]), number(text[place])):
                        borders.add(place)
                borders.add(end)
            begins = {p for p in borders if p < chunk.start + len(chunk.text)} | {chunk.start}
            for start in begins:
                for stop in borders:
                    if 0 < stop - start <= LONGEST and folded(text[start:stop]) in words:
                        found.add((start, stop))
        return cls(frozenset(found))

    def longest(self, start: int, end: int) -> int:
        """Of the words that begin at `start` and go no farther than `end`."""
        return max((b - a for a, b in self.spans if a == start and b <= end), default=0)

    def values(self, start: int, at: int, end: int) -> Values:
        longest = self.longest(start, end)
        goes_on = longest > at - start
        within = [
            (a, b) for a, b in self.spans if start < a < at and b <= end and at - a <= LONGEST
        ]
        then = 0
        if goes_on:
            then = self.longest(start + longest, end) if start + longest < end else LONGEST + 1
        return {
            "known": int((start, at) in self.spans),
            "longer": longest - (at - start) if goes_on else 0,
            "begins": self.longest(at, end),
            "ends": max((b - a for a, b in within if b == at), default=0),
            "covers": max((b - a for a, b in within if b > at), default=0),
            "then": then,
        }


def type_of(char: str) -> int:
    if kind(char) != "letter":
        return number(char)
    name = unicodedata.name(char, "")
    if char == "ー":
        return 17
    for place, beginnings in (
        (16, ("HIRAGANA",)),
        (18, ("KATAKANA", "HALFWIDTH KATAKANA")),
        (19, ("CJK UNIFIED", "CJK COMPAT", "IDEOGRAPHIC ITERATION")),
    ):
        if name.startswith(beginnings):
            return place
    if char in "เแโใไ":
        return 20
    return 21 if char in "ะาำ" else number(char)


def unspaced_values(chunk: Chunk, so_far: str, last: str, at: int, known: Known) -> Values:
    """More of a boundary before character `at`, for text without spaces."""
    values = {}
    for offset in range(-3, 3):
        inside = 0 <= at + offset < len(chunk.text)
        values[f"t{offset}"] = type_of(chunk.text[at + offset]) if inside else 0
    place, end = chunk.start + at, chunk.start + len(chunk.text)
    return values | {
        "last": hashed(last) if last else 0,
        **known.values(place - len(so_far), place, end),
    }


def boundary_values(all_chunks: list[Chunk], c: int, so_far: str, at: int) -> Values:
    """Before character `at` of chunk `c`; `so_far` is the current token."""
    chunk = all_chunks[c]
    text = chunk.text
    values = {}
    for offset in range(-3, 3):
        inside = 0 <= at + offset < len(text)
        values[f"c{offset}"] = fold(text[at + offset]) if inside else 0
        values[f"k{offset}"] = number(text[at + offset]) if inside else 0
    follows = ""
    if not chunk.is_last and c + 1 < len(all_chunks):
        follows = all_chunks[c + 1].text
    signs = sum(1 << k for k in {number(char) for char in text})
    values |= {
        "word": hashed(so_far),
        "rest": hashed(text[at:][::-1]),
        "head": hashed(text[::-1]) ^ mix(hashed(text[at:][::-1])),
        "chunk": hashed(text[::-1]),
        "place": min(at, FAR),
        "before": min(len(so_far), FAR),
        "after": min(len(text) - at, FAR),
        "shape": packed(runs(so_far.replace(" ", ""))[::-1]),
        "runs": packed(runs(text[at:])),
        "next": number(follows[0]) if follows else 0,
        "next2": packed(runs(follows)[:2]),
        "nextc": fold(follows[0]) if follows else 0,
        "signs": signs | (1 << 16 if "@" in text or "//" in text else 0),
        "address": int("@" in text or "//" in text),
        "start": hashed(so_far[:4]),
    }
    return values


def letters(text: str) -> int:
    """The letters with which a chunk begins."""
    end = 1
    while end < len(text) and kind(text[end]) in ("lower", "upper", "letter", "mark"):
        end += 1
    return hashed(text[:end])


def known_joins(text: str, chunk: Chunk, so_far: str, known: Known) -> Values:
    """What the lexicon says after a chunk, at whose end the current token may go on."""
    end = chunk.start + len(chunk.text)
    first, follows = end - len(so_far), end + 1

    def spaces(start: int, place: int) -> int:
        stop = start + known.longest(start, len(text))
        return sum(char.isspace() for char in text[max(start, place) : stop])

    return {
        "known": int((first, end) in known.spans),
        "longer": spaces(first, end),
        "begins": 1 + spaces(follows, follows) if known.longest(follows, len(text)) else 0,
        "through": spaces(chunk.start, end) if first < chunk.start else 0,
    }


def join_values(all_chunks: list[Chunk], c: int, so_far: str) -> Values:
    """After chunk `c`, at whose end the current token may go on."""
    chunk, follows = all_chunks[c], all_chunks[c + 1].text
    before = all_chunks[c - 1] if c and not all_chunks[c - 1].is_last else None
    after = ""
    if not all_chunks[c + 1].is_last and c + 2 < len(all_chunks):
        after = all_chunks[c + 2].text
    return {
        "word": hashed(so_far),
        "s-1": hashed(before.text[::-1]) if before else 0,
        "s0": letters(so_far.split(" ")[-1]),
        "s1": letters(follows),
        "s2": letters(after) if after else 0,
        "k0": number(chunk.text[0]),
        "k1": number(follows[0]),
        "k2": number(after[0]) if after else 0,
        "l0": number(chunk.text[-1]),
        "r1": packed(runs(follows)),
        "count": min(so_far.count(" "), FAR),
    }


def window_values(tokens: list[Token], at: int, start: int, stop: int) -> Values:
    values = {}
    for offset in range(-REACH, REACH + 1):
        place = at + offset
        named = dict.fromkeys("wsflnxyg", NONE)
        if start <= place < stop:
            form = tokens[place].form
            named = {
                "w": hashed(form),
                "s": packed(runs(form[:FAR])),
                "f": number(form[0]),
                "l": number(form[-1]),
                "n": min(len(form), 8),
                "x": hashed(form[-3:]),
                "y": fold(form[-1]) + (fold(form[-2]) << 32 if len(form) > 1 else 0),
                "g": tokens[place].gap,
            }
        values |= {f"{name}{offset}": value for name, value in named.items()}
    return values


def size_bucket(size: int) -> int:
    if size < 6:
        return size
    return 6 + size // 5 if size < 20 else 10 + min(size // 20, 4)


def sentence_values(tokens: list[Token], at: int, first: int) -> Values:
    """After token `at` of a sentence that began with token `first`."""
    end = at + 1
    while end < len(tokens) and end <= at + AHEAD and tokens[end - 1].gap != 2:
        end += 1
    stops = [t for t in range(at + 1, end) if kind(tokens[t].form[-1]) in ("period", "ender")]
    opened = quotes = words = capitals = 0
    for token in tokens[first : at + 1]:
        begins = kind(token.form[0])
        opened = min(opened + (begins == "open"), 3) if begins != "close" else max(opened - 1, 0)
        quotes += begins == "quote"
        words += begins in ("lower", "upper", "letter")
        capitals += begins == "upper"
    length = tokens[at].start + len(tokens[at].form) - tokens[first].start
    return window_values(tokens, at, first, end) | {
        "size": size_bucket(at + 1 - first),
        "open": opened,
        "quoted": quotes % 2,
        "capitals": 4 * capitals // words if words else 5,
        "ahead": stops[0] - at if stops else 0,
        "left": min(end - at - 1, AHEAD),
        "w-first": hashed(tokens[first].form),
        "s-first": packed(runs(tokens[first].form[:FAR])),
        "l-first": min(length, 1000) // 40,
    }


def plain_values(tokens: list[Token], at: int, first: int) -> Values:
    """More after token `at`, for text whose sentences do not begin with capitals."""
    near = tokens[at : at + 4]
    seen = len(near) == 4 and all(token.gap != 2 for token in near[:3])
    return {
        "w3": hashed(near[3].form) if seen else NONE,
        "length": min(at + 1 - first, FAR),
    }


def cut_values(
    tokens: list[Token], at: int, ends: list[bool], words: list[str], known: Known
) -> Values:
    """Within token `at`, of which these words are there, the last perhaps not whole."""
    token = tokens[at]
    place = sum(map(len, words))
    values = {}
    for offset in range(-3, 3):
        inside = 0 <= place + offset < len(token.form)
        values[f"c{offset}"] = fold(token.form[place + offset]) if inside else 0
    rest = token.form[place:]
    start = token.start + place
    return values | {
        "word": hashed(words[-1]),
        "last": hashed(words[-2]) if len(words) > 1 else 0,
        "rest": hashed(rest if len(rest) <= LONGEST else ""),
        "token": hashed(token.form),
        "place": min(place, FAR),
        "before": min(len(words[-1]), FAR),
        "after": min(len(rest), FAR),
        "w-1": hashed(tokens[at - 1].form) if at and not ends[at - 1] else 0,
        "w1": hashed(tokens[at + 1].form) if not ends[at] else 0,
        **known.values(start - len(words[-1]), start, start + len(rest)),
    }


def split_values(tokens: list[Token], at: int, first: int, stop: int) -> Values:
    form = tokens[at].form
    values = window_values(tokens, at, first, stop)
    for size in range(1, AFFIX + 1):
        values[f"prefix{size}"] = hashed(form[:size])
        values[f"suffix{size}"] = hashed(form[-size:])
    return values


# -- the decisions ----------------------------------------------------------------

Scores = Callable[[np.ndarray], np.ndarray]


class Slow:
    """Decides like kernel.Segmenter, with the same models and templates (as names of values)."""

    def __init__(
        self,
        scores: Scores,
        split_scores: Scores | None,
        templates: dict[str, list[tuple[str, ...]]],
        may_end: Callable[[int, int], bool],
        may_split: Callable[[str], bool],
        shortest: Sequence[int],
        lexicon: frozenset[str] | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.known = Known(frozenset())
        self.scores, self.split_scores, self.templates = scores, split_scores, templates
        self.may_end, self.may_split, self.shortest = may_end, may_split, shortest

    def keys(self, name: str, values: Values) -> np.ndarray:
        decision = ["boundaries", "sentences", "splits", "joins", "cuts"].index(name)
        keys = [
            key(decision, place, [values[part] for part in parts])
            for place, parts in enumerate(self.templates[name])
        ]
        return np.array(keys, dtype=np.uint64)

    def segment(self, text: str, by_lines: bool = False) -> list[tuple[int, int, int, bool, int]]:
        """(start, end, gap, sentence end, rule) of each token."""
        return self.segment_and_cut(text, by_lines)[0]

    def segment_and_cut(
        self, text: str, by_lines: bool = False
    ) -> tuple[list[tuple[int, int, int, bool, int]], list[int]]:
        """The same, and the characters after which words end within tokens."""
        if self.lexicon is not None:
            joins, cuts = ("joins" in self.templates), ("cuts" in self.templates)
            self.known = Known.of(text, self.lexicon, self.may_end, cuts, joins, by_lines)
        tokens = self.tokens(text, by_lines)
        ends = self.sentence_ends(tokens, by_lines)
        rules = self.rules(tokens, ends)
        cuts = []
        for at, token in enumerate(tokens):
            if "cuts" in self.templates and not rules[at]:
                words = self.words(tokens, at, ends)
                if len(words) > 1:
                    rules[at] = len(self.shortest)
                places = [len("".join(words[: n + 1])) for n in range(len(words) - 1)]
                cuts += [token.start + place - 1 for place in places]
        found = [
            (token.start, token.start + len(token.form), token.gap, end, rule)
            for token, end, rule in zip(tokens, ends, rules, strict=True)
        ]
        return found, cuts

    def words(self, tokens: list[Token], at: int, ends: list[bool]) -> list[str]:
        form = tokens[at].form
        words = [form[0]]
        for char in form[1:]:
            values = cut_values(tokens, at, ends, words, self.known)
            if self.scores(self.keys("cuts", values))[0] > 0:
                words.append("")
            words[-1] += char
        return words

    def tokens(self, text: str, by_lines: bool) -> list[Token]:
        tokens = []
        every = chunks(text, by_lines)
        begin, so_far = 0, ""
        for c, chunk in enumerate(every):
            if so_far:
                so_far += " "
            else:
                begin = chunk.start
            for at, char in enumerate(chunk.text):
                if at and self.may_end(number(chunk.text[at - 1]), number(char)):
                    values = boundary_values(every, c, so_far, at)
                    if self.lexicon is not None:
                        near = tokens and tokens[-1].start + len(tokens[-1].form) == begin
                        last = tokens[-1].form if near else ""
                        values |= unspaced_values(chunk, so_far, last, at, self.known)
                    if self.scores(self.keys("boundaries", values))[0] > 0:
                        tokens.append(Token(begin, so_far, 0))
                        begin, so_far = chunk.start + at, ""
                so_far += char
            if not self.goes_on(text, every, c, so_far):
                tokens.append(Token(begin, so_far, 1 + chunk.is_last))
                so_far = ""
        return tokens

    def goes_on(self, text: str, every: list[Chunk], c: int, so_far: str) -> bool:
        chunk = every[c]
        if "joins" not in self.templates or chunk.is_last or c + 1 == len(every):
            return False
        if every[c + 1].start != chunk.start + len(chunk.text) + 1:
            return False
        values = join_values(every, c, so_far) | known_joins(text, chunk, so_far, self.known)
        return bool(self.scores(self.keys("joins", values))[0] > 0)

    def sentence_ends(self, tokens: list[Token], by_lines: bool) -> list[bool]:
        ends: list[bool] = []
        first = 0
        for at, token in enumerate(tokens):
            end = at + 1 == len(tokens) or token.gap == 2
            if not end and not by_lines:
                values = sentence_values(tokens, at, first) | plain_values(tokens, at, first)
                end = bool(self.scores(self.keys("sentences", values))[0] > 0)
            ends.append(end)
            if end:
                first = at + 1
        return ends

    def rules(self, tokens: list[Token], ends: list[bool]) -> list[int]:
        rules = []
        first = 0
        for at, token in enumerate(tokens):
            rule = 0
            if self.split_scores is not None and self.may_split(token.form):
                stop = ends.index(True, at) + 1
                scores = self.split_scores(
                    self.keys("splits", split_values(tokens, at, first, stop))
                )
                possible = [r for r, least in enumerate(self.shortest) if least <= len(token.form)]
                rule = max(possible, key=lambda r: scores[r])
            rules.append(rule)
            if ends[at]:
                first = at + 1
        return rules
