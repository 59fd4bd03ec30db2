"""Costs of trees of broken sentences, and training by them in every family."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.objectives import ArcObjective, KnowsTags, load_objective
from niwaki.objectives.robustness import Robustness, Settings
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.toy import TOY, Log, quick_model, skip_without_extras, write


def toy(kinds: tuple[str, ...], share: float = 1.0) -> Robustness:
    return Robustness(list(read_conllu(TOY)), Settings(kinds, share))


def test_added_words_cost_nothing_and_all_others_the_same() -> None:
    objective = toy(("extra",))
    objective.open(objective.sentences, ["dep", "root"])
    assert isinstance(objective, ArcObjective)
    for number, sentence in enumerate(objective.sentences):
        (added,) = (at for at, head in enumerate(sentence.heads) if head == -1)
        others = [head for head in range(len(sentence) + 1) if head != added + 1]
        rows = []
        for head in others:
            heads = list(sentence.heads)
            heads[added] = head
            rows.append(heads)
        wrong = list(rows[0])
        at = next(at for at in range(len(wrong)) if at != added)
        wrong[at] = next(head for head in others if head not in (wrong[at], at + 1))
        heads = np.array([*rows, wrong], dtype=np.int32)
        found = KBest(
            heads, np.zeros_like(heads), np.zeros(len(heads)), ["dep", "root"], number=number
        )
        (costs,) = objective.costs([found])
        assert costs[:-1].tolist() == [0] * len(rows)
        assert costs[-1] == pytest.approx(1 / (len(sentence) - 1))
        arcs = objective.arc_costs(number)
        assert arcs is not None
        table = arcs.reshape(len(sentence) + 1, len(sentence))
        priced = table[heads, np.arange(len(sentence))].sum(axis=1)
        assert priced == pytest.approx(costs)
    assert number == len(list(read_conllu(TOY))) - 1


def test_some_sentences_stay_whole_and_none_has_tags() -> None:
    clean = [s.forms for s in read_conllu(TOY)]
    changed = [s.forms not in clean for s in toy(("missing",), 0.5).sentences]
    assert 0.25 * len(clean) < sum(changed) < 0.75 * len(clean)
    assert all(set(s.upos) == {"_"} for s in toy(("missing",)).sentences)
    # Without tags nobody knows what is punctuation.
    bare = [s.replace(upos=["_"] * len(s)) for s in read_conllu(TOY)]
    left = Robustness(bare, Settings(("missing",))).left_out
    assert left is not None and left.count == len(bare) and left.reason == "cannot be broken"


def test_tags_are_for_the_tagger_alone() -> None:
    """Those of words that survive; of what was changed or added nobody knows them."""
    clean = {s.id: s for s in read_conllu(TOY)}
    for kind in ("extra", "agreement", "lower-case"):
        objective = toy((kind,))
        assert isinstance(objective, KnowsTags)
        for tagged, shown in zip(objective.tagged, objective.sentences, strict=True):
            assert tagged.forms == shown.forms and set(shown.upos) == {"_"}
            whole = clean[tagged.id.removesuffix(f"-{kind}")]
            known = [tag for tag in tagged.upos if tag != "_"]
            changed = sum(form not in whole.forms for form in tagged.forms)
            if kind == "lower-case":
                assert known == list(whole.upos)
            else:
                assert len(known) >= len(tagged) - max(changed, 1)


def test_a_tagger_learns_broken_words(tmp_path: Path) -> None:
    few = write(tmp_path / "few.conllu", list(read_conllu(TOY))[::3])
    base = quick_model(tmp_path / "base.niwaki", few)
    broken = {"kind": "robustness", "data": str(TOY), "kinds": ["all-capitals"]}
    record = {"objective": [{"data": str(few)}, broken], "training": {"epochs": 1}}

    def right(model: Pipeline) -> int:
        gold = toy(("all-capitals",)).tagged
        parsed = model.parse(gold, retag=True)
        pairs = zip(gold, parsed, strict=True)
        return sum(a == b for g, p in pairs for a, b in zip(g.upos, p.upos, strict=True))

    found = []
    for epochs in (0, 3):
        config = make_config({**record, "tagger": {"finetune_epochs": epochs}})
        found.append(right(train(config, tmp_path / "m", Log(), init=base, threads=1)))
    assert found[0] < found[1]


def test_it_is_read_from_files(tmp_path: Path) -> None:
    bare = [s.replace(upos=["_"] * len(s)) for s in read_conllu(TOY)]
    file = write(tmp_path / "bare.conllu", bare)
    with pytest.raises(ConfigError, match=r"bare\.conllu: no sentence can be broken; give trees"):
        load_objective("robustness", [str(file)], Settings(("missing",)))
    with pytest.raises(ConfigError, match="no kind of breakage 'upper-case'"):
        load_objective("robustness", [str(TOY)], Settings(("upper-case",)))
    assert load_objective("robustness", [str(TOY)]).ids[0].startswith("toy-1-")


def mean_cost(model: object, objective: Robustness) -> float:
    trees: list[Sentence] = list(model.parse(objective.sentences))  # type: ignore[attr-defined]
    wrong = [
        np.mean([a != b for a, b in zip(one.heads, other.heads, strict=True) if a >= 0])
        for one, other in zip(objective.sentences, trees, strict=True)
    ]
    return float(np.mean(wrong))


@pytest.mark.parametrize("kind", ["transition", "graph", "neural"])
def test_training_makes_models_robust(kind: str, tmp_path: Path) -> None:
    skip_without_extras(kind)
    base = quick_model(tmp_path / "base.niwaki", model={"kind": kind})
    trained = train(
        make_config(
            {
                "objective": [
                    {"data": str(TOY)},
                    {"kind": "robustness", "data": str(TOY), "kinds": ["all-capitals", "missing"]},
                ],
                "training": {"epochs": 3},
            }
        ),
        tmp_path / "more.niwaki",
        Log(),
        init=base,
        threads=1,
    )
    objective = toy(("all-capitals", "missing"))
    assert mean_cost(trained, objective) < mean_cost(base, objective)
