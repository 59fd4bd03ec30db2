"""The tour, second part: a model of one's own, a cost of one's own, and which one is better."""

from __future__ import annotations

import json

import pytest

from tests.tour.conftest import User
from tests.toy import TOY

# Learned in a moment.
QUICKLY = (
    *("--set", "model.beam=2", "--set", "training.epochs=2", "--set", "training.greedy_epochs=1"),
    *("--set", "tagger.epochs=2", "--set", "tagger.folds=2", "--set", "segmenter.epochs=2"),
)
TREES = TOY.read_text(encoding="utf-8").split("\n\n")
COST = '''\
"""What is done to what: the object should be the one that was named."""


def cost(example, candidates):
    forms = candidates.sentence.forms
    return [float(example["object"] not in objects(forms, tree)) for tree in candidates]


def objects(forms, tree):
    return [form for form, label in zip(forms, tree.deprels) if label == "obj"]
'''
TASK = """\
[[objective]]
kind = "named:cost"
data = "named.jsonl"
"""


@pytest.fixture
def trainer(user: User) -> User:
    """A user with a treebank."""
    user.write("train.conllu", "\n\n".join(TREES[:26]) + "\n\n")
    user.write("dev.conllu", "\n\n".join(TREES[26:]))
    return user


def test_train_on_another_treebank(trainer: User) -> None:
    trees = trainer.read("train.conllu")
    files = ("--data", "train.conllu", "--dev", "dev.conllu", "-o", "own.niwaki")
    missing = trainer.refused("train", "--data", "trian.conllu", *files[2:])
    assert missing.startswith("niwaki: trian.conllu: no such file")
    trainer.write(
        "narrow.conllu", "\n".join("\t".join(r.split("\t")[:8]) for r in trees.split("\n"))
    )
    narrow = trainer.refused("train", "--data", "narrow.conllu", *files[2:])
    assert narrow.startswith("niwaki: narrow.conllu:3:LINE: 8 columns; a word has ten")
    trainer.write("spaces.conllu", trees.replace("\t", "    "))
    spaces = trainer.refused("train", "--data", "spaces.conllu", *files[2:])
    assert "spaces.conllu:3:LINE: 1 column" in spaces and "with a tab between" in spaces
    nowhere = trainer.refused("train", *files[:4], "-o", "models/own.niwaki")
    assert "no folder" in nowhere and nowhere.endswith("make it first\n")

    trainer.niwaki("train", *files[:2], "-o", "nodev.niwaki", *QUICKLY)
    uncalibrated = trainer.refused("doubts", "dev.conllu", "-m", "nodev.niwaki")
    assert "give training.dev" in uncalibrated

    # None of the mistakes has left anything behind.
    assert not (trainer.folder / "own.niwaki").exists()
    trainer.niwaki("train", *files, *QUICKLY)
    scores = json.loads(trainer.niwaki("evaluate", "train.conllu", "-m", "own.niwaki", "--json"))
    assert scores["UAS"] > 50 and scores["learned"] == scores["sentences"] == 26
    assert "kind: transition" in trainer.niwaki("info", "own.niwaki")
    assert "\tnsubj\t" in trainer.niwaki("parse", "-m", "own.niwaki", given="Snow fell.")


@pytest.fixture
def owner(trainer: User) -> User:
    """A user with a model and a job for it, in a folder of its own."""
    verbs, things = ("see", "cut", "feed", "water", "plant"), ("pines", "koi", "ferns", "moss")
    records = [
        {"text": f"Ants {verb} {thing}.", "object": thing}
        for verb in verbs
        for thing in (*things, "stones")
    ]
    trainer.write("job/named.jsonl", "".join(json.dumps(each) + "\n" for each in records))
    trainer.write("job/named.py", COST)
    trainer.write("job/named.toml", TASK)
    files = ("--data", "train.conllu", "--dev", "dev.conllu", "-o", "own.niwaki")
    trainer.niwaki("train", *files, *QUICKLY)
    return trainer


def price(user: User, model: str) -> float:
    (found,) = json.loads(user.niwaki("price", "job/named.toml", "-m", model, "--json")).values()
    return float(found["models"][0]["cost"])


def test_a_cost_of_ones_own(owner: User) -> None:
    before = price(owner, "own.niwaki")
    owner.niwaki("train", "job/named.toml", "--init", "own.niwaki", "-o", "trained.niwaki")
    assert price(owner, "trained.niwaki") < before
    job = ("--for", "job/named.toml", "-o", "adapted.niwaki", "--minutes", "0.02")
    assert "unseen examples" in owner.niwaki("adapt", "own.niwaki", *job)
    assert price(owner, "adapted.niwaki") < before


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("named.toml", "named:cost", "nmaed:cost", "No module named 'nmaed'"),
        ("named.toml", "named:cost", "named:price", "has no attribute 'price'"),
        ("named.toml", "named.jsonl", "nmaed.jsonl", "nmaed.jsonl"),
        (
            "named.py",
            'example["object"]',
            'example["obj"]',
            "example '1': the cost raised KeyError",
        ),
        ("named.py", "float(example", "str(example", "example '1'"),
    ],
)
def test_mistakes_in_a_cost(user: User, name: str, old: str, new: str, said: str) -> None:
    files = {"named.toml": TASK, "named.py": COST}
    files["named.jsonl"] = '{"text": "Ants see moss.", "object": "moss"}\n'
    files[name] = files[name].replace(old, new)
    for each, text in files.items():
        user.write(f"job/{each}", text)
    assert said in user.refused("price", "job/named.toml", "-m", "en")


def test_compare(user: User) -> None:
    gold = "\n\n".join(TREES[:8]) + "\n\n"
    user.write("gold.conllu", gold)
    user.write("good.conllu", gold)
    user.write("flat.conllu", gold.replace("\tobj\t", "\tdep\t"))
    found = json.loads(
        user.niwaki("compare", "gold.conllu", "flat.conllu", "good.conllu", "--json")
    )
    assert found["LAS"]["difference"] > 0 == found["UAS"]["difference"]
    user.write("other.conllu", gold.replace("gardener", "farmer"))
    wrong = user.refused("compare", "gold.conllu", "good.conllu", "other.conllu")
    assert "word 2 is 'farmer', but 'gardener' in gold.conllu:1" in wrong
    short = "\n\n".join(TREES[:7]) + "\n\n"
    user.write("short.conllu", short)
    wrong = user.refused("compare", "gold.conllu", "good.conllu", "short.conllu")
    assert "gold.conllu:" in wrong and "a sentence without a partner" in wrong
