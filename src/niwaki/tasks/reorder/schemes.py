"""The names that may stand in rule files: labels of the annotation schemes."""

from __future__ import annotations

import difflib

from niwaki.data.universal import RELATIONS, SUBTYPES
from niwaki.errors import shown

# Stanford Dependencies, as printed in its manual, with what Xu et al. and Katz-Brown et al. use.
_SD = frozenset(
    "abbrev acomp advcl advmod agent amod appos attr aux auxpass cc ccomp compl complm conj cop "
    "csubj csubjpass dep det discourse dobj expl goeswith infmod iobj mark measure mwe neg nn "
    "npadvmod nsubj nsubjpass num number p parataxis partmod pcomp pobj poss possessive preconj "
    "predet prep prepc prt punct purpcl quantmod rcmod ref rel root tmod vmod xcomp xsubj".split()
)

# Of two subtypes: `rlcl` and `relcl` have 0.89, `mod` and `tmod` 0.86, `poss` and `pass` 0.75.
_NEAR = 0.8

# `any` checks nothing: for treebanks with labels of their own.
SCHEMES: dict[str, frozenset[str]] = {"ud": frozenset(RELATIONS), "sd": _SD, "any": frozenset()}


def knows_label(scheme: str, label: str) -> bool:
    """Whether a scheme has a label; in Universal Dependencies a subtype may follow."""
    return not SCHEMES[scheme] or label.partition(":")[0] in SCHEMES[scheme]


def meant_label(scheme: str, label: str) -> str | None:
    """The documented label that one with an unknown subtype is probably meant to be.

    Treebanks have subtypes of their own, so an unknown one is no fault by itself; but one that
    almost is a documented one would match nothing, in silence.
    """
    relation, colon, subtype = label.partition(":")
    known = SUBTYPES.get(relation, ())
    if scheme != "ud" or not colon or subtype in known:
        return None
    turned = [each for each in known if sorted(each) == sorted(subtype)]  # ptr for prt
    close = turned or difflib.get_close_matches(subtype, known, n=1, cutoff=_NEAR)
    return f"{relation}:{close[0]}" if close else None


def label_fault(scheme: str, label: str) -> tuple[str, str | frozenset[str]] | None:
    """What is wrong with a label, and what to do or which are known; None for one that can be."""
    if not knows_label(scheme, label):
        return f"label {shown(label)} is not one of {scheme}", SCHEMES[scheme]
    if meant := meant_label(scheme, label):
        return f"label {shown(label)} has no subtype that is documented", f"did you mean {meant!r}?"
    return None


def is_documented(scheme: str, label: str) -> bool:
    """Whether a label of Universal Dependencies has no subtype, or one that is written up."""
    relation, colon, subtype = label.partition(":")
    return scheme != "ud" or not colon or subtype in SUBTYPES.get(relation, ())
