"""Learned rules: they find rules that made the references, and stay readable."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.reordering import evaluate_orders
from niwaki.tasks.reorder.arrangement import Arrangement, Spot, stakes_of
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.kinds import Class, Kind, lost_votes
from niwaki.tasks.reorder.learning import Settings, learn_rules
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import parse_rules
from niwaki.tasks.reorder.rules import Pattern
from niwaki.tasks.reorder.rulewriting import format_rules

HIDDEN = """
labels = "ud"
[[rule]]
name = "verb"
head = { upos = "VERB" }
tuples = [
  { label = "nsubj", weight = 2 },
  { label = "obl", side = "after", weight = 1, order = "REVERSE" },
  { label = "advmod", words = "not", weight = -3 },
  { label = "self", weight = -1 },
  { label = "aux", weight = -2 },
]
[[rule]]
name = "noun"
head = { upos = "NOUN" }
tuples = [{ label = "nmod", weight = 1 }, { label = "case", weight = -1 }]
"""


def clause(chance: random.Random) -> Sentence:
    """A verb with some of its children, and noun phrases that may hold another."""
    rows: list[tuple[str, str, str]] = []
    heads: list[int] = []  # places in `rows`, -1 for the verb

    def add(form: str, tag: str, label: str, head: int) -> None:
        rows.append((form, tag, label))
        heads.append(head)

    def add_noun(label: str, head: int) -> None:
        place = len(rows) + 2
        add("of", "ADP", "case", place)
        add("big", "ADJ", "amod", place)
        add(chance.choice(["tree", "pond"]), "NOUN", label, head)
        if label != "nmod" and chance.random() < 0.5:
            add_noun("nmod", place)

    if chance.random() < 0.8:
        add_noun("nsubj", -1)
    for form, tag, label in (
        *(("can", "AUX", "aux"), ("not", "PART", "advmod"), ("soon", "ADV", "advmod")),
    ):
        if chance.random() < 0.5:
            add(form, tag, label, -1)
    verb = len(rows)
    add("see", "VERB", "root", verb)
    for label in chance.sample(["obl", "obl", "obj"], chance.randint(1, 3)):
        add_noun(label, -1)
    forms, tags, labels = zip(*rows, strict=True)
    numbers = [
        0 if place == verb else (verb if head < 0 else head) + 1 for place, head in enumerate(heads)
    ]
    return Sentence.from_words(forms, upos=tags, heads=numbers, deprels=labels)


def corpus(count: int, seed: int) -> tuple[list[Sentence], list[Reference]]:
    chance = random.Random(seed)
    sentences = [clause(chance) for _ in range(count)]
    found = Reorderer(parse_rules(HIDDEN)).reorder(sentences)
    return sentences, [Reference("r", each.sentence.forms, each.order) for each in found]


def test_hidden_rules_are_found_and_can_be_written() -> None:
    learned = learn_rules(collect_events(*corpus(150, 1)), "learned")
    text = format_rules(learned.rules, learned.notes)
    assert "pairs" in text
    again = parse_rules(text, name="learned")
    assert again.rules == learned.rules.rules
    sentences, references = corpus(60, 2)
    scores = evaluate_orders(references, [x.order for x in Reorderer(again).reorder(sentences)])
    before = evaluate_orders(references, [range(len(s)) for s in sentences])
    assert before.scores["tau"] < 0.7
    assert scores.scores["tau"] > 0.98
    assert scores.scores["exact"] > 0.9


def test_learning_is_repeatable_and_splits_are_bounded() -> None:
    events = collect_events(*corpus(60, 3))
    settings = Settings(class_gain=0.05, head_gain=0.05, move_gain=0.05)
    splits: list[int] = []
    one = learn_rules(events, "x", settings, splits.append)
    assert splits == [1]
    assert format_rules(one.rules) == format_rules(learn_rules(events, "x", settings).rules)
    splits.clear()
    learn_rules(events, "x", replace(settings, splits=0), splits.append)
    assert splits == []


def test_nothing_to_learn_from() -> None:
    sentences, references = corpus(1, 4)
    silent = [Reference("r", r.tokens, r.order, linked=()) for r in references]
    rules = learn_rules(collect_events(sentences, silent)).rules
    (found,) = Reorderer(rules).reorder(sentences)
    assert list(found.order) == list(range(len(sentences[0])))
    with pytest.raises(CorpusError, match="words that are not those of reference 'q'"):
        collect_events(sentences, [Reference("q", ("a",), (0,))])


@pytest.mark.parametrize("barrier", [True, False])
def test_lost_votes_are_those_that_an_order_does_not_satisfy(barrier: bool) -> None:
    events = collect_events(*corpus(20, 5))
    items = [item.label for item in events.items]
    labels = ["self", "nsubj", "obl", "aux"]
    numbers = np.array([labels.index(x) if x in labels else -1 for x in items])
    kind = Kind(
        Pattern(),
        np.arange(len(events.head)),
        [Class(Pattern(labels=(x,)), x == "self") for x in labels],
        numbers,
        Arrangement(np.array([1, 0, 2, 1]), [False, True, True]),
        barrier,
    )
    expected = np.zeros(len(events.heads))
    for event, head in enumerate(events.head):
        a, b = numbers[events.left[event]], numbers[events.right[event]]
        first, second = kind.arrangement.group[[a, b]]
        swaps = first > second or (first == second and kind.arrangement.turned[first])
        swaps = swaps and a >= 0 and b >= 0 and not (barrier and events.apart[event])
        expected[head] += events.keep[event] if swaps else events.swap[event]
    lost = lost_votes(events, kind, events.head, len(events.heads))
    assert lost == pytest.approx(expected)
    assert expected.max() > 0


def arrangements(size: int) -> list[Arrangement]:
    """Every way to put classes into groups, in any order, turned or not."""
    found = []
    for groups in itertools.product(range(size), repeat=size):
        count = max(groups) + 1
        if set(groups) == set(range(count)):
            for turned in itertools.product([False, True], repeat=count):
                found.append(Arrangement(np.array(groups), list(turned)))
    return found


def spots(arrangement: Arrangement) -> list[Spot]:
    """Every place to which a class can be moved."""
    groups = range(len(arrangement.turned))
    inside = [Spot(at, True, arrangement.turned[at]) for at in groups]
    alone = [Spot(at, False, turned) for at in (*groups, len(groups)) for turned in (False, True)]
    return inside + alone


def test_a_move_gains_what_the_values_say() -> None:
    random_votes = np.random.default_rng(1)
    # 13 ways to put three into groups in order: 1 of one group, 6 of two, 6 of three.
    assert len(arrangements(3)) == 1 * 2 + 6 * 4 + 6 * 8
    for arrangement in arrangements(3):
        keep, swap = random_votes.random((2, 3, 3))
        before = arrangement.value(keep, swap)
        for number in range(3):
            home = int(arrangement.group[number])
            gain, spot = arrangement.best_spot(stakes_of(number, keep, swap), home)
            moved = arrangement.copy()
            moved.move(number, spot)
            assert moved.value(keep, swap) == pytest.approx(before + gain)
            for other in spots(arrangement):
                moved = arrangement.copy()
                moved.move(number, other)
                assert moved.value(keep, swap) <= before + gain + 1e-9


def test_local_search_comes_near_to_the_best() -> None:
    random_votes = np.random.default_rng(2)
    ratios = []
    for _ in range(20):
        keep, swap = random_votes.random((2, 4, 4))
        best = max(each.value(keep, swap) for each in arrangements(4))
        start = Arrangement(np.zeros(4, dtype=np.int64), [False])
        ratios.append(start.improve(keep, swap, 1e-9) / best)
    assert min(ratios) > 0.9
    assert np.mean(ratios) > 0.98
