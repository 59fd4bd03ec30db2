"""Training, parsing and scoring from the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import METRICS
from niwaki.pipeline.pipeline import Pipeline
from tests.toy import TOY, niwaki, quick_model, without, write

WORDS = "The heron watches the pond .\nSnow fell .\n"
INTERVAL = re.compile(r"^(\w+) +[\d.]+ +[\d.]+ +[-+][\d.]+[* ] +\[ *([-+][\d.]+), +([-+][\d.]+)\]")


def sentences(text: str) -> list[Sentence]:
    return [Sentence.from_conllu(f"{block}\n\n") for block in text.strip().split("\n\n")]


# -- train -----------------------------------------------------------------------


def test_training_goes_on_when_nobody_reads_its_progress(tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    settings = "--set training.epochs=2 --set tagger.folds=2 --threads 1"
    words = f"{sys.executable} -m niwaki train --data {TOY} -o {path} {settings}"
    # The exit status is that of `niwaki`, whose first line alone is read.
    whole = f"({words}; echo $? > {tmp_path}/status) 2>&1 | head -n 1"
    done = subprocess.run(whole, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert (tmp_path / "status").read_text() == "0\n"
    assert niwaki("parse", "-m", path, stdin="Snow fell .\n").returncode == 0


def test_train(tmp_path: Path) -> None:
    (tmp_path / "dev.conllu").write_bytes(TOY.read_bytes())
    config = tmp_path / "c.toml"
    config.write_text(
        f'[card]\nname = "toy"\nlicences = ["CC0"]\n[[objective]]\ndata = "{TOY}"\n'
        '[training]\ndev = "dev.conllu"\ngreedy_epochs = 2\n[tagger]\nfolds = 2\nepochs = 2\n'
    )
    path = tmp_path / "m.niwaki"
    words = ["train", config, "-o", path, "--threads", "1"]
    done = niwaki(*words, "--set", "model.beam=2", "--set", "training.epochs=2")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == "33 sentences, 236 words"
    assert "non-projective" in lines[1]
    epochs = [line for line in lines if re.match(r"(parser|greedy) epoch [12]/2: ", line)]
    assert len(epochs) == 4
    assert all(re.search(r"dev UAS [\d.]+ LAS [\d.]+$", line) for line in epochs)
    assert lines[-1].startswith(f"wrote {path} after ")
    assert sorted(os.listdir(tmp_path)) == [
        "c.toml",
        "dev.conllu",
        "m.niwaki",
        "m.niwaki.log.jsonl",
    ]
    card = niwaki("info", path)
    assert card.returncode == 0
    assert "  name: toy\n" in card.stdout and "  licences: CC0\n" in card.stdout
    assert "  beam: 2\n" in card.stdout and "scores_on_dev\n" in card.stdout
    assert "weights-parser.safetensors: " in card.stdout
    assert str(tmp_path) not in card.stdout
    whole = json.loads(niwaki("info", path, "--json").stdout)
    assert whole["training"]["epochs"] == 2
    assert set(whole["scores_on_dev"]["beam"]) == set(METRICS)


QUICKLY = [
    *("--threads", "1", "--set", "model.beam=2", "--set", "training.epochs=2"),
    *("--set", "training.greedy_epochs=1", "--set", "tagger.folds=2", "--set", "tagger.epochs=1"),
]


def test_train_without_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    done = niwaki("train", "--data", TOY, "--dev", TOY, "-o", path, *QUICKLY)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    title = lines.index("scores on the development data, in percent")
    assert lines[title + 1].split() == list(METRICS)
    beam = json.loads(niwaki("info", path, "--json").stdout)["scores_on_dev"]["beam"]
    assert lines[title + 2].split() == ["beam", *(f"{beam[name]:.2f}" for name in METRICS)]
    epochs = [line for line in lines if line.startswith("parser epoch")]
    best = max(epochs, key=lambda line: float(line.split()[-1]))
    number, las = best.split()[2].partition("/")[0], best.split()[-1]
    assert f"parser: epoch {number} of 2 is kept, the best one, LAS {las}" in lines
    assert "greedy: epoch 1 of 1 is kept, the best one" in done.stderr
    assert lines[-2] == f"next: niwaki evaluate TEST.conllu -m {path}, niwaki parse FILE -m {path}"
    config = tmp_path / "c.toml"
    chosen = '[model]\nfeatures = "suffixes"\n[tagger]\nruns = 2\n'  # from the data
    trained = f'[training]\nruns = 2\ndev = "{TOY}"\n'
    config.write_text(f'{chosen}{trained}[[objective]]\ndata = ["{TOY}"]\n')
    other = tmp_path / "other.niwaki"
    assert niwaki("train", config, "-o", other, *QUICKLY).returncode == 0
    assert path.read_bytes() == other.read_bytes(), "a file that says the same gives the same"


def test_train_without_development_data_says_what_that_means(tmp_path: Path) -> None:
    done = niwaki("train", "--data", TOY, "-o", tmp_path / "m.niwaki", *QUICKLY)
    assert done.returncode == 0, done.stderr
    assert "parser: epoch 2 of 2 is kept, the last one\n" in done.stderr
    said = "no development data: nothing is scored{}; give --dev, or training.dev\n"
    assert said.format(", and the model gives no probabilities") in done.stderr
    assert "scores on" not in done.stderr
    # A model that is trained on keeps the probabilities that it had.
    more = ("--init", "en", "-o", tmp_path / "more.niwaki", "--set", "training.epochs=1")
    done = niwaki("train", "--data", TOY, *more)
    assert done.returncode == 0, done.stderr
    assert said.format("") in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give either CONFIG.toml or --data TRAIN.conllu"),
        (["c.toml", "--data", TOY], "give either CONFIG.toml or --data TRAIN.conllu"),
        (
            ["c.toml", "--dev", TOY],
            "--dev is for --data; beside a file say --set training.dev=FILE",
        ),
        (["--data", "no.conllu"], "no.conllu: no such file; give CoNLL-U for --data and --dev"),
        (["--data", TOY, "--dev", "no"], "no: no such file; give CoNLL-U for --data and --dev"),
        (["--data", TOY, "--set", "model.beem=3"], "unknown key model.beem"),
    ],
)
def test_train_says_what_is_missing(tmp_path: Path, words: list[str], message: str) -> None:
    done = niwaki("train", *words, "-o", tmp_path / "m.niwaki")
    assert done.returncode == 1
    assert done.stderr.startswith("niwaki: ") and message in done.stderr


def test_the_output_is_checked_before_anything_runs(tmp_path: Path) -> None:
    # The configuration is wrong, too, and that would be said if it were read.
    words = ["train", "missing.toml", "-o"]
    nowhere = tmp_path / "nowhere" / "m.niwaki"
    done = niwaki(*words, nowhere)
    assert done.stderr == f"niwaki: {nowhere}: no folder {nowhere.parent}; make it first\n"
    done = niwaki(*words, tmp_path)
    assert done.stderr == f"niwaki: {tmp_path}: a folder; give the name of a file in it\n"
    for command in ("self-train", "uptrain"):
        more = ["--model", "en"] if command == "self-train" else ["--teacher-trees", TOY]
        done = niwaki(command, "missing.toml", *more, "-o", nowhere)
        assert "no folder" in done.stderr, done.stderr
    done = niwaki("adapt", "en", "--for", "missing.toml", "-o", nowhere)
    assert "no folder" in done.stderr, done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    done = niwaki("train", "--data", TOY, "-o", closed / "m.niwaki")
    assert done.returncode == 1 and f"the folder {closed} cannot be written to" in done.stderr


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        ('[[objective]]\ndata = "no.conllu"\n', [], "no file"),
        ("[model]\nbeem = 3\n", [], "unknown key model.beem; did you mean 'beam'?"),
        (f'[[objective]]\ndata = "{TOY}"\n', ["--set", "model.beam=0"], "give at least 1"),
    ],
)
def test_train_refuses_in_one_line(
    tmp_path: Path, text: str, overrides: list[str], message: str
) -> None:
    config = tmp_path / "c.toml"
    config.write_text(text)
    done = niwaki("train", config, "-o", tmp_path / "m.niwaki", *overrides)
    assert done.returncode == 1
    assert done.stderr.startswith("niwaki: ") and message in done.stderr
    assert done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == ["c.toml"]


# -- parse -----------------------------------------------------------------------


def test_parse_conllu(
    model: Pipeline, model_path: Path, toy: list[Sentence], tmp_path: Path
) -> None:
    bare = without(toy, "lemmas", "upos", "xpos", "feats")
    file = write(tmp_path / "in.conllu", bare)
    expected = b"".join(sentence.source for sentence in model.parse(bare))
    out = tmp_path / "out.conllu"
    done = niwaki("parse", file, "-m", model_path, "-o", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert out.read_bytes() == expected
    piped = niwaki("parse", "-m", model_path, "--threads", "2", stdin=file.read_text())
    assert piped.stdout.encode() == expected


def test_parse_tokens(model_path: Path) -> None:
    done = niwaki("parse", "-", "-m", model_path, stdin=WORDS)
    assert done.returncode == 0
    one, other = sentences(done.stdout)
    assert one.forms == tuple("The heron watches the pond .".split())
    assert other.text == "Snow fell ."
    for sentence in (one, other):
        assert sentence.tree.is_complete
        assert "_" not in sentence.upos + sentence.lemmas
    # Words that look like the beginning of CoNLL-U.
    named = niwaki("parse", "-m", model_path, "--from", "tokens", stdin="# 1 pine\n")
    assert [s.forms for s in sentences(named.stdout)] == [("#", "1", "pine")]


def test_given_tags_are_predicted_or_kept(model_path: Path, toy: list[Sentence]) -> None:
    odd = toy[0].replace(upos=["ODD"] * 6, lemmas=["odd"] * 6)
    kept = niwaki("parse", "-m", model_path, "--tags", "keep", stdin=str(odd))
    (sentence,) = sentences(kept.stdout)
    assert (sentence.upos, sentence.lemmas) == (odd.upos, odd.lemmas)
    again = niwaki("parse", "-m", model_path, stdin=str(odd))
    (sentence,) = sentences(again.stdout)
    assert (sentence.upos, sentence.lemmas) == (toy[0].upos, toy[0].lemmas)


@pytest.mark.parametrize("tags", [[], ["--tags", "predict"], ["--tags", "keep"]])
def test_a_model_scores_as_its_output_does(
    model_path: Path, toy: list[Sentence], tmp_path: Path, tags: list[str]
) -> None:
    odd = [s.replace(upos=["ODD"] * len(s), xpos=["ODD"] * len(s)) for s in toy]
    gold, out = write(tmp_path / "gold.conllu", odd), tmp_path / "out.conllu"
    model = ["-m", model_path, "--beam", "1", *tags]
    assert niwaki("parse", gold, *model, "-o", out).returncode == 0
    by_model = json.loads(niwaki("evaluate", gold, *model, "--json").stdout)
    by_file = json.loads(niwaki("evaluate", gold, out, "--json").stdout)
    for name in ("UAS", "LAS", "CLAS"):
        assert by_model[name] == by_file[name]
    used = tags[-1] if tags else "predict"
    assert by_model["signature"] == f"{by_model['signature'].rpartition('|')[0]}|tags={used}"
    # What was given was not predicted, and has no score.
    assert by_model["UPOS"] == (by_file["UPOS"] if used == "predict" else None)


def test_tags_are_spoken_of_in_one_way() -> None:
    helps = [niwaki(command, "--help").stdout for command in ("parse", "evaluate")]
    for text in helps:
        plain = " ".join(text.split())
        assert "--tags {predict,keep}" in plain
        assert "predicted anew, or kept and used (default: predict, in" in plain
    for command in ("parse", "evaluate", "reorder"):
        for old, new in (("--retag", "--tags predict"), ("--gold-tags", "--tags keep")):
            done = niwaki(command, TOY, old)
            assert done.returncode == 2 and f"{old} is now {new}" in done.stderr


def test_kbest_as_json(model: Pipeline, model_path: Path) -> None:
    done = niwaki("parse", "-m", model_path, "-k", "3", stdin=WORDS)
    assert done.returncode == 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["tokens"] for record in records] == [line.split() for line in WORDS.splitlines()]
    for record in records:
        found = model.kbest(Sentence.from_words(record["tokens"]), 3)
        assert record["upos"] == list(found.sentence.upos)
        assert [parse["heads"] for parse in record["parses"]] == [list(t.heads) for t in found]
        assert [parse["deprels"] for parse in record["parses"]] == [list(t.deprels) for t in found]
        assert [parse["score"] for parse in record["parses"]] == pytest.approx(found.scores)
        assert sum(parse["probability"] for parse in record["parses"]) == pytest.approx(1)


def test_kbest_as_conllu(model_path: Path, toy: list[Sentence]) -> None:
    ranged = toy[16]
    assert ranged.ranges
    done = niwaki("parse", "-m", model_path, "-k", "3", "--to", "conllu", stdin=str(ranged))
    found = sentences(done.stdout)
    assert [sentence.metadata["rank"] for sentence in found] == ["1", "2", "3"]
    assert {sentence.id for sentence in found} == {"toy-17"}
    assert {sentence.ranges for sentence in found} == {ranged.ranges}
    assert len({sentence.tree for sentence in found}) == 3
    for name in ("score", "probability"):
        values = [float(sentence.metadata[name]) for sentence in found]
        assert values == sorted(values, reverse=True)


def test_weights_for_greedy_search_alone(model_path: Path, tmp_path: Path) -> None:
    """They serve no beam, and who asks for one is told so."""
    alone = tmp_path / "greedy.niwaki"
    quick_model(alone, model={"beam": 1})
    for option in (["-k", "2"], ["--beam", "4"]):
        done = niwaki("parse", "-m", alone, *option, stdin=WORDS)
        assert done.returncode == 0
        assert done.stderr.startswith("niwaki: this model has weights for greedy search alone: ")
        assert niwaki("parse", "-m", model_path, *option, stdin=WORDS).stderr == ""
    assert niwaki("parse", "-m", alone, "--beam", "1", stdin=WORDS).stderr == ""


@pytest.mark.parametrize("beam", ["1", "4"])
def test_json_and_conllu_hold_the_same_trees(model_path: Path, beam: str) -> None:
    text = "".join(f"{' '.join(s.forms)}\n" for s in read_conllu(TOY))
    options = ["parse", "-m", model_path, "--beam", beam, "--from", "tokens"]
    plain = sentences(niwaki(*options, stdin=text).stdout)
    records = map(json.loads, niwaki(*options, "--to", "json", stdin=text).stdout.splitlines())
    found = [(tuple(record["heads"]), tuple(record["deprels"])) for record in records]
    assert found == [(sentence.heads, sentence.deprels) for sentence in plain]


@pytest.mark.parametrize("option", [["--beam", "0"], ["-k", "x"]])
def test_impossible_numbers_are_refused_in_one_line(model_path: Path, option: list[str]) -> None:
    done = niwaki("parse", "-m", model_path, *option, stdin=WORDS)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert "at least 1" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_model_is_one_line_with_advice() -> None:
    done = niwaki("parse", TOY, "-m", "nowhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("niwaki: no model 'nowhere': neither a file nor bundled ")
    assert done.stderr.count("\n") == 1
    # Something that can be done about it.
    assert re.search(r"known: \S|niwaki train", done.stderr)


def test_bad_files_are_one_line(model_path: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\tpine\n\n")
    done = niwaki("parse", broken, "-m", model_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"niwaki: {broken}:1:LINE: ")
    assert done.stderr.count("\n") == 1
    foreign = niwaki("parse", TOY, "-m", TOY)
    assert foreign.returncode == 1
    assert "not a niwaki model" in foreign.stderr and foreign.stderr.count("\n") == 1


# -- evaluate and compare --------------------------------------------------------


def test_evaluate_a_system(toy: list[Sentence], tmp_path: Path) -> None:
    wrong = [s.replace(deprels=[label.partition(":")[0] for label in s.deprels]) for s in toy]
    system = write(tmp_path / "system.conllu", wrong)
    done = niwaki("evaluate", TOY, system)
    assert done.returncode == 0
    *lines, signature = done.stdout.splitlines()
    scores = {line.split()[0]: float(line.split()[1]) for line in lines}
    assert tuple(scores) == METRICS
    subtypes = sum(":" in label for s in toy for label in s.deprels)
    assert scores["LAS"] == pytest.approx(100 * (236 - subtypes) / 236, abs=0.01)
    assert {score for name, score in scores.items() if name != "LAS"} == {100.0}
    assert "sentences=33|words=236" in signature
    answer = json.loads(niwaki("evaluate", TOY, system, "--json").stdout)
    assert answer["LAS"] == pytest.approx(scores["LAS"], abs=0.01)
    assert answer["signature"] == signature
    assert signature.startswith("niwaki=0.") and "|metric=attachment|" in signature


def test_evaluate_with_intervals_and_nonprojective_arcs(
    toy: list[Sentence], tmp_path: Path
) -> None:
    flat = write(
        tmp_path / "flat.conllu",
        [s.replace(heads=[0, *[1] * (len(s) - 1)], deprels=["dep"] * len(s)) for s in toy],
    )
    done = niwaki("evaluate", TOY, flat, "--nonprojective", "--intervals", "--samples", "300")
    assert done.returncode == 0, done.stderr
    *lines, signature = done.stdout.splitlines()
    row = re.compile(r"^(\w+) +([\d.]+)  \[ *([\d.]+), +([\d.]+)\]$")
    found = {m[1]: [float(m[n]) for n in (2, 3, 4)] for m in map(row.match, lines) if m}
    names = [f"nonprojective_{name}" for name in ("precision", "recall", "F1")]
    assert list(found) == [*METRICS, *names]
    score, low, high = found["UAS"]
    assert 0 <= low < score < high < 100
    assert found["nonprojective_recall"] == [0, 0, 0]
    assert signature.endswith("|nonprojective arcs=1 gold, 0 system|bootstrap=300|seed=1")
    record = json.loads(
        niwaki("evaluate", TOY, flat, "--intervals", "--samples", "300", "--json").stdout
    )
    assert record["intervals"]["UAS"] == pytest.approx([low, high], abs=0.01)


@pytest.mark.parametrize("flag", ["--nonprojective", "--calibration", "--tree-edits"])
def test_what_needs_gold_words_is_refused_with_raw_text(flag: str) -> None:
    done = niwaki("evaluate", TOY, TOY, "--raw", flag)
    assert done.returncode == 1
    assert done.stderr == f"niwaki: {flag} needs the gold words; leave out --raw\n"


def test_evaluate_a_model(
    model: Pipeline, model_path: Path, toy: list[Sentence], tmp_path: Path
) -> None:
    parsed = write(tmp_path / "parsed.conllu", model.parse(toy, retag=True, beam=2))
    by_file = niwaki("evaluate", TOY, parsed)
    by_model = niwaki("evaluate", TOY, "-m", model_path, "--beam", "2", "--threads", "2")
    assert by_model.returncode == 0
    *scores, note, signature = by_model.stdout.splitlines()
    assert [*scores, signature] == [
        *by_file.stdout.splitlines()[:-1],
        by_file.stdout.splitlines()[-1] + "|tags=predict",
    ]
    assert note.startswith(f"note: {len(toy)} of {len(toy)} sentences were learned by this model;")
    odd = write(tmp_path / "odd.conllu", [s.replace(upos=["ODD"] * len(s)) for s in toy])
    answers = [
        json.loads(niwaki("evaluate", odd, "-m", model_path, "--json", *extra).stdout)
        for extra in ([], ["--tags", "keep"])
    ]
    assert [answer["UPOS"] for answer in answers] == [0.0, None]


def test_evaluate_needs_one_thing_to_score(model_path: Path) -> None:
    for words in ([TOY], [TOY, TOY, "-m", model_path]):
        done = niwaki("evaluate", *words)
        assert done.returncode == 1
        assert done.stderr == "niwaki: give either SYSTEM or -m MODEL\n"


def test_compare(model: Pipeline, toy: list[Sentence], tmp_path: Path) -> None:
    good = write(tmp_path / "good.conllu", model.parse(toy))
    flat = write(
        tmp_path / "flat.conllu",
        [
            s.replace(heads=[0, *[1] * (len(s) - 1)], deprels=["root", *["dep"] * (len(s) - 1)])
            for s in toy
        ],
    )
    done = niwaki("compare", TOY, flat, good, "--samples", "500")
    assert done.returncode == 0
    rows = {match[1]: match for match in map(INTERVAL.match, done.stdout.splitlines()) if match}
    assert tuple(rows) == METRICS
    assert 0 < float(rows["LAS"][2]) < float(rows["LAS"][3])
    assert "*" in rows["LAS"].string
    assert (float(rows["UPOS"][2]), float(rows["UPOS"][3])) == (0, 0)
    assert "bootstrap=500|seed=1" in done.stdout.splitlines()[-1]
    again = niwaki("compare", TOY, flat, good, "--samples", "500", "--json")
    record = json.loads(again.stdout)
    assert record["LAS"]["low"] == pytest.approx(float(rows["LAS"][2]), abs=0.01)
    assert record["LAS"]["difference"] > 0
    swapped = niwaki("compare", TOY, flat, good, "--samples", "99", "--test", "randomization")
    assert swapped.stdout.splitlines()[-1].endswith("|bootstrap=99|seed=1|p=randomization")
    (line,) = [line for line in swapped.stdout.splitlines() if line.startswith("LAS ")]
    assert line.endswith(" 0.0100")


def test_compare_segmentations(toy: list[Sentence], tmp_path: Path) -> None:
    """To one system, the words of half of the sentences are sentences of their own."""
    cut = [Sentence.from_words([word]) for s in toy[:16] for word in s.forms]
    cut += [Sentence.from_words(s.forms) for s in toy[16:]]
    pieces = write(tmp_path / "pieces.conllu", cut)
    plain = write(tmp_path / "plain.conllu", [Sentence.from_words(s.forms) for s in toy])
    done = niwaki("compare", plain, pieces, plain, "--raw", "--samples", "200")
    assert done.returncode == 0, done.stderr
    rows = {match[1]: match for match in map(INTERVAL.match, done.stdout.splitlines()) if match}
    assert 0 < float(rows["Sentences"][2]) < float(rows["Sentences"][3]) <= 100
    assert (float(rows["Tokens"][2]), float(rows["Tokens"][3])) == (0, 0)
    assert "|metric=segmentation|" in done.stdout.splitlines()[-1]


def test_compare_refuses_other_words(toy: list[Sentence], tmp_path: Path) -> None:
    fewer = write(tmp_path / "fewer.conllu", toy[:-1])
    done = niwaki("compare", TOY, TOY, fewer)
    assert done.returncode == 1
    assert "a sentence without a partner" in done.stderr and done.stderr.count("\n") == 1


def test_compare_refuses_impossible_seeds() -> None:
    done = niwaki("compare", TOY, TOY, TOY, "--samples", "10", "--seed", "-1")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
