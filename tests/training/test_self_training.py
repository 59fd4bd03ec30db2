"""Self-training: which trees are chosen, over which tags, in rounds that can be taken up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ModelError
from niwaki.objectives import Costs
from niwaki.objectives.treebank import Treebank
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from niwaki.training.examples import tag_variants, with_tag
from niwaki.training.self_training import (
    Choice,
    Plan,
    Selection,
    TreeSelector,
    cheap_ones,
    choose_trees,
    self_train,
)
from tests.toy import QUICK, TOY, Log, niwaki, quick_model, write


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    path = tmp_path_factory.mktemp("base") / "base.niwaki"
    # One epoch: there must be something left to choose.
    training = {"epochs": 1, "greedy_epochs": 1}
    quick_model(path, model={"greedy": False}, training=training)
    return load(path)


def bare(sentences: Sequence[Sentence]) -> list[Sentence]:
    return [s.replace(upos=["_"] * len(s), xpos=["_"] * len(s)) for s in sentences]


def test_the_cheapest_is_chosen_and_of_equal_ones_the_first(model: Pipeline) -> None:
    objective = Treebank(bare(list(read_conllu(TOY))))
    standard = TreeSelector(model, objective, Selection("first"))
    # A longer list would widen the beam, and might begin with another tree.
    targeted = TreeSelector(model, objective, Selection("cost", 4))
    better = 0
    for number, sentence in enumerate(objective.sentences):
        first, best = standard.choose(number), targeted.choose(number)
        assert first.rank == 1
        assert first.cost == first.first_cost == best.first_cost
        assert best.cost <= first.cost
        candidates = model.kbest(sentence, 4)
        wrong = [
            sum(
                pair != gold
                for pair, gold in zip(
                    zip(tree.heads, tree.deprels, strict=True),
                    zip(sentence.heads, sentence.deprels, strict=True),
                    strict=True,
                )
            )
            for tree in candidates
        ]
        assert best.rank == wrong.index(min(wrong)) + 1
        assert best.sentence.tree == candidates.trees[best.rank - 1]
        better += best.cost < first.cost
    assert better > 1


def test_trees_that_cost_much_are_left_out() -> None:
    (sentence, *_) = read_conllu(TOY)
    pairs = [(0.0, 0.4), (0.2, 0.8), (0.31, 0.6), (0.6, 0.6)]
    choices = [Choice(sentence, cost, 1, first) for cost, first in pairs]

    def kept(selection: Selection) -> list[float]:
        return [each.cost for each in cheap_ones(choices, selection)]

    # First trees cost 0.6 on average.
    assert kept(Selection("cost")) == [0.0, 0.2]
    assert kept(Selection("cost", max_cost=0.5)) == [0.0, 0.2, 0.31]
    assert kept(Selection("cost", max_cost=float("inf"))) == [0.0, 0.2, 0.31, 0.6]
    assert kept(Selection("first")) == [0.0, 0.2, 0.31, 0.6]
    dear = [Choice(sentence, cost, 1, 0.6) for cost in (0.5, 0.6, 0.5)]
    assert [each.cost for each in cheap_ones(dear, Selection("cost"))] == [0.5, 0.5]
    with pytest.raises(ConfigError, match="no chosen tree costs -1 or less, the cheapest 0; give"):
        kept(Selection("cost", max_cost=-1.0))


class Imperative:
    """Wants a word to be a verb and the root; what its tag is decides which tree there is."""

    def __init__(self, sentence: Sentence) -> None:
        self.ids, self.sentences = ["click"], [sentence]
        self._tagged: Sequence[Sentence] = ()

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._tagged = tagged

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        verb = self._tagged[0].upos[0] == "VERB"
        return [np.where((each.heads[:, 0] == 0) & verb, 0.0, 1.0) for each in candidates]

    def constraints(self, number: int) -> Constraints | None:
        return None


def tagging_model(folder: Path) -> Pipeline:
    """`click` is a noun that starts a phrase nine times in ten, and else an imperative."""
    noun = Sentence.from_words(
        ["click", "sounds", "end"],
        upos=["NOUN", "NOUN", "VERB"],
        heads=[2, 3, 0],
        deprels=["compound", "nsubj", "root"],
    )
    verb = Sentence.from_words(
        ["click", "buttons", "now"],
        upos=["VERB", "NOUN", "ADV"],
        heads=[0, 1, 1],
        deprels=["root", "obj", "advmod"],
    )
    data = write(folder / "click.conllu", [*[noun] * 9, verb])
    settings = {"model": {"beam": 2, "greedy": False}, "tagger": {**QUICK["tagger"], "folds": 0}}
    return quick_model(folder / "click.niwaki", data, **settings)


def test_only_another_tag_makes_the_cheap_tree_reachable(tmp_path: Path) -> None:
    model = tagging_model(tmp_path)
    sentence = Sentence.from_words(["click", "sounds", "there"])
    (parsed,) = model.parse([sentence])
    assert parsed.upos[0] == "NOUN"
    objective = Imperative(sentence)
    stuck = TreeSelector(model, objective, Selection("cost", 64)).choose(0)
    assert stuck.cost == 1
    assert stuck.sentence.upos[0] == "NOUN"
    freed = TreeSelector(model, objective, Selection("cost", 64, tags=4)).choose(0)
    assert freed.cost == 0
    assert freed.sentence.upos[0] == "VERB"
    assert freed.sentence.heads[0] == 0
    assert freed.rank > 1


def test_variants_are_second_tags_of_doubtful_words(model: Pipeline) -> None:
    assert model.tagger is not None
    sentences = bare(list(read_conllu(TOY))[:20])
    own = [p.upos for p in model.parse(sentences)]
    found = tag_variants(model.tagger, sentences, 2)
    assert sum(map(len, found)) > 2
    for sentence, variants, upos in zip(sentences, found, own, strict=True):
        assert len({each.word for each in variants}) == len(variants) <= 2
        for each in variants:
            (other,) = model.parse([with_tag(sentence, each)])
            assert other.upos[each.word] == each.upos
            assert other.upos[: each.word] == upos[: each.word], "tags before it stay"
    given = [s.replace(upos=u) for s, u in zip(sentences, own, strict=True)]
    assert not any(tag_variants(model.tagger, given, 2)), "given tags are not doubtful"


def test_choices_are_written_down_as_they_are_made(model: Pipeline, tmp_path: Path) -> None:
    objective = Treebank(bare(list(read_conllu(TOY))))
    path = tmp_path / "chosen.conllu"
    whole = choose_trees(model, objective, Selection("cost", 8), path, threads=2)
    text = path.read_bytes()
    first = next(iter(read_conllu(path)))
    assert set(first.metadata) == {"sent_id", "cost", "rank", "first_cost"}
    path.unlink()
    # A run that was broken off in the middle of a sentence.
    (tmp_path / "chosen.conllu.part").write_bytes(text[: len(text) // 2])
    counted: list[int] = []
    again = choose_trees(model, objective, Selection("cost", 8), path, advance=counted.append)
    assert path.read_bytes() == text
    assert again == whole
    assert 0 < counted[0] < len(whole)
    assert sum(counted) == len(whole)
    assert not (tmp_path / "chosen.conllu.part").exists()
    # One that was broken off when all was done but this file was not yet removed.
    (tmp_path / "chosen.conllu.part").write_bytes(text)
    assert choose_trees(model, objective, Selection("cost", 8), path) == whole
    assert not (tmp_path / "chosen.conllu.part").exists()


@pytest.mark.parametrize("left", [b"", b"# sent_id", b"\n"])
def test_a_first_choice_that_was_cut_off(model: Pipeline, tmp_path: Path, left: bytes) -> None:
    objective = Treebank(bare(list(read_conllu(TOY))[:2]))
    path = tmp_path / "chosen.conllu"
    (tmp_path / "chosen.conllu.part").write_bytes(left)
    choose_trees(model, objective, Selection("first"), path)
    assert len(list(read_conllu(path))) == 2


def task(folder: Path, **more: Any) -> dict[str, Any]:
    gold = write(folder / "gold.conllu", bare(list(read_conllu(TOY))))
    return {
        "objective": [{"data": str(TOY)}, {"kind": "arc-length", "data": str(gold)}],
        **QUICK,
        "model": {"beam": 4, "greedy": False},
        **more,
    }


def test_rounds(model: Pipeline, tmp_path: Path) -> None:
    config = make_config(task(tmp_path))
    plan = Plan(Selection("cost", 8, max_cost=float("inf")), weight=2, rounds=2)
    log = Log()
    trained, rounds = self_train(config, model, tmp_path / "m", plan, log, threads=1)
    assert [each.number for each in rounds] == [1, 2]
    assert rounds[0].cost < rounds[0].first_cost
    # What came out of the first round begins where that one ended.
    assert rounds[1].first_cost < rounds[0].first_cost
    size = len(list(read_conllu(TOY)))
    assert trained.config["data"]["sentences"] == 2 * size
    assert [each["weight"] for each in trained.config["objective"]] == [1, 2]
    bytes_of_first = (tmp_path / "m").read_bytes()
    (tmp_path / "m").unlink()
    (tmp_path / "m.rounds" / "chosen-2-0.conllu").unlink()
    again = self_train(config, model, tmp_path / "m", plan, Log(), threads=1, resume=True)
    assert (tmp_path / "m").read_bytes() == bytes_of_first
    assert again[1] == rounds
    with pytest.raises(ModelError, match="trees of another run"):
        self_train(config, model, tmp_path / "m", Plan(), Log(), resume=True)


def test_training_on_and_another_parser(model: Pipeline, tmp_path: Path) -> None:
    record = task(tmp_path)
    del record["model"]
    plan = Plan(Selection("first"), train_on=True)
    teacher = quick_model(tmp_path / "teacher", model={"greedy": False})
    trained, rounds = self_train(
        make_config(record), model, tmp_path / "m", plan, Log(), candidates_from=teacher
    )
    assert rounds[0].changed == 0
    own = self_train(make_config(record), model, tmp_path / "n", plan, Log())[1]
    assert rounds[0].first_cost < own[0].first_cost
    assert trained.config["init"]["name"] == "model"


def test_a_new_run_has_no_use_for_what_an_earlier_one_left(model: Pipeline, tmp_path: Path) -> None:
    record = task(tmp_path)
    del record["model"]
    config = make_config({**record, "training": {"epochs": 1}})
    plan = Plan(Selection("first"), train_on=True)
    output, checkpoint = tmp_path / "m", tmp_path / "m.checkpoint"
    output.write_bytes(b"an older model")
    checkpoint.write_bytes(b"how far an older run came")
    trained, rounds = self_train(config, model, output, plan, Log())
    assert load(output).config == trained.config
    assert not checkpoint.exists()
    # Somebody has written another model there: it is not what the run has finished.
    whole = output.read_bytes()
    model.save(output)
    again = self_train(config, model, output, plan, Log(), resume=True)
    assert output.read_bytes() == whole
    assert again[1] == rounds


def test_a_graph_parser_gives_candidates_and_is_trained(tmp_path: Path) -> None:
    graph = quick_model(tmp_path / "graph", model={"kind": "graph"}, training={"epochs": 1})
    few = {"model": {"kind": "graph"}, "training": {"epochs": 3}}
    config = make_config(task(tmp_path, **few))
    plan = Plan(Selection("cost", 6, tags=2), weight=2)
    trained, rounds = self_train(config, graph, tmp_path / "m", plan, Log(), threads=1)
    assert rounds[0].cost < rounds[0].first_cost
    assert rounds[0].changed > 1
    assert trained.config["model"]["kind"] == "graph"


def test_what_cannot_be(model: Pipeline, tmp_path: Path) -> None:
    record = task(tmp_path)
    with pytest.raises(ConfigError, match="nothing to choose trees by"):
        only = make_config({**record, "objective": record["objective"][:1]})
        self_train(only, model, tmp_path / "m", Plan(), Log())
    with pytest.raises(ConfigError, match="add a treebank"):
        only = make_config({**record, "objective": record["objective"][1:]})
        self_train(only, model, tmp_path / "m", Plan(), Log())


def test_the_command(model: Pipeline, tmp_path: Path) -> None:
    model.save(tmp_path / "base.niwaki")
    write(tmp_path / "gold.conllu", bare(list(read_conllu(TOY))))
    config = tmp_path / "task.toml"
    config.write_text(
        f'[[objective]]\ndata = "{TOY}"\n'
        '[[objective]]\nkind = "arc-length"\ndata = "gold.conllu"\n'
        "[training]\nepochs = 1\n[tagger]\nfolds = 0\n"
    )
    words = ("self-train", config, "-m", tmp_path / "base.niwaki", "-o", tmp_path / "m", "-n", "4")
    done = niwaki(*words, "--train-on", "--json")
    assert done.returncode == 0, done.stderr
    (first,) = json.loads(done.stdout)
    assert first["cost"] < first["first_cost"]
    done = niwaki(*words, "--train-on", "--resume")
    assert done.stdout.splitlines()[0].split()[0] == "round"
    assert niwaki(*words[:-1], "1000").returncode != 0
