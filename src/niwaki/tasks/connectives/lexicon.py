"""Which connectives coordinate or subordinate clauses, and which verbs report: lists of English.

What stands in no list is an adverbial.
"""

from __future__ import annotations

COORDINATING, SUBORDINATING, ADVERBIAL = TYPES = ("coordinating", "subordinating", "adverbial")

_COORDINATING = frozenset(
    "and|&|but|or|nor|so|yet|plus|either or|neither nor|not only but|not only but also|"
    "not just but|not just but also|both and|but also|as well as".split("|")
)
_SUBORDINATING = frozenset(
    "after|although|as|as far as|as if|as long as|as soon as|as though|because|because of|"
    "before|by|cause|cuz|despite|due to|even as|even if|even though|even when|ever since|"
    "except|for|from|given|if|if then|in|in case|in order|in order to|in that|insofar|"
    "insofar as|instead of|lest|like|no matter|now that|on|once|only if|only to|provided|"
    "rather than|regardless of|since|so as|so that|such as|that|though|through|till|unless|"
    "unlike|until|upon|when|whenever|where|whereas|wherever|whether|while|whilst|with|without".split(
        "|"
    )
)
_REPORTING = frozenset(
    "accept acknowledge add admit advise agree allege announce argue ask assert assume believe "
    "claim comment conclude confirm consider contend declare deny describe estimate expect explain "
    "fear feel find guess hear hope imply indicate insist know learn maintain mean mention note "
    "observe predict promise propose realize recall recommend remark remember reply report reveal "
    "say see seem show state stress suggest suppose suspect tell think understand urge warn wonder "
    "worry write".split()
)


def type_of(phrase: str) -> str:
    """The type of a connective, in small letters."""
    if phrase in _COORDINATING:
        return COORDINATING
    return SUBORDINATING if phrase in _SUBORDINATING else ADVERBIAL


def reports(lemma: str) -> bool:
    return lemma in _REPORTING
