"""A graph-based model: the best of all trees, true probabilities, and the same interface."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError, ConstraintError, ModelError
from niwaki.features.arc_templates import compile_arcs, load_arc_feature_set
from niwaki.kernel.batch import Batch
from niwaki.metrics.attachment import evaluate
from niwaki.parsers.arcs.spec import DECODERS
from niwaki.parsers.beliefs import Beliefs
from niwaki.parsers.graph.model import GraphParser
from niwaki.pipeline.ensemble import Ensemble
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from tests.reference.trees import all_trees
from tests.strategies import field
from tests.toy import niwaki, quick_model, without, write

SHORT = [["Pines", "lean"], ["The", "heron", "waits"], ["Rain", "fell", "on", "moss"]]


@pytest.fixture(scope="module")
def graph_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.niwaki"
    quick_model(path, model={"kind": "graph"}, training={"epochs": 4})
    return path


@pytest.fixture(scope="module")
def graph(graph_path: Path) -> Pipeline:
    return load(graph_path)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A model of siblings."""
    return quick_model(
        tmp_path_factory.mktemp("graph") / "second.niwaki",
        model={"kind": "graph"},
        graph={"trainer": "perceptron", "order": 2},
    )


def parser_of(model: Pipeline) -> GraphParser:
    assert isinstance(model.parser, GraphParser)
    return model.parser


def bare(toy: list[Sentence]) -> list[Sentence]:
    return without(toy, "lemmas", "upos", "xpos", "feats")


# -- trees -----------------------------------------------------------------------


def test_it_has_learned_something(graph: Pipeline, toy: list[Sentence]) -> None:
    scores = evaluate(toy, graph.parse(bare(toy))).scores
    assert scores["LAS"] > 75
    assert scores["UPOS"] > 90


@pytest.mark.parametrize("how", [None, *DECODERS])
def test_trees_are_whole_and_single_rooted(
    graph: Pipeline, toy: list[Sentence], how: str | None
) -> None:
    parsed = list(graph.parse(bare(toy), decode=how))
    assert len(parsed) == len(toy) > 0
    for sentence in parsed:
        assert sentence.tree.is_complete
        assert sentence.heads.count(0) == 1
        assert how != "eisner" or sentence.tree.is_projective


@given(st.lists(field, min_size=1, max_size=9))
@settings(max_examples=40)
def test_any_words_give_a_tree(graph: Pipeline, forms: list[str]) -> None:
    sentence = Sentence.from_words(forms)
    for how in ("mst", "mbr"):
        (parsed,) = graph.parse([sentence], decode=how, probabilities=True)
        assert parsed.forms == tuple(forms)
        assert parsed.tree.is_complete


def test_threads_batches_and_files_make_no_difference(
    graph: Pipeline, graph_path: Path, toy: list[Sentence], tmp_path: Path
) -> None:
    expected = list(graph.parse(toy, probabilities=True))
    assert list(graph.parse(toy, probabilities=True, threads=2)) == expected
    assert [next(graph.parse([s], probabilities=True)) for s in toy] == expected
    graph.save(tmp_path / "again.niwaki")
    assert (tmp_path / "again.niwaki").read_bytes() == graph_path.read_bytes()


def test_long_sentences_are_cut(graph: Pipeline) -> None:
    words = Sentence.from_words(["pine"] * 2100)
    (parsed,) = graph.parse([words])
    assert parsed.tree.is_complete
    (skipped,) = graph.parse([words], longer="skip")
    assert "skipped" in str(skipped).splitlines()[0] or skipped.comments
    with pytest.raises(ModelError, match="2100 words"):
        graph.kbest(words, 2)
    known = words.replace(heads=[0, *[-1] * 2099])
    with pytest.raises(ConstraintError, match="2100"):
        list(graph.parse([known], constrain=True))


# -- against all trees -------------------------------------------------------------


def labelled_weights(model: Pipeline, sentence: Sentence) -> tuple[np.ndarray, np.ndarray]:
    """All trees, and of each the logarithm of its weight for each labelling, from single arcs."""
    parser = parser_of(model)
    batch = Batch([sentence.source])
    values = parser.scorer.values(batch, model.tag(batch))
    table = parser.labelled_scores(batch, 0, values).table
    n = len(sentence)
    return all_trees(n), table.reshape(n + 1, n, -1)


@pytest.mark.parametrize("forms", SHORT)
def test_probabilities_are_sums_over_all_trees(graph: Pipeline, forms: list[str]) -> None:
    sentence = Sentence.from_words(forms)
    trees, table = labelled_weights(graph, sentence)
    n = len(forms)
    sums = np.logaddexp.reduce(table, axis=2)
    logs = np.array([sums[heads, np.arange(n)].sum() for heads in trees])
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    (parsed,) = graph.parse([sentence], probabilities=True)
    labels = parser_of(graph).labels
    total = 0.0
    for place, (head, name) in enumerate(zip(parsed.heads, parsed.deprels, strict=True)):
        notes = parsed.notes[place]
        arc = shares[trees[:, place] == head].sum()
        assert float(notes["ArcProb"]) == pytest.approx(arc, abs=1e-4)
        given_arc = np.exp(table[:, place, labels.number(name)] - sums[:, place])
        by_head = [shares[trees[:, place] == h].sum() for h in range(n + 1)]
        assert float(notes["LabelProb"]) == pytest.approx(by_head @ given_arc, abs=1e-4)
        total += table[head, place, labels.number(name)]
    probability = float(parsed.comments[-1].partition("=")[2])
    assert probability == pytest.approx(np.exp(total - np.logaddexp.reduce(logs)), abs=1e-4)


@pytest.mark.parametrize("forms", SHORT)
@pytest.mark.parametrize("how", ["mst", "eisner"])
def test_candidates_are_the_best_of_all_labelled_trees(
    graph: Pipeline, forms: list[str], how: str
) -> None:
    sentence = Sentence.from_words(forms)
    trees, table = labelled_weights(graph, sentence)
    n, few = len(forms), 4
    best = -np.sort(-table, axis=2)[:, :, :few]
    scores = sorted(
        (
            sum(best[heads[place], place, rank] for place, rank in enumerate(ranks))
            for heads in trees
            if how == "mst" or Tree(tuple(heads.tolist()), ("_",) * n).is_projective
            for ranks in itertools.product(range(few), repeat=n)
        ),
        reverse=True,
    )
    found = graph.kbest(sentence, few, decode=how)
    assert np.allclose(found.scores, scores[:few])
    names = parser_of(graph).labels
    for tree, score in zip(found.trees, found.scores, strict=True):
        arcs = enumerate(zip(tree.heads, tree.deprels, strict=True))
        again = sum(table[head, place, names.number(name)] for place, (head, name) in arcs)
        assert score == pytest.approx(again)
    assert sum(found.probabilities) == pytest.approx(1)
    assert found.histories == ()


def test_a_list_of_k_begins_the_list_of_more(graph: Pipeline, toy: list[Sentence]) -> None:
    assert len(toy) > 6
    for sentence in toy[:6]:
        few, many = graph.kbest(sentence, 3), graph.kbest(sentence, 9)
        assert few.trees == many.trees[:3]
        assert len(set(many.trees)) == len(many)
        assert list(many.scores) == sorted(many.scores, reverse=True)


def test_mbr_is_the_tree_of_the_largest_sum_of_marginals(graph: Pipeline) -> None:
    for forms in SHORT:
        sentence = Sentence.from_words(forms)
        trees, table = labelled_weights(graph, sentence)
        n = len(forms)
        sums = np.logaddexp.reduce(table, axis=2)
        logs = np.array([sums[heads, np.arange(n)].sum() for heads in trees])
        shares = np.exp(logs - np.logaddexp.reduce(logs))
        marginals = np.zeros((n + 1, n))
        for heads, share in zip(trees, shares, strict=True):
            marginals[heads, np.arange(n)] += share
        (parsed,) = graph.parse([sentence], decode="mbr")
        own = marginals[list(parsed.heads), np.arange(n)].sum()
        assert own == pytest.approx(max(marginals[h, np.arange(n)].sum() for h in trees))


# -- siblings ------------------------------------------------------------------------


def test_siblings(second: Pipeline, toy: list[Sentence]) -> None:
    assert evaluate(toy, second.parse(bare(toy))).scores["UAS"] > 75
    for sentence in second.parse(toy, decode="eisner"):
        assert sentence.tree.is_complete and sentence.tree.is_projective
    with pytest.raises(ModelError, match="a model of siblings"):
        second.parse(toy, decode="mbr")
    found = second.kbest(toy[0], 3, decode="eisner")
    assert list(found.scores) == sorted(found.scores, reverse=True)
    long = Sentence.from_words(["pine"] * 210)
    assert next(second.parse([long])).tree.is_complete


# -- constraints -----------------------------------------------------------------------


@pytest.mark.parametrize("how", ["mst", "eisner"])
def test_constraints_are_obeyed(graph: Pipeline, how: str) -> None:
    partial = Sentence.from_words(
        ["The", "heron", "watches", "the", "pond", "."],
        heads=[-1, 3, -1, -1, -1, -1],
        deprels=["_", "obj", "_", "_", "_", "_"],
        misc=["_", "_", "_", "Subtree=place", "Forbid=3|LabelSet=odd|Subtree=place", "_"],
    )
    constraints = Constraints.of(partial)
    (loose,) = graph.parse([partial], decode=how)
    assert list(constraints.broken_by(loose.tree)), "there is something to obey"
    (parsed,) = graph.parse([partial], constrain=True, decode=how)
    assert not list(constraints.broken_by(parsed.tree))
    found = graph.kbest(partial, 6, constraints=constraints, decode=how)
    assert found.trees[0] == parsed.tree
    assert len(set(found.trees)) == len(found)
    for tree in found:
        assert tree.is_complete and not list(constraints.broken_by(tree))


@pytest.mark.parametrize("model_name", ["graph", "second"])
def test_a_whole_tree_and_its_subtrees_come_back(
    model_name: str, toy: list[Sentence], request: pytest.FixtureRequest
) -> None:
    model: Pipeline = request.getfixturevalue(model_name)
    projective = [gold for gold in toy if gold.tree.is_projective]
    assert len(projective) > 30
    for gold in projective:
        (parsed,) = model.parse([gold], constrain=True)
        assert parsed.tree == gold.tree
        groups = [gold.tree.subtree(word) for word in range(1, len(gold) + 1)]
        known = Constraints.make(len(gold), subtrees=groups)
        for tree in model.kbest(gold, 2, constraints=known):
            assert tree.heads == gold.heads


# -- together ---------------------------------------------------------------------------


def test_beliefs_choose_the_best_tree() -> None:
    beliefs = Beliefs(np.zeros((4, 3)))
    for heads, labels, weight in [
        ([2, 0, 2], ["a", "root", "b"], 1.0),
        ([2, 0, 1], ["a", "root", "c"], 0.7),
        ([2, 0, 1], ["d", "root", "c"], 0.6),
    ]:
        beliefs.add_tree(Tree(tuple(heads), tuple(labels)), weight)
    assert beliefs.best_tree(False) == Tree((2, 0, 1), ("a", "root", "c"))


@pytest.mark.parametrize("votes", [True, False])
def test_an_ensemble(graph: Pipeline, model: Pipeline, toy: list[Sentence], votes: bool) -> None:
    alone = [list(each.parse(toy)) for each in (model, graph)]
    for one, member in zip(alone, (model, graph), strict=True):
        if votes:
            assert list(Ensemble([member], votes=True).parse(toy)) == one
    together = list(Ensemble([model, graph], votes=votes).parse(toy))
    assert all(sentence.tree.is_complete for sentence in together)
    assert all(sentence.heads.count(0) == 1 for sentence in together)
    las = [evaluate(toy, each).scores["LAS"] for each in (*alone, together)]
    assert las[2] > 75
    if votes:
        assert list(Ensemble([model, graph], [1, 0], votes=True).parse(toy)) == alone[0]
    with pytest.raises(ModelError, match="1 weights for 2 models"):
        Ensemble([model, graph], [1])


def test_an_ensemble_reads_texts(graph: Pipeline, model: Pipeline) -> None:
    text = "The gardener sleeps. She shapes pines."
    both, read = Ensemble([model, graph]), list(model.parse(text))
    assert [list(s.forms) for s in both.parse(text)] == [list(s.forms) for s in read]
    assert len(read) == 2
    (parsed,) = both.parse([["She", "sleeps", "."]])
    assert parsed.forms == ("She", "sleeps", ".") and parsed.tree.is_complete


# -- messages, files and the command line -------------------------------------------------


def test_ways_to_decode_that_there_are_not(graph: Pipeline, model: Pipeline) -> None:
    with pytest.raises(ModelError, match=r"no way 'mts'.*mst"):
        graph.parse([], decode="mts")
    with pytest.raises(ModelError, match="decode says nothing to this model"):
        model.parse([], decode="mst")
    with pytest.raises(ModelError, match="decode says nothing to this model"):
        model.kbest(Sentence.from_words(["x"]), 1, decode="mst")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("h.frm", "unknown 'frm' in 'h.frm'; did you mean 'form'"),
        ("x.form", "no place 'x'"),
        ("h+9.form", "no place 'h\\+9'"),
        ("distance(d, h)", "write distance\\(h, d\\)"),
        ("h.form + h.form", "twice"),
        ("# nothing", "no template"),
    ],
)
def test_wrong_features_are_named(line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        compile_arcs(line, {})
    with pytest.raises(ConfigError, match="did you mean 'rich'"):
        load_arc_feature_set("ritch")


def test_the_command_line(
    graph_path: Path, model_path: Path, toy: list[Sentence], tmp_path: Path
) -> None:
    data = write(tmp_path / "in.conllu", toy[:4])
    done = niwaki("parse", data, "-m", graph_path, "--decode", "mbr", "--probabilities")
    assert done.returncode == 0, done.stderr
    assert "ArcProb=" in done.stdout
    done = niwaki("parse", data, "-m", graph_path, "-k", "2", "--decode", "eisner")
    assert len(json.loads(done.stdout.splitlines()[0])["parses"]) == 2
    done = niwaki("parse", data, "-m", graph_path, "-m", model_path, "--blend", "2,1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == sum(s.source.count(b"\n") for s in toy[:4])
    for words, message in [
        (["-k", "2"], "-k is for a single model"),
        (["--blend", "1"], "1 weights for 2 models"),
        (["--blend", "x"], "found 'x'; give numbers"),
        (["--decode", "mbr"], "decode 'mbr' is for a single model"),
    ]:
        done = niwaki("parse", data, "-m", graph_path, "-m", model_path, *words)
        assert done.returncode and message in done.stderr
    assert "votes are for several" in niwaki("parse", data, "-m", graph_path, "--votes").stderr
    for command in ("parse", "evaluate"):
        done = niwaki(command, data, "-m", graph_path, "--beam", "4")
        assert done.returncode and "beam says nothing to this model" in done.stderr
    assert "kind: graph" in niwaki("info", graph_path).stdout
