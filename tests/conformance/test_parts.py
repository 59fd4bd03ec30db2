"""Every kind of part of a model: what was saved and loaded says the same, and saves the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.modelfile import read_model_file, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.kernel.transition.systems import system_names
from niwaki.parsers.base import family_names
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.card import upgraded
from tests.garden import treebank
from tests.toy import NEW, TOY, Tables, quick_model, skip_without_extras, write

DEV = {"epochs": 1, "dev": str(TOY)}
TAGS = {"epochs": 1, "folds": 0}
BY_MIRA = {"order": 2, "trainer": "mira"}
WORDS = {"tags": False}
GRAPH = {"kind": "graph"}
NEURAL = {"kind": "neural"}
NO_TAGGER = ("tagger", "feats", "lemmas")
ENCODED = {"nonprojective": "pseudo-projective"}


@dataclass(frozen=True)
class Case:
    """A model by the tables of its configuration, and parts that its file has and has not."""

    tables: Mapping[str, Tables] = field(default_factory=dict)
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    data: Callable[[Path, list[Sentence]], Path] = lambda folder, toy: TOY

    @property
    def kind(self) -> str:
        return str(self.tables.get("model", {}).get("kind", "transition"))


def several_roots(folder: Path, toy: list[Sentence]) -> Path:
    """The treebank with other labels of roots, by their tags."""
    changed = []
    for sentence in toy:
        pairs = zip(sentence.heads, sentence.deprels, sentence.upos, strict=True)
        labels = [label if head else f"root:{tag.lower()}" for head, label, tag in pairs]
        changed.append(sentence.replace(deprels=labels))
    return write(folder / "roots.conllu", changed)


def split_words(folder: Path, toy: list[Sentence]) -> Path:
    return write(folder / "garden.conllu", treebank())


PARSERS: dict[str, dict[str, Case]] = {
    "transition": {
        "arc-standard-plain": Case({"model": {"beam": 1}}, lacks=("greedy", "confidence.json")),
        "pseudo-projective": Case(
            {"model": ENCODED, "training": DEV}, ("parser", "greedy", "confidence.json")
        ),
        **{
            system: Case(
                {"model": {"system": system}, "training": DEV},
                ("parser", "greedy", "confidence.json"),
                data=several_roots,
            )
            for system in system_names()
        },
    },
    "graph": {
        "first-order": Case({"model": GRAPH}, ("graph",), ("parser",)),
        "calibrated": Case({"model": GRAPH, "training": DEV}, ("graph",)),
        "second-order": Case({"model": GRAPH, "graph": BY_MIRA}, ("graph", "graph-arcs")),
        "latent": Case({"model": GRAPH, "graph": {"latent": 2}}, ("graph",)),
    },
    "neural": {
        "calibrated": Case({"model": NEURAL, "training": DEV}, ("neural",), NO_TAGGER),
        "quantized": Case({"model": NEURAL, "neural": {"quantized": True}}, ("neural",)),
        "no-tags": Case({"model": NEURAL, "tagger": WORDS}, ("neural",), NO_TAGGER),
    },
}
OTHERS = {
    "logistic": Case({"tagger": {"learner": "logistic"}}, ("tagger", "feats", "lemmas")),
    "perceptron": Case({"tagger": {"learner": "perceptron"}}, ("tagger",)),
    "tnt": Case({"tagger": {"learner": "tnt"}}, ("tagger",)),
    "no-morphology": Case(
        {"tagger": {"feats": False, "lemmas": False}}, ("tagger",), ("feats", "lemmas")
    ),
    "no-tagger": Case(
        {"tagger": WORDS, "model": {"features": "words"}}, (), ("tagger", "feats", "lemmas")
    ),
    "segmenter": Case({}, ("segmenter",), ("splits",)),
    "segmenter-and-splits": Case(
        {"tagger": WORDS, "model": {"features": "words"}}, ("segmenter", "splits"), data=split_words
    ),
    "no-segmenter": Case({"segmenter": {"enabled": False}}, (), ("segmenter", "splits")),
    "clusters": Case({"model": {"clusters": "clusters.txt"}}, ("clusters.bin",)),
}
CASES = {f"{kind}-{name}": case for kind in PARSERS for name, case in PARSERS[kind].items()}
CASES |= OTHERS


def test_every_family_has_a_model_here() -> None:
    assert set(PARSERS) == set(family_names()), "give the new family its cases"


@pytest.fixture(scope="module", params=sorted(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    case = CASES[request.param]
    skip_without_extras(case.kind)
    return case


@pytest.fixture(scope="module")
def trained(
    case: Case, toy: list[Sentence], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Pipeline, Path]:
    folder = tmp_path_factory.mktemp("parts")
    (folder / "clusters.txt").write_text("00\tpine\t3\n01\tmaple\t2\n1\tgarden\t4\n")
    tables: dict[str, dict[str, Any]] = {name: dict(each) for name, each in case.tables.items()}
    if "clusters" in tables.get("model", {}):
        tables["model"]["clusters"] = str(folder / "clusters.txt")
    if tables.get("tagger", {}).get("learner") == "tnt":
        tables["tagger"]["folds"] = 0
    elif tables.get("tagger") != WORDS and case.kind != "neural":
        tables["tagger"] = {**TAGS, **tables.get("tagger", {})}
    tables.setdefault("training", {"epochs": 1})
    path = folder / "model.niwaki"
    return quick_model(path, case.data(folder, toy), **tables), path


def said(model: Pipeline, toy: list[Sentence]) -> list[Any]:
    """All that a model has to say of some sentences."""
    bare = [Sentence.from_words(sentence.forms) for sentence in (*toy[:6], NEW)]
    wanted = model.parser.gives_probabilities
    found: list[Any] = [s.source for s in model.parse(bare, probabilities=wanted, retag=True)]
    for search in model.parser.ways.values():
        found += [s.source for s in model.parse(bare, beam=search.beam, decode=search.decode)]
    for each in (model.kbest(sentence, 4) for sentence in bare):
        found += [each.trees, each.scores.tolist(), each.probabilities.tolist()]
    if model.segmenter is not None:
        found += [s.source for s in model.read("It didn't rain. Pines grow!\n\nWho's there?")]
    return found


def test_what_is_loaded_says_the_same(trained: tuple[Pipeline, Path], toy: list[Sentence]) -> None:
    model, path = trained
    again = load(path)
    assert said(again, toy) == said(model, toy)
    assert again.parser.facts == model.parser.facts
    assert list(again.parser.label_names) == list(model.parser.label_names)


def test_what_is_loaded_saves_the_same_bytes(
    trained: tuple[Pipeline, Path], tmp_path: Path
) -> None:
    _, path = trained
    load(path).save(tmp_path / "again.niwaki")
    assert (tmp_path / "again.niwaki").read_bytes() == path.read_bytes()


def test_the_parts_are_those_of_its_kind(case: Case, trained: tuple[Pipeline, Path]) -> None:
    file = read_model_file(trained[1])
    found = {*file.parts, *file.json("designs.json")}
    assert set(case.has) <= found
    assert not set(case.lacks) & found
    if case.data is several_roots:
        roots = {name for name in trained[0].parser.label_names if name.startswith("root")}
        assert len(roots) > 1


# -- models from before ----------------------------------------------------------------------


def test_records_of_an_older_shape(tmp_path: Path, toy: list[Sentence]) -> None:
    """The beam was on the card only, and encoded trees were said in other words."""
    path, old = tmp_path / "new.niwaki", tmp_path / "old.niwaki"
    quick_model(path, model={**ENCODED, "beam": 3}, tagger=TAGS, training={"epochs": 1})
    file = read_model_file(path)
    records, card = file.json("designs.json"), file.config
    for name in ("parser", "greedy"):
        assert records[name].pop("nonprojective") == "pseudo-projective"
        records[name]["crossing"] = "encode"
    assert records["parser"].pop("beam") == 3
    del card["model"]["nonprojective"], card["model"]["kind"]
    card["model"]["crossing"] = "encode"
    card["training"]["patience"] = card["training"].pop("min_updates")
    changed = {"config.json": card, "designs.json": records}
    parts = {name: bytes(part) for name, part in file.parts.items()}
    parts |= {name: json.dumps(record).encode() for name, record in changed.items()}
    write_model_file(old, parts)
    assert said(load(old), toy) == said(load(path), toy)
    assert load(old).parser.facts["beam"] == 3
    kept = upgraded(load(old).config)
    assert kept["model"]["nonprojective"] == "pseudo-projective"
    assert "crossing" not in kept["model"] and "graph" not in kept
    assert kept["training"]["min_updates"] == card["training"]["patience"]
    # Saved again, it has the records of today.
    today, again = (load(each).parts().files["designs.json"] for each in (path, old))
    assert again == today
