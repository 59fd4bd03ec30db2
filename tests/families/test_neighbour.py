"""A third family is one folder: with nothing else edited, all that parsers do works with it."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki import parsers
from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ConstraintError, ModelError
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Search, family_names, load_family
from niwaki.pipeline.ensemble import Ensemble, beliefs_of
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import read_config
from niwaki.training.run import train
from tests.families.conftest import PLUGIN, config_of
from tests.toy import NEW, TOY, Log, niwaki, quick_model, write

WORDS = "The gardener shapes old pines .".split()
SENTENCE = Sentence.from_words(WORDS)


def is_chain(sentence: Sentence) -> bool:
    root = sentence.heads.index(0) + 1
    wanted = [w + 1 if w < root else w - 1 if w > root else 0 for w in range(1, len(sentence) + 1)]
    return list(sentence.heads) == wanted


# -- parsing ---------------------------------------------------------------------------------


def test_it_is_found_beside_the_others() -> None:
    assert family_names() == ["graph", "neighbour", "neural", "transition"]
    assert load_family("neighbour").name == "neighbour"


def test_it_is_found_as_a_folder_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(PLUGIN / "neighbour", tmp_path / "chains")
    for file in (tmp_path / "chains").glob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("from neighbour.", "from niwaki.parsers.chains."))
    monkeypatch.setattr(parsers, "__path__", [*parsers.__path__, str(tmp_path)])
    assert family_names() == ["chains", "graph", "neighbour", "neural", "transition"]
    assert type(load_family("chains")).__module__ == "niwaki.parsers.chains.family"


def test_trees_are_chains(chain: Pipeline, toy: list[Sentence]) -> None:
    parsed = list(chain.parse([*toy, NEW], threads=2))
    assert len(parsed) == len(toy) + 1
    assert all(is_chain(each) and each.tree.is_complete for each in parsed)
    assert {each.heads.index(0) for each in parsed} != {0}
    right = [
        a == b
        for s, p in zip(toy, parsed, strict=False)
        for a, b in zip(s.heads, p.heads, strict=True)
    ]
    assert np.mean(right) > 0.3


def test_the_k_best_are_all_chains_once(chain: Pipeline) -> None:
    found = chain.kbest(SENTENCE, 20)
    assert len(found) == len(WORDS)
    assert sorted(tree.heads.index(0) for tree in found) == list(range(len(WORDS)))
    assert list(found.scores) == sorted(found.scores, reverse=True)
    (first,) = chain.parse([SENTENCE])
    assert first.tree == found[0]
    assert len(chain.kbest(SENTENCE, 3)) == 3


def test_probabilities_are_those_of_its_model(chain: Pipeline) -> None:
    (parsed,) = chain.parse([SENTENCE], probabilities=True)
    arcs = [float(each["ArcProb"]) for each in parsed.notes]
    labels = [float(each["LabelProb"]) for each in parsed.notes]
    # p(tree) = p(root) p(label 1 | side) ... p(label n | side)
    tree = arcs[parsed.heads.index(0)] * math.prod(labels)
    assert float(parsed.metadata["tree_probability"]) == pytest.approx(tree, abs=1e-3)
    beliefs = beliefs_of(chain, parsed)
    assert beliefs.arcs.sum(axis=0) == pytest.approx(np.ones(len(WORDS)))
    for word, head in enumerate(parsed.heads, start=1):
        assert beliefs.arcs[head, word - 1] == pytest.approx(arcs[word - 1], abs=1e-4)


def test_what_is_known_is_obeyed_or_refused_in_one_line(chain: Pipeline) -> None:
    known = Constraints.make(6, root=5, labels={1: "nmod", 2: ["obj", "what:ever"], 3: "new"})
    for tree in chain.kbest(SENTENCE, 9, constraints=known):
        assert not any(known.broken_by(tree))
        assert tree.heads == (2, 3, 4, 5, 0, 5)
        assert tree.deprels[2] == "new"
    far = Constraints.make(6, heads={1: 3})
    with pytest.raises(ConstraintError, match=r"no tree obeys in which all words hang from neigh"):
        chain.kbest(SENTENCE, 2, constraints=far)
    partial = SENTENCE.replace(heads=[-1, 0, -1, -1, -1, -1])
    (parsed,) = chain.parse([partial], constrain=True)
    assert parsed.heads == (2, 0, 2, 3, 4, 5)


def test_ways_to_search_that_it_has_not_are_refused(chain: Pipeline) -> None:
    with pytest.raises(ModelError, match="beam says nothing to this model"):
        list(chain.parse([SENTENCE], beam=4))
    with pytest.raises(ModelError, match="decode says nothing to this model"):
        chain.kbest(SENTENCE, 2, decode="mst")


def test_it_parses_with_others(chain: Pipeline, model: Pipeline, toy: list[Sentence]) -> None:
    both = list(Ensemble([model, chain]).parse(toy))
    alone = list(model.parse(toy))
    assert all(each.tree.is_complete for each in both)
    # It is heard if it is believed: alone it decides, with nothing it does not.
    heard = list(Ensemble([model, chain], weights=[0, 1]).parse(toy))
    unheard = list(Ensemble([model, chain], weights=[1, 0], votes=True).parse(toy))
    assert [each.heads for each in heard] != [each.heads for each in both]
    assert all(map(is_chain, heard))
    assert [each.tree for each in unheard] == [each.tree for each in alone]


def test_a_model_is_the_same_when_saved_and_loaded(
    chain: Pipeline, chain_path: Path, tmp_path: Path
) -> None:
    chain.save(tmp_path / "again.niwaki")
    assert (tmp_path / "again.niwaki").read_bytes() == chain_path.read_bytes()


# -- training --------------------------------------------------------------------------------


def roots_last(path: Path) -> Path:
    """Partial trees that want what no treebank says: the last word is the root."""
    partial = [
        s.replace(heads=[-1] * (len(s) - 1) + [0], deprels=["_"] * len(s)) for s in read_conllu(TOY)
    ]
    return write(path, partial)


def share_of_last_roots(model: Pipeline) -> float:
    parsed = list(model.parse(list(read_conllu(TOY))))
    return float(np.mean([each.heads[-1] == 0 for each in parsed]))


@pytest.mark.parametrize("select", ["hard", "hope-fear", "all-cheaper", "expected"])
def test_it_learns_from_costs(chain: Pipeline, tmp_path: Path, select: str) -> None:
    data = roots_last(tmp_path / "p.conllu")
    cost = {"kind": "partial", "data": str(data), "select": select, "schedule": 4.0, "step": 3.0}
    new = train(config_of(cost), tmp_path / "new.niwaki", threads=1)
    on = train(config_of(cost), tmp_path / "on.niwaki", init=chain, threads=1)
    before = share_of_last_roots(chain)
    assert before < 0.1
    assert share_of_last_roots(new) > 0.8
    assert share_of_last_roots(on) > 0.8
    assert on.config["init"]["name"] == "model"
    assert share_of_last_roots(chain) == before, "the model it began with is as it was"


class StopError(Exception):
    """What ends a run in the middle."""


class Broken(Log):
    """A reporter that counts the moments of a run, and ends it at one of them."""

    def __init__(self, last: int = -1) -> None:
        super().__init__()
        self._last, self.moments = last, 0

    def advance(self, sentences: int) -> None:
        self.moments += 1
        if self.moments == self._last:
            raise StopError


def test_a_run_that_was_broken_off_goes_on(chain: Pipeline, tmp_path: Path) -> None:
    cost = {"kind": "partial", "data": str(roots_last(tmp_path / "p.conllu")), "select": "expected"}
    training = {"epochs": 2, "checkpoint_minutes": 0, "batch_size": 5, "dev": str(TOY)}
    config = config_of(cost, training=training)
    log = Broken()
    train(config, tmp_path / "whole", log, init=chain, threads=1)
    whole = (tmp_path / "whole").read_bytes()
    for moment in (log.moments - 1, log.moments // 2 + 2, log.moments // 3):
        with pytest.raises(StopError):
            train(config, tmp_path / "part", Broken(moment), init=chain, threads=1)
        train(config, tmp_path / "part", Log(), init=chain, threads=2, resume=True)
        assert (tmp_path / "part").read_bytes() == whole


def test_what_it_cannot_do_is_refused_in_one_line(chain: Pipeline, tmp_path: Path) -> None:
    data = str(roots_last(tmp_path / "p.conllu"))
    refused: list[tuple[dict[str, Any], str]] = [
        ({"kind": "arc-length", "data": str(TOY), "select": "exact"}, "a parser that scores arcs"),
        ({"data": data, "partial": True}, 'partial trees and model.kind = "neighbour"; leave one'),
    ]
    for objective, message in refused:
        with pytest.raises(ConfigError, match=message) as caught:
            train(config_of(objective), tmp_path / "no.niwaki")
        assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"neighbour.by_tag cannot be chosen with --init"):
        train(config_of(neighbour={"by_tag": False}), tmp_path / "no.niwaki", init=chain)


def test_a_model_of_another_family_is_not_trained_on(model: Pipeline, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model.kind does not go with --init"):
        train(config_of(), tmp_path / "no.niwaki", init=model)


def test_without_tags(tmp_path: Path) -> None:
    blind = train(config_of(neighbour={"by_tag": False}), tmp_path / "blind.niwaki", threads=1)
    assert blind.parser.facts == {"tags": 0}
    source = blind.parser.candidates(
        Batch([SENTENCE.source]), blind.tag(Batch([SENTENCE.source])), Search()
    )
    assert len(source.kbest(0, 3)) == 3


# -- commands --------------------------------------------------------------------------------

CONFIG = f"""
[card]
name = "chains"
[model]
kind = "neighbour"
[neighbour]
learning_rate = 0.3
[tagger]
folds = 2
epochs = 3
[[objective]]
data = "{TOY}"
[training]
epochs = 2
dev = "{TOY}"
"""


def run(*words: Any, stdin: str = "") -> str:
    done = niwaki(*map(str, words), stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "chains.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(config: Path) -> Path:
    output = config.with_name("chains.niwaki")
    run("train", config, "-o", output)
    return output


def heads_of(conllu: str) -> list[int]:
    rows = [line.split("\t") for line in conllu.splitlines() if line[:1].isdigit()]
    return [int(row[6]) for row in rows]


def test_parse(trained: Path, model_path: Path) -> None:
    text = " ".join(WORDS)
    lines = run("parse", "--from", "tokens", "-m", trained, "--probabilities", stdin=text)
    assert lines.count("ArcProb=") == len(WORDS)
    ranked = json.loads(run("parse", "--from", "tokens", "-m", trained, "-k", "4", stdin=text))
    assert len(ranked["parses"]) == 4
    both = run("parse", "--from", "tokens", "-m", model_path, "-m", trained, stdin=text)
    alone = run("parse", "--from", "tokens", "-m", trained, stdin=text)
    (together,) = Ensemble([load(model_path), load(trained)]).parse([SENTENCE])
    assert heads_of(both) == list(together.heads)
    assert is_chain(SENTENCE.replace(heads=heads_of(alone)))


def test_evaluate_and_info(trained: Path) -> None:
    scores = json.loads(run("evaluate", TOY, "-m", trained, "--json"))
    assert 30 < scores["UAS"] < 60
    card = run("info", trained)
    assert "  kind: neighbour\n" in card
    assert "neighbour\n  by_tag: true\n  learning_rate: 0.3\n" in card
    assert "scores_on_dev\n  exact\n    UAS: " in card
    assert json.loads(run("info", trained, "--json"))["neighbour"]["learning_rate"] == 0.3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("learning_rate = 0.3", "learning_rat = 1", "7: unknown key neighbour.learning_rat; did"),
        ("learning_rate = 0.3", "learning_rate = 0", "7: neighbour.learning_rate is 0.0; give a"),
        ('kind = "neighbour"', 'kind = "neighbor"', "5: model.kind is 'neighbor'; did you mean"),
        ("[neighbour]", 'features = "lean"\n[neighbour]', "6: model.features says nothing with"),
        ("[neighbour]", "beam = 3\n[neighbour]", '6: model.beam goes with model.kind = "transi'),
    ],
)
def test_wrong_keys_are_refused_with_their_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(CONFIG.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_config(str(wrong))
    assert str(caught.value).startswith(f"{wrong}:{message}")


def test_another_family_is_one_override_away(config: Path, tmp_path: Path) -> None:
    run("train", config, "-o", tmp_path / "x.niwaki", "--set", "model.kind=graph")
    assert load(tmp_path / "x.niwaki").config["model"]["kind"] == "graph"


def test_train_on_with_a_cost(trained: Path, config: Path, tmp_path: Path) -> None:
    data = roots_last(tmp_path / "p.conllu")
    task = tmp_path / "task.toml"
    cost = f'[[objective]]\nkind = "partial"\ndata = "{data}"\nschedule = 4.0\nstep = 3.0\n'
    task.write_text(f'[[objective]]\ndata = "{TOY}"\n{cost}[training]\nepochs = 2\n')
    run("train", task, "--init", trained, "-o", tmp_path / "on.niwaki")
    assert share_of_last_roots(load(tmp_path / "on.niwaki")) > 0.8
    shown = run("trade-off", TOY, task, "-m", trained, "-m", tmp_path / "on.niwaki")
    assert "partial" in shown
    run("self-train", task, "-m", trained, "-o", tmp_path / "self.niwaki", "--train-on", "-n", 8)
    assert share_of_last_roots(load(tmp_path / "self.niwaki")) > share_of_last_roots(load(trained))


def test_it_teaches(trained: Path, config: Path, tmp_path: Path) -> None:
    """A transition parser learns chains from it, and it learns from a transition parser."""
    text = tmp_path / "text.txt"
    text.write_text("Two herons stand in the water.\nThe old gardener sleeps.\n" * 3)
    quick = ["--set", "model.kind=transition", "--set", "training.greedy_epochs=1"]
    weigh = ["--set", "uptraining.weight_by_confidence=true"]
    common = ["uptrain", config, "--text", text]
    run(*common, "-m", trained, "-o", tmp_path / "learned.niwaki", *quick, *weigh)
    assert load(tmp_path / "learned.niwaki").config["model"]["kind"] == "transition"
    kept = (tmp_path / "learned.niwaki.trees" / "trees-0000.conllu").read_text()
    assert "ArcProb=" in kept
    teacher = tmp_path / "teacher.niwaki"
    quick_model(teacher)
    run(*common, "-m", teacher, "-o", tmp_path / "chains.niwaki")
    assert load(tmp_path / "chains.niwaki").config["model"]["kind"] == "neighbour"


def test_a_model_says_what_is_missing_where_the_family_is_not_installed(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(parsers.__file__).parents[2]))
    # A process of its own: this one knows the family.
    command = [sys.executable, "-m", "niwaki", "parse", "-m", trained]
    done = subprocess.run(command, input="A pine .", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no parser family 'neighbour'" in done.stderr
    assert done.stderr.count("\n") == 1
