"""The slow twins of kernel/bilingual/{reorder,orders}: straight from the definitions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.tasks.reorder.rules import Pattern, Rule, RuleSet, Turn, label_fits, tag_fits


def fits(pattern: Pattern, sentence: Sentence, word: int, head: int = 0) -> bool:
    at = word - 1
    children = sentence.tree.children(word)
    labels = [sentence.deprels[child - 1] for child in children]
    pairs = parse_pairs(sentence.feats[at])

    def marked(wanted: tuple[str, ...]) -> bool:
        return any(label_fits(label, found) for label in wanted for found in labels)

    low, high = pattern.children or (0, None)
    count = min(len(children), 15)
    return (
        (not pattern.labels or any(label_fits(x, sentence.deprels[at]) for x in pattern.labels))
        and (not pattern.upos or any(tag_fits(x, sentence.upos[at]) for x in pattern.upos))
        and (not pattern.xpos or any(tag_fits(x, sentence.xpos[at]) for x in pattern.xpos))
        and (not pattern.words or sentence.forms[at].lower() in pattern.words)
        and all(pairs.get(f.partition("=")[0]) == f.partition("=")[2] for f in pattern.feats)
        and (not pattern.has or marked(pattern.has))
        and not marked(pattern.lacks)
        and low <= count
        and (high is None or count <= high)
        and (not pattern.side or (pattern.side == "before") == (word < head))
    )


def lift(heads: Sequence[int]) -> list[int]:
    """Attach each word to the lowest word above it whose block it stands in."""

    def above(word: int) -> list[int]:
        chain = []
        while word > 0:
            word = max(heads[word - 1], 0)
            chain.append(word)
        return chain

    def block(word: int) -> set[int]:
        if word == 0:
            return set(range(len(heads) + 1))
        below = {other for other in range(1, len(heads) + 1) if word in [other, *above(other)]}
        run = {word}
        for step in (-1, 1):
            at = word + step
            while at in below:
                run.add(at)
                at += step
        return run

    return [
        next(head for head in above(word) if word in block(head))
        for word in range(1, len(heads) + 1)
    ]


def reorder(rules: RuleSet, sentence: Sentence) -> list[int]:
    heads = lift(sentence.heads)

    def walk(word: int) -> list[int]:
        children = [child for child, head in enumerate(heads, start=1) if head == word]
        if word == 0:
            return [position for child in children for position in walk(child)]
        family = sorted([word, *children])
        rule = next((rule for rule in rules.rules if fits(rule.head, sentence, word)), None)
        if rule is not None:
            family = arrange(rule, sentence, word, family)
        return [
            position
            for member in family
            for position in ([word - 1] if member == word else walk(member))
        ]

    return walk(0)


def arrange(rule: Rule, sentence: Sentence, head: int, family: list[int]) -> list[int]:
    def is_barrier(word: int) -> bool:
        label = sentence.deprels[word - 1]
        return word != head and any(label_fits(barrier, label) for barrier in rule.barriers)

    def place(word: int) -> tuple[float, Turn]:
        if word == head:
            own = next((p for p in rule.placements if p.is_self), None)
        else:
            own = next(
                (
                    p
                    for p in rule.placements
                    if not p.is_self and fits(p.child, sentence, word, head)
                ),
                None,
            )
        return (0.0, Turn.NORMAL) if own is None else (own.weight, own.turn)

    result: list[int] = []
    for barrier, part in itertools.groupby(family, is_barrier):
        members = list(part)
        if not barrier:
            by_weight = sorted(members, key=lambda word: -place(word)[0])
            members = []
            for weight, same in itertools.groupby(by_weight, lambda word: place(word)[0]):
                group = list(same)
                turned = any(p.weight == weight and p.turn is Turn.REVERSE for p in rule.placements)
                members += group[::-1] if turned else group
        result += members
    return result


def compare(
    reference: Reference, order: Sequence[int], scored: set[int]
) -> tuple[int, int, int, int]:
    """Chunks, words, pairs and wrong pairs, with group members placed as the system has them."""
    wanted = [position for position in reference.order if position in scored]
    given = [position for position in order if position in scored]
    for group in reference.groups:
        places = [place for place, position in enumerate(wanted) if position in group]
        members = [position for position in given if position in group]
        for place, position in zip(places, members, strict=True):
            wanted[place] = position
    rank = {position: place for place, position in enumerate(wanted)}
    follows = [rank[b] == rank[a] + 1 for a, b in itertools.pairwise(given)]
    pairs = [
        (a, b)
        for a, b in itertools.combinations(given, 2)
        if not any(a in group and b in group for group in reference.groups)
    ]
    wrong = sum(rank[a] > rank[b] for a, b in pairs)
    return (len(given) > 0) + follows.count(False), len(given), len(pairs), wrong
