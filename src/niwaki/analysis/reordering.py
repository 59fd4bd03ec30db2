"""What is wrong with the word orders of a system (Talbot et al. 2011, section 6).

A word is misplaced if it is scored and the scored word before it in the system's order is
not the one before it in the reference: a reader has to jump there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.metrics.reordering import OrderEvaluation, evaluate_orders
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rules import Placement, RuleSet
from niwaki.tasks.reorder.rulewriting import tuple_fields

# The score that costs are given in.
METRIC = "frs_linked"


@dataclass(frozen=True)
class Misplaced:
    """How often words of one kind are misplaced."""

    kind: str
    count: int
    wrong: int

    @property
    def share(self) -> float:
        return self.wrong / self.count if self.count else 0.0


@dataclass(frozen=True)
class Cost:
    """What something costs: the scores with it and without it, over the whole set."""

    what: str
    count: int
    gain: float  # of METRIC, if it were not there
    tau: float


@dataclass(frozen=True)
class WorstSentence:
    """A sentence with its order and its reference, side by side."""

    reference: Reference
    sentence: Sentence | None
    order: tuple[int, ...]
    misplaced: tuple[int, ...]  # source positions
    score: float
    tau: float


def misplaced_positions(reference: Reference, order: Sequence[int]) -> list[int]:
    """Source positions of the linked words that a reader has to jump to."""
    everything = range(len(reference.tokens))
    linked = set(everything if reference.linked is None else reference.linked)
    wanted = [position for position in reference.order if position in linked]
    given = [position for position in order if position in linked]
    group = {position: n for n, members in enumerate(reference.groups) for position in members}
    free: dict[int, list[int]] = {}
    for place, position in enumerate(wanted):
        if position in group:
            free.setdefault(group[position], []).append(place)
    places = {position: place for place, position in enumerate(wanted)}
    for position in given:
        if position in group:
            places[position] = free[group[position]].pop(0)
    return [
        position
        for before, position in zip([None, *given], given, strict=False)
        if places[position] != (-1 if before is None else places[before]) + 1
    ]


def count_misplaced(
    references: Sequence[Reference],
    orders: Sequence[Sequence[int]],
    sentences: Sequence[Sentence] | None,
) -> dict[str, list[Misplaced]]:
    """Misplaced words by form, and by tag, label and head's tag where there are trees."""
    seen: dict[str, Counter[str]] = {}
    wrong: dict[str, Counter[str]] = {}
    for number, (reference, order) in enumerate(zip(references, orders, strict=True)):
        bad = set(misplaced_positions(reference, order))
        linked = reference.linked
        for position in range(len(reference.tokens)) if linked is None else linked:
            kinds = {"word": reference.tokens[position].lower()}
            if sentences is not None:
                kinds |= _kinds(sentences[number], position)
            for kind, value in kinds.items():
                seen.setdefault(kind, Counter())[value] += 1
                wrong.setdefault(kind, Counter())[value] += position in bad
    return {
        kind: [
            Misplaced(value, counts[value], count)
            for value, count in sorted(wrong[kind].items(), key=lambda item: (-item[1], item[0]))
            if count
        ]
        for kind, counts in seen.items()
    }


def _kinds(sentence: Sentence, position: int) -> dict[str, str]:
    head = sentence.heads[position]
    above = sentence.upos[head - 1] if head > 0 else "root"
    label = sentence.deprels[position]
    return {
        "tag": sentence.upos[position],
        "label": label,
        "label below tag": f"{label} of {above}",
    }


def worst_sentences(
    references: Sequence[Reference],
    orders: Sequence[Sequence[int]],
    sentences: Sequence[Sentence] | None,
    evaluation: OrderEvaluation,
    count: int,
) -> list[WorstSentence]:
    """The sentences that lose most: by score, then by length."""
    scores, taus = evaluation.of(METRIC), evaluation.of("tau")
    ranked = sorted(
        range(len(references)), key=lambda n: (scores[n], taus[n], -len(references[n].tokens))
    )
    return [
        WorstSentence(
            references[number],
            None if sentences is None else sentences[number],
            tuple(orders[number]),
            tuple(misplaced_positions(references[number], orders[number])),
            float(scores[number]),
            float(taus[number]),
        )
        for number in ranked[:count]
    ]


def score_rules(
    references: Sequence[Reference], sentences: Iterable[Sentence], rules: RuleSet
) -> OrderEvaluation:
    return evaluate_orders(references, [each.order for each in Reorderer(rules).reorder(sentences)])


def rule_effects(
    references: Sequence[Reference], sentences: Sequence[Sentence], rules: RuleSet
) -> list[Cost]:
    """What is lost if a single rule, or a single tuple, is switched off; the greatest first."""
    whole = score_rules(references, sentences, rules).scores
    used = Counter(
        name for each in Reorderer(rules).reorder(sentences) for name in sorted(each.applied)
    )
    effects = []
    for rule in rules.rules:
        tried = [(rule.name, rules.without(rule))]
        tried += [
            (f"{rule.name}: {_tuple_name(placement)}", rules.without(rule, placement))
            for placement in rule.placements
        ]
        for name, changed in tried:
            scores = score_rules(references, sentences, changed).scores
            effects.append(
                Cost(
                    name,
                    used[rule.name],
                    scores[METRIC] - whole[METRIC],
                    scores["tau"] - whole["tau"],
                )
            )
    return sorted(effects, key=lambda each: each.gain)


def _tuple_name(placement: Placement) -> str:
    return ", ".join(tuple_fields(placement))


def parse_error_costs(
    references: Sequence[Reference],
    gold: Sequence[Sentence],
    parsed: Sequence[Sentence],
    rules: RuleSet,
) -> list[Cost]:
    """What each kind of parse error costs: the gain if it alone is corrected, word by word.

    A word's tag, head and label are put right in the parsed tree, and the sentence is
    reordered again. Where a new head would make a cycle the word is left as it is.
    """
    corrected, kinds, owners = [], [], []
    for number, (right, found) in enumerate(zip(gold, parsed, strict=True)):
        for position in range(len(right)):
            for kind, sentence in _corrections(right, found, position):
                corrected.append(sentence)
                kinds.append(kind)
                owners.append(number)
    before = score_rules(references, parsed, rules)
    after = score_rules([references[number] for number in owners], corrected, rules)
    gains: dict[str, list[tuple[float, float]]] = {}
    for row, (kind, number) in enumerate(zip(kinds, owners, strict=True)):
        gains.setdefault(kind, []).append(
            (
                float(after.of(METRIC)[row] - before.of(METRIC)[number]),
                float(after.of("tau")[row] - before.of("tau")[number]),
            )
        )
    size = max(len(references), 1)
    costs = [
        Cost(kind, len(each), sum(g for g, _ in each) / size, sum(t for _, t in each) / size)
        for kind, each in gains.items()
    ]
    return sorted(costs, key=lambda each: (-each.gain, each.what))


def _corrections(right: Sentence, found: Sentence, position: int) -> Iterable[tuple[str, Sentence]]:
    if right.upos[position] != found.upos[position]:
        tags = _changed(found.upos, position, right.upos[position])
        kind = f"tag {right.upos[position]} taken for {found.upos[position]}"
        yield kind, found.replace(upos=tags)
    label, other = right.deprels[position], found.deprels[position]
    if right.heads[position] != found.heads[position]:
        heads = _changed(found.heads, position, right.heads[position])
        tree = Tree(heads, _changed(found.deprels, position, label))
        # Several roots are no cycle; only a cycle makes a tree that cannot be reordered.
        if _has_no_cycle(tree):
            what = label if label == other else f"{label} taken for {other}"
            yield f"head of {what}", found.with_tree(tree)
    elif label != other:
        yield (
            f"label {label} taken for {other}",
            found.replace(deprels=_changed(found.deprels, position, label)),
        )


def _changed(values: tuple, position: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:position], value, *values[position + 1 :])


def _has_no_cycle(tree: Tree) -> bool:
    return len(tree.subtree(0)) == len(tree)
