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
    Joined,
    symbol,
)
from niwaki.data.meaning import Meaning
from niwaki.data.roles import Predicate, predicates_of
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.tasks.meaning.decode import has_formal_labels, meaning_of
from niwaki.tasks.meaning.encode import encode
from niwaki.tasks.meaning.rules import MeaningRules
from niwaki.tasks.trees import TreeView

# So many levels of an expression come from one word at most: itself, the tuple around it, and what
# holds it and others as a conjunct, a preposition or a copula.
MOST_NESTED = 3


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
    # Most sentences are too short for it, and to look through expressions takes time.
    may_be_deep = 1 + MOST_NESTED * len(sentence) > DEEPEST
    if may_be_deep and expression is not None and expression.depth > DEEPEST:
        raise CorpusError(
            *(sentence.file, sentence.line, "HEAD"),
            f"a tree that is nested deeper than {DEEPEST}",
            "leave the sentence out",
        )
    return expression


class _Conversion:
    def __init__(self, sentence: Sentence, rules: MeaningRules) -> None:
        self._sentence, self._rules = sentence, rules
        # By the numbers of words; the place of the root has a relation that is none.
        self._is = [rules.relations[label] for label in ("", *sentence.deprels)]
        self._upos, self._xpos = sentence.upos, sentence.xpos
        heading = rules.predicate_upos
        self._predicates = [
            tag in heading and not kind.plain
            for tag, kind in zip(("", *self._upos), self._is, strict=True)
        ]
        self._roles = {each.word: each for each in predicates_of(sentence)}
        self._below, self._order = _walked(sentence)
        self._made: dict[int, Expression] = {}

    def convert(self) -> Expression | None:
        made, kinds, predicates = self._made, self._is, self._predicates
        for word in reversed(self._order):
            below = self._below[word]
            if below:
                below = [w for w in below if w in made]
            # A word says nothing if nothing below it, which was made before, does.
            if below:
                made[word] = self._whole(word, below)
            elif not kinds[word].silent:
                found = symbol(word)
                made[word] = self._closed(word, found, {}) if predicates[word] else found
        tops = [made[word] for word in self._below[0] if word in made]
        if len(tops) < 2:
            return tops[0] if tops else None
        return Expression(bracket=SEQUENCE, items=tuple(tops))

    # -- what words are --------------------------------------------------------------------

    def _is_argument(self, word: int) -> bool:
        return self._is[word].place > 0

    def _is_around(self, word: int, clause: int) -> bool:
        """Whether it heads a tuple around the phrase or clause that it hangs on."""
        kind = self._is[word]
        if not kind.around or self._upos[word - 1] in self._rules.inside_upos:
            return False
        # A complement says nothing of its own: it is what is said, thought or wanted.
        return not (kind.subordinator and self._is_argument(clause))

    def _lends(self, word: int) -> list[int]:
        """The coordinating words of a conjunct, which head what it is part of."""
        if not self._is[word].conjunct:
            return []
        return [w for w in self._below[word] if w in self._made and self._is[w].coordinator]

    # -- from the word outwards ------------------------------------------------------------

    def _whole(self, word: int, below: list[int]) -> Expression:
        copula = 0
        conjuncts: list[int] = []
        around: list[int] = []
        arguments: list[int] = []
        others: list[int] = []
        kinds = self._is
        lends = kinds[word].conjunct
        for other in below:
            kind = kinds[other]
            if kind.joins:
                others.append(other)
            elif kind.copula and not copula:
                copula = other
            elif kind.conjunct:
                conjuncts.append(other)
            elif kind.around and self._is_around(other, word):
                around.append(other)
            elif not (lends and kind.coordinator):
                (arguments if kind.place else others).append(other)
        is_clause = bool(arguments or copula) or self._predicates[word]
        # What has its own preposition or subordinating word is coordinated with all of this one.
        wide = [w for w in conjuncts if is_clause or self._opens(w)] if conjuncts else []
        narrow = [w for w in conjuncts if w not in wide] if conjuncts else []
        prepositions = [] if is_clause else around
        if copula:
            prepositions = [w for w in around if not kinds[w].subordinator]
            found = self._copular(word, copula, arguments, others, narrow, prepositions)
        else:
            found = self._phrase(word, others) if others else symbol(word)
            if is_clause:
                found = self._tuple(word, found, arguments)
            if narrow:
                found = self._coordinated(found, narrow, is_clause)
            if prepositions:
                found = self._within(prepositions, found)
        if wide:
            found = self._coordinated(found, wide, is_clause)
        if around and prepositions is not around:
            found = self._within([w for w in around if w not in prepositions], found)
        return found

    def _opens(self, conjunct: int) -> bool:
        return any(self._is_around(w, conjunct) for w in self._below[conjunct])

    def _phrase(self, word: int, others: list[int]) -> Expression:
        """A word with all that hangs on it by connectives; the last part of a compound heads it."""
        kinds = self._is
        for last in reversed(others):
            if last < word:
                break
            if kinds[last].connective == IMPLICIT:
                found = self._made[last].joining(IMPLICIT, symbol(word))
                return self._joined(found, [w for w in others if w != last])
        return self._joined(symbol(word), others)

    def _joined(self, found: Expression, others: list[int]) -> Expression:
        if not others:
            return found
        made, kinds = self._made, self._is
        # As Joined(...) does, in half of the time.
        new = tuple.__new__
        joined = [new(Joined, (kinds[word].connective, made[word])) for word in others]
        return Expression(found.word, found.bracket, found.items, (*found.joined, *joined))

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
        outer = [w for w in arguments if self._is[w].outer]
        inner = [w for w in arguments if w not in outer] if outer else []
        low, high = sorted((word, copula))
        phrasal = [
            w
            for w in others
            if outer or self._is[w].phrasal or (self._is[w].between and low < w < high)
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
        if not arguments:
            return {}
        roles = self._roles.get(predicate)
        if not roles and len(arguments) == 1:
            return {self._is[arguments[0]].place: self._made[arguments[0]]}
        wanted = []
        for word in arguments:
            by_role = _place_by_role(roles, word) if roles else 0
            # Places that PropBank gives come first.
            wanted.append((not by_role, by_role or self._is[word].place, word))
        places: dict[int, Expression | str] = {}
        for _, place, word in sorted(wanted):
            while place in places:
                place += 1
            places[place] = self._made[word]
        return places

    def _closed(
        self, word: int, predicate: Expression, places: dict[int, Expression | str]
    ) -> Expression:
        """The tuple with ^ for the argument that a relative clause lacks, and _ for others."""
        if self._is[word].abstracted and not self._has_relative(word):
            first = 2 if self._xpos[word - 1] in self._rules.passive_xpos else 1
            places.setdefault(3 - first if first in places else first, ABSTRACTED)
        last = max(places) if places else 1
        items = [places.get(place, UNSPECIFIED) for place in range(1, last + 1)]
        return Expression(0, TUPLE, (predicate, *items))

    def _has_relative(self, word: int) -> bool:
        near = [w for child in self._below[word] for w in (child, *self._below[child])]
        forms, lemmas = self._sentence.forms, self._sentence.lemmas
        names = (forms[w - 1] if lemmas[w - 1] == "_" else lemmas[w - 1] for w in near)
        return any(name.lower() in self._rules.relative for name in names)

    # -- around ----------------------------------------------------------------------------

    def _within(self, words: Iterable[int], found: Expression) -> Expression:
        """[in, ^, phrase]; of several words the first is outermost."""
        for word in sorted(words, reverse=True):
            found = Expression(0, TUPLE, (self._made[word], ABSTRACTED, found))
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


def _walked(sentence: Sentence) -> tuple[list[list[int]], list[int]]:
    """What hangs on each word, 0 being the place of the root, and words behind their heads."""
    below: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
    for word, head in enumerate(sentence.heads, start=1):
        below[head].append(word)
    order = list(below[0])
    for word in order:
        order += below[word]
    if len(order) < len(sentence):
        TreeView(sentence)  # tells above which word there is no tree
    return below, order


def _place_by_role(roles: Predicate, word: int) -> int:
    """1 for ARG0, 2 for ARG1 and so on; 0 where PropBank gives no number."""
    for role, head in roles.fillers:
        if head == word and role.startswith("ARG") and role[3:].isdecimal():
            return 1 + int(role[3:])
    return 0
