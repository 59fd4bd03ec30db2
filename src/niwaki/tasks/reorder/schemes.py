"""The names that may stand in rule files: labels of the annotation schemes."""

from __future__ import annotations

# Universal Dependencies 2; `neg`, `nsubjpass`, `csubjpass`, `auxpass`, `dobj`, `mwe`, `name`,
# `foreign`, `remnant` of version 1 are left out on purpose: trees have the one or the other.
_UD = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan "
    "parataxis punct reparandum root vocative xcomp".split()
)

# Stanford Dependencies, as printed in its manual, with what Xu et al. and Katz-Brown et al. use.
_SD = frozenset(
    "abbrev acomp advcl advmod agent amod appos attr aux auxpass cc ccomp compl complm conj cop "
    "csubj csubjpass dep det discourse dobj expl goeswith infmod iobj mark measure mwe neg nn "
    "npadvmod nsubj nsubjpass num number p parataxis partmod pcomp pobj poss possessive preconj "
    "predet prep prepc prt punct purpcl quantmod rcmod ref rel root tmod vmod xcomp xsubj".split()
)

# `any` checks nothing: for treebanks with labels of their own.
SCHEMES: dict[str, frozenset[str]] = {"ud": _UD, "sd": _SD, "any": frozenset()}


def knows_label(scheme: str, label: str) -> bool:
    """Whether a scheme has a label; in Universal Dependencies a subtype may follow."""
    return not SCHEMES[scheme] or label.partition(":")[0] in SCHEMES[scheme]
