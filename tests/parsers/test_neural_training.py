"""How neural parsers learn: gradients, threads, interruptions, partial trees, costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import ConfigError
from niwaki.kernel.batch import Batch
from niwaki.learning.corpus import Corpus
from niwaki.parsers.base import Setup, load_family
from niwaki.parsers.decoding import Scores, sum_trees
from niwaki.parsers.neural.weights import restored
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.tagger import Tags
from niwaki.training import loop
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank
from tests.encoders import write_encoder
from tests.toy import (
    NEW,
    QUICK_NEURAL,
    TOY,
    Log,
    quick_config,
    quick_model,
    skip_without_extras,
    write,
)

skip_without_extras("neural")

NEURAL = {"kind": "neural"}


def trainer_of(corpus: Corpus, **changes: Any) -> Any:
    table = {**QUICK_NEURAL, "dropout": 0.0, "precision": "float32", **changes}
    setup = Setup(
        config=quick_config(model=NEURAL, neural=table).family,
        corpus=corpus,
        features="",
        more_features=(),
        lowercase=False,
        max_rows=1,
        has_tags=True,
        clusters=None,
        epochs=2,
        seed=1,
    )
    plan = load_family("neural").plan(setup)
    return plan.chains(Tags.none(corpus.batch))[0][0].make({})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_treebank([str(TOY)])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "neural.niwaki"
    quick_model(path, model=NEURAL)
    return path


# -- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_projective", [False, True])
def test_arcs_follow_the_likelihood_of_trees(corpus: Corpus, is_projective: bool) -> None:
    """Against differences of -log p(tree), arc by arc."""
    import torch

    trainer = trainer_of(corpus, projective=is_projective)
    random = np.random.default_rng(2)
    lengths, heads = np.array([3, 2], np.int32), np.array([2, 0, 2, 2, 0], np.int32)
    table = random.normal(size=18)

    def loss(arcs: np.ndarray) -> float:
        scores = Scores(arcs, lengths)
        sums = sum_trees(scores, projective=is_projective)
        return float(sums.log_sums.sum() - arcs[scores.arcs_of_words(heads)].sum())

    arcs = torch.tensor(table, requires_grad=True, dtype=torch.float32)
    trainer._tree_loss(arcs, lengths, heads).backward()
    assert arcs.grad.shape == (18,)
    for arc in range(len(table)):
        step = np.zeros(len(table))
        step[arc] = 1e-4
        slope = (loss(table + step) - loss(table - step)) / 2e-4
        assert float(arcs.grad[arc]) == pytest.approx(slope, abs=1e-3)


def test_learning_lowers_the_loss(corpus: Corpus) -> None:
    trainer = trainer_of(corpus)
    every = list(range(len(corpus.sentences)))

    def loss() -> float:
        return float(trainer._loss(every, None).detach())

    before = loss()
    for epoch in range(2):
        trainer.begin_epoch(epoch)
        assert trainer.learn(np.arange(len(every), dtype=np.int32)) == len(every)
        trainer.end_epoch()
    # The loss of arcs is known by its slopes only: the rest must fall.
    assert np.isfinite(before) and loss() < before


def test_steps_grow_and_shrink(corpus: Corpus) -> None:
    trainer = trainer_of(corpus, warmup=0.5)
    rates = []
    for epoch in range(2):
        trainer.begin_epoch(epoch)
        for s in range(0, len(corpus.sentences), 3):
            trainer.learn(np.arange(s, s + 3, dtype=np.int32))
            rates.append(trainer._learner._optimizer._adam.param_groups[0]["lr"])
    top = int(np.argmax(rates))
    assert 0 < top < len(rates) - 1
    assert rates[: top + 1] == sorted(rates[: top + 1]) and rates[0] == 0
    assert rates[top:] == sorted(rates[top:], reverse=True)


# -- the same model ------------------------------------------------------------------------------


def test_threads_change_no_weight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("niwaki.parsers.neural.trainer._AT_ONCE", 30)  # a step is many pieces
    for threads in (1, 3):
        table = {**QUICK_NEURAL, "batch_words": 300}
        training = {"epochs": 2}
        path = tmp_path / f"{threads}.niwaki"
        quick_model(path, threads=threads, model=NEURAL, neural=table, training=training)
    assert (tmp_path / "1.niwaki").read_bytes() == (tmp_path / "3.niwaki").read_bytes()


class BrokenOffError(Exception):
    pass


@pytest.mark.parametrize(
    ("is_pretrained", "with_costs"), [(False, False), (False, True), (True, True)]
)
def test_a_run_that_was_broken_off_is_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_pretrained: bool, with_costs: bool
) -> None:
    monkeypatch.setattr(loop, "_CHUNK", 10)
    record: dict[str, Any] = {
        "model": NEURAL,
        "neural": {**QUICK_NEURAL, "dropout": 0.2},
        "objective": [{"data": str(TOY)}],
        "training": {"epochs": 2, "dev": str(TOY), "checkpoint_minutes": 0, "batch_size": 10},
    }
    if is_pretrained:
        del record["neural"]["width"], record["neural"]["layers"]
        record["neural"]["encoder"] = str(write_encoder(tmp_path / "bert"))
    if with_costs:
        cost = {"kind": "arc-length", "data": str(TOY), "select": "exact", "schedule": 0.5}
        record["objective"].append(cost)
    config = make_config(record)
    train(config, tmp_path / "whole", Log(), threads=1)

    class Breaking(Log):
        visits = 0

        def advance(self, sentences: int) -> None:
            Breaking.visits += self.stages[-1] == "parser"
            if Breaking.visits == 6:  # within the second epoch
                raise BrokenOffError

    path = tmp_path / "again"
    with pytest.raises(BrokenOffError):
        train(config, path, Breaking(), threads=1)
    assert Path(f"{path}.checkpoint").exists()
    train(config, path, Log(), threads=1, resume=True)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_seeds_make_other_models(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        training = {"epochs": 1, "seed": seed}
        quick_model(tmp_path / name, model=NEURAL, training=training)
    weights = {n: load(tmp_path / n).parser.parts().tensors for n in "abc"}
    first, again, other = (next(iter(weights[n].values()))["arcs.mix.weight"] for n in "abc")
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_partial_trees_are_completed(tmp_path: Path, toy: list[Sentence]) -> None:
    partial = [
        s.replace(heads=[s.heads[0]] + [UNKNOWN] * (len(s) - 1)) if number % 2 else s
        for number, s in enumerate(toy)
    ]
    log = Log()
    data = write(tmp_path / "p.conllu", partial)
    record = {"data": str(data), "partial": True}
    tables = {"model": NEURAL, "neural": dict(QUICK_NEURAL), "training": {"epochs": 2}}
    model = train(make_config({"objective": [record], **tables}), tmp_path / "m", log, threads=1)
    assert any("partial trees" in line for line in log.notes)
    assert all(s.tree.is_complete for s in model.parse([NEW]))


# -- costs ---------------------------------------------------------------------------------------


def share_of_first_roots(model: Pipeline) -> float:
    parsed = list(model.parse(read_conllu(TOY), retag=True))
    return float(np.mean([sentence.heads[0] == 0 for sentence in parsed]))


def test_a_share_of_what_was_learned_is_added(base: Path, tmp_path: Path) -> None:
    """Of a model that is trained on; a new one has no weights that are worth keeping."""

    def weights(name: str, share: float, init: Pipeline | None) -> dict[str, np.ndarray]:
        objective = {"data": str(TOY)}
        table = {"finetune_share": share} | ({} if init else QUICK_NEURAL)
        record = {"model": NEURAL, "objective": [objective], "neural": table}
        record["training"] = {"epochs": 1}
        parser = train(make_config(record), tmp_path / name, init=init, threads=1).parser
        return restored(parser.spec, parser.encoder.stored)

    init = load(base)
    first = restored(init.parser.spec, init.parser.encoder.stored)
    whole, half = weights("whole", 1.0, init), weights("half", 0.5, init)
    for name, learned in whole.items():
        # Weights of rows are rounded to 8 bits, in all three models.
        largest = max(np.abs(first[name]).max(), np.abs(learned).max())
        between = (first[name] + learned) / 2
        np.testing.assert_allclose(half[name], between, atol=2 * largest / 127)
    moved = sum(np.abs(whole[n] - first[n]).sum() for n in first)
    assert sum(np.abs(half[n] - first[n]).sum() for n in first) < 0.7 * moved
    new, also_new = weights("new", 1.0, None), weights("also", 0.5, None)
    assert all(np.array_equal(new[n], also_new[n]) for n in new)


@pytest.mark.parametrize("select", ["exact", "augmented", "hard", "hope-fear", "expected"])
def test_roots_are_learned_by_costs(base: Path, tmp_path: Path, select: str) -> None:
    """Roots as no treebank has them: the first word of each sentence."""
    sentences = [
        s.replace(heads=[0] + [-1] * (len(s) - 1), deprels=["_"] * len(s)) for s in read_conllu(TOY)
    ]
    data = write(tmp_path / "p.conllu", sentences)
    objective: dict[str, Any] = {"kind": "partial", "data": str(data), "select": select}
    if select == "exact":
        objective |= {"step": 20.0, "scale": 8.0}
    elif select in ("augmented", "hope-fear"):
        objective["scale"] = 40.0  # the model is very sure of the roots that it has learned
    training = {"epochs": 5, "batch_size": 8}
    table = {"learning_rate": 0.005}
    config = make_config(
        {"model": NEURAL, "objective": [objective], "training": training, "neural": table}
    )
    log, init = Log(), load(base)
    model = train(config, tmp_path / "m", log, init=init, threads=2)
    assert share_of_first_roots(model) > max(0.6, share_of_first_roots(init))
    costs = [epoch.objectives[0].first for epoch in log.epochs]
    assert costs[-1] < costs[0]


def test_a_step_by_slopes_lowers_the_expected_cost(corpus: Corpus) -> None:
    trainer = trainer_of(corpus, weight_decay=0.0)
    trainer.begin_epoch(0)
    trainer._epoch = 1  # past the warm-up
    batch = Batch([sentence.source for sentence in corpus.sentences[:4]])
    examples = trainer.examples(batch, Tags.none(batch))
    costs = [np.random.default_rng(s).random(n * (n + 1)) for s, n in enumerate(batch.lengths)]

    def expected() -> float:
        return sum(examples.expectation(s, costs[s], 1.0)[2] for s in range(len(costs)))

    before = expected()
    for s in range(len(costs)):
        examples.descend(examples.expectation(s, costs[s], 1.0)[1], 1.0)
    assert expected() == before, "weights change in the next step, beside those of trees"
    trainer.end_epoch()
    assert expected() < before - 0.01


def test_costs_from_nothing_see_tags(tmp_path: Path) -> None:
    """No network knows tags before it has learned; objectives still meet tagged examples."""
    seen: set[str] = set()

    objective = {"kind": f"{__name__}:{watch_tags.__name__}", "data": str(TOY), "schedule": 0.2}
    SEEN.clear()
    config = make_config(
        {
            "model": NEURAL,
            "neural": dict(QUICK_NEURAL),
            "objective": [{"data": str(TOY)}, objective],
            "training": {"epochs": 1},
        }
    )
    log = Log()
    model = train(config, tmp_path / "m", log, threads=1)
    assert "tagger" in log.stages
    seen |= SEEN
    assert "_" not in seen and len(seen) > 3
    assert model.tagger is not None and model.morphology is None


SEEN: set[str] = set()


def watch_tags(sentence: Sentence, candidates: Any) -> list[float]:
    SEEN.update(sentence.upos)
    return [0.0] * len(candidates)


def test_what_costs_cannot_ask_for(tmp_path: Path) -> None:
    cost = {"kind": "arc-length", "data": str(TOY), "tags": 3}
    with pytest.raises(ConfigError, match=r"objective\[1\]\.tags is 3, but a neural parser"):
        make_config({"model": NEURAL, "objective": [{"data": str(TOY)}, cost]})


def test_tags_are_learned_only_from_what_trains_them(tmp_path: Path, toy: list[Sentence]) -> None:
    silver = [s.replace(upos=["X"] * len(s), feats=["A=B"] * len(s)) for s in toy]
    data = write(tmp_path / "silver.conllu", silver)
    objectives = [{"data": str(TOY)}, {"data": str(data), "trains": ["trees"]}]
    tables = {"model": NEURAL, "neural": dict(QUICK_NEURAL), "training": {"epochs": 1}}
    model = train(make_config({"objective": objectives, **tables}), tmp_path / "m", threads=1)
    assert model.tagger is not None and "X" not in model.tagger.upos.names
    gold = {tag for s in toy for tag in s.upos}
    assert set(model.tagger.upos.names) == gold
    assert "A=B" not in model.parser.spec.classes["feats"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("temperature", [1.0, 0.001])
def test_leads_are_differences_of_scores(corpus: Corpus, temperature: float) -> None:
    """Also where scores are in the thousands, as those of a network that errs nowhere on dev."""
    trainer = trainer_of(corpus)
    for _ in range(3):
        trainer.learn(np.arange(len(corpus.sentences), dtype=np.int32))
    cold = replace(trainer._plan.spec, temperature=temperature, label_temperature=temperature)
    trainer._plan = replace(trainer._plan, spec=cold)
    examples = trainer.examples(corpus.batch, Tags.none(corpus.batch))
    found = [examples.kbest(s, 3) for s in range(8)]
    leads = [float(examples._lead(kbest, 1, 2).detach()) for kbest in found]
    wanted = [float(kbest.scores[1] - kbest.scores[2]) for kbest in found]
    assert leads == pytest.approx(wanted, abs=1e-3)
    if temperature < 1:
        assert max(float(np.abs(kbest.scores).max()) for kbest in found) > 1000
