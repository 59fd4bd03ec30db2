"""Adapting gains on what it has not seen, goes on after interruptions, and writes nothing worse."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki import cli
from niwaki.adapting import adapt as adapt_module
from niwaki.adapting import trials
from niwaki.adapting.held_out import LEAST_EXAMPLES, split
from niwaki.adapting.report import Tried
from niwaki.adapting.trials import Trial, Work
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.objectives import load_objective
from niwaki.parsers.base import family_names
from niwaki.pipeline.pipeline import Pipeline
from tests.toy import TOY, Log, quick_model, write


def stops_last(sentence: Sentence, begin: str) -> Sentence:
    """What the job wants and no treebank says: a full stop hangs from the word before it.

    With another beginning, so that nobody has learned these sentences.
    """
    forms = [begin, *sentence.forms]
    known = [-1] * (len(forms) - 1) + [len(forms) - 1]
    return Sentence.from_words(forms, heads=known)


@pytest.fixture(autouse=True)
def few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few sentences are learned soon; nothing here depends on how often they are visited."""
    monkeypatch.setattr(trials, "_MOST_PASSES", 6)


@pytest.fixture(scope="module")
def stops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ends = [s for s in read_conllu(TOY) if s.forms[-1] == "."]
    sentences = [stops_last(s, begin) for s in ends for begin in ("Now", "Then", "Here", "So")]
    assert len(sentences) > 4 * LEAST_EXAMPLES
    return write(tmp_path_factory.mktemp("task") / "stops.conllu", sentences)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("base") / "base.niwaki"
    quick_model(path)
    return path


def task(data: Path, **training: Any) -> dict[str, Any]:
    cost = {"kind": "partial", "data": str(data)}
    return {"objective": [cost], **({"training": training} if training else {})}


@pytest.mark.slow
@pytest.mark.parametrize("kind", family_names())
def test_every_family_gains_on_what_it_has_not_seen(kind: str, stops: Path, tmp_path: Path) -> None:
    base = quick_model(tmp_path / "base", model={"kind": kind})
    found = niwaki.adapt(base, task(stops), tmp_path / "new", threads=1)
    assert found.written
    (cost,) = found.costs
    assert cost.b < cost.a
    assert [path.name for path in tmp_path.iterdir() if "new" in path.name] == ["new"]
    new = niwaki.load(tmp_path / "new")
    assert niwaki.price(task(stops), [base, new]).differences("0 partial")[0, 1][0].difference < 0
    # It knows what it learned, and nothing of what was held out.
    assert new.learned is not None and base.learned is not None
    sizes = found.examples["0 partial"]
    known = new.learned.knows(read_conllu(stops))
    assert int(known.sum()) == sizes["learned"]
    assert sizes["choosing"] >= 5 and sizes["reporting"] >= 5


def with_beginning(sentence: Sentence, begin: str) -> Sentence:
    """The tree of a treebank, with one word more before it."""
    root = sentence.heads.index(0) + 2
    return Sentence.from_words(
        [begin, *sentence.forms],
        heads=[root, *(head + 1 if head else 0 for head in sentence.heads)],
        deprels=["advmod", *sentence.deprels],
    )


@pytest.mark.slow
def test_a_treebank_beside_it_is_watched(base: Path, stops: Path, tmp_path: Path) -> None:
    """It says the contrary of the job, which can only be had by force."""
    trees = [with_beginning(s, "Now") for s in read_conllu(TOY) if s.forms[-1] == "."]
    config = task(stops, dev=str(write(tmp_path / "dev.conllu", trees)))
    config["objective"][0] |= {"select": "hard", "step": 1.0, "k": 32}
    output = tmp_path / "new"
    output.write_bytes(b"as it was")
    found = niwaki.adapt(base, config, output, threads=1)
    assert not found.written
    assert "kept its treebank scores" in found.reason
    assert output.read_bytes() == b"as it was"
    assert min(each.costs["0 partial"] for each in found.trials) < found.costs_before["0 partial"]
    forced = niwaki.adapt(base, config, output, force=True, threads=1)
    assert forced.written and forced.reason
    assert {each.metric for each in forced.trees} == {"UAS", "LAS"}
    assert isinstance(niwaki.load(output), Pipeline)
    # With a floor that allows it, it is written.
    allowed = niwaki.adapt(base, config, output, floor=100, threads=1)
    assert allowed.written and not allowed.reason


def test_probabilities_are_fitted_to_predicted_tags(
    base: Path, stops: Path, tmp_path: Path
) -> None:
    """So the tags of the treebank that is watched say nothing about arcs."""
    found = []
    for name in ("right", "wrong"):
        trees = [with_beginning(s, "Now") for s in read_conllu(TOY)]
        if name == "wrong":
            trees = [s.replace(upos=["X"] * len(s)) for s in trees]
        dev = write(tmp_path / f"{name}.conllu", trees)
        output = tmp_path / name
        told = niwaki.adapt(
            base, task(stops, dev=str(dev)), output, minutes=0, floor=100, threads=1
        )
        assert told.written
        words = [Sentence.from_words(s.forms) for s in trees[:5]]
        parsed = niwaki.load(output).parse(words, probabilities=True)
        found.append([[probability(note) for note in s.misc] for s in parsed])
    assert found[0] == found[1]
    assert any(0 < each < 1 for row in found[0] for each in row)


def probability(misc: str) -> float:
    return float(dict(note.split("=") for note in misc.split("|"))["ArcProb"])


def test_what_is_perfect_stays_as_it_is(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [Sentence.from_words(s.forms) for s in read_conllu(TOY)]
    parsed = list(niwaki.load(base).parse(words))
    data = write(tmp_path / "own.conllu", parsed)
    file = tmp_path / "task.toml"
    file.write_text(f'[[objective]]\nkind = "partial"\ndata = "{data}"\n', encoding="utf-8")
    output = tmp_path / "new"
    words_of = ["adapt", str(base), "--for", str(file), "-o", str(output), "--threads", "1"]
    assert cli.main(words_of) == 1
    said = capsys.readouterr()
    assert not output.exists()
    assert said.err.splitlines()[-1].startswith(f"niwaki: {output} is not written: no trial")
    assert "not written: no trial cost less" in said.out


class InterruptionError(Exception):
    pass


class Interrupted(Log):
    """Stops the run in a trial."""

    def stage(self, name: str, total: int) -> None:
        if name.startswith("trial 2"):
            raise InterruptionError
        super().stage(name, total)


@pytest.mark.slow
def test_an_interrupted_run_goes_on(base: Path, stops: Path, tmp_path: Path) -> None:
    whole = niwaki.adapt(base, task(stops), tmp_path / "whole", threads=1)
    with pytest.raises(InterruptionError):
        niwaki.adapt(base, task(stops), tmp_path / "new", report=Interrupted(), threads=1)
    assert not (tmp_path / "new").exists()
    with pytest.raises(ConfigError, match="trials of another model or task"):
        niwaki.adapt(base, task(TOY), tmp_path / "new", resume=True, threads=1)
    log = Log()
    told: list[Tried] = []
    found = niwaki.adapt(
        base, task(stops), tmp_path / "new", report=log, tried=told.append, resume=True, threads=1
    )
    assert not any(name.startswith("trial 1") for name in log.stages)
    assert any(name.startswith("trial 2") for name in log.stages)
    assert found.written
    assert found.costs == whole.costs
    assert [each.costs for each in found.trials] == [each.costs for each in whole.trials]
    assert [each.number for each in told] == list(range(len(found.trials) + 1))
    niwaki.adapt(base, task(stops), tmp_path / "more", report=log, resume=True, threads=1)
    assert log.notes[-1].endswith("starting anew") or "starting anew" in " ".join(log.notes)


def test_without_time_only_the_usual_settings_are_tried(
    base: Path, stops: Path, tmp_path: Path
) -> None:
    found = niwaki.adapt(base, task(stops), tmp_path / "new", minutes=0, threads=1)
    assert len(found.trials) == 1
    assert found.not_tried


def test_a_trial_for_which_there_is_no_time_leaves_the_others_as_they_are(
    base: Path, stops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second would take for ever; the third is tried, and is the second of the report."""

    def work_of(trial: Trial, *given: Any) -> Work:
        work = trials.work_of(trial, *given)
        return replace(work, units=1e15) if trial.settings == {"k": 32} else work

    monkeypatch.setattr(adapt_module, "work_of", work_of)
    told: list[Tried] = []
    found = niwaki.adapt(base, task(stops), tmp_path / "new", tried=told.append, threads=1)
    assert [name.startswith("k = 32, ") for name in found.not_tried] == [True]
    assert found.written and len(found.trials) > 1
    assert [each.name for each in told] == ["as it is", *(x.trial.name for x in found.trials)]
    assert [each.number for each in told] == list(range(len(told)))
    assert told[0].costs == found.costs_before
    assert [each.costs for each in told[1:]] == [each.costs for each in found.trials]
    assert found.best is not None
    costs = [each.costs["0 partial"] for each in found.trials]
    assert costs[found.best] == min(costs)


def test_what_the_configuration_says_is_kept(base: Path, stops: Path, tmp_path: Path) -> None:
    config = {"objective": [{**task(stops)["objective"][0], "select": "hard", "k": 4}]}
    found = niwaki.adapt(base, config, tmp_path / "new", threads=1)
    assert {tuple(each.trial.settings) for each in found.trials} == {()}


def test_the_report_is_the_same_in_all_forms(
    base: Path, stops: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "task.toml", tmp_path / "report.html"
    file.write_text(f'[[objective]]\nkind = "partial"\ndata = "{stops}"\n', encoding="utf-8")
    words = ["adapt", base, "--for", file, "-o", tmp_path / "new", "--threads", 1, "--html", page]
    assert cli.main([str(word) for word in words]) == 0
    text = capsys.readouterr().out
    assert cli.main([*map(str, words), "--json", "--progress", "json"]) == 0
    said = capsys.readouterr()
    record = json.loads(said.out)
    lines = [json.loads(line) for line in said.err.splitlines()]
    tried = [each for each in lines if each["kind"] == "trial"]
    assert [each["name"] for each in tried[:2]] == ["as it is", "6 passes"]
    assert [each["costs"] for each in tried[1:]] == [each["costs"] for each in record["trials"]]
    assert record["written"] and record["costs"]["0 partial"]["high"] < 1
    figure = f"{record['costs']['0 partial']['difference']:+.4f}"
    assert figure in text and figure in page.read_text(encoding="utf-8")
    assert niwaki.load(tmp_path / "new").config["adapted"]["costs"] == record["costs"]


@pytest.mark.parametrize(
    ("objectives", "said"),
    [
        ([{"data": str(TOY)}], "no objective is a cost"),
        ([{"kind": "partial", "data": "FEW"}], "3 examples; 25 are needed"),
    ],
)
def test_what_cannot_be_adapted_is_refused(
    base: Path, tmp_path: Path, objectives: list[dict[str, str]], said: str
) -> None:
    few = write(tmp_path / "few.conllu", list(read_conllu(TOY))[:3])
    named = [{**each, "data": each["data"].replace("FEW", str(few))} for each in objectives]
    with pytest.raises(ConfigError, match=said):
        niwaki.adapt(base, {"objective": named}, tmp_path / "new", threads=1)
    assert not (tmp_path / "new.trials").exists()


def test_documents_and_equal_sentences_stay_together(tmp_path: Path) -> None:
    sentences = []
    for number in range(60):
        words = [f"w{number // 2}", "x"]  # each sentence twice
        comments = [f"newdoc id = d{number}"] if number % 10 == 0 and number >= 40 else []
        made = Sentence.from_words(words, comments=comments)
        sentences.append(made.replace(heads=[0, -1], deprels=["_", "_"]))
    data = write(tmp_path / "documents.conllu", sentences)
    parts = split("task", load_objective("partial", [str(data)]))
    every = [*parts.learned, *parts.choosing, *parts.reporting]
    assert sorted(every) == list(range(60))
    assert len(parts.choosing) >= 5 <= len(parts.reporting)
    of = {number: at for at, part in enumerate(vars(parts).values()) for number in part}
    assert all(of[number] == of[number + 1] for number in range(0, 40, 2))
    for start in (40, 50):
        assert len({of[number] for number in range(start, start + 10)}) == 1
    assert parts == split("task", load_objective("partial", [str(data)]))
