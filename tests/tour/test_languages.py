"""The tour, third part: another language, by rules of one's own and by parallel text."""

from __future__ import annotations

import json

from tests.tour.conftest import User

RULES = """\
description = "English to a language whose verb is last."
labels = "ud"

[[rule]]
name = "verb"
head = { upos = ["VERB"] }
barriers = ["punct"]
tuples = [
  { label = "nsubj", weight = 2 },
  { label = "obj", weight = 1 },
  { label = "self", weight = -1 },
]

[[example]]
text = "Mori rakes gravel ."
upos = "PROPN VERB NOUN PUNCT"
heads = [2, 0, 2, 2]
labels = "nsubj root obj punct"
gives = "Mori gravel rakes ."
"""
ENGLISH = "Mori planted a pine .\nSato saw it .\n"
OTHER = "Mori pine planted .\nSato it saw .\n"
LINKS = "0-0 1-2 3-1 4-3\n0-0 1-2 2-1 3-3\n"


def test_rules_of_a_new_language(user: User) -> None:
    user.write("own.toml", RULES)
    assert user.niwaki("check-rules", "own.toml") == ""
    user.write("text.en", ENGLISH)
    ordered = ("reorder", "text.en", "--from", "tokens", "-m", "en", "--rules")
    assert user.niwaki(*ordered, "own.toml") == "Mori a pine planted .\nSato it saw .\n"

    # References that people made: by links, or written by hand.
    user.write("text.xx", OTHER)
    user.write("text.links", LINKS)
    user.niwaki("references", "text.en", "text.xx", "text.links", "-o", "references.jsonl")
    lines = [json.loads(line) for line in user.read("references.jsonl").splitlines()]
    assert [line["order"] for line in lines] == [[0, 2, 3, 1, 4], [0, 2, 1, 3]]
    user.write(
        "by-hand.jsonl",
        json.dumps({"id": "1", "tokens": ["Sato", "saw", "it", "."], "order": [0, 2, 1, 3]}) + "\n",
    )
    scored = ("--samples", "100", "-m", "en", "--rules", "none", "--rules", "own.toml", "--json")
    for references in ("references.jsonl", "by-hand.jsonl"):
        found = json.loads(user.niwaki("evaluate-reordering", references, *scored))
        scores = [each["frs"] for each in found["systems"]]
        assert scores[0] < scores[1] == 1


def test_mistakes_in_rules(user: User) -> None:
    user.write("text.en", ENGLISH)
    user.write("bad.toml", RULES.replace('"nsubj", w', '"nsubjj", w').replace("t = 1", "h = 1"))
    wrong = user.refused("reorder", "text.en", "-m", "en", "--rules", "bad.toml")
    assert "bad.toml:9" in wrong and "did you mean 'nsubj'?" in wrong
    user.write("false.toml", RULES.replace("Mori gravel rakes", "gravel Mori rakes"))
    wrong = user.refused("reorder", "text.en", "-m", "en", "--rules", "false.toml")
    assert wrong.startswith("niwaki: false.toml:14")
    assert "known: " in user.refused("reorder", "text.en", "-m", "en", "--rules", "own")
    user.write("text.xx", OTHER)
    user.write("bad.links", LINKS.replace("3-1", "3-9"))
    wrong = user.refused("references", "text.en", "text.xx", "bad.links", "-o", "r.jsonl")
    assert "bad.links:1:LINE: link 3-9 is out of range" in wrong
    user.write("bad.jsonl", '{"id": "1", "tokens": ["Sato", "saw"], "order": [0, 2]}\n')
    wrong = user.refused("evaluate-reordering", "bad.jsonl", "-m", "en")
    assert wrong.startswith("niwaki: bad.jsonl:1")


def test_align(user: User) -> None:
    user.write("text.en", ENGLISH)
    user.write("text.xx", OTHER)
    assert user.niwaki("align", "text.en", "text.xx") == LINKS
    user.niwaki("align", "text.en", "text.xx", "-o", "found.links")
    user.write("gold.links", LINKS)
    found = json.loads(user.niwaki("evaluate-alignment", "gold.links", "found.links", "--json"))
    assert found["AER"] == 0
    user.write("short.xx", OTHER.partition("\n")[0] + "\n")
    wrong = user.refused("align", "text.en", "short.xx")
    assert "text.en:2:LINE: a line without a partner" in wrong
    assert "text.yy: No such file" in user.refused("align", "text.en", "text.yy")

    program = """
import niwaki
print(niwaki.align([("the house", "das haus"), ("the garden", "der garten")])[0])
try:
    niwaki.align(["the house", "das haus"])
except niwaki.NiwakiError as error:
    print(error)
"""
    links, wrong = user.python(program).splitlines()
    assert "1-1" in links
    assert wrong.startswith("pair 1 is none; give (source, target)")
