"""Rule files for word order: TOML text in, rules that always give a permutation."""

from __future__ import annotations

from functools import cache

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import parse_rules
from niwaki.tasks.reorder.rulewriting import format_rules
from tests.toy import TOY


@cache
def sentences() -> list[Sentence]:
    parts = TOY.read_bytes().split(b"\n\n")[:3]
    return [Sentence.from_conllu(part + b"\n\n") for part in parts]


def check(data: bytes) -> None:
    try:
        rules = parse_rules(data.decode("utf-8"))
    except (UnicodeDecodeError, NiwakiError):
        return
    again = parse_rules(format_rules(rules))
    assert (again.rules, again.scheme) == (rules.rules, rules.scheme)
    assert again.description == rules.description
    try:
        reordered = Reorderer(rules).reorder_batch(sentences())
    except NiwakiError:
        return
    for each in reordered:
        assert sorted(each.order) == list(range(len(each.sentence)))
        assert all(
            set(move.before) == {place.word for place in move.after} for move in each.moves()
        )
