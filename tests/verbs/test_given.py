"""Verbs that take sentences take texts, words and sentences alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki import NiwakiError, Sentence
from niwaki.data.compressions import read_compressions
from tests.conftest import ROOT
from tests.toy import TOY

EXAMPLES = ROOT / "examples"
TEXTS = ["Mori rakes gravel and waters moss. Ono sweeps.", "Sato prunes pines."]
WORDS = [["Mori", "rakes", "gravel", "."], ["Ono", "sweeps", "."]]

Verb = Callable[[Any], Iterable[Any]]


@pytest.fixture(scope="module")
def verbs() -> dict[str, Verb]:
    """Each verb with what it needs besides, so that it takes what is given alone."""
    finder = niwaki.train_connectives(EXAMPLES / "connectives.conllu")
    pairs = list(read_compressions(EXAMPLES / "shorter.jsonl"))
    compressor = niwaki.train_compressor(pairs, parser="en")
    judge = niwaki.train_judge(TOY, TOY, parser="en")
    return {
        "connectives": partial(niwaki.connectives, model=finder, parser="en"),
        "roles": partial(niwaki.roles, parser="en"),
        "compress": partial(niwaki.compress, model=compressor, parser="en"),
        "corrupt": partial(niwaki.corrupt, kinds=["lower-case"], parser="en"),
        "judge": partial(niwaki.judge, judge=judge),
        "meaning": partial(niwaki.meaning, parser="en"),
        "parse": partial(niwaki.parse, model="en"),
    }


NAMES = ("connectives", "roles", "compress", "corrupt", "judge", "meaning", "parse")


@pytest.mark.parametrize("name", NAMES)
def test_texts_words_and_sentences(verbs: dict[str, Verb], name: str, tmp_path: Path) -> None:
    verb = verbs[name]
    assert len(list(verb(TEXTS))) == 3
    assert len(list(verb(WORDS))) == 2
    assert len(list(verb([Sentence.from_words(words) for words in WORDS]))) == 2
    file = tmp_path / "letter.txt"
    file.write_text(TEXTS[0])
    assert len(list(verb(file))) == len(list(verb(str(file)))) == 2


@pytest.mark.parametrize("name", NAMES)
def test_what_is_neither(verbs: dict[str, Verb], name: str) -> None:
    with pytest.raises(NiwakiError, match="may be words or texts"):
        list(verbs[name](["Mori", "rakes"]))
    with pytest.raises(NiwakiError, match="no file 'Mori rakes gravel'"):
        list(verbs[name]("Mori rakes gravel"))


def test_without_a_parser_a_text_is_refused() -> None:
    finder = niwaki.train_connectives(EXAMPLES / "connectives.conllu")
    with pytest.raises(NiwakiError, match="give Sentences"):
        niwaki.connectives(TEXTS, finder)
