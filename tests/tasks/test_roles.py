"""Paths, their kernel, assignments against brute force, and a labeller that learns."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from niwaki.data.modelfile import read_model_file, write_model_file
from niwaki.data.roles import Predicate, Roleset, predicates_of
from niwaki.errors import ModelError, NiwakiError
from niwaki.tasks.roles.assign import assignment, covered, edge_cover, local, one_to_one
from niwaki.tasks.roles.facts import facts_of
from niwaki.tasks.roles.fillers import Asked, candidates
from niwaki.tasks.roles.learning import learn_roles
from niwaki.tasks.roles.model import RoleLabeller, Settings
from niwaki.tasks.roles.paths import Path as Way
from niwaki.tasks.roles.paths import PathKernel, Pool, count, grams_of
from niwaki.tasks.trees import TreeView, path_between
from tests.labelled import active, bare, given, passive, reports

# -- assignments ---------------------------------------------------------------------------


def matrices(rows: int, columns: int) -> list[list[list[float]]]:
    """Whole numbers, so that sums are exact; few of them, so that many are equal."""
    random.seed(rows * 10 + columns)
    return [
        [[float(random.randrange(6)) for _ in range(columns)] for _ in range(rows)]
        for _ in range(40)
    ]


SHAPES = [(r, c) for r in range(1, 5) for c in range(1, 5)]


@pytest.mark.parametrize(("rows", "columns"), [shape for shape in SHAPES if shape[0] <= shape[1]])
def test_an_assignment_is_the_cheapest_of_all(rows: int, columns: int) -> None:
    found, best = [], []
    for costs in matrices(rows, columns):
        chosen = assignment(costs)
        found.append((len(set(chosen)), sum(costs[i][j] for i, j in enumerate(chosen))))
        ways = itertools.permutations(range(columns), rows)
        best.append((rows, min(sum(costs[i][j] for i, j in enumerate(way)) for way in ways)))
    assert found == best and len(found) == 40


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_an_edge_cover_is_the_cheapest_of_all(rows: int, columns: int) -> None:
    edges = list(itertools.product(range(rows), range(columns)))
    ways = []
    for chosen in range(1 << len(edges)):
        way = [edge for number, edge in enumerate(edges) if chosen >> number & 1]
        touched = {i for i, _ in way}, {j for _, j in way}
        # As costs are not negative, one of the cheapest covers has fewer edges than nodes.
        if touched == (set(range(rows)), set(range(columns))) and len(way) < rows + columns:
            ways.append(way)
    found, best = [], []
    for costs in matrices(rows, columns)[: 40 if rows * columns < 16 else 5]:
        cover = edge_cover(costs)
        touched = {i for i, _ in cover}, {j for _, j in cover}
        found.append((touched, sum(costs[i][j] for i, j in cover)))
        least = min(sum(costs[i][j] for i, j in way) for way in ways)
        best.append(((set(range(rows)), set(range(columns))), least))
    assert found == best and len(found) >= 5


def test_roles_of_several_fillers_are_chosen_together() -> None:
    roles = ("ARG0", "ARG1", "ARGM-TMP")
    scores = [[0.9, 0.2, 0.0], [0.8, 0.7, 0.1], [0.0, 0.1, 0.6], [0.0, 0.0, 0.5]]
    assert local(scores, roles) == ["ARG0", "ARG0", "ARGM-TMP", "ARGM-TMP"]
    # A numbered role goes once, a modifier as often as it likes.
    assert one_to_one(scores, roles) == ["ARG0", "ARG1", "ARGM-TMP", "ARGM-TMP"]
    # Every role must go to somebody.
    assert covered(scores[:2], roles) == ["ARG0", "ARG1"]
    # More fillers than roles: what is left over gets what it would have got alone.
    assert one_to_one([[3.0], [1.0]], ("ARG1",)) == ["ARG1", "ARG1"]
    assert edge_cover([]) == [] and one_to_one([], roles) == []


# -- paths ---------------------------------------------------------------------------------


def test_paths_go_up_from_the_filler_and_down_to_the_predicate() -> None:
    tree = TreeView(given(1))
    assert path_between(tree, 7, 8) == ("nsubj^",)
    assert path_between(tree, 5, 8) == ("acl:relclv",)
    assert path_between(tree, 1, 8) == ("nsubj^", "objv", "acl:relclv")
    assert path_between(tree, 8, 8) == ()
    assert grams_of(("a^", "bv")) == {"a^", "bv", ("a^", "bv")}
    # Words below the predicate; then those below and on the way up to the root.
    assert candidates(tree, 2) == [1, 3, 5]
    assert candidates(tree, 8) == [1, 2, 3, 4, 5, 6, 7]


def slow_score(
    path: tuple[str, ...], role: str, seen: dict[str, dict[tuple[str, ...], int]]
) -> float:
    """s(w, role) as it is written, for the paths of one pool."""
    total = sum(n for paths in seen.values() for n in paths.values())

    def weight(gram: str | tuple[str, str]) -> float:
        if not isinstance(gram, str):
            return math.sqrt(weight(gram[0]) * weight(gram[1]))
        frequency = sum(n for known, n in seen[role].items() if gram in known)
        having = sum(any(gram in known for known in paths) for paths in seen.values())
        return frequency * math.log(1 + len(seen) / having) if having else 0.0

    mine = grams_of(path)
    best = 0.0
    for known, n in seen[role].items():
        common = sum(weight(gram) for gram in mine & grams_of(known))
        size = sum(map(weight, mine)) * sum(map(weight, grams_of(known)))
        if size > 0:
            best = max(best, common / math.sqrt(size) * n / total)
    return best * sum(weight(gram) > 0 for gram in mine) / len(mine)


def test_scores_of_paths_are_those_of_the_equation() -> None:
    random.seed(2)
    labels = [f"{name}{way}" for name in "abcd" for way in "^v"]
    fast, slow = [], []
    for _ in range(30):
        seen: dict[str, dict[Way, int]] = {}
        for _ in range(12):
            path = tuple(random.choices(labels, k=random.randrange(1, 4)))
            role = random.choice(("ARG0", "ARG1", "ARGM-TMP"))
            paths = seen.setdefault(role, {})
            paths[path] = paths.get(path, 0) + random.randrange(1, 4)
        asked = tuple(random.choices(labels, k=random.randrange(1, 4)))
        found = Pool(seen).scores(asked)
        fast += [found.get(role, 0.0) for role in seen]
        slow += [slow_score(asked, role, seen) for role in seen]
    assert fast == pytest.approx(slow) and sum(score > 0 for score in slow) > 30


def test_a_roleset_is_mixed_with_its_part_of_speech() -> None:
    group, other = ("rake.01", "VERB"), ("rake.02", "VERB")
    rows = [(group, "ARG1", ("nsubj^",))] * 3 + [(other, "ARG0", ("nsubj^",))] * 40
    for prior, role in ((1.0, "ARG1"), (100.0, "ARG0")):
        scores = PathKernel(count(rows), prior).scores(group, ("nsubj^",))
        assert max(scores, key=lambda each: scores[each]) == role
    kernel = PathKernel(count(rows), 1.0)
    assert kernel.roles(group) == ("ARG0", "ARG1") and kernel.roles(other) == ("ARG0",)
    # Of a roleset or a tag that nobody has seen, others speak.
    assert kernel.scores(("dig.01", "VERB"), ("nsubj^",))["ARG0"] > 0
    assert kernel.scores(("dig.01", "NOUN"), ("nsubj^",))["ARG0"] > 0


# -- the labeller --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def labeller() -> RoleLabeller:
    give = Roleset("give.01", "transfer", (("v", "give"),), {"ARG0": "giver"})
    dig = Roleset("dig.03", "dig", (("v", "dig"),), {})
    return learn_roles(reports(24), frames={"give.01": give, "dig.03": dig})


def test_it_finds_what_it_has_learned(labeller: RoleLabeller) -> None:
    sentences = reports(36)[24:]
    trees = [TreeView(bare(s)) for s in sentences]
    assert [tuple(found) for found in labeller.label(trees)] == [
        predicates_of(s) for s in sentences
    ]
    # Given predicates are kept.
    asked = [[Predicate(2, "give.01")], []]
    found = labeller.label([TreeView(given(1)), TreeView(active(1))], asked)
    assert [[p.word for p in each] for each in found] == [[2], []]
    assert labeller.label([]) == []


@pytest.mark.parametrize("assign", ["local", "one-to-one", "cover"])
def test_paths_alone_tell_active_from_passive(assign: str) -> None:
    settings = Settings(words=False, assign=assign)  # type: ignore[arg-type]
    labeller = learn_roles(reports(24), settings)
    assert labeller.roles is None
    for make, roles in ((active, ["ARG0", "ARG1"]), (passive, ["ARG1", "ARG0"])):
        sentence = make(25)
        (predicate,) = predicates_of(sentence)
        tree = TreeView(sentence)
        heads = [filler.head for filler in predicate.fillers[:2]]
        fillers = [Asked(tree, predicate.word, predicate.roleset, head) for head in heads]
        assert labeller.roles_of(fillers) == roles


def test_unknown_verbs_are_looked_up(labeller: RoleLabeller) -> None:
    tree = TreeView(bare(active(3)).replace(lemmas=["Mori", "dig", "moss", "today", "."]))
    assert [p.roleset for p in labeller.label([tree])[0]] == ["dig.03"]
    tree = TreeView(bare(active(3)).replace(lemmas=["Mori", "hew", "moss", "today", "."]))
    assert [p.roleset for p in labeller.label([tree])[0]] == ["hew.01"]
    tree = TreeView(bare(active(3)).replace(lemmas=["Mori", "a:b", "moss", "today", "."]))
    assert labeller.label([tree]) == [[]], "a word that no roleset can be named after"
    assert labeller.knows("give.01") and labeller.knows("dig.03") and not labeller.knows("x.01")


def test_facts_have_the_words_of_fillers(labeller: RoleLabeller) -> None:
    gives, waters = facts_of(given(1), labeller.frames)
    texts = {role["role"]: role["text"] for role in gives["roles"]}
    assert texts == {"ARG0": "Sato", "ARG2": "Kimura", "ARG1": "the moss that Ono waters"}
    assert gives["meaning"] == "transfer" and gives["roles"][0]["meaning"] == "giver"
    # What waters stands in the clause, which is no part of what is watered.
    assert {r["role"]: r["text"] for r in waters["roles"]} == {
        "ARG1": "the moss",
        "R-ARG1": "that",
        "ARG0": "Ono",
    }


def test_it_is_kept_in_a_file(labeller: RoleLabeller, tmp_path: Path) -> None:
    path, again = tmp_path / "a.niwaki", tmp_path / "b.niwaki"
    labeller.save(path)
    loaded = RoleLabeller.load(path)
    loaded.save(again)
    assert path.read_bytes() == again.read_bytes()
    trees = [TreeView(bare(s)) for s in reports(36)[24:]]
    assert loaded.label(trees) == labeller.label(trees)
    assert loaded.frames["give.01"].roles == {"ARG0": "giver"}
    parts = dict(read_model_file(path).parts)
    for name in ("paths.json.z", "lexicon.json.z", "fillers.safetensors"):
        write_model_file(again, {**parts, name: b"x"})  # type: ignore[dict-item]
        with pytest.raises(ModelError, match=r"b\.niwaki: .*"):
            RoleLabeller.load(again)
    with pytest.raises(ModelError, match="no labeller of roles"):
        RoleLabeller.load(_other_kind(tmp_path))


def _other_kind(folder: Path) -> Path:
    write_model_file(folder / "c.niwaki", {"config.json": {"kind": "connectives"}})
    return folder / "c.niwaki"


def test_there_must_be_something_to_learn() -> None:
    with pytest.raises(NiwakiError, match="no predicate has a role"):
        learn_roles(map(bare, reports(3)))
    # One sentence is enough, whatever it teaches; others need no roles.
    one = learn_roles([bare(active(1)), given(1)], replace(Settings(), folds=5))
    assert one.label([TreeView(bare(given(1)))])[0][0].roleset == "give.01"
