"""Roles for all fillers of a predicate together: assignments and edge covers of least cost."""

from __future__ import annotations

import math
from collections.abc import Sequence

Costs = Sequence[Sequence[float]]


def assignment(costs: Costs) -> list[int]:
    """A column of its own for each row so that the sum is least; rows are no more than columns.

    Rows are added one after the other, each along a shortest path of alternating edges, with
    prices u of rows and v of columns such that costs[i][j] >= u[i] + v[j] (Jonker and Volgenant).
    """
    size = len(costs[0]) if costs else 0
    u, v = [0.0] * (len(costs) + 1), [0.0] * (size + 1)
    # Row of each column, counted from 1; column 0 holds the row that is being added.
    taken = [0] * (size + 1)
    for row in range(1, len(costs) + 1):
        taken[0] = row
        column, before = _shortest_path(costs, taken, u, v)
        while column:
            taken[column], column = taken[before[column]], before[column]
    found = [0] * len(costs)
    for column in range(1, size + 1):
        if taken[column]:
            found[taken[column] - 1] = column - 1
    return found


def _shortest_path(
    costs: Costs, taken: list[int], u: list[float], v: list[float]
) -> tuple[int, list[int]]:
    """The free column at the end of the path, and the column before each; changes prices."""
    size = len(v) - 1
    distance, before = [math.inf] * (size + 1), [0] * (size + 1)
    done: list[int] = []
    todo, column = set(range(1, size + 1)), 0
    while True:
        done.append(column)
        row = taken[column]
        for other in todo:
            length = costs[row - 1][other - 1] - u[row] - v[other]
            if length < distance[other]:
                distance[other], before[other] = length, column
        # Of equal ones the first, so that the same costs give the same answer.
        nearest = min(todo, key=lambda other: (distance[other], other))
        step = distance[nearest]
        for other in done:
            u[taken[other]] += step
            v[other] -= step
        for other in todo:
            distance[other] -= step
        todo.remove(nearest)
        column = nearest
        if not taken[column]:
            return column, before


def edge_cover(costs: Costs) -> list[tuple[int, int]]:
    """The edges (row, column) of least cost, none below 0, that touch each row and each column.

    A node is matched with one of the other side, or with nobody and then takes its cheapest edge:
    an assignment of rows and as many nobodies as columns to columns and as many nobodies as rows.
    """
    if not costs or not costs[0]:
        return []
    rows, columns = range(len(costs)), range(len(costs[0]))
    cheapest_of_row = [min(columns, key=costs[i].__getitem__) for i in rows]
    cheapest_of_column = [min(rows, key=lambda i, j=j: costs[i][j]) for j in columns]  # type: ignore[misc]
    square = [[*costs[i], *[costs[i][cheapest_of_row[i]]] * len(rows)] for i in rows]
    alone = [costs[cheapest_of_column[j]][j] for j in columns]
    square += [[*alone, *[0.0] * len(rows)] for _ in columns]
    edges = set()
    for i, j in enumerate(assignment(square)):
        if i < len(rows):
            edges.add((i, j if j < len(columns) else cheapest_of_row[i]))
        elif j < len(columns):
            edges.add((cheapest_of_column[j], j))
    return sorted(edges)


def may_repeat(role: str) -> bool:
    """Modifiers, and what refers to or goes on with a role, can have several fillers."""
    return not role.startswith("ARG") or role.startswith("ARGM")


def local(scores: Costs, roles: Sequence[str]) -> list[str]:
    """The best role of each filler by itself, of equal ones the first; scores: [filler, role]."""
    return [roles[max(range(len(roles)), key=row.__getitem__)] for row in scores]


def one_to_one(scores: Costs, roles: Sequence[str]) -> list[str]:
    """The roles of the highest sum of which no numbered one is given twice."""
    alone = local(scores, roles)
    once = [role for role in alone if not may_repeat(role)]
    if len(once) == len(set(once)):
        return alone
    columns = [j for j, role in enumerate(roles) for _ in (scores if may_repeat(role) else [0])]
    # Where there are too few roles, some fillers get what they would have got alone.
    spare = len(scores) - len(columns)
    least = 1 + sum(max(map(abs, row)) for row in scores)
    costs = [[*(-row[j] for j in columns), *[least] * max(spare, 0)] for row in scores]
    found = assignment(costs)
    return [roles[columns[j]] if j < len(columns) else alone[i] for i, j in enumerate(found)]


def covered(scores: Costs, roles: Sequence[str]) -> list[str]:
    """The best role that the edge cover of highest scores gives each filler.

    Costs are C - s with C the highest score, so that a cover of least cost is wanted.
    """
    highest = max((s for row in scores for s in row), default=0.0)
    edges = edge_cover([[highest - s for s in row] for row in scores])
    found = []
    for i, row in enumerate(scores):
        mine = [j for filler, j in edges if filler == i]
        found.append(roles[max(mine, key=row.__getitem__)])
    return found


WAYS = {"local": local, "one-to-one": one_to_one, "cover": covered}
