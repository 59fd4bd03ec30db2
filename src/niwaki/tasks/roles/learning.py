"""Learns to label roles, from trees in which predicates and their fillers are marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from niwaki.data.roles import Predicate, Roleset, predicates_of
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.learning.candidates import CandidateSets
from niwaki.learning.ranker import Ranker, RankerSettings, learn_ranker
from niwaki.tasks.roles.fillers import Asked, asked_of, filler_features, look_at
from niwaki.tasks.roles.model import RoleLabeller, Settings, role_sets
from niwaki.tasks.roles.paths import PathKernel, count
from niwaki.tasks.roles.predicates import PredicateFinder, make_lexicon, right_ones
from niwaki.tasks.trees import TreeView

# A tree and the predicates in it.
Labelled = tuple[TreeView, Sequence[Predicate]]
# Told that another part was learned, and how many there will be.
Told = Callable[[int], None]
# Weights below say hardly anything, and fill a file.
_SMALL = 0.03


def learn_roles(
    sentences: Iterable[Sentence],
    settings: Settings | None = None,
    frames: Mapping[str, Roleset] | None = None,
    card: Mapping[str, Any] | None = None,
    told: Told = lambda total: None,
) -> RoleLabeller:
    """A labeller from trees with roles in MISC; `told` is called after each of its parts.

    What paths say is weighed by a ranker that learns from paths of other sentences: sentences
    are held out in turn.
    """
    settings, frames = settings or Settings(), frames or {}
    given: list[Labelled] = [(TreeView(s), predicates_of(s)) for s in sentences]
    if not any(each.fillers for _, predicates in given for each in predicates):
        raise NiwakiError("no predicate has a role; give Roleset= and Roles= in MISC, or a table")
    total = 4 if settings.words else 3
    kernel = _kernel(given, settings)
    told(total)
    lexicon = make_lexicon(given, _verbs(frames))
    choices = chain.from_iterable(right_ones(*each, lexicon) for each in given)
    predicates = _learned(CandidateSets.of(choices), settings.ranker)
    told(total)
    fillers = _learned(_filler_sets(given), settings.ranker)
    told(total)
    roles = None
    if settings.words:
        roles = _learned(_role_sets(given, settings), settings.ranker)
        told(total)
    finder = PredicateFinder(lexicon, predicates)
    return RoleLabeller(settings, kernel, finder, fillers, roles, frames, card or {})


def _verbs(frames: Mapping[str, Roleset]) -> dict[str, str]:
    """The first roleset of each verb."""
    found: dict[str, str] = {}
    for name in sorted(frames):
        for pos, lemma in frames[name].lemmas:
            if pos == "v":
                found.setdefault(lemma, name)
    return found


def fillers_of(given: Iterable[Labelled]) -> list[tuple[Asked, str]]:
    """The fillers that are marked, with their roles."""
    return [
        (Asked(tree, each.word, each.roleset, filler.head), filler.role)
        for tree, predicates in given
        for each in predicates
        for filler in each.fillers
    ]


def _kernel(given: Iterable[Labelled], settings: Settings) -> PathKernel:
    seen = count((asked.group, role, asked.path) for asked, role in fillers_of(given))
    return PathKernel(seen, settings.prior)


def _filler_sets(given: Iterable[Labelled]) -> CandidateSets:
    """Two candidates for each word: it fills a role, with all features, or none, with nothing."""
    return CandidateSets.of(
        ([filler_features(asked), []], int(asked.word not in heads))
        for tree, predicates in given
        for each in predicates
        for heads in [{filler.head for filler in each.fillers}]
        for asked in asked_of(tree, each.word, each.roleset)
    )


def _role_sets(given: Sequence[Labelled], settings: Settings) -> CandidateSets:
    fillers: list[tuple[Asked, str]] = []
    kernels: list[PathKernel] = []
    folds = min(settings.folds, len(given))
    for fold in range(folds):
        held = given[fold::folds]
        rest = [each for number, each in enumerate(given) if number % folds != fold]
        found = fillers_of(held)
        fillers += found
        kernel = _kernel(rest, settings)
        # Where only one sentence has roles, there is nothing to hold out.
        kernels += [kernel if kernel.seen else _kernel(held, settings)] * len(found)
    looks = [look_at(asked) for asked, _ in fillers]
    return role_sets(looks, [role for _, role in fillers], kernels)


def _learned(data: CandidateSets, settings: RankerSettings) -> Ranker:
    """A ranker of features that right candidates have, without weights that say little."""
    right = np.repeat(data.shares > 0, np.diff(data.rows))
    keys, counts = np.unique(data.keys[right], return_counts=True)
    known = keys[counts >= settings.least_count]
    kept = np.isin(data.keys, known if len(known) else keys)
    sizes = np.add.reduceat(np.append(kept, False).astype(np.int64), data.rows[:-1])
    sizes[np.diff(data.rows) == 0] = 0
    rows = np.concatenate([[0], np.cumsum(sizes)])
    learned = learn_ranker(
        CandidateSets(data.keys[kept], data.values[kept], rows, data.sets, data.shares), settings
    )
    telling = np.abs(learned.weights) >= _SMALL
    return Ranker(learned.keys[telling], learned.weights[telling])
