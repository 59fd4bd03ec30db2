"""Every command has its verb, and both give the same answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki import cli
from niwaki.analysis.tradeoff import as_text
from niwaki.data.answers import write_rankings
from niwaki.data.bilingual.bitext import write_links
from niwaki.data.bilingual.posteriors import write_posteriors
from niwaki.data.bilingual.references import write_references
from niwaki.data.extraction import write_extracted
from niwaki.data.judged import with_judgement
from niwaki.data.sentence import Sentence
from niwaki.features.clusters import write_clusters
from niwaki.learning.boosting import BoostingSettings
from niwaki.serve import server
from niwaki.tasks.answers.model import Settings as AnswerSettings
from niwaki.tasks.extraction.model import Settings as ExtractionSettings
from niwaki.tasks.grammar.judge import Settings as JudgeSettings
from niwaki.tasks.reorder.rulewriting import format_rules
from niwaki.tasks.translate.senses.learning import SenseSettings
from niwaki.tasks.translate.tuning import TuningSettings
from tests.conftest import ROOT
from tests.release import QUICKLY, write_release
from tests.toy import TOY, write

EXAMPLES = ROOT / "examples"
SOURCE, TARGET, LINKS = (EXAMPLES / f"garden.{end}" for end in ("en", "ja", "align"))
JOINED = EXAMPLES / "connectives.conllu"
SHORTENED = EXAMPLES / "shorter.jsonl"
LABELLED = EXAMPLES / "roles.conllu"
MEANT = EXAMPLES / "meaning.tsv"
ASKED = EXAMPLES / "answers.jsonl"
ORDER = [EXAMPLES / f"order.{end}" for end in ("en", "ja", "links")]

QUICK_JUDGE = JudgeSettings(boosting=BoostingSettings(rounds=5))

# Rooms have these names, and a package cannot be called.
OTHER_NAMES = {"draw": "draw_trees", "serve": "open_workbench"}


@dataclass
class Bench:
    """A folder with small files, and a way to run commands."""

    folder: Path
    model: Path
    capfd: pytest.CaptureFixture[str]

    def collection(self) -> Path:
        """A folder with a model and the index of it."""
        folder = self.folder / "models"
        folder.mkdir()
        (folder / "garden.niwaki").write_bytes(self.model.read_bytes())
        niwaki.index_models(folder)
        return folder

    def run(self, *words: object) -> str:
        """What a command prints."""
        self.capfd.readouterr()
        assert cli.main([str(word) for word in words]) == 0, self.capfd.readouterr().err
        return self.capfd.readouterr().out

    def json(self, *words: object) -> Any:
        return json.loads(self.run(*words, "--json"))

    def file(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        if text:
            path.write_text(text, encoding="utf-8")
        return path

    def flat(self) -> Path:
        """Trees of the treebank in which all words hang from the first."""
        trees = [
            s.replace(heads=[0, *[1] * (len(s) - 1)], deprels=["root", *["dep"] * (len(s) - 1)])
            for s in niwaki.read_conllu(TOY)
        ]
        return write(self.folder / "flat.conllu", trees)

    def references(self) -> tuple[Path, Path]:
        """Reference orders, and trees of their sentences."""
        made = self.file("references.jsonl")
        write_references(niwaki.references(*ORDER), made)
        words = [Sentence.from_words(line.split()) for line in ORDER[0].read_text().splitlines()]
        trees = self.file("order.conllu")
        niwaki.write_conllu(niwaki.load(self.model).parse(words), trees)
        return made, trees

    def task(self) -> Path:
        """A configuration with a treebank and a cost."""
        return self.file(
            "task.toml",
            f'[[objective]]\ndata = "{TOY}"\n\n'
            f'[[objective]]\nkind = "reordering"\nrules = "ja"\ndata = "{self.references()[0]}"\n\n'
            "[model]\nbeam = 4\n[tagger]\nepochs = 1\nfolds = 2\n"
            "[training]\nepochs = 1\ngreedy_epochs = 1\n",
        )


@pytest.fixture
def bench(tmp_path: Path, model_path: Path, capfd: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, model_path, capfd)


def as_json(found: Any) -> Any:
    """As it is read again."""
    return json.loads(json.dumps(found))


# -- one check for each command ------------------------------------------------------------


def align(bench: Bench) -> None:
    links, text = bench.file("links"), bench.run("align", SOURCE, TARGET)
    write_links(niwaki.align(SOURCE, TARGET), links)
    assert links.read_text() == text
    write_posteriors(niwaki.align_probabilities(SOURCE, TARGET), links)
    assert links.read_text() == bench.run("align", SOURCE, TARGET, "--to", "json")


def analyze(bench: Bench) -> None:
    files = [str(TOY), str(bench.flat())]
    report = niwaki.analyze(TOY, files, samples=20)
    assert as_json(report.to_json()) == bench.json("analyze", TOY, *files, "--samples", 20)


def analyze_bilingual(bench: Bench) -> None:
    files = EXAMPLES / "lanterns.conllu", EXAMPLES / "lanterns.align"
    report = niwaki.analyze_bilingual(*files)
    words = "analyze-bilingual", files[0], "--links", files[1]
    assert as_json(report.to_json()) == bench.json(*words)
    assert report.to_text() == bench.run(*words)


def analyze_curves(bench: Bench) -> None:
    log = str(EXAMPLES / "curves.jsonl")
    assert as_json(niwaki.analyze_curves([log]).to_json()) == bench.json("analyze-curves", log)


def align_perplexity(bench: Bench) -> None:
    target, source = niwaki.align_perplexity(SOURCE, TARGET)
    found = bench.json("align", "perplexity", SOURCE, TARGET)
    assert found == {"target": target, "source": source}


def bridge(bench: Bench) -> None:
    # Through the same language: a bridge from English to English to Japanese.
    same = bench.file("same.align")
    words = [len(line.split()) for line in SOURCE.read_text().splitlines()]
    same.write_text("".join(" ".join(f"{i}-{i}" for i in range(n)) + "\n" for n in words))
    files = SOURCE, SOURCE, TARGET, same, LINKS
    out = bench.file("out")
    write_links(niwaki.bridge(*files), out)
    assert out.read_text() == bench.run("bridge", *files)
    write_posteriors(niwaki.bridge_probabilities(*files, mixed=[LINKS], weights=[1, 3]), out)
    mixed = ("--mix", LINKS, "--weights", "1,3", "--to", "json")
    assert out.read_text() == bench.run("bridge", *files, *mixed)
    several = (SOURCE, same, LINKS), (SOURCE, same, LINKS)
    write_links(niwaki.bridge(*files, via=several), out)
    assert out.read_text() == bench.run(
        "bridge", *files, "--via", *several[0], "--via", *several[1]
    )


def check_rules(bench: Bench) -> None:
    file = bench.file("own.toml", '[[rule]]\nname = "a"\nhead = { label = "acl:own" }\n')
    assert bench.json("check-rules", file) == [as_json(niwaki.check_rules(file).to_json())]
    assert niwaki.check_rules(file).notes


def cluster(bench: Bench) -> None:
    made, found = bench.file("made"), bench.file("found")
    write_clusters(niwaki.cluster([SOURCE, TOY], 4, min_count=1, form=None), made)
    bench.run("cluster", SOURCE, TOY, "-o", found, "--clusters", 4, "--min-count", 1)
    assert made.read_bytes() == found.read_bytes()


def compare(bench: Bench) -> None:
    found = niwaki.compare(TOY, TOY, bench.flat(), samples=20)
    assert as_json(found.to_json()) == bench.json(
        "compare", TOY, TOY, bench.flat(), "--samples", 20
    )


def compress(bench: Bench) -> None:
    model = niwaki.train_compressor(SHORTENED, bench.file("s.niwaki"), parser=bench.model)
    found = niwaki.compress(SHORTENED, model, parser=bench.model, rate=0.6, document=True)
    options = ("--parser", bench.model, "--rate", 0.6, "--document")
    printed = bench.run("compress", SHORTENED, "-m", bench.file("s.niwaki"), *options)
    assert "".join(map(str, found)) == printed


def train_compressor(bench: Bench) -> None:
    made, found = bench.file("made.niwaki"), bench.file("found.niwaki")
    niwaki.train_compressor(SHORTENED, made, parser=bench.model)
    bench.run("train-compressor", SHORTENED, "-o", found, "--parser", bench.model)
    assert made.read_bytes() == found.read_bytes()


def evaluate_compression(bench: Bench) -> None:
    options = ("--parser", bench.model, "--json")
    found = as_json(niwaki.evaluate_compression(SHORTENED, SHORTENED, parser=bench.model).to_json())
    one, copied = bench.run("evaluate-compression", SHORTENED, SHORTENED, *options).splitlines()
    assert found.items() <= json.loads(one).items()
    assert json.loads(copied)["rate"] == 100


def connectives(bench: Bench) -> None:
    model = niwaki.train_connectives(JOINED, bench.file("c.niwaki"))
    found = "".join(map(str, niwaki.connectives(JOINED, model)))
    assert found == bench.run("connectives", JOINED, "-m", bench.file("c.niwaki"))
    relations = "\n".join(map(as_line, niwaki.relations(JOINED, model)))
    words = "connectives", JOINED, "-m", bench.file("c.niwaki"), "--to", "json"
    assert relations.splitlines() == bench.run(*words).splitlines()


def train_connectives(bench: Bench) -> None:
    made, found = bench.file("made.niwaki"), bench.file("found.niwaki")
    niwaki.train_connectives(JOINED, made, parser=bench.model)
    bench.run("train-connectives", JOINED, "-o", found, "--parser", bench.model)
    assert made.read_bytes() == found.read_bytes()


def evaluate_connectives(bench: Bench) -> None:
    found = as_json(niwaki.evaluate_connectives(JOINED, JOINED).to_json())
    assert found.items() <= bench.json("evaluate-connectives", JOINED, JOINED).items()


def corrupt(bench: Bench) -> None:
    found = "".join(map(str, niwaki.corrupt(TOY, ["missing", "all-capitals"], seed=3)))
    words = ("corrupt", TOY, "--kind", "missing", "--kind", "all-capitals", "--seed", 3)
    assert found == bench.run(*words)
    lines = [each.text for each in niwaki.corrupt(TOY, once=True, parser=bench.model)]
    told = bench.run("corrupt", TOY, "--once", "--parser", bench.model, "--to", "text")
    assert lines == told.splitlines()


def judge(bench: Bench) -> None:
    made = bench.file("j.niwaki")
    reader = niwaki.train_judge(TOY, SOURCE, made, settings=QUICK_JUDGE)
    lines = [f"{p:.4f}\t{s.text}" for s, p in niwaki.judge(TOY, reader)]
    assert lines == bench.run("judge", TOY, "-m", made).splitlines()


def train_judge(bench: Bench) -> None:
    made, found = bench.file("made.niwaki"), bench.file("found.niwaki")
    niwaki.train_judge(TOY, [SOURCE, TOY], made, settings=QUICK_JUDGE)
    words = ("train-judge", TOY, "--reference", SOURCE, "--reference", TOY, "-o", found)
    bench.run(*words, "--rounds", 5)
    assert made.read_bytes() == found.read_bytes()


def evaluate_judge(bench: Bench) -> None:
    clean = list(niwaki.read_conllu(TOY))
    both = [*clean, *niwaki.corrupt(clean, once=True)]
    judged = write(bench.file("j.conllu"), [with_judgement(s, len(s) / 20) for s in both])
    found = as_json(niwaki.evaluate_judge(judged, judged).to_json())
    assert found.items() <= bench.json("evaluate-judge", judged, judged).items()


def roles(bench: Bench) -> None:
    labeller = niwaki.train_roles(LABELLED, bench.file("r.niwaki"))
    found = "".join(map(str, niwaki.roles(LABELLED, labeller)))
    assert found == bench.run("roles", LABELLED, "-m", bench.file("r.niwaki"))
    facts = "\n".join(map(as_line, niwaki.facts(LABELLED, labeller)))
    words = "roles", LABELLED, "-m", bench.file("r.niwaki"), "--to", "json"
    assert facts.splitlines() == bench.run(*words).splitlines()


def as_line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def train_roles(bench: Bench) -> None:
    made, found = bench.file("made.niwaki"), bench.file("found.niwaki")
    niwaki.train_roles(LABELLED, made, parser=bench.model)
    bench.run("train-roles", LABELLED, "-o", found, "--parser", bench.model)
    assert made.read_bytes() == found.read_bytes()


def evaluate_roles(bench: Bench) -> None:
    found = as_json(niwaki.evaluate_roles(LABELLED, LABELLED).to_json())
    assert found.items() <= bench.json("evaluate-roles", LABELLED, LABELLED).items()


def meaning(bench: Bench) -> None:
    found = list(niwaki.meaning(TOY))
    assert "".join(f"{each}\n" for each in found) == bench.run("meaning", TOY)
    parsed = "".join(f"{each}\n" for each in niwaki.meaning(TOY, parser=bench.model))
    assert parsed == bench.run("meaning", TOY, "--parser", bench.model)
    assert parsed == bench.run("parse", TOY, "-m", bench.model, "--to", "meaning")
    for style in ("tree", "html"):
        drawn = "".join(niwaki.draw_meaning(found, style))  # type: ignore[arg-type]
        assert drawn == bench.run("meaning", TOY, "--to", style)


def encode_meaning(bench: Bench) -> None:
    found = "".join(str(each.sentence) for each in niwaki.encode_meaning(MEANT))
    assert found == bench.run("encode-meaning", MEANT)


def evaluate_meaning(bench: Bench) -> None:
    found = as_json(niwaki.evaluate_meaning(TOY, bench.flat()).to_json())
    assert found.items() <= bench.json("evaluate-meaning", TOY, bench.flat()).items()


def rank(bench: Bench) -> None:
    model, out = bench.file("a.niwaki"), bench.file("out")
    found = niwaki.train_ranker(
        ASKED, model, parser=bench.model, settings=AnswerSettings(wordnet=False)
    )
    for trees in (False, True):
        write_rankings(niwaki.rank(ASKED, found, parser=bench.model), out, trees=trees)
        words = ("rank", ASKED, "-m", model, "--parser", bench.model)
        assert out.read_text() == bench.run(*words, *["--trees"] * trees)


def train_ranker(bench: Bench) -> None:
    made, found = bench.file("made.niwaki"), bench.file("found.niwaki")
    settings = AnswerSettings(wordnet=False)
    niwaki.train_ranker(ASKED, made, parser=bench.model, settings=settings)
    bench.run("train-ranker", ASKED, "-o", found, "--parser", bench.model, "--no-wordnet")
    assert made.read_bytes() == found.read_bytes()


def evaluate_ranking(bench: Bench) -> None:
    model = niwaki.train_ranker(
        ASKED, settings=AnswerSettings(matchers=("overlap",), wordnet=False)
    )
    ranked, out = list(niwaki.rank(ASKED, model)), bench.file("out")
    write_rankings(ranked, out)
    found = as_json(niwaki.evaluate_ranking(ASKED, [each for _, each in ranked]).to_json())
    assert found.items() <= bench.json("evaluate-ranking", ASKED, out).items()


def find(bench: Bench) -> None:
    query = "VERB=v >nsubj *=x"
    found = [f"{match.place}: {match.to_text()}" for match in niwaki.find(query, TOY)]
    assert found
    assert found == bench.run("find", query, TOY).splitlines()
    parsed = niwaki.find(query, [SOURCE, TOY], bench.model, form="tokens")
    words = "find", query, SOURCE, TOY, "-m", bench.model, "--from", "tokens", "--to", "json"
    told = [json.loads(line) for line in bench.run(*words).splitlines()]
    assert [as_json(match.to_dict()) for match in parsed] == told != []


def index(bench: Bench) -> None:
    made, found = bench.file("made"), bench.file("found")
    assert niwaki.index(TOY, made) == len(list(niwaki.read_conllu(TOY)))
    bench.run("index", TOY, "-o", found)
    assert made.read_bytes() == found.read_bytes()


def extract_answers(bench: Bench) -> None:
    out = bench.file("out")
    write_extracted(niwaki.extract_answers(ASKED, parser=bench.model), out)
    assert out.read_text() == bench.run("extract-answers", ASKED, "--parser", bench.model)
    settings = ExtractionSettings(by=("svm", "syntax"))
    write_extracted(niwaki.extract_answers(ASKED, parser=bench.model, settings=settings), out)
    words = ("extract-answers", ASKED, "--parser", bench.model, "--by", "svm,syntax")
    assert out.read_text() == bench.run(*words)


def evaluate_answers(bench: Bench) -> None:
    out, patterns = bench.file("out"), bench.file("patterns.txt")
    found = list(niwaki.extract_answers(ASKED, parser=bench.model))
    write_extracted(found, out)
    patterns.write_text("".join(f"{question.id} a\n" for question, _ in found))
    scored = as_json(niwaki.evaluate_answers(patterns, [each for _, each in found]).to_json())
    assert scored.items() <= bench.json("evaluate-answers", patterns, out).items()


def doubts(bench: Bench) -> None:
    found = niwaki.doubts(TOY, "en", first=3)
    words = "doubts", TOY, "-m", "en", "--first", 3
    assert found.to_text() == bench.run(*words)
    assert as_json(found.to_json()) == bench.json(*words)


def models(bench: Bench) -> None:
    bench.collection()
    found = [model.to_json() for model in niwaki.models(bench.folder / "models")]
    assert as_json({"models": found}) == bench.json("models", "--index", bench.folder / "models")
    assert {"en", "garden"} <= {model["name"] for model in found}


def download(bench: Bench) -> None:
    bench.collection()
    with pytest.MonkeyPatch.context() as patch:
        caches = [bench.folder / name for name in ("one", "other")]
        patch.setenv("NIWAKI_CACHE", str(caches[0]))
        found = niwaki.download("garden", bench.folder / "models")
        patch.setenv("NIWAKI_CACHE", str(caches[1]))
        told = bench.run("download", "garden", "--index", bench.folder / "models")
    assert found.read_bytes() == bench.model.read_bytes()
    assert str(caches[1] / found.relative_to(caches[0])) in told


def index_models(bench: Bench) -> None:
    folder = bench.collection()
    written = (folder / "index.json").read_bytes()
    (folder / "index.json").unlink()
    assert "garden" in bench.run("index-models", folder)
    assert (folder / "index.json").read_bytes() == written


def shrink(bench: Bench) -> None:
    one, other = bench.file("one.niwaki"), bench.file("other.niwaki")
    found = niwaki.shrink(bench.model, one, dev=TOY, size=60_000)
    words = ("shrink", bench.model, "--to-size", "60kB", "--dev", TOY, "-o", other)
    assert as_json(found.to_json()) == bench.json(*words)
    assert one.read_bytes() == other.read_bytes()


def draw(bench: Bench) -> None:
    assert "\n".join(niwaki.draw_trees(TOY)) == bench.run("draw", TOY)
    assert "\n".join(niwaki.draw_trees(TOY, "tree", first=2)) == bench.run(
        *("draw", TOY, "--tree", "--first", 2)
    )
    (page,) = niwaki.draw_trees(str(TOY), "html", id="toy-2")
    assert page == bench.run("draw", TOY, "--html", "-", "--id", "toy-2")
    assert next(niwaki.draw_trees(TOY, "svg")) == bench.run("draw", TOY, "--svg", "-")


def evaluate(bench: Bench) -> None:
    told = bench.json("evaluate", TOY, "-m", bench.model, "--beam", 1, "--nonprojective")
    found = niwaki.evaluate(TOY, bench.model, beam=1)
    assert found.scores.items() <= told.items()
    assert told["signature"].startswith(found.signature)
    every = niwaki.evaluate_all(TOY, bench.model, ["attachment", "nonprojective"], beam=1)
    assert every["nonprojective"].scores.items() <= told.items()


def evaluate_alignment(bench: Bench) -> None:
    found = niwaki.evaluate_alignment(LINKS, LINKS).to_json()
    assert found.items() <= bench.json("evaluate-alignment", LINKS, LINKS).items()


def evaluate_reordering(bench: Bench) -> None:
    references, trees = bench.references()
    found = niwaki.evaluate_reordering(references, [trees], rules=["none", "ja"], samples=20)
    rules = ("--rules", "none", "--rules", "ja", "--samples", 20)
    words = ("evaluate-reordering", references, "--trees", trees, *rules)
    assert as_json(found.to_json()) == bench.json(*words)
    assert found.to_text() == bench.run(*words)


def info(bench: Bench) -> None:
    found = niwaki.info(bench.model)
    assert as_json(found.to_json()) == bench.json("info", bench.model)
    assert f"{found.to_text()}\n" == bench.run("info", bench.model)


def learn_rules(bench: Bench) -> None:
    references, trees = bench.references()
    learned = niwaki.learn_rules(references, trees, support=1)
    text = format_rules(learned.rules, learned.notes)
    assert text == bench.run("learn-rules", references, "--trees", trees, "--support", 1)
    learned = niwaki.learn_rules(references, ("toy beam 2", bench.model), beam=2)
    text = format_rules(learned.rules, learned.notes)
    assert text == bench.run("learn-rules", references, "-m", bench.model, "--beam", 2)


def adapt(bench: Bench) -> None:
    trees = [s.replace(heads=[0, *[-1] * (len(s) - 1)]) for s in niwaki.read_conllu(TOY)]
    data = write(bench.file("roots.conllu"), trees)
    task = bench.file("roots.toml", f'[[objective]]\nkind = "partial"\ndata = "{data}"\n')
    words = ("adapt", bench.model, "--for", task, "-o", bench.file("new"), "--minutes", 0)
    told = bench.json(*words, "--force")
    found = as_json(
        niwaki.adapt(bench.model, task, bench.file("other"), minutes=0, force=True).to_json()
    )
    for each in (told, found):
        assert each["trials"][0].pop("seconds") >= 0
    assert found == told
    assert bench.file("other").read_bytes()[:4] == bench.file("new").read_bytes()[:4]


def parse(bench: Bench) -> None:
    out = bench.file("out")
    niwaki.write_conllu(niwaki.parse(TOY, bench.model, beam=2, tags="keep"), out)
    told = bench.run("parse", TOY, "-m", bench.model, "--beam", 2, "--tags", "keep")
    assert out.read_text() == told
    niwaki.write_conllu(niwaki.parse(TOY, [bench.model, "en"], blend=[1, 2]), out)
    told = bench.run("parse", TOY, "-m", bench.model, "-m", "en", "--blend", "1,2")
    assert out.read_text() == told
    found = [as_json(each.to_dict()) for each in niwaki.kbest(TOY, 3, bench.model)]
    told = bench.run("parse", TOY, "-m", bench.model, "-k", 3)
    assert found == [json.loads(line) for line in told.splitlines()]


def price(bench: Bench) -> None:
    task, models = bench.task(), [bench.model, "en"]
    found = as_json(niwaki.price(task, models, beam=1, samples=50).to_json())
    words = ("price", task, "-m", bench.model, "-m", "en", "--beam", 1, "--samples", 50)
    assert found == bench.json(*words)
    assert f"{found['1 reordering']['models'][1]['cost']:8.4f}  [" in bench.run(*words)


def references(bench: Bench) -> None:
    out = bench.file("out")
    write_references(niwaki.references(*ORDER), out)
    assert out.read_text() == bench.run("references", *ORDER)
    _, trees = bench.references()
    write_references(niwaki.references(*ORDER, trees=trees), out)
    assert out.read_text() == bench.run("references", *ORDER, "--trees", trees)


def reorder(bench: Bench) -> None:
    found = [" ".join(each.tokens) for each in niwaki.reorder(TOY, "ko")]
    assert found == bench.run("reorder", TOY, "--rules", "ko").splitlines()
    orders = niwaki.reorder(ORDER[0], "ja", bench.model, form="tokens")
    lines = [" ".join(map(str, each.order)) for each in orders]
    words = ("reorder", ORDER[0], "-m", bench.model, "--from", "tokens", "--to", "order")
    assert lines == bench.run(*words).splitlines()


def self_train(bench: Bench) -> None:
    task, one, other = bench.task(), bench.file("one.niwaki"), bench.file("other.niwaki")
    found = niwaki.self_train(task, bench.model, one, n=4, threads=1)
    told = bench.json("self-train", task, "-m", bench.model, "-o", other, "-n", 4, "--threads", 1)
    assert as_json(found.to_json()) == told
    parts = [niwaki.info(file).parts for file in (one, other)]
    assert parts[0] == parts[1] and len(parts[0]) > 2


def serve(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[Any, ...]] = []

    class Server:
        def run(self, sockets: list[Any]) -> None:
            for socket in sockets:
                socket.close()

    def make_server(listener: Any, host: str, registry: Any, *given: Any, **more: Any) -> Server:
        more.pop("opened")()
        made.append((host, vars(registry), given, more))
        return Server()

    monkeypatch.setattr(server, "make_server", make_server)
    urls: list[str] = []
    joins, tells = bench.file("joins.niwaki"), bench.file("tells.niwaki")
    niwaki.train_connectives(JOINED, joins)
    niwaki.train_roles(LABELLED, tells)
    short = bench.file("short.niwaki")
    niwaki.train_compressor(SHORTENED, short, parser=bench.model)
    niwaki.open_workbench(
        [f"toy={bench.model}"],
        trees=[str(TOY)],
        connectives=[str(joins)],
        roles=[f"told={tells}"],
        compressors=[str(short)],
        port=0,
        workers=1,
        opened=urls.append,
    )
    options = ("--connectives", joins, "--roles", f"told={tells}", "--compressor", short)
    options += ("--port", 0, "--workers", 1)
    told = bench.run("serve", "-m", f"toy={bench.model}", "--trees", TOY, *options)
    assert made[0] == made[1] and "toy" in made[0][1]["models"]
    assert list(made[0][1]["connectives"]) == ["joins"]
    assert list(made[0][1]["roles"]) == ["en-roles", "told"]
    assert list(made[0][1]["compressors"]) == ["short"]
    assert [url.rpartition(":")[0] for url in (*urls, told)] == ["http://127.0.0.1"] * 2


def symmetrize(bench: Bench) -> None:
    other = bench.file("other.align", "0-0\n" * len(LINKS.read_text().splitlines()))
    out = bench.file("out")
    write_links(niwaki.symmetrize(LINKS, other, "union"), out)
    assert out.read_text() == bench.run("symmetrize", LINKS, other, "--method", "union")


def trade_off(bench: Bench) -> None:
    models = str(bench.model), "en"
    found = niwaki.trade_off(TOY, bench.task(), *models, words=["pine"], samples=20)
    words = ("trade-off", TOY, bench.task(), "-m", models[0], "-m", models[1], "--samples", 20)
    assert as_json(found.to_json()) == bench.json(*words, "--word", "pine")
    assert f"{as_text(found)}\n" == bench.run(*words, "--word", "pine")


def train(bench: Bench) -> None:
    config = bench.file("c.toml", f'[[objective]]\ndata = "{TOY}"\n[tagger]\nepochs = 1\n')
    one, other = bench.file("one.niwaki"), bench.file("other.niwaki")
    quick = ["training.epochs=1", "training.greedy_epochs=1", "model.beam=2"]
    niwaki.train(config, one, overrides=quick, threads=1)
    settings = [word for each in quick for word in ("--set", each)]
    bench.run("train", config, "-o", other, "--threads", 1, *settings)
    assert one.read_bytes() == other.read_bytes()
    third = bench.file("third.niwaki")
    tables = {
        "objective": [{"data": str(TOY)}],
        "tagger": {"epochs": 1},
        "training": {"epochs": 1, "greedy_epochs": 1},
        "model": {"beam": 2},
    }
    niwaki.train(tables, third, threads=1)
    assert third.read_bytes() == one.read_bytes()


def train_ud(bench: Bench) -> None:
    release = write_release(bench.folder / "release")
    made, found = bench.file("made"), bench.file("found")
    report = niwaki.train_ud(release, made, only=["xl_latin"], jobs=1, overrides=QUICKLY)
    settings = [word for each in QUICKLY for word in ("--set", each)]
    words = ("train-ud", release, "-o", found, "--only", "xl_latin", "--jobs", 1, *settings)
    (one,), (other,) = as_json(report.to_json())["treebanks"], bench.json(*words)["treebanks"]
    for clock in ("seconds", "words_per_second"):
        assert one.pop(clock) > 0 and other.pop(clock) > 0
    assert one == other
    assert (made / "xl_latin.niwaki").read_bytes() == (found / "xl_latin.niwaki").read_bytes()


def uptrain(bench: Bench) -> None:
    config = bench.file(
        "c.toml",
        f'[[objective]]\ndata = "{TOY}"\n[tagger]\nepochs = 1\nfolds = 2\n[model]\nbeam = 2\n'
        "[training]\nepochs = 1\ngreedy_epochs = 1\n",
    )
    one, other = bench.file("one.niwaki"), bench.file("other.niwaki")
    teachers = [[str(TOY)]]
    found = niwaki.uptrain(config, one, teacher_trees=teachers, test=[str(TOY)], threads=1)
    words = ("uptrain", config, "--teacher-trees", TOY, "--test", TOY, "--threads", 1)
    told = bench.json(*words, "-o", other)
    assert found.gains is not None
    assert as_json(found.gains.to_json()) == told
    assert [each["differences"] for each in told] == [{}]
    assert list(found.models.values()) == [one]
    assert niwaki.info(one).parts == niwaki.info(other).parts


def validate(bench: Bench) -> None:
    bad = bench.file("bad.conllu", "1\ta\n\n")
    bench.capfd.readouterr()
    assert cli.main(["validate", str(TOY), str(bad)]) == 1
    told = bench.capfd.readouterr().out.splitlines()
    assert [str(fault) for file in (TOY, bad) for fault in niwaki.validate(file)] == told != []


# -- all of them ---------------------------------------------------------------------------


COMMANDS = [name for name in cli.command_names() if name not in cli.SHELL_ONLY]


def verb_of(command: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(niwaki, OTHER_NAMES.get(command, command.replace("-", "_")))
    return found


def translate_consensus(bench: Bench) -> None:
    found = "".join(f"{line}\n" for line in niwaki.translate_consensus([TARGET, TARGET]))
    assert found == bench.run("translate", "consensus", TARGET, TARGET) == TARGET.read_text()


def translate_evaluate(bench: Bench) -> None:
    chosen = ["BLEU", "CDER"]
    found = as_json(niwaki.translate_evaluate(TARGET, TARGET, scores=chosen).to_json())
    words = "translate-evaluate", TARGET, TARGET, "--scores", ",".join(chosen)
    assert found.items() <= bench.json(*words).items()


def translate_run(bench: Bench) -> None:
    system = bench.file("system")
    niwaki.translate_train(SOURCE, TARGET, system, links=LINKS)
    found = "".join(f"{each.text}\n" for each in niwaki.translate_run(SOURCE, system))
    assert found == bench.run("translate-run", "-m", system, SOURCE)


def translate_train(bench: Bench) -> None:
    one, other = bench.file("one"), bench.file("other")
    niwaki.translate_train(SOURCE, TARGET, one, links=LINKS)
    assert bench.run("translate-train", SOURCE, TARGET, "-o", other, "--links", LINKS) == ""
    names = sorted(path.name for path in one.iterdir())
    assert "phrases" in names and names == sorted(path.name for path in other.iterdir())
    for name in names:
        assert (one / name).read_bytes() == (other / name).read_bytes()


def translate_train_senses(bench: Bench) -> None:
    one, other = bench.file("one.senses"), bench.file("other.senses")
    settings = SenseSettings(least=4)
    niwaki.translate_train_senses(SOURCE, TARGET, one, links=LINKS, settings=settings)
    words = SOURCE, TARGET, "-o", other, "--links", LINKS, "--least", 4
    assert bench.run("translate-train-senses", *words) == ""
    assert one.read_bytes() == other.read_bytes()


def translate_tune(bench: Bench) -> None:
    system, tuned = bench.file("system"), bench.file("tuned")
    bench.run("translate-train", SOURCE, TARGET, "-o", system, "--links", LINKS, "--order", 2)
    settings = TuningSettings(rounds=2)
    found = niwaki.translate_tune(system, SOURCE, TARGET, settings=settings, nbest=5)
    words = SOURCE, TARGET, "--rounds", 2, "--nbest", 5, "--runs", 1
    told = bench.json("translate-tune", "-m", system, "-o", tuned, *words)
    assert as_json(found.to_json()) == told


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_verb(command: str) -> None:
    verb = verb_of(command)
    assert callable(verb)
    assert verb.__name__ in niwaki.__all__
    assert ">>> " in (verb.__doc__ or ""), "an example"


@pytest.mark.parametrize("command", COMMANDS)
def test_command_and_verb_give_the_same_answer(
    command: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = globals()[command.replace("-", "_")]
    assert (check(bench, monkeypatch) if command == "serve" else check(bench)) is None
