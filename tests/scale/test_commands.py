"""Commands over shards write what they write over the whole file."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from niwaki.cli import _shards, main
from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.sentence import Sentence
from niwaki.verbs.compressing import train_compressor
from niwaki.verbs.connecting import train_connectives
from niwaki.verbs.judging import train_judge
from niwaki.verbs.labelling import train_roles
from niwaki.verbs.ranking import train_ranker
from niwaki.verbs.translating import translate_train
from tests import asked, connected, labelled, shorter, translating
from tests.toy import TOY
from tests.verbs.test_commands import QUICK_JUDGE

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shards, "_MEGABYTE", 600)


def over_shards(out: Path, *words: str | Path, workers: int = 1) -> int:
    job = ["--shards", out, "--shard-size", "1", "--workers", workers]
    return main([str(word) for word in (*words, *job)])


def whole(tmp_path: Path, *words: str | Path) -> bytes:
    target = tmp_path / "whole"
    assert main([str(word) for word in (*words, "-o", target)]) == 0
    return target.read_bytes()


def outputs(out: Path, suffix: str) -> list[bytes]:
    paths = sorted(path for path in out.iterdir() if path.name.endswith(suffix))
    assert all(Path(f"{path}.done").exists() for path in paths)
    return [path.read_bytes() for path in paths]


Prepared = tuple[list[str | Path], str]


def _parse(tmp_path: Path, model: Path) -> Prepared:
    return ["parse", TOY, "-m", model], ".conllu"


def _reorder(tmp_path: Path, model: Path) -> Prepared:
    return ["reorder", TOY, "-m", model, "--to", "order"], ".txt"


def _meaning(tmp_path: Path, model: Path) -> Prepared:
    return ["meaning", TOY], ".txt"


def _find(tmp_path: Path, model: Path) -> Prepared:
    return ["find", "VERB=v", TOY, "-m", model, "--to", "json"], ".jsonl"


def _roles(tmp_path: Path, model: Path) -> Prepared:
    trees, made = tmp_path / "roles.conllu", tmp_path / "roles.niwaki"
    write_conllu(labelled.reports(12), trees)
    train_roles(trees, made)
    return ["roles", trees, "-m", made], ".conllu"


def _connectives(tmp_path: Path, model: Path) -> Prepared:
    trees, made = tmp_path / "stories.conllu", tmp_path / "connectives.niwaki"
    trees.write_text(connected.as_text(connected.stories()), encoding="utf-8")
    train_connectives(trees, made)
    return ["connectives", trees, "-m", made], ".conllu"


def _compress(tmp_path: Path, model: Path) -> Prepared:
    trees, made = tmp_path / "long.conllu", tmp_path / "short.niwaki"
    trees.write_text(shorter.as_conllu(shorter.pairs()), encoding="utf-8")
    train_compressor(trees, made)
    return ["compress", trees, "-m", made], ".conllu"


def _judge(tmp_path: Path, model: Path) -> Prepared:
    made = tmp_path / "judge.niwaki"
    train_judge(TOY, TOY, made, settings=QUICK_JUDGE)
    return ["judge", TOY, "-m", made], ".txt"


def _rank(tmp_path: Path, model: Path) -> Prepared:
    questions, made = tmp_path / "questions.jsonl", tmp_path / "answers.niwaki"
    questions.write_text(asked.as_text(asked.pool(4)), encoding="utf-8")
    wordnet = asked.small_wordnet(tmp_path / "wordnet")
    train_ranker(asked.pool(), made, wordnet=wordnet)
    return ["rank", questions, "-m", made, "--wordnet", wordnet, "--trees"], ".jsonl"


def _extract(tmp_path: Path, model: Path) -> Prepared:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(asked.as_text(asked.pool(4)), encoding="utf-8")
    return ["extract-answers", questions, "--parser", model, "--by", "frequency,syntax"], ".jsonl"


def _translate(tmp_path: Path, model: Path) -> Prepared:
    text, _ = files = translating.write_pairs(tmp_path)
    translate_train(*files, tmp_path / "system", preorder="ja", model=model)
    return ["translate-run", text, "-m", tmp_path / "system"], ".txt"


@pytest.mark.parametrize(
    "prepare",
    [
        *(_parse, _reorder, _meaning, _find, _roles, _connectives, _compress, _judge),
        *(_rank, _extract, _translate),
    ],
    ids=lambda prepare: prepare.__name__.strip("_"),
)
def test_shards_are_the_whole(
    prepare: Callable[[Path, Path], Prepared], tmp_path: Path, model_path: Path, capsys: Captured
) -> None:
    words, suffix = prepare(tmp_path, model_path)
    assert over_shards(tmp_path / "out", *words) == 0
    assert " retries, 0 quarantined\n" in capsys.readouterr().out
    made = outputs(tmp_path / "out", suffix)
    assert len(made) > 1
    assert b"".join(made) == whole(tmp_path, *words)


def test_evaluate_adds_up_what_shards_count(
    tmp_path: Path, model_path: Path, capsys: Captured
) -> None:
    words = ["evaluate", TOY, "-m", model_path, "--tree-edits", "--intervals", "--json"]
    assert main(list(map(str, words))) == 0
    expected = json.loads(capsys.readouterr().out)
    assert over_shards(tmp_path / "out", *words) == 0
    found = capsys.readouterr()
    assert json.loads(found.out) == expected
    # Before it stand lines of progress, where the machine is slow.
    assert json.loads(found.err.splitlines()[-1])["shards"] > 1


def test_align_applies_what_it_has_learned(tmp_path: Path, capsys: Captured) -> None:
    source, target, made = (tmp_path / name for name in ("text.en", "text.ja", "links.niwaki"))
    pairs = [
        ("the old pine", "furui matsu"),
        ("the pine leans", "matsu ga katamuku"),
        ("an old pond", "furui ike"),
        ("the pond", "ike"),
    ] * 20
    source.write_text("".join(f"{one}\n" for one, _ in pairs))
    target.write_text("".join(f"{other}\n" for _, other in pairs))
    learned = whole(tmp_path, "align", source, target, "--save", made)
    assert b"1-0 2-1\n" in learned
    words = ["align", source, target, "--apply", made]
    assert whole(tmp_path, *words) == learned
    assert over_shards(tmp_path / "out", *words) == 0
    shards = outputs(tmp_path / "out", ".txt")
    assert len(shards) > 1 and b"".join(shards) == learned
    # Words that were never seen are placed by those beside them.
    source.write_text("the crane pond 1853\n\n")
    target.write_text("tsuru ike 1853\n\n")
    assert whole(tmp_path, *words, "--on-error", "skip") == b"1-0 2-1 3-2\n\n"
    assert over_shards(tmp_path / "few", *words) == 0
    assert outputs(tmp_path / "few", ".txt") == [b"1-0 2-1 3-2\n\n"]
    source.write_text("the\npond\nalone\n")
    assert over_shards(tmp_path / "uneven", *words) == 1
    assert "text.en:3:LINE: no line beside it" in capsys.readouterr().err


@pytest.mark.usefixtures("small_ray")
def test_ray_runs_commands(tmp_path: Path, model_path: Path) -> None:
    words = ["parse", TOY, "-m", model_path]
    assert over_shards(tmp_path / "out", *words, "--engine", "ray") == 0
    assert b"".join(outputs(tmp_path / "out", ".conllu")) == whole(tmp_path, *words)


@pytest.mark.parametrize("pack", ["gz", "zst", "parquet"])
def test_outputs_are_packed(pack: str, tmp_path: Path, model_path: Path, capsys: Captured) -> None:
    pytest.importorskip("pyarrow", reason="install niwaki[scale] to test its formats")
    pytest.importorskip("zstandard", reason="install niwaki[scale] to test its formats")
    words = ["parse", TOY, "-m", model_path, "--pack", pack]
    assert over_shards(tmp_path / "out", *words) == 0
    suffix = ".parquet" if pack == "parquet" else f".conllu.{pack}"
    paths = sorted((tmp_path / "out").glob(f"*{suffix}"))
    expected = whole(tmp_path, "parse", TOY, "-m", model_path)
    if pack != "parquet":
        read = [sentence for path in paths for sentence in read_conllu(path)]
        assert b"".join(each.source for each in read) == expected
        return
    # Trees of a Parquet file are the input of the next command.
    assert over_shards(tmp_path / "next", "reorder", *paths) == 0
    (tmp_path / "trees.conllu").write_bytes(expected)
    ordered = whole(tmp_path, "reorder", tmp_path / "trees.conllu")
    assert b"".join(outputs(tmp_path / "next", ".txt")) == ordered


def test_texts_of_records_are_split_and_keep_their_documents(tmp_path: Path) -> None:
    texts = [f"The {name} leans. Monks planted it." for name in ("pine", "fir", "oak")]
    path = tmp_path / "texts.jsonl"
    lines = [json.dumps({"id": f"d{number}", "text": text}) for number, text in enumerate(texts)]
    path.write_text("\n".join(lines) + "\nno JSON\n")
    assert over_shards(tmp_path / "out", "parse", path, "--beam", "1") == 0
    (made,) = (tmp_path / "out").glob("*.conllu")
    read = list(read_conllu(made))
    assert [each.id for each in read] == ["d0-1", "d0-2", "d1-1", "d1-2", "d2-1", "d2-2"]
    assert [each.metadata.get("newdoc id") for each in read] == ["d0", None, "d1", None, "d2", None]
    (bad,) = (tmp_path / "out" / "quarantine.jsonl").read_text().splitlines()
    record = json.loads(bad)
    assert (record["line"], record["text"]) == (4, "no JSON\n")


def test_sentences_that_cannot_be_read_are_quarantined(
    tmp_path: Path, model_path: Path, capsys: Captured
) -> None:
    sentences = [sentence.source for sentence in read_conllu(TOY)]
    path = tmp_path / "faulty.conllu"
    path.write_bytes(b"".join([*sentences[:5], b"1\tbad\n\n", *sentences[5:]]))
    assert over_shards(tmp_path / "out", "parse", path, "-m", model_path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["quarantined"] == 1
    (record,) = map(json.loads, (tmp_path / "out" / "quarantine.jsonl").read_text().splitlines())
    assert record["line"] == b"".join(sentences[:5]).count(b"\n") + 1
    assert b"".join(outputs(tmp_path / "out", ".conllu")) == whole(
        tmp_path, "parse", TOY, "-m", model_path
    )


def test_a_job_of_nothing_but_faults_fails(tmp_path: Path, model_path: Path) -> None:
    path = tmp_path / "faulty.conllu"
    path.write_bytes(b"1\tbad\n\n2\tworse\n\n")
    assert over_shards(tmp_path / "out", "parse", path, "-m", model_path) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["parse", "no.txt", "--shards", "out"], "no.txt: no file; --shards needs files"),
        (["parse", "--shards", "out"], "--shards needs files; standard input"),
        (["parse", "a.txt", "b.txt"], "2 files; give one, or --shards FOLDER"),
        (["parse", TOY, "--shards", "out", "-o", "x"], "leave out -o"),
        (["parse", TOY, "--shards", "out", "--links", "l"], "--links goes with one file"),
        (["parse", TOY, "--shards", "out", "--engine", "x"], "no engine 'x'; give local, ray"),
        (["parse", TOY, "--shards", "out", "-m", "nobody"], "no model 'nobody'"),
        (
            ["parse", TOY, "--shards", "out", "--to", "json", "--pack", "parquet"],
            "--pack parquet is for trees, not for json",
        ),
        (["parse", TOY, "--shards", "out", "--decode", "x"], "decode"),
        (["align", TOY, TOY, "--shards", "out"], "--shards needs --apply MODEL"),
        (["align", TOY, TOY, "--apply", TOY], "not a niwaki model"),
        (["evaluate", TOY, TOY, "--shards", "out"], "--shards is for -m"),
        (["evaluate", TOY, "-m", "en", "--raw", "--shards", "out"], "leave out --shards"),
        (["find", "VERB", TOY, "--first", "1", "--shards", "out"], "leave out --shards"),
        (["reorder", TOY, "--shards", "out", "--rules", "xx"], "xx"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    words: list[str | Path],
    message: str,
    tmp_path: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*map(str, words)]) == 1
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def _workers_of(head: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == head:
            found.append(int(path.parent.name))
    return found


def test_a_command_whose_workers_and_head_are_killed(
    tmp_path: Path, model_path: Path, toy: list[Sentence]
) -> None:
    """Whatever they were doing when it happened."""
    corpus = tmp_path / "corpus.conllu.gz"
    data = b"".join(sentence.source for sentence in toy)
    corpus.write_bytes(gzip.compress(data * (3_000_000 // len(data))))
    words = ["parse", str(corpus), "-m", str(model_path), "--shard-size", "1", "--shards"]
    out, calm = tmp_path / "out", tmp_path / "calm"
    command = [sys.executable, "-m", "niwaki", *words]
    with subprocess.Popen([*command, str(out), "--workers", "1"]) as head:
        while not list(out.glob("*.done")):
            time.sleep(0.01)
        head.kill()
    with subprocess.Popen([*command, str(out), "--workers", "1"], stdout=subprocess.PIPE) as head:
        killed = 0
        while not killed and head.poll() is None:
            for worker in _workers_of(head.pid):
                os.kill(worker, signal.SIGKILL)
                killed += 1
        said, _ = head.communicate()
    assert killed and head.returncode == 0, said
    assert subprocess.run([*command, str(calm), "--workers", "2"], check=True).returncode == 0
    one, other = ({p.name: p.read_bytes() for p in folder.iterdir()} for folder in (out, calm))
    assert len(one) >= 5 and one == other


def test_a_question_that_cannot_be_read_is_quarantined(
    tmp_path: Path, model_path: Path, capsys: Captured
) -> None:
    words, _ = _extract(tmp_path, model_path)
    with open(tmp_path / "questions.jsonl", "a", encoding="utf-8") as file:
        file.write('{"question": 7}\n')
    assert over_shards(tmp_path / "out", *words) == 0
    (bad,) = map(json.loads, (tmp_path / "out" / "quarantine.jsonl").read_text().splitlines())
    assert bad["line"] == 5 and bad["text"] == '{"question": 7}\n' and "question" in bad["reason"]


def test_a_system_that_changed_is_another_job(
    tmp_path: Path, model_path: Path, capsys: Captured
) -> None:
    words, _ = _translate(tmp_path, model_path)
    assert over_shards(tmp_path / "out", *words) == 0
    weights = tmp_path / "system" / "weights.json"
    weights.write_text(weights.read_text() + "\n")
    assert over_shards(tmp_path / "out", *words) != 0
    assert "a job with other settings" in capsys.readouterr().err


def test_lines_are_not_looked_for_in_parquet(
    tmp_path: Path, model_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "questions.parquet"
    file.write_bytes(b"")
    assert over_shards(tmp_path / "out", "extract-answers", file) != 0
    assert "extract-answers reads lines" in capsys.readouterr().err
