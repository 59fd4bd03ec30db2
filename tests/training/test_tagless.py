"""Parsers without a tagger: words, endings and word clusters are all that they see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from niwaki import cli
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError
from niwaki.features.brown import cluster
from niwaki.features.clusters import write_clusters
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from tests.toy import TOY, Log, check, quick_model, without

WITHOUT_TAGS = {"tags": False}


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory, toy: list[Sentence]) -> Path:
    path = tmp_path_factory.mktemp("clusters") / "clusters.txt"
    write_clusters(cluster(toy, 12, min_count=2), path)
    return path


def tagless(path: Path, clusters: Path | str, **model: Any) -> Pipeline:
    settings = {"features": "words", "clusters": str(clusters), **model}
    training = {"dev": str(TOY), "epochs": 5, "greedy_epochs": 5}
    quick_model(path, model=settings, tagger=WITHOUT_TAGS, training=training)
    return load(path)


@pytest.fixture(scope="module")
def model_path(tmp_path_factory: pytest.TempPathFactory, clusters: Path) -> Path:
    path = tmp_path_factory.mktemp("tagless") / "m.niwaki"
    tagless(path, clusters)
    return path


def trees(model: Pipeline, sentences: list[Sentence], **options: Any) -> list[object]:
    return [sentence.tree for sentence in model.parse(sentences, **options)]


def test_it_parses_all_the_way(model_path: Path, toy: list[Sentence]) -> None:
    model = load(model_path)
    assert model.tagger is None and model.clusters is not None
    check(model)
    for beam in (1, 4):
        assert evaluate(toy, model.parse(toy, beam=beam)).scores["LAS"] > 80
    best = model.kbest(toy[0], 3)
    assert len(best) == 3 and sum(best.probabilities) == pytest.approx(1)
    assert trees(model, toy, threads=2) == trees(model, toy)
    assert not set(model.parser.model.attributes) & {"tag", "xpos", "alternative"}


def test_tags_make_no_difference(model_path: Path, toy: list[Sentence]) -> None:
    model = load(model_path)
    bare = without(toy, "upos", "xpos", "feats", "lemmas")
    assert trees(model, bare) == trees(model, toy)
    assert {tag for s in model.parse(bare) for tag in s.upos} == {"_"}


def test_probabilities_are_of_arcs_only(model_path: Path, toy: list[Sentence]) -> None:
    (parsed,) = load(model_path).parse(toy[:1], probabilities=True)
    assert all(notes.keys() >= {"ArcProb", "LabelProb"} for notes in parsed.notes)
    assert not any("TagProb" in notes for notes in parsed.notes)
    # Notes of a model that had a tagger do not stay.
    old = parsed.replace(misc=["TagProb=0.5"] * len(parsed))
    (again,) = load(model_path).parse([old], probabilities=True)
    assert {name for notes in again.notes for name in notes} == {"ArcProb", "LabelProb"}


def test_tags_are_not_scored(model_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evaluate", str(TOY), "-m", str(model_path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["LAS"] > 80
    assert scores["UPOS"] is scores["XPOS"] is scores["FEATS"] is scores["LEMMA"] is None
    assert cli.main(["evaluate", str(TOY), "-m", str(model_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ["UPOS", "-"] in [line.split() for line in lines]
    assert "UPOS" not in load(model_path).config["scores_on_dev"]["greedy"]
    assert cli.main(["evaluate", str(TOY), "-m", str(model_path), "--calibration"]) == 0
    kinds = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:4]]
    assert kinds == ["arc", "label", "tree"]


def test_info_tells_the_size_of_the_clusters(
    model_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["info", str(model_path)]) == 0
    assert "  clusters.bin: " in capsys.readouterr().out


@pytest.mark.parametrize("decode", ["mst", "eisner", "mbr"])
def test_graph_parsers(tmp_path: Path, clusters: Path, toy: list[Sentence], decode: str) -> None:
    quick_model(
        tmp_path / "m",
        model={"kind": "graph", "features": "words", "clusters": str(clusters)},
        graph={"label_features": "words", "decode": decode},
        tagger=WITHOUT_TAGS,
    )
    model = load(tmp_path / "m")
    assert model.tagger is None
    assert evaluate(toy, model.parse(toy)).scores["LAS"] > 70
    (parsed,) = model.parse(toy[:1], probabilities=True)
    assert not any("TagProb" in notes for notes in parsed.notes)
    assert len(model.kbest(toy[0], 3)) == 3


def test_features_on_tags_are_left_out(tmp_path: Path, clusters: Path) -> None:
    model = tagless(tmp_path / "m", clusters, features="rich", beam=1)
    assert not set(model.parser.model.attributes) & {"tag", "xpos", "alternative"}
    assert model.parser.model.spec.tags is False
    with pytest.raises(ConfigError, match="no template is left without tags; take a set"):
        own = tmp_path / "own.txt"
        own.write_text("s0.tag\nb0.upos + s0.form\n")
        tagless(tmp_path / "m", clusters, features=str(own))
    with pytest.raises(ConfigError, match="without clusters and tags"):
        own.write_text("s0.tag\nb0.cluster\n")
        tagless(tmp_path / "m", "", features=str(own))


def test_the_features_of_alshawi2011(tmp_path: Path, clusters: Path, toy: list[Sentence]) -> None:
    model = tagless(tmp_path / "m", clusters, features="alshawi2011", system="arc-eager", beam=1)
    assert evaluate(toy, model.parse(toy)).scores["LAS"] > 65


def test_lower_case_and_clusters(tmp_path: Path, clusters: Path, toy: list[Sentence]) -> None:
    model = tagless(tmp_path / "m", clusters, case="insensitive", beam=1)
    loud = [s.replace(forms=[form.upper() for form in s.forms]) for s in toy]
    assert trees(model, loud) == trees(model, toy)


def test_other_clusters_are_another_run(tmp_path: Path, toy: list[Sentence]) -> None:
    """Bits that tell words apart make other weights than bits that do not."""
    found = []
    for bits in ("0", "01"):
        file = tmp_path / "c.txt"
        words = sorted({form for s in toy for form in s.forms})
        rows = [f"{bits[i % len(bits)]}\t{word}\t1\n" for i, word in enumerate(words)]
        file.write_text("".join(rows))
        model = tagless(tmp_path / "m", file, beam=1)
        found.append({k: v.tobytes() for k, v in model.parser.model.weights.arrays.items()})
    assert found[0] != found[1]


def test_faulty_clusters(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    file.write_text("0\tthe\t2\n1\tthe\t1\n01\ta\t1\n")
    with pytest.raises(CorpusError, match=r"c.txt:2:LINE: the word 'the' stands twice"):
        tagless(tmp_path / "m", file)
    config = tmp_path / "c.toml"
    config.write_text(
        f'[[objective]]\ndata = "{TOY}"\n[model]\nclusters = "{file}"\nbeam = 1\n'
        "[tagger]\ntags = false\n[training]\ngreedy_epochs = 1\n"
    )
    words = ["train", str(config), "-o", str(tmp_path / "m")]
    assert cli.main(words) == 1
    assert cli.main([*words, "--on-error", "skip"]) == 0
    assert load(tmp_path / "m").clusters.paths == {"the": "0", "a": "01"}


def test_the_log_tells_of_clusters(tmp_path: Path, clusters: Path) -> None:
    log = Log()
    quick_model(
        tmp_path / "m",
        log=log,
        model={"clusters": str(clusters), "beam": 1},
        tagger=WITHOUT_TAGS,
        training={"greedy_epochs": 1},
    )
    assert any(note.endswith("words in clusters") for note in log.notes)
