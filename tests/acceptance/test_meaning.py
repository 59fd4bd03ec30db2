"""What real sentences mean: every tree of EWT and every query of GeoQuery comes back as it was."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.expression_text import read_expression
from niwaki.data.roles import with_table
from niwaki.tasks.meaning.decode import decode
from niwaki.tasks.meaning.from_ud import converted
from niwaki.tasks.meaning.funql import decode_query, encode_query, nodes_of
from niwaki.tasks.meaning.rules import load_meaning_rules
from tests.conftest import DATA

EWT, PROPBANK = DATA / "ud-english-ewt", DATA / "ewt-propbank"
GEOQUERY = DATA / "geoquery" / "geo880.jsonl.gz"

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(
        not (EWT.is_dir() and GEOQUERY.exists()),
        reason="the real corpora (NIWAKI_DATA) are missing",
    ),
]


@pytest.mark.parametrize("part", ["train", "dev", "test"])
@pytest.mark.parametrize("roles", [False, True])
def test_every_sentence_of_ewt_comes_back(part: str, roles: bool) -> None:
    rules, sentences = load_meaning_rules(), read_conllu(EWT / f"en_ewt-ud-{part}.conllu")
    if roles:
        sentences = with_table(sentences, PROPBANK / f"{part}.roles.tsv.gz")
    different, count = [], 0
    for sentence in sentences:
        found = converted(sentence, rules)
        count += 1
        if decode(found.sentence.tree) != (found.expression, 0):
            different.append(sentence.id)
        elif found.expression is not None:
            # As text, every word that is not silent is there once.
            said = read_expression(str(found)).words
            if sorted(said) != sorted(sentence.forms[w - 1] for w in found.expression.words):
                different.append(sentence.id)
    assert count > 2000 and different == []


def test_every_query_that_can_be_encoded_comes_back() -> None:
    with gzip.open(Path(GEOQUERY), "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    encoded, identical = 0, 0
    for record in records:
        linked = record["nodes_of_tokens"] or [None] * len(record["tokens"])
        nodes = nodes_of(record["productions"], linked)
        tree = encode_query(nodes, record["tokens"]) if nodes else None
        if tree is not None:
            encoded += 1
            found = decode_query(tree, record["tokens"])
            identical += (str(found.term), found.conflicts) == (record["funql"], 0)
    assert len(records) == 880 and encoded == identical == 878
