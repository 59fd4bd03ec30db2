"""The tour, first part: from one's own text to trees, tables, facts and doubts."""

from __future__ import annotations

import csv
import importlib.util
import io
import json

import pytest

from niwaki import __version__
from tests.tour.conftest import User

MAIL = """\
From: Mori <mori@example.org>
Subject: the pond

Dear Sato,
> Is the pond clean?
Yes, Ono cleaned it.
* cut the pine
- feed the koi
"""
LETTER = "Mori planted a pine. The pond was cleaned by Sato.\n"


def test_niwaki_is_the_wheels(user: User) -> None:
    place = user.python("import niwaki; print(niwaki.__file__)").strip()
    assert place.startswith(str(user.binaries.parent))
    assert user.niwaki("--version").split() == ["niwaki", __version__]
    assert list(user.folder.iterdir()) == []


def test_mail_becomes_conllu_and_json(user: User) -> None:
    user.write("mail.txt", MAIL)
    assert user.niwaki("parse", "mail.txt", "-o", "mail.conllu") == ""
    user.niwaki("validate", "mail.conllu")
    # Places are those of the mail, whatever was made of its lines.
    read = user.read("mail.conllu")
    assert "# sent_id = 1\n" in read and f"TokenRange={MAIL.index('Ono')}:" in read

    lines = user.niwaki("parse", "mail.txt", "--from", "lines", "--to", "json").splitlines()
    found = [json.loads(line) for line in lines]
    assert [each["text"] for each in found] == [line for line in MAIL.split("\n") if line]
    assert [each["id"] for each in found] == ["1", "2", "3", "4", "5", "6", "7"]
    cleaned = found[4]
    assert cleaned["tokens"] == ["Yes", ",", "Ono", "cleaned", "it", "."]
    assert cleaned["heads"][2] == 4 and cleaned["deprels"][2] == "nsubj"

    assert user.refused("parse", "male.txt") == "niwaki: male.txt: No such file or directory\n"
    assert "choose from 'conllu', 'json'" in user.refused("parse", "mail.txt", "--to", "xml")
    assert "mail.txt:1" in user.refused("parse", "mail.txt", "--from", "conllu")


def test_marks_of_mail_are_taken_away_as_the_guide_says(user: User) -> None:
    user.write("mail.txt", MAIL)
    program = """
import re, niwaki
headers, _, body = open("mail.txt").read().partition("\\n\\n")
lines = [re.sub(r"^\\s*([>*•-]\\s*)+", "", line) for line in body.splitlines()]
for sentence in niwaki.load()([line for line in lines if line]):
    print(sentence.id, sentence.forms[0], sentence.upos[0])
"""
    found = [line.split() for line in user.python(program).splitlines()]
    assert [form for _, form, _ in found] == ["Dear", "Is", "Yes", "cut", "feed"]
    assert [tag for _, _, tag in found[-2:]] == ["VERB", "VERB"]


def test_a_table_of_words(user: User) -> None:
    user.write("letter.txt", LETTER)
    user.niwaki("parse", "letter.txt", "-o", "letter.conllu")
    table = user.niwaki(
        *("find", "*=w", "letter.conllu", "--to", "table", "--fields", "w.id,w,w.lemma,w.upos")
    )
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t"))
    assert len(rows) == 12
    assert [row["w.lemma"] for row in rows][:4] == ["Mori", "plant", "a", "pine"]
    wrong = user.refused("find", "*=w", "letter.conllu", "--to", "table", "--fields", "w.lema")
    assert "no field 'lema'; did you mean 'lemma'?" in wrong

    program = """
import niwaki
for sentence in niwaki.read_conllu("letter.conllu"):
    for token in sentence:
        print(token.form, token.upos, token.deprel, token.head.form if token.head else "-")
"""
    assert user.python(program).splitlines()[0] == "Mori PROPN nsubj planted"


@pytest.mark.skipif(not importlib.util.find_spec("pandas"), reason="pandas is missing")
def test_a_table_of_pandas(user: User) -> None:
    user.write("letter.txt", LETTER)
    program = """
import niwaki
table = niwaki.to_pandas(niwaki.load()(open("letter.txt").read()))
print(len(table), *table[table.deprel == "root"].form)
try:
    niwaki.to_pandas(["Mori planted a pine."])
except niwaki.NiwakiError as error:
    print(error)
"""
    size, wrong = user.python(program).splitlines()
    assert size == "12 planted cleaned"
    assert "give Sentences" in wrong


def test_triples(user: User) -> None:
    user.write("letter.txt", LETTER)
    fields = ("--to", "table", "--fields", "subject.text,verb.lemma,object.text")
    assert user.niwaki("find", "--set", "facts", "letter.txt", "-m", "en", *fields) == (
        "id\tquery\tsubject.text\tverb.lemma\tobject.text\n"
        "1\tactive\tMori\tplant\ta pine\n"
        "2\tpassive\tSato\tclean\tThe pond\n"
    )
    assert "-m en" in user.refused("find", "--set", "facts", "letter.txt")
    assert "did you mean 'facts'" in user.refused("find", "--set", "fact", "letter.txt")
    wrong = user.refused("find", "VERB >nsubjj *", "letter.txt", "-m", "en")
    assert "character 7" in wrong and "did you mean 'nsubj'" in wrong


def test_doubts(user: User) -> None:
    user.write("letter.txt", LETTER)
    found = json.loads(user.niwaki("doubts", "letter.txt", "--first", "2", "--json"))
    assert list(found) == ["sentences", "arcs", "labels", "tags"]
    assert [len(each["doubts"]) for each in found.values()] == [2, 2, 2, 2]
    sure = [each["probability"] for each in found["arcs"]["doubts"]]
    assert sure == sorted(sure)

    user.niwaki("parse", "letter.txt", "--probabilities", "-o", "sure.conllu")
    assert "Mori" in user.niwaki("doubts", "sure.conllu", "--of", "tags", "--first", "1")
    assert "ArcProb" in user.read("sure.conllu")
    assert "at least 1" in user.refused("doubts", "letter.txt", "--first", "0")
    assert "nothere.txt" in user.refused("doubts", "nothere.txt")
