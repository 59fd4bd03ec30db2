"""The template language: features as lines of text, read from a file or a configuration.

A line is one feature: parts joined by `+`, or `combine N: PART PART ...` for all
combinations of up to N of the parts. After `beam:` it is for parsers with a beam alone.
`#` begins a comment. Parts of a parser's features name a place and what is seen there
(`s0-1.form` is the word before that of `s0`); parts of a tagger's features name a word at
some distance. The files of `assets/features` are examples.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from niwaki.data.files import read_text
from niwaki.errors import ConfigError, nearest, shown
from niwaki.kernel.features.words import ATTRIBUTE_NAMES, Clusters
from niwaki.kernel.tagging.window import KINDS as WINDOW_KINDS
from niwaki.kernel.tagging.window import Window
from niwaki.kernel.transition import features as parser_kernel
from niwaki.kernel.transition.systems import System
from niwaki.keys import is_file_name

# What a parser may know about a word, beside what its letters show.
TAG_ATTRIBUTES = ("tag", "upos", "xpos", "feats", "case", "lemma", "alternative")
WORD_ATTRIBUTES = (*TAG_ATTRIBUTES, *ATTRIBUTE_NAMES)
# What goes with tags. Of FEATS: all of it, or case and the form of verbs only.
_MORPHOLOGY = ("feats", "case", "lemma")
# Those that a tagger gives.
_TAGS = tuple(name for name in TAG_ATTRIBUTES if name not in _MORPHOLOGY)

# Far more than a kernel takes; few enough that to write them out takes no time. Those that are
# written again count again.
MAX_FEATURES = 10_000
# Characters of a text, and of one part of a feature.
_MAX_TEXT, _MAX_PART = 1 << 20, 100

Atom = tuple[int, int, int, int]

# Parts that say something about two places; those of links about their subtrees.
_LINKED = ("contiguous", "right-contiguous")
_PAIRS = ("distance", *_LINKED)
# Before a line that greedy search, which is for speed, leaves out.
_BEAM_ONLY = "beam:"


def feature_set_names() -> list[str]:
    """The named sets, found by looking for their files."""
    folder = resources.files("niwaki") / "assets" / "features"
    return sorted(path.name.removesuffix(".txt") for path in folder.iterdir())


def load_feature_set(name: str) -> str:
    """The text of a named set, or of a file (see `is_file_name`)."""
    if is_file_name(name):
        return read_text(name)
    if name not in feature_set_names():
        raise ConfigError(f"no feature set {name!r}; {nearest(name, feature_set_names())}")
    path = resources.files("niwaki") / "assets" / "features" / f"{name}.txt"
    return path.read_text(encoding="utf-8")


def tagging_features(kind: str) -> str:
    """The text of the features of `tags`, `features` or `lemmas`."""
    path = resources.files("niwaki") / "assets" / "tagging" / f"{kind}.txt"
    return path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class ParserTemplates:
    """Compiled templates: atoms as the kernel takes them, and the attributes that they use."""

    templates: list[list[Atom]]
    attributes: tuple[str, ...]


def without_beam_features(text: str) -> str:
    """What greedy search looks at: all lines but those that begin with `beam:`."""
    kept = [line for line in text.splitlines() if not line.lstrip().startswith(_BEAM_ONLY)]
    return "".join(f"{line}\n" for line in kept)


def read_lines(text: str, settings: Mapping[str, int] | None = None) -> Iterator[tuple[str, ...]]:
    """The features of a text, each as its parts; `combine` lines are written out."""
    if len(text) > _MAX_TEXT:
        raise ConfigError(
            f"features: a text of {len(text):,} characters; at most {_MAX_TEXT:,} are read"
        )
    seen: set[frozenset[str]] = set()
    written = 0
    for number, line in enumerate(text.splitlines(), start=1):
        body = line.split("#")[0].strip().removeprefix(_BEAM_ONLY).strip()
        if not body:
            continue
        for parts in _expand(body, number, settings or {}):
            written += 1
            if written > MAX_FEATURES:
                raise ConfigError(
                    f"features, line {number}: more than {MAX_FEATURES} features; "
                    "combine fewer parts, or fewer at a time"
                )
            key = frozenset(parts)
            if len(key) < len(parts):
                raise ConfigError(f"features, line {number}: a part stands twice in {shown(body)}")
            # A combination may be written again by another line.
            if key not in seen:
                seen.add(key)
                yield parts


def _expand(body: str, number: int, settings: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    combine = re.fullmatch(r"combine\s+([\w-]+)\s*:\s*(.*)", body)
    if combine is None:
        # A plus without spaces belongs to a part, as in w+1.lower.
        parts = [part.strip() for part in re.split(r"\s\+\s", body)]
        _check_parts(parts, number)
        yield tuple(parts)
        return
    parts = combine[2].split()
    _check_parts(parts, number)
    degree = _degree(combine[1], number, settings)
    if not parts:
        raise ConfigError(f"features, line {number}: nothing to combine in {shown(body)}")
    # There is no combination of more parts than there are.
    for size in range(1, min(degree, len(parts)) + 1):
        yield from itertools.combinations(parts, size)


def _degree(text: str, number: int, settings: Mapping[str, int]) -> int:
    """How many parts to combine at most: a number, or the name of one."""
    if text.isdecimal() and len(text) <= 9:
        return int(text)
    if text in settings:
        return int(settings[text])
    raise ConfigError(
        f"features, line {number}: unknown degree {shown(text)}; "
        f"{nearest(text, ['a number', *settings])}"
    )


def _check_parts(parts: Sequence[str], number: int) -> None:
    for part in parts:
        if len(part) > _MAX_PART:
            raise ConfigError(
                f"features, line {number}: found {shown(part)}; no part is longer than "
                f"{_MAX_PART} characters"
            )


def compile_parser(
    text: str,
    settings: Mapping[str, int] | None = None,
    *,
    system: System | None = None,
    clusters: bool = False,
    tags: bool = True,
) -> ParserTemplates:
    """Templates for a transition parser.

    Features on what there is not are left out: clusters or tags if there are none, and what
    a system never knows (subtrees without gaps, if words may swap).
    """
    attributes: dict[str, int] = {}
    templates = []
    for parts in read_lines(text, settings):
        known = dict(attributes)
        atoms = [_parser_atom(part, known) for part in parts]
        if has_attributes(parts, clusters, tags) and all(_is_seen(x, system) for x in parts):
            attributes = known
            templates.append(atoms)
    if not templates:
        raise ConfigError(nothing_seen(clusters, tags))
    return ParserTemplates(templates, tuple(attributes))


def morphology_seen(text: str) -> tuple[str, ...]:
    """What features look at that goes with tags: nothing, `feats`, or `lemmas` too.

    Comments aside, it is enough that a part names them. Lemmas hang on FEATS.
    """
    bare = "\n".join(line.split("#")[0] for line in text.splitlines())
    if re.search(r"\.lemma\b", bare):
        return ("feats", "lemmas")
    return ("feats",) if re.search(r"\.(feats|case)\b", bare) else ()


def has_attributes(parts: Sequence[str], clusters: bool, tags: bool) -> bool:
    """Whether all that a feature looks at is there."""
    seen = [part.rpartition(".")[2] for part in parts]
    return all((clusters or "cluster" not in x) and (tags or x not in _TAGS) for x in seen)


def nothing_seen(clusters: bool, tags: bool) -> str:
    """What is wrong with features of which none is left."""
    missing = [name for name, there in (("clusters", clusters), ("tags", tags)) if not there]
    without = f" without {' and '.join(missing)}" if missing else ""
    return f"features: no template is left{without}; take a set that looks at words, such as words"


def _is_seen(part: str, system: System | None) -> bool:
    place, _, what = part.rpartition(".")
    if system is None:
        return True
    if part.startswith(_LINKED):
        return not system.nonprojective
    of_a_head = place.startswith("s0.head") or (what == "label" and place in ("s0", "s1", "s2"))
    of_the_front = place.startswith("b0.left") or (
        place == "b0" and what in ("lefts", "left-labels", "rights", "right-labels")
    )
    return (system.knows_heads or not of_a_head) and (
        system.sees_front_children or not of_the_front
    )


def _parser_atom(part: str, attributes: dict[str, int]) -> Atom:
    slots = parser_kernel.SLOT_NAMES
    kinds = parser_kernel.KINDS
    pair = re.fullmatch(r"([\w-]+)\(\s*([\w.]+)\s*,\s*([\w.]+)\s*\)", part)
    if pair and pair[1] in _PAIRS:
        places = [_known(name, slots, part) for name in pair.groups()[1:]]
        if pair[1] in _LINKED and pair.groups()[1:] not in parser_kernel.NEIGHBOURS:
            pairs = ", ".join(f"({left},{right})" for left, right in parser_kernel.NEIGHBOURS)
            raise ConfigError(f"features: no neighbours in {shown(part)}; known: {pairs}")
        return kinds[pair[1]], places[0], places[1], 0
    place, _, what = part.rpartition(".")
    shift = ""
    if beside := re.fullmatch(r"(.*)([-+]1)", place):
        place, shift = beside.groups()
    slot = _known(place, slots, part)
    if shift and what not in WORD_ATTRIBUTES:
        raise ConfigError(
            f"features: found {shown(part)}; of a word beside another, only what letters and "
            "tags show is known"
        )
    if what in kinds and what not in ("word", *_PAIRS):
        if what != "label" and place not in parser_kernel.NODES:
            raise ConfigError(
                f"features: the children of {place} are not kept, in {shown(part)}; "
                f"known: {', '.join(parser_kernel.NODES)}"
            )
        return kinds[what], slot, 0, 0
    if what not in WORD_ATTRIBUTES:
        known = [*WORD_ATTRIBUTES, *(kind for kind in kinds if kind not in ("word", *_PAIRS))]
        raise ConfigError(f"features: unknown {what!r} in {shown(part)}; {nearest(what, known)}")
    # What a neighbour is counts as one more thing that is known of a word.
    return kinds["word"], slot, 0, attributes.setdefault(what + shift, len(attributes))


def _known(name: str, known: Sequence[str], part: str) -> int:
    if name not in known:
        raise ConfigError(f"features: no place {name!r} in {shown(part)}; {nearest(name, known)}")
    return known.index(name)


def compile_window(text: str, lowercase: bool = False, clusters: Clusters | None = None) -> Window:
    """Templates over words and tags; without clusters, features on them are left out."""
    templates = []
    for parts in read_lines(text):
        if clusters is not None or not any("cluster" in part for part in parts):
            templates.append([_tagger_atom(part) for part in parts])
    if not templates:
        raise ConfigError("features: no template")
    return Window(templates, lowercase, clusters)


def _tagger_atom(part: str) -> tuple[int, int, int]:
    kinds = WINDOW_KINDS
    if part in ("case", "first"):
        return kinds[part], 0, 0
    if tag := re.fullmatch(r"([tf])([-+][12]|0)", part):
        return kinds["tag" if tag[1] == "t" else "feats"], int(tag[2]), 0
    word = re.fullmatch(r"w([-+][12]|0)\.(\w+)", part)
    if word is None:
        raise ConfigError(
            f"features: found {shown(part)}; write w0.form, w-1.lower, t-1, f0, case ..."
        )
    if word[2] == "grams":
        return kinds["grams"], int(word[1]), 0
    if word[2] not in ATTRIBUTE_NAMES:
        raise ConfigError(
            f"features: unknown {word[2]!r} in {shown(part)}; {nearest(word[2], ATTRIBUTE_NAMES)}"
        )
    return kinds["word"], int(word[1]), ATTRIBUTE_NAMES.index(word[2])
