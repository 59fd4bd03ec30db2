"""Training and parsing with links to a translation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from niwaki.data.bilingual.bitext import read_links
from niwaki.data.bilingual.links import link_sentences, links_of, with_links
from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config, read_config
from niwaki.training.run import train
from tests.conftest import ROOT
from tests.toy import Log, niwaki, write

EXAMPLES = ROOT / "examples"
DATA, LINKS = EXAMPLES / "lanterns.conllu", EXAMPLES / "lanterns.align"
CONFIG = EXAMPLES / "lanterns.toml"


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("links") / "lanterns.niwaki"
    train(read_config(str(CONFIG)), path, Log(), threads=1)
    return path


@pytest.fixture(scope="module")
def bilingual(model_file: Path) -> Pipeline:
    return load(model_file)


@pytest.fixture
def gold() -> list[Sentence]:
    return list(link_sentences(read_conllu(DATA), LINKS))


def right(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> int:
    return sum(one.tree == other.tree for one, other in zip(gold, parsed, strict=True))


# -- what links are for --------------------------------------------------------------


@pytest.mark.parametrize("beam", [1, 2, 4])
@pytest.mark.parametrize("threads", [1, 3])
def test_only_the_translation_tells_these_trees_apart(
    bilingual: Pipeline, gold: list[Sentence], beam: int, threads: int
) -> None:
    many = gold * 20  # more than one batch
    assert right(many, bilingual.parse(many, beam=beam, threads=threads)) == len(many)
    unlinked = list(read_conllu(DATA))
    assert right(unlinked, bilingual.parse(unlinked, beam=beam)) <= len(unlinked) // 2
    # Links that say the opposite give the opposite trees.
    turned = [with_links(s, links_of(gold[i ^ 1])) for i, s in enumerate(gold)]
    swapped = [gold[i ^ 1] for i in range(len(gold))]
    assert right(swapped, bilingual.parse(turned, beam=beam)) == len(gold)


def test_candidates_and_constrained_trees_see_links(
    bilingual: Pipeline, gold: list[Sentence]
) -> None:
    assert len(gold) > 4
    for sentence in gold[:4]:
        assert bilingual.kbest(sentence, 3).trees[0] == sentence.tree
        partial = sentence.replace(heads=[2, -1, -1, -1, -1], deprels=["_"] * 5)
        found = bilingual.kbest(partial, 1, constraints=Constraints.of(partial))
        assert found.trees[0] == sentence.tree


def test_far_words_of_a_translation_are_as_good_as_near_ones(
    bilingual: Pipeline, gold: list[Sentence]
) -> None:
    far = [with_links(s, [(i, 1000 * j + 7) for i, j in links_of(s)]) for s in gold]
    assert right(gold, bilingual.parse(far)) == len(gold)


def test_links_in_notes_need_no_file(tmp_path: Path, gold: list[Sentence]) -> None:
    record = {
        "model": {
            "features": "huang2009",
            "more_features": ["contiguous(s1,s0) + right-contiguous(s0,b0)"],
            "beam": 1,
        },
        "objective": [{"data": str(write(tmp_path / "linked.conllu", gold))}],
    }
    model = train(make_config(record), tmp_path / "m.niwaki", Log(), threads=1)
    assert model.parser.uses_links
    assert right(gold, model.parse(gold)) == len(gold)


@pytest.mark.parametrize("system", ["arc-eager", "arc-hybrid"])
def test_other_systems_use_links_too(tmp_path: Path, gold: list[Sentence], system: str) -> None:
    config = read_config(str(CONFIG), [f"model.system={system}"])
    model = train(config, tmp_path / "m.niwaki", Log(), threads=1)
    for beam in (1, 4):
        assert right(gold, model.parse(gold, beam=beam)) == len(gold)


# -- notes ---------------------------------------------------------------------------


def test_notes_keep_what_else_they_say() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], misc=["SpaceAfter=No|Links=9", "_", "X=y"])
    linked = with_links(sentence, [(0, 4), (0, 1), (2, 0)])
    assert linked.misc == ("SpaceAfter=No|Links=2,5", "_", "X=y|Links=1")
    assert links_of(linked) == {(0, 1), (0, 4), (2, 0)}
    assert with_links(linked, ()).misc == ("SpaceAfter=No", "_", "X=y")
    for link in ((3, 0), (-1, 0), (0, -1), (0, 10**9)):
        with pytest.raises(ValueError, match="no link"):
            with_links(sentence, [link])


def test_notes_that_cannot_be_read(bilingual: Pipeline) -> None:
    sentences = [Sentence.from_words(["we", "saw"], misc=["_", text]) for text in ("_", "Links=0")]
    with pytest.raises(CorpusError, match=r"MISC: Links='0' of word 2; write numbers of words"):
        list(bilingual.parse(sentences))


# -- files that do not fit -------------------------------------------------------------


def bad_links(tmp_path: Path, change: str) -> tuple[Path, int, str]:
    """The links with one fault: the file, its line, and what is said of it."""
    lines = [str(links) for links in read_links(LINKS)]
    if change == "range":
        lines[2] = "0-0 5-1"
        fault = 3, "link 5-1 is out of range; the sentence at"
    elif change == "form":
        lines[4] = "0-0 1:1"
        fault = 5, "malformed link '1:1'"
    elif change == "short":
        del lines[-1]
        fault = 32, "no line for the sentence at"
    else:
        lines.append("0-0")
        fault = 33, "no sentence for this line"
    path = tmp_path / "bad.align"
    path.write_text("\n".join(lines) + "\n")
    return path, *fault


@pytest.mark.parametrize("change", ["range", "form", "short", "long"])
def test_faults_are_named_or_counted(tmp_path: Path, gold: list[Sentence], change: str) -> None:
    path, line, message = bad_links(tmp_path, change)
    with pytest.raises(CorpusError) as caught:
        list(link_sentences(gold, path))
    assert str(caught.value).startswith(f"{path}:{line}:LINE: {message}")
    faults: list[CorpusError] = []
    linked = list(link_sentences(gold, path, faults.append))
    assert [fault.line for fault in faults] == [line]
    assert len(linked) == len(gold)
    spoiled = [i for i, s in enumerate(linked) if links_of(s) != links_of(gold[i])]
    assert spoiled == ([] if change == "long" else [line - 1])
    assert not any(links_of(linked[i]) for i in spoiled), "such a sentence has no links"


def test_possible_links_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "possible.align"
    path.write_text("0-1 1p0\n")
    (sentence,) = link_sentences([Sentence.from_words(["a", "b"])], path)
    assert links_of(sentence) == {(0, 1)}


def test_training_names_or_counts_bad_links(tmp_path: Path) -> None:
    path, line, message = bad_links(tmp_path, "range")
    record = {
        "model": {"features": "huang2009", "more_features": ["contiguous(s1,s0)"], "beam": 1},
        "training": {"greedy_epochs": 1},
        "objective": [{"data": str(DATA), "links": str(path)}],
    }
    config = make_config(record)
    with pytest.raises(CorpusError, match=f"{path}:{line}:LINE: {message}"):
        train(config, tmp_path / "m.niwaki", Log())
    log = Log()
    train(config, tmp_path / "m.niwaki", log, on_error="skip")
    assert any(note.startswith("1 lines of links do not fit, the first:") for note in log.notes)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["model.more_features=[]"], "no feature of this parser uses them"),
        (["model.system=arc-standard-swap"], "no feature of this parser uses them"),
        (["model.kind=graph"], r"objective\[0\].links does not go with model.kind"),
        (['objective.0.links=["lanterns.align", "lanterns.align"]'], "2 files for 1"),
        (["objective.0.links=nowhere.align"], "no file"),
        (["training.dev_links=lanterns.align"], "dev_links says nothing without dev"),
        (["objective.0.kind=partial"], r"links goes with kind = \"treebank\""),
        (["model.more_features=contiguous(s2,s0)"], "no neighbours in 'contiguous"),
    ],
)
def test_configurations_that_make_no_sense(
    tmp_path: Path, overrides: list[str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        train(read_config(str(CONFIG), overrides), tmp_path / "m.niwaki", Log())


def test_dev_links_choose_the_epoch(tmp_path: Path) -> None:
    overrides = [
        "training.dev=lanterns.conllu", "training.dev_links=lanterns.align",
        "training.epochs=4", "training.greedy_epochs=2",
    ]  # fmt: skip
    log = Log()
    model = train(read_config(str(CONFIG), overrides), tmp_path / "m.niwaki", log)
    best = max(report.uas or 0 for report in log.epochs if report.stage == "parser")
    assert best == 100, "without links, every other tree is wrong"
    assert model.config["scores_on_dev"]["beam"]["UAS"] == 100
    assert model.config["objective"][0]["links"] == ["lanterns.align"]


# -- commands ------------------------------------------------------------------------


def test_commands(tmp_path: Path, model_file: Path) -> None:
    done = niwaki("parse", DATA, "-m", model_file, "--links", LINKS)
    assert (done.returncode, done.stderr) == (0, "")
    out = tmp_path / "out.conllu"
    out.write_text(done.stdout)
    assert right(read_conllu(DATA), read_conllu(out)) == 32
    done = niwaki("evaluate", DATA, "-m", model_file, "--links", LINKS, "--json")
    assert json.loads(done.stdout)["UAS"] == 100
    done = niwaki("evaluate", DATA, "-m", model_file, "--json")
    assert json.loads(done.stdout)["UAS"] < 95


def test_refusals_of_commands(tmp_path: Path, model_file: Path) -> None:
    path, line, message = bad_links(tmp_path, "short")
    done = niwaki("parse", DATA, "-m", model_file, "--links", path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"niwaki: {path}:{line}:LINE: {message}")
    done = niwaki("parse", DATA, "-m", model_file, "--links", path, "--on-error", "skip")
    assert done.returncode == 0
    assert done.stderr.startswith("niwaki: skipped 1 faults, the first:")
    for words, text in (
        (["parse", DATA, "--links", LINKS], "this model does not look at links"),
        (["evaluate", DATA, "-m", "en", "--on-error", "skip"], "--on-error skip is for --links"),
        (["parse", DATA, "--links", LINKS, "--split-hyphens"], "do not split hyphens"),
        (["parse", DATA, "-m", "en", "-m", "en", "--links", LINKS], "for a single model"),
        (["evaluate", DATA, DATA, "--links", LINKS], "--links is for -m"),
    ):
        done = niwaki(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert text in done.stderr
