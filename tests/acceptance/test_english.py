"""The bundled English model: its size, accuracy, and the same bytes whatever the threads."""

from __future__ import annotations

import io
from importlib import resources

import pytest

import niwaki
from niwaki.metrics.attachment import evaluate
from tests.conftest import DATA

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real corpora (NIWAKI_DATA) are missing"
)
EWT = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
PUD = DATA / "ud-english-pud" / "en_pud-ud-test.conllu"


def scores(path: str, beam: int) -> dict[str, float]:
    gold = list(niwaki.read_conllu(path))
    return evaluate(gold, niwaki.load().parse(gold, beam=beam, retag=True)).scores


def test_size() -> None:
    model = resources.files("niwaki") / "assets" / "models" / "en.niwaki"
    assert len(model.read_bytes()) <= 30_000_000


def test_beam_on_ewt() -> None:
    found = scores(EWT, 8)
    assert found["LAS"] >= 84.8
    assert found["UAS"] >= 85.8
    assert found["UPOS"] >= 95.4


def test_greedy_on_ewt() -> None:
    assert scores(EWT, 1)["LAS"] >= 83.8


@pytest.mark.parametrize(("beam", "least"), [(1, 83.0), (8, 84.5)])
def test_pud(beam: int, least: float) -> None:
    assert scores(PUD, beam)["LAS"] >= least


# LAS of the model of EWT alone, greedy and with a beam (docs/benchmarks.md): uptraining must not
# unlearn questions.
@pytest.mark.parametrize(
    ("name", "alone"),
    [("childes-dev", (79.66, 80.08)), ("atis-test", (61.76, 61.90))],
)
def test_questions_of_other_kinds(name: str, alone: tuple[float, float]) -> None:
    path = DATA / "questions" / f"questions-{name}.conllu"
    for beam, least in zip((1, 8), alone, strict=True):
        assert scores(path, beam)["LAS"] > least


@pytest.mark.parametrize("beam", [1, 8])
def test_two_threads_give_the_same_bytes(beam: int) -> None:
    written = []
    for threads in (1, 2):
        out = io.BytesIO()
        niwaki.write_conllu(
            niwaki.load().parse(niwaki.read_conllu(EWT), beam=beam, threads=threads), out
        )
        written.append(out.getvalue())
    assert written[0] == written[1]


def test_512_best() -> None:
    sentence = next(s for s in niwaki.read_conllu(EWT) if len(s) > 20)
    found = niwaki.load().kbest(sentence, 512)
    assert len(set(found.trees)) == len(found.trees) > 256
    assert list(found.scores) == sorted(found.scores, reverse=True)
