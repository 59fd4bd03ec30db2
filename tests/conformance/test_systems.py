"""Every transition system found in kernel/transition/systems, judged by exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.kernel.transition.systems import load_system, system_names
from niwaki.kernel.transition.systems._view import View
from tests.reference.systems import (
    COSTS,
    SLOW,
    Slow,
    SlowSwap,
    after_swaps,
    all_trees,
    endings,
    in_order,
    most_right,
    projective_trees,
    reachable_trees,
)

pytestmark = pytest.mark.kernel
SYSTEMS = system_names()


def walk(view: View, slow: Slow) -> Iterator[tuple[View, Slow]]:
    """All states that can be reached, in both worlds."""
    yield view, slow
    after = slow.moves()
    for move in view.moves:
        yield from walk(view.move(move), after[move])


def test_systems_are_found_by_their_files() -> None:
    assert {"arc-eager", "arc-hybrid", "arc-standard"} <= set(SYSTEMS)
    assert set(SYSTEMS) == set(SLOW), "give the new system a slow twin"
    assert set(COSTS) | {"arc-standard-swap"} == set(SYSTEMS), "say how its costs are judged"
    with pytest.raises(ConfigError, match="did you mean 'arc-eager'"):
        load_system("arc-eger")


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_states_are_those_of_the_slow_twin(name: str, n: int) -> None:
    for view, slow in walk(View(load_system(name), n), SLOW[name].start(n)):
        assert view.stack == list(slow.stack)
        assert view.buffer == list(slow.buffer)
        assert set(view.moves) == set(slow.moves())
        for place, word in enumerate(reversed(slow.stack)):
            check_children(view.children(place), slow, word, place)
        if slow.buffer and view.front_children() is not None:
            check_children(view.front_children(), slow, slow.buffer[0], 0)
        for move, after in slow.moves().items():
            made = after.arcs - slow.arcs
            assert view.arc(move) == ((made and min(made)) or None)


def check_children(known: tuple[int | None, ...] | None, slow: Slow, word: int, place: int) -> None:
    # In arc-eager a right dependent that still lies above its head is not yet counted.
    above = set(slow.stack[len(slow.stack) - place :])
    children = [child for child in slow.children(word) if child not in above]
    lefts = [child for child in children if child < word]
    rights = [child for child in children if child > word]
    assert known is not None
    left, left2, right2, right, left_count, right_count = known
    assert (left, left2) == tuple([*lefts, None, None][:2])
    assert (right, right2) == tuple([*rights[::-1], None, None][:2])
    assert (left_count, right_count) == (len(lefts), len(rights))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_trees_that_it_is_for_and_nothing_else(name: str, n: int) -> None:
    """Every parse ends in a tree with one root: no dead ends."""
    assert endings(SLOW[name].start(n)) == set(reachable_trees(name, n))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_static_oracle_leads_to_every_tree(name: str, n: int) -> None:
    for tree in reachable_trees(name, n):
        view = View(load_system(name), n)
        steps = swaps = 0
        while view.moves:
            move = view.oracle(tree)
            assert view.cost(move, tree) == 0
            view = view.move(move)
            steps += 1
            swaps += move == "swap"
        assert tuple(view.heads) == tree
        assert steps == 2 * n + 2 * swaps
        if tree in projective_trees(n):
            assert swaps == 0


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_costs_are_what_exhaustive_search_finds(name: str, n: int) -> None:
    for tree in projective_trees(n):
        for view, slow in walk(View(load_system(name), n), SLOW[name].start(n)):
            free = COSTS[name](n, slow.stack, slow.buffer, slow.arcs)
            now = most_right(free, tree)
            after = free.moves()
            for move in view.moves:
                assert view.cost(move, tree) == now - most_right(after[move], tree)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_costs_with_swaps_are_those_of_arc_standard_in_another_order(n: int) -> None:
    for tree in all_trees(n):
        seen = set()
        todo = [(View(load_system("arc-standard-swap"), n), SlowSwap.start(n))]
        while todo:
            view, slow = todo.pop()
            if slow in seen:
                continue
            seen.add(slow)
            check_costs_with_swaps(view, slow, tree)
            # After a swap out of turn costs are estimates.
            for move, after in slow.moves().items():
                if move != "swap" or view.cost(move, tree) == 0:
                    todo.append((view.move(move), after))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_with_swaps_all_that_costs_nothing_leads_to_the_tree(n: int) -> None:
    for tree in all_trees(n):
        todo = [View(load_system("arc-standard-swap"), n)]
        while todo:
            view = todo.pop()
            free = [move for move in view.moves if view.cost(move, tree) == 0]
            todo += [view.move(move) for move in free]
            if not free:
                assert tuple(view.heads) == tree


def check_costs_with_swaps(view: View, slow: Slow, tree: tuple[int, ...]) -> None:
    now = most_right(after_swaps(slow, tree), tree)
    costs = {move: view.cost(move, tree) for move in view.moves}
    is_due = costs.get("swap") == 0
    if is_due:
        order = in_order(tree)
        second, top = slow.stack[-2:]
        assert order.index(top) < order.index(second)
    for move, after in slow.moves().items():
        lost = now - most_right(after_swaps(after, tree), tree)
        if move == "shift":
            assert costs[move] == max(lost, is_due)
        elif move != "swap":
            assert costs[move] == lost
    # There is always something right to do, and it is not a swap out of turn.
    assert not costs or min(costs.values()) <= view.n


def test_arc_standard_prefers_the_shortest_stack() -> None:
    """Left dependents are taken inside-out before right ones (Huang et al. 2009, 2.5)."""
    view = View(load_system("arc-standard"), 4)
    moves = []
    while view.moves:
        moves.append(view.oracle((3, 3, 0, 3)))
        view = view.move(moves[-1])
    assert moves == ["shift", "shift", "shift", "left", "left", "shift", "right", "root"]


def test_swaps_are_put_off_until_nothing_else_can_be_built() -> None:
    """One swap for a word that is lifted over a tree of two, not one for each of the two
    (Nivre, Kuhlmann and Hall 2009): the tree is built first."""
    view = View(load_system("arc-standard-swap"), 5)
    moves = []
    while view.moves:
        # 1 <- 5, 3 -> 2, 4 -> 3 cross: 4 belongs to 1, which is the root.
        moves.append(view.oracle((0, 5, 2, 1, 1)))
        view = view.move(moves[-1])
    assert tuple(view.heads) == (0, 5, 2, 1, 1)
    assert moves.count("swap") == 1


def test_swaps_are_bounded_for_each_word() -> None:
    """A parse that swaps whenever it can comes to an end."""
    n = 40
    view = View(load_system("arc-standard-swap"), n)
    swaps = 0
    while view.moves:
        move = next(name for name in ("swap", "shift", "left", "root") if name in view.moves)
        view = view.move(move)
        swaps += move == "swap"
    assert swaps == 4 * n
    assert Tree(tuple(view.heads), ("_",) * n).is_complete


def test_the_view_refuses_what_is_not_possible() -> None:
    view = View(load_system("arc-hybrid"), 1)
    with pytest.raises(ValueError, match="left is not possible; possible: shift"):
        view.move("left")
    with pytest.raises(ValueError, match="at least one word"):
        View(load_system("arc-hybrid"), 0)
