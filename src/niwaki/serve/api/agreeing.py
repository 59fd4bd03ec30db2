"""Several annotators of one project: how far they agree, and where they differ."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import asdict
from typing import Any

from niwaki.metrics.agreement import Arcs, agreement, link_agreement
from niwaki.serve.annotations import Project
from niwaki.serve.api.annotating import place_of, text_of
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.layers import ADJUDICATED, State, disputed
from niwaki.serve.state import AppState


async def agreed(app: AppState, call: Call) -> Result:
    """Each pair of annotators on what both annotated, and the sentences on which some differ."""
    project = app.projects.get(call.path["id"])
    people = project.layers.people
    said = {n: project.layers.said(n) for n in project.layers.numbers}
    return {
        "people": [{"name": who, **project.counts(who)} for who in people],
        "pairs": [
            {"people": list(pair), **_compared(project, said, *pair)}
            for pair in itertools.combinations(people, 2)
        ],
        "differ": [
            {
                "n": n,
                "text": text_of(project, n),
                "words": _differing(project, list(states.values())),
                "decided": project.layers.is_decided(n),
            }
            for n, states in said.items()
            if len(states) > 1 and _differing(project, list(states.values()))
        ],
    }


def _compared(
    project: Project, said: dict[int, dict[str, State]], one: str, other: str
) -> dict[str, Any]:
    both = [states for states in said.values() if one in states and other in states]
    if project.kind == "links":
        links = [[_links(states[who]) for states in both] for who in (one, other)]
        return {"sentences": len(both), "f1": link_agreement(*links)}
    arcs = [[_arcs(states[who]) for states in both] for who in (one, other)]
    return asdict(agreement(*arcs))


def _links(state: State) -> set[tuple[int, int]]:
    return {(link[0], link[1]) for link in state.get("links", [])}


def _arcs(state: State) -> Arcs:
    labels = state.get("labels", {})
    return {int(w): (head, labels.get(w, "")) for w, head in state.get("heads", {}).items()}


def _differing(project: Project, states: list[State]) -> list[int]:
    """The words on which people differ, from 1; of links, those of the source."""
    if project.kind == "trees":
        return disputed(states)
    counts = Counter(link for state in states for link in _links(state))
    return sorted({i + 1 for (i, _), count in counts.items() if count < len(states)})


async def answers(app: AppState, call: Call) -> Result:
    """What everybody said of a sentence, where they differ, and what was decided."""
    project, number = place_of(app, call)
    said = project.layers.said(number)
    trees = project.kind == "trees"
    return {
        "n": number,
        "tokens": list(project.sentences[number].forms if trees else project.pairs[number].source),
        "said": [{"name": who, "state": state} for who, state in said.items()],
        "differ": _differing(project, list(said.values())) if len(said) > 1 else [],
        "state": project.state(number, ADJUDICATED),
        "version": project.version(number, ADJUDICATED),
        "decided": project.layers.is_decided(number),
    }


ENDPOINTS = [
    Endpoint(
        "/api/projects/{id}/agreement",
        "How far annotators agree, and where they differ",
        agreed,
        description=(
            "For each pair, on what both annotated: `uas` of the `words` with two heads, `las` and "
            "Cohen's `kappa` of those that are `labelled` twice; of links, `f1`. null is nothing "
            "in common. A decision is an answer of "
            f"`{ADJUDICATED}`; without one, what people contradict is not known to anybody."
        ),
    ),
    Endpoint(
        "/api/projects/{id}/sentences/{n}/answers",
        "What each annotator said of a sentence",
        answers,
    ),
]
