"""Descriptions of several things at once: which properties to name (Gatt and van Deemter 2007).

python examples/plurals.py            the paper's domain, described in all three ways
python examples/plurals.py TUNA       the paper's table 5, if you have the TUNA corpus (XML files)

Nothing is parsed here. A description is a formula, and two of them are compared as trees, by the
edit distance that also compares parses (`niwaki.metrics.tree_edit`).
"""

from __future__ import annotations

import itertools
import statistics
import sys
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import niwaki
from niwaki.metrics.tree_edit import tree_edits

Domain = Mapping[str, Mapping[str, str]]  # things by name: their attributes
Property = tuple[str, str]
# A property, or "and" or "or" of formulas.
Formula = Property | tuple[str, tuple["Formula", ...]]

# The paper's orders of preference, without and with places.
PLAIN, PLACED = ("colour", "orientation", "size"), ("y", "colour", "x", "size", "orientation")
# What is repeated once it is used: p(attribute, plural) > 0.5 in the paper's table 4, measured or
# predicted. Its formula (8) is illegible, and only this much of it matters.
SALIENT = frozenset({"colour", "x", "y"})

# Table 1: type, colour, orientation, size, x, y.
TABLE = """e1 desk red back small 3 1
e2 sofa blue back small 5 2
e3 desk red back large 1 1
e4 desk red front large 2 3
e5 desk blue right large 2 4
e6 sofa red back large 4 1
e7 sofa red front large 3 3
e8 sofa blue back large 3 2"""
ATTRIBUTES = ("type", "colour", "orientation", "size", "x", "y")
FURNITURE: Domain = {
    name: dict(zip(ATTRIBUTES, values, strict=True))
    for name, *values in map(str.split, TABLE.splitlines())
}


def extension(domain: Domain, which: Property) -> set[str]:
    """The things that have a property."""
    attribute, value = which
    return {name for name, has in domain.items() if has.get(attribute) == value}


def properties(domain: Domain, order: Sequence[str]) -> list[Property]:
    """All properties, the preferred attributes first; values as they come in the domain."""
    pairs = ((a, has[a]) for a in order for has in domain.values() if a in has)
    return list(dict.fromkeys(pairs))


# -- one description of all (IA_plur, IA_bool) ----------------------------------------------


def ia_plur(domain: Domain, targets: Collection[str], order: Sequence[str]) -> list[Property]:
    """Properties that all targets have and some distractor lacks, until no distractor is left."""
    return [chosen[0] for chosen in _incremental(domain, set(targets), order, longest=1)]


def ia_bool(
    domain: Domain, targets: Collection[str], order: Sequence[str]
) -> list[tuple[Property, ...]]:
    """The same with disjunctions, the shortest first: a conjunction of them (van Deemter 2002).

    Of those of one length, disjunctions of the values of one attribute come first, as in all of
    the paper's examples. None need be longer than there are targets: one property for each is
    enough to cover them, and others only let more distractors in.
    """
    return _incremental(domain, set(targets), order, longest=len(targets))


def _incremental(
    domain: Domain, targets: set[str], order: Sequence[str], longest: int
) -> list[tuple[Property, ...]]:
    found: list[tuple[Property, ...]] = []
    left = set(domain) - targets
    for length in range(1, longest + 1):
        choices = list(itertools.combinations(properties(domain, order), length))
        choices.sort(key=lambda chosen: len({attribute for attribute, _ in chosen}) > 1)
        for chosen in choices:
            if not left:
                return found
            covered = set().union(*(extension(domain, each) for each in chosen))
            if targets <= covered and left - covered:
                found.append(chosen)
                left &= covered
    return found


# -- a description of each part (IA_part) ---------------------------------------------------


@dataclass
class Fragment:
    """Some of the targets, their type, and what else is said of them."""

    targets: set[str]
    type: str | None
    more: list[Property]


def ia_part(domain: Domain, targets: Collection[str], order: Sequence[str]) -> list[Fragment]:
    """Fragments that tell the targets apart from all else, described alike where that is usual.

    With the paper's own order (colour, orientation, size) its last example comes out longer than
    it is printed: facing back does remove a distractor of e1. What is printed is the result with
    size before orientation.
    """
    wanted, fragments = set(targets), list[Fragment]()
    left = {name: set(domain) - wanted for name in wanted}

    def contrasts(which: Property) -> bool:
        having = extension(domain, which)
        return any(left[name] - having for name in wanted & having)

    for attribute in ("type", *order):
        waiting = _by_power(domain, wanted, attribute)
        is_salient = attribute == "type"
        # A value that was passed over is looked at again once another one is used.
        while chosen := next((each for each in waiting if is_salient or contrasts(each)), None):
            waiting.remove(chosen)
            is_salient = is_salient or attribute in SALIENT
            having = wanted & extension(domain, chosen)
            _update(fragments, chosen, having)
            for name in having:
                left[name] &= extension(domain, chosen)
    return fragments


def _by_power(domain: Domain, targets: set[str], attribute: str) -> list[Property]:
    """The values of an attribute that targets have, those first that tell most (9)."""
    found = [each for each in properties(domain, [attribute]) if extension(domain, each) & targets]

    def power(which: Property) -> float:
        having, others = extension(domain, which), set(domain) - targets
        return (len(having & targets) + len(others - having)) / len(having)

    return found if attribute == "type" else sorted(found, key=power, reverse=True)


def _update(fragments: list[Fragment], which: Property, having: set[str]) -> None:
    """Say a property of those who have it (algorithm 2); where others do not, a fragment parts."""
    for each in list(fragments):
        shared = each.targets & having
        having = having - shared
        if shared == each.targets:
            each.more.append(which)
        elif shared:
            fragments.append(Fragment(shared, each.type, [*each.more, which]))
            each.targets -= shared
    if having:
        new = (which[1], []) if which[0] == "type" else (None, [which])
        fragments.append(Fragment(having, *new))


def are_parallel(fragments: Sequence[Fragment]) -> bool:
    """Whether all fragments name the same attributes."""
    return len({frozenset(attribute for attribute, _ in each.more) for each in fragments}) <= 1


# -- words, formulas, trees -----------------------------------------------------------------

_BEFORE = ("size", "colour")
_AFTER = {"orientation": "facing {}", "x": "in column {}", "y": "in row {}"}


def words(fragments: Sequence[Fragment]) -> str:
    """Fragments as a phrase: those of a type together, and of these the short ones first."""
    types = [each.type for each in fragments]
    ranked = sorted(fragments, key=lambda each: (types.index(each.type), len(each.more)))
    *most, last = map(_phrase, ranked)
    return f"{', '.join(most)} and {last}" if most else last


def _phrase(fragment: Fragment) -> str:
    said = dict(fragment.more)
    noun = fragment.type or "object"
    before = [said[attribute] for attribute in _BEFORE if attribute in said]
    after = [text.format(said[which]) for which, text in _AFTER.items() if which in said]
    return " ".join(["the", *before, noun + "s" * (len(fragment.targets) > 1), *after])


def dnf(fragments: Sequence[Fragment]) -> Formula:
    """Fragments as a disjunction of conjunctions."""
    types = [[("type", each.type)] if each.type else [] for each in fragments]
    pairs = zip(types, fragments, strict=True)
    return joined("or", [joined("and", [*first, *each.more]) for first, each in pairs])


def cnf(clauses: Sequence[Sequence[Property]]) -> Formula:
    """What `ia_bool` finds, as a conjunction of disjunctions."""
    return joined("and", [joined("or", clause) for clause in clauses])


def joined(how: str, parts: Sequence[Formula]) -> Formula:
    """Parts in one order, such that the same formula is always the same tree."""
    return parts[0] if len(parts) == 1 else (how, tuple(sorted(parts, key=repr)))


def tree(formula: Formula) -> niwaki.Tree:
    """A formula as an ordered tree; nodes stand behind the ones above them."""
    heads, names = list[int](), list[str]()

    def add(part: Formula, head: int) -> None:
        first, rest = part
        heads.append(head)
        names.append(f"{first}:{rest}" if isinstance(rest, str) else first)
        above = len(heads)
        for each in () if isinstance(rest, str) else rest:
            add(each, above)

    add(formula, 0)
    return niwaki.Tree(tuple(heads), tuple(names))


def distance(one: Formula, other: Formula) -> int:
    """Operators and properties to remove, add or change to make one formula of another."""
    return tree_edits(tree(one), tree(other))


# -- the TUNA corpus ------------------------------------------------------------------------

_NAMES = {"x-dimension": "x", "y-dimension": "y"}


@dataclass(frozen=True)
class Trial:
    """Things, those that are meant, and how a person described them."""

    domain: Domain
    targets: frozenset[str]
    description: Formula


def read_trial(file: str | Path) -> Trial:
    """A file of TUNA: ENTITY elements, and DESCRIPTIONs as in the paper's figure 1."""
    root = ET.parse(file).getroot()
    domain, targets = dict[str, dict[str, str]](), set[str]()
    for entity in _below(root, "entity"):
        given = _lower(entity)
        domain[given["id"]] = dict(_property(each) for each in _below(entity, "attribute"))
        if given.get("type") == "target":
            targets.add(given["id"])
    described = next((each for each in _below(root, "description")), None)
    if described is None or not targets:
        raise niwaki.NiwakiError(f"{file}: no DESCRIPTION or no target; give a trial of TUNA")
    return Trial(domain, frozenset(targets), _logical_form(described))


def _below(element: ET.Element, tag: str) -> Iterator[ET.Element]:
    return (each for each in element.iter() if each.tag.lower() == tag and each is not element)


def _lower(element: ET.Element) -> dict[str, str]:
    return {name.lower(): value.lower() for name, value in element.attrib.items()}


def _property(element: ET.Element) -> Property:
    given = _lower(element)
    return _NAMES.get(given["name"], given["name"]), given["value"]


def _logical_form(description: ET.Element) -> Formula:
    """Attributes are joined by "and"; descriptions within a description by "or"."""
    parts: list[Formula] = [
        _property(each) for each in description if each.tag.lower() == "attribute"
    ]
    inner = [_logical_form(each) for each in description if each.tag.lower() == "description"]
    return joined("and", [*parts, *([joined("or", inner)] if inner else [])])


def table_5(folder: Path) -> Iterator[str]:
    """How far both algorithms are from people, on trials with several targets."""
    scores: dict[tuple[str, str], list[int]] = {}
    for trial in map(read_trial, sorted(folder.rglob("*.xml"))):
        if len(trial.targets) > 1:
            named = {name.partition(":")[0] for name in tree(trial.description).deprels}
            placed = bool(named & {"x", "y"})
            order = PLACED if placed else PLAIN
            by_part = dnf(ia_part(trial.domain, trial.targets, order))
            by_bool = cnf(ia_bool(trial.domain, trial.targets, ("type", *order)))
            for name, formula in (("IA_bool", by_bool), ("IA_part", by_part)):
                key = name, "+LOC" if placed else "-LOC"
                scores.setdefault(key, []).append(distance(formula, trial.description))
    for (name, where), found in sorted(scores.items()):
        mean, mode = statistics.mean(found), statistics.mode(found)
        perfect = f"{100 * found.count(0) / len(found):.1f}% of {len(found)}"
        yield f"{name} {where}: mean {mean:.2f}, mode {mode}, perfect {perfect}"


def main() -> None:
    if len(sys.argv) > 1:
        print(*table_5(Path(sys.argv[1])), sep="\n")
        return
    whole = ("type", *PLAIN)
    print("e1 and e2, IA_plur:", ia_plur(FURNITURE, {"e1", "e2"}, whole))
    print("e1, e3 and e5, IA_bool:", ia_bool(FURNITURE, {"e1", "e3", "e5"}, whole))
    for order in (("colour", "size", "orientation"), PLAIN):
        found = words(ia_part(FURNITURE, {"e1", "e2", "e5"}, order))
        print(f"e1, e2 and e5, IA_part, {', '.join(order)}: {found}")


if __name__ == "__main__":
    main()
