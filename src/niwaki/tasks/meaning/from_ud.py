"""From a tree of Universal Dependencies to the expression that its rules make of it.

The expression of a word and all below it is made when those of its dependents are. What a
relation does is said by the rules; here stands only in which order: the word with what hangs on it,
coordination, prepositions, the tuple of a predicate or a copula, coordinated clauses,
subordinating words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from niwaki.data.expressions import (
    ABSTRACTED,
    COLLECTION,
    DEEPEST,
    IMPLICIT,
    SEQUENCE,
    TUPLE,
    UNSPECIFIED,
    Expression,
)
from niwaki.data.meaning import Meaning
from niwaki.data.roles import Predicate, predicates_of
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.tasks.meaning.decode import has_formal_labels, meaning_of
from niwaki.tasks.meaning.encode import encode
from niwaki.tasks.meaning.rules import MeaningRules
from niwaki.tasks.trees import TreeView


def expressed(trees: Iterable[Sentence], rules: MeaningRules) -> Iterator[Meaning]:
    """What trees mean, be their labels formal or those of Universal Dependencies."""
    return (meaning_of(s) if has_formal_labels(s) else converted(s, rules) for s in trees)


def converted(sentence: Sentence, rules: MeaningRules) -> Meaning:
    """The expression of a sentence, and the sentence with the tree that says it.

    Where roles are in MISC, arguments of a predicate stand at the places that PropBank numbers:
    ARG0 at 1, ARG1 at 2.
    """
    expression = expression_of(sentence, rules)
    return Meaning(sentence.with_tree(encode(expression, len(sentence))), expression)


def expression_of(sentence: Sentence, rules: MeaningRules) -> Expression | None:
    """The expression of a sentence, None if it says nothing."""
    expression = _Conversion(sentence, rules).convert()
    if expression is not None and expression.depth > DEEPEST:
        raise CorpusError(
            *(sentence.file, sentence.line, "HEAD"),
            f"a tree that is nested deeper than {DEEPEST}",
            "leave the sentence out",
        )
    return expression


class _Conversion:
    def __init__(self, sentence: Sentence, rules: MeaningRules) -> None:
        self._tree, self._rules = TreeView(sentence), rules
        self._below = self._tree.children
        self._label = ("", *self._tree.deprels)
        self._upos, self._xpos = ("", *sentence.upos), ("", *sentence.xpos)
        self._roles = {each.word: each for each in predicates_of(sentence)}
        self._made: dict[int, Expression] = {}

    def convert(self) -> Expression | None:
        chains = sorted(self._tree.chains, key=len, reverse=True)
        for word, *_ in chains:
            if not self._is_silent(word):
                self._made[word] = self._whole(word)
        tops = [self._made[word] for word in self._below[0] if word in self._made]
        if len(tops) < 2:
            return tops[0] if tops else None
        return Expression(bracket=SEQUENCE, items=tuple(tops))

    # -- what words are --------------------------------------------------------------------

    def _is(self, kind: frozenset[str], word: int) -> bool:
        return self._rules.is_a(kind, self._label[word])

    def _is_silent(self, word: int) -> bool:
        """Whether it and all below it, which was made before, say nothing."""
        below = any(other in self._made for other in self._below[word])
        return self._is(self._rules.silent, word) and not below

    def _is_outer(self, word: int) -> bool:
        return self._label[word] in self._rules.outer

    def _is_argument(self, word: int) -> bool:
        return self._rules.place(self._label[word]) > 0

    def _is_around(self, word: int, clause: int) -> bool:
        """Whether it heads a tuple around the phrase or clause that it hangs on."""
        if not self._is(self._rules.around, word) or self._upos[word] in self._rules.inside_upos:
            return False
        # A complement says nothing of its own: it is what is said, thought or wanted.
        return not (self._is(self._rules.subordinator, word) and self._is_argument(clause))

    def _words(self, word: int, kind: frozenset[str]) -> list[int]:
        return [w for w in self._below[word] if w in self._made and self._is(kind, w)]

    def _lends(self, word: int) -> list[int]:
        """The coordinating words of a conjunct, which head what it is part of."""
        conjunct = self._is(self._rules.conjunct, word)
        return self._words(word, self._rules.coordinator) if conjunct else []

    # -- from the word outwards ------------------------------------------------------------

    def _whole(self, word: int) -> Expression:
        rules, below = self._rules, [w for w in self._below[word] if w in self._made]
        copulas = self._words(word, rules.copula)[:1]
        conjuncts = self._words(word, rules.conjunct)
        around = [w for w in below if self._is_around(w, word)]
        apart = {*copulas, *conjuncts, *around, *self._lends(word)}
        rest = [w for w in below if w not in apart]
        arguments = [w for w in rest if self._is_argument(w)]
        others = [w for w in rest if not self._is_argument(w)]
        is_clause = bool(arguments or copulas) or (
            self._upos[word] in rules.predicate_upos and not self._is(rules.plain, word)
        )
        # What has its own preposition or subordinating word is coordinated with all of this one.
        wide = [w for w in conjuncts if is_clause or self._opens(w)]
        narrow = [w for w in conjuncts if w not in wide]
        prepositions = [] if is_clause and not copulas else around
        if copulas:
            prepositions = [w for w in around if not self._is(rules.subordinator, w)]
            found = self._copular(word, copulas[0], arguments, others, narrow, prepositions)
        else:
            found = self._phrase(word, others)
            found = self._tuple(word, found, arguments) if is_clause else found
            found = self._within(prepositions, self._coordinated(found, narrow, is_clause))
        found = self._coordinated(found, wide, is_clause)
        return self._within([w for w in around if w not in prepositions], found)

    def _opens(self, conjunct: int) -> bool:
        return any(self._is_around(w, conjunct) for w in self._below[conjunct])

    def _phrase(self, word: int, others: list[int]) -> Expression:
        """A word with all that hangs on it by connectives; the last part of a compound heads it."""
        behind = [w for w in others if w > word and self._connective(w) == IMPLICIT][-1:]
        found = Expression(word)
        if behind:
            found = self._made[behind[0]].joining(IMPLICIT, found)
        return self._joined(found, [w for w in others if w not in behind])

    def _joined(self, found: Expression, others: list[int]) -> Expression:
        for word in others:
            found = found.joining(self._connective(word), self._made[word])
        return found

    def _connective(self, word: int) -> str:
        return self._rules.connective(self._label[word])

    def _copular(
        self,
        word: int,
        copula: int,
        arguments: list[int],
        others: list[int],
        narrow: list[int],
        prepositions: list[int],
    ) -> Expression:
        """[is, subject, phrase]; what a word does not take to its phrase hangs on the copula."""
        rules = self._rules
        outer = [w for w in arguments if self._is_outer(w)]
        inner = [w for w in arguments if w not in outer] if outer else []
        low, high = sorted((word, copula))
        phrasal = [
            w
            for w in others
            if outer
            or self._is(rules.phrasal, w)
            or (self._is(rules.between, w) and low < w < high)
        ]
        found = self._phrase(word, phrasal)
        if outer:
            found = self._tuple(word, found, inner)
        found = self._within(prepositions, self._coordinated(found, narrow, False))
        clause = self._joined(self._made[copula], [w for w in others if w not in phrasal])
        places = self._placed(0, [w for w in arguments if w not in inner])
        free = next(place for place in range(2, len(places) + 3) if place not in places)
        places[free] = found
        return self._closed(word, clause, places)

    # -- tuples ----------------------------------------------------------------------------

    def _tuple(self, word: int, predicate: Expression, arguments: list[int]) -> Expression:
        return self._closed(word, predicate, self._placed(word, arguments))

    def _placed(self, predicate: int, arguments: list[int]) -> dict[int, Expression | str]:
        roles = self._roles.get(predicate)
        wanted = [
            (_place_by_role(roles, w), self._rules.place(self._label[w]), w) for w in arguments
        ]
        # Places that PropBank gives come first.
        ordered = sorted(wanted, key=lambda each: (not each[0], each[0] or each[1], each[2]))
        places: dict[int, Expression | str] = {}
        for by_role, by_rule, word in ordered:
            place = by_role or by_rule
            while place in places:
                place += 1
            places[place] = self._made[word]
        return places

    def _closed(
        self, word: int, predicate: Expression, places: dict[int, Expression | str]
    ) -> Expression:
        """The tuple with ^ for the argument that a relative clause lacks, and _ for others."""
        if self._is(self._rules.abstracted, word) and not self._has_relative(word):
            first = 2 if self._xpos[word] in self._rules.passive_xpos else 1
            places.setdefault(3 - first if first in places else first, ABSTRACTED)
        last = max(places, default=1)
        items = [places.get(place, UNSPECIFIED) for place in range(1, last + 1)]
        return Expression(bracket=TUPLE, items=(predicate, *items))

    def _has_relative(self, word: int) -> bool:
        near = [w for child in self._below[word] for w in (child, *self._below[child])]
        return any(self._tree.lemmas[w - 1] in self._rules.relative for w in near)

    # -- around ----------------------------------------------------------------------------

    def _within(self, words: Iterable[int], found: Expression) -> Expression:
        """[in, ^, phrase]; of several words the first is outermost."""
        for word in sorted(words, reverse=True):
            found = Expression(bracket=TUPLE, items=(self._made[word], ABSTRACTED, found))
        return found

    def _coordinated(self, first: Expression, others: list[int], clauses: bool) -> Expression:
        members = [first]
        for word in others:
            members.append(self._made[word])
            if lent := self._lends(word):
                head = self._made[lent[0]]
                for each in lent[1:]:
                    head = head.joining("/", self._made[each])
                members = [Expression(bracket=COLLECTION, items=(head, *members))]
        if len(members) == 1:
            return members[0]
        if not clauses:
            return Expression(bracket=SEQUENCE, items=tuple(members))
        found, *rest = members
        for member in rest:
            found = found.joining("&", member)
        return found


def _place_by_role(roles: Predicate | None, word: int) -> int:
    """1 for ARG0, 2 for ARG1 and so on; 0 where PropBank gives no number."""
    for role, head in roles.fillers if roles else ():
        if head == word and role.startswith("ARG") and role[3:].isdecimal():
            return 1 + int(role[3:])
    return 0
