"""What rankers see of a sentence: its words, their base forms and relations, and its tree."""

from __future__ import annotations

from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from niwaki.data.answers import ENTITY, NO_ENTITY
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.data.wordnet import RELATIONS as OF_WORDNET
from niwaki.data.wordnet import WordNet
from niwaki.errors import CorpusError

# What a word of an answer can be to one of the question, each a bit.
IDENTICAL, VARIANT, QUESTION_WORD = "identical", "variant", "question word"
RELATIONS = (IDENTICAL, VARIANT, *OF_WORDNET, QUESTION_WORD)
_BITS = {name: 1 << number for number, name in enumerate(RELATIONS)}
# Same or nearly the same.
SAME = _BITS[IDENTICAL] | _BITS[VARIANT]
# Any relation that says something of the word itself.
RELATED = (1 << len(RELATIONS)) - 1 - _BITS[QUESTION_WORD]

_ASKING = frozenset("who whom whose what which when where why how".split())
_STOP = _ASKING | frozenset(
    "a an the this that these those some any all both each every no not n't 's ' of to in on at by "
    "for from with without about as into than then over under and or but nor so if because while "
    "is are was were be been being am do does did done doing have has had having will would shall "
    "should can could may might must it its he him his she her hers they them their i me my we us "
    "our you your there here also just only very too more most such other".split()
)


class WordView:
    """A sentence as rankers see it. `tree` is another one than that of the sentence."""

    def __init__(
        self, sentence: Sentence, wordnet: WordNet | None = None, tree: Tree | None = None
    ) -> None:
        self._sentence, self._wordnet = sentence, wordnet
        self._tree = sentence.tree if tree is None else tree
        self.forms = tuple(form.lower() for form in sentence.forms)
        # Of the same words in whatever tree, and with them relations that were looked up.
        self._words = object()
        self._relations: dict[object, NDArray[np.uint16]] = {}

    def __len__(self) -> int:
        return len(self.forms)

    def with_tree(self, tree: Tree) -> WordView:
        """The same words in another tree."""
        made = WordView(self._sentence, self._wordnet, tree)
        # What does not depend on the tree is not looked up again.
        made._words, made._relations = self._words, self._relations
        for name in ("bases", "known", "tags", "entities"):
            made.__dict__[name] = getattr(self, name)
        return made

    @cached_property
    def bases(self) -> tuple[frozenset[str], ...]:
        """Base forms of each word: those of WordNet, and the lemma, or else the form itself."""
        found = []
        for form, lemma in zip(self.forms, self._sentence.lemmas, strict=True):
            given = frozenset((form if lemma == "_" else lemma.lower(),))
            more = self._wordnet.bases(form) if self._wordnet else frozenset[str]()
            found.append(more if more and lemma == "_" else given | more)
        return tuple(found)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """UPOS, or XPOS where that is all that is known."""
        pairs = zip(self._sentence.upos, self._sentence.xpos, strict=True)
        return tuple(xpos if upos == "_" else upos for upos, xpos in pairs)

    @cached_property
    def entities(self) -> tuple[str, ...]:
        return tuple(notes.get(ENTITY, NO_ENTITY) for notes in self._sentence.notes)

    @cached_property
    def content(self) -> tuple[bool, ...]:
        """Which words are neither function words nor punctuation."""
        return tuple(form not in _STOP and form[:1].isalnum() for form in self.forms)

    @cached_property
    def known(self) -> tuple[dict[str, int], ...]:
        """What other words are to each word, as bits, by their base forms."""
        return tuple(map(self._known, self.bases))

    def _known(self, bases: frozenset[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for base in bases:
            for word, kinds in self._wordnet.related(base).items() if self._wordnet else ():
                found[word] = found.get(word, 0) | sum(_BITS[kind] for kind in kinds)
        return found | {base: found.get(base, 0) | _BITS[VARIANT] for base in bases}

    def relations(self, answer: WordView) -> NDArray[np.uint16]:
        """What each word of an answer is to each word of this question, as bits."""
        found = self._relations.get(answer._words)
        if found is None:
            found = self._relations[answer._words] = self._looked_up(answer)
        return found

    def _looked_up(self, answer: WordView) -> NDArray[np.uint16]:
        bits = []
        for (form, known), (other, bases) in product(
            zip(self.forms, self.known, strict=True),
            zip(answer.forms, answer.bases, strict=True),
        ):
            found = 0
            if form == other:
                found = _BITS[IDENTICAL]
            else:
                for base in bases:
                    found |= known.get(base, 0)
                # What a word is to other forms of itself says no more.
                if found & _BITS[VARIANT]:
                    found = _BITS[VARIANT]
            bits.append(found | (_BITS[QUESTION_WORD] if form in _ASKING else 0))
        return np.array(bits, dtype=np.uint16).reshape(len(self), len(answer))

    @cached_property
    def tree(self) -> Tree:
        """The tree; raises CorpusError if there is none."""
        heads, seen = self._tree.heads, 0
        below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
        for word, head in enumerate(heads, start=1):
            if head >= 0:
                below[head].append(word)
        todo = list(below[0])
        while todo:
            seen += 1
            todo += below[todo.pop()]
        if seen != len(heads):
            where = self._sentence.file, self._sentence.line
            found = f"no tree of {shown_words(self._sentence)}"
            raise CorpusError(*where, "HEAD", found, "give whole trees, or a parser")
        return self._tree


def shown_words(sentence: Sentence) -> str:
    words = " ".join(sentence.forms[:4])
    return f'"{words}{" …" if len(sentence) > 4 else ""}"'
