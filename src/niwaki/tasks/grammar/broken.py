"""A sentence that was broken: its words, which clean words they are, and what is left of the tree.

`Clean=3` in MISC says that a word is word 3 of the clean sentence; `Clean=0` that it was added. A
word that survives hangs from its nearest ancestor that survives too. If the root is lost, one of
the words below it takes its place, in the order in which UD promotes them. Nobody knows the head of
an added word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.data.judged import BROKEN, CLEAN_TEXT
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import CorpusError, shown

CLEAN = "Clean"
# How a word that was added hangs in a whole tree.
ADDED = "reparandum"
_COPIED = ("lemmas", "upos", "xpos", "feats")
# Who takes the place of a predicate that is not there; after them the first word, punctuation last.
_PROMOTED = ("aux", "cop", "nsubj", "obj", "iobj", "obl", "advmod", "csubj", "xcomp", "ccomp")


@dataclass(frozen=True)
class Word:
    """A word of a broken sentence, the clean word that it is (0: none), and what it looks like."""

    form: str
    clean: int
    glued: bool = False  # to the next word, without a space
    changed: bool = False  # it is another word now, so that its tags are not known


def words_of(sentence: Sentence) -> list[Word]:
    """The words of a sentence as they are; parts of one token are glued to each other."""
    glued = [notes.get("SpaceAfter") == "No" for notes in sentence.notes]
    for token in sentence.ranges:
        glued[token.first - 1 : token.last - 1] = [True] * (token.last - token.first)
        glued[token.last - 1] = "SpaceAfter=No" in token.misc.split("|")
    rows = zip(sentence.forms, glued, strict=True)
    return [Word(form, number, tight) for number, (form, tight) in enumerate(rows, start=1)]


def sentence_of(clean: Sentence, words: Sequence[Word], kind: str) -> Sentence:
    """The sentence that these words make, with a map to the clean one in MISC."""
    text = "".join(word.form if word.glued else f"{word.form} " for word in words).rstrip()
    comments = [f"sent_id = {clean.id}-{kind}"] if clean.id else []
    comments += [f"{BROKEN} = {kind}", f"{CLEAN_TEXT} = {clean.text}", f"text = {text}"]
    columns: dict[str, list[str]] = {}
    for name in _COPIED:
        values = getattr(clean, name)
        columns[name] = [
            "_" if word.changed or not word.clean else values[word.clean - 1] for word in words
        ]
    notes = [f"{CLEAN}={word.clean}" for word in words]
    misc = [
        f"SpaceAfter=No|{note}" if word.glued else note
        for word, note in zip(words, notes, strict=True)
    ]
    heads, deprels = surviving_tree(clean, [word.clean for word in words])
    made = Sentence.from_words(
        [word.form for word in words],
        comments=comments,
        heads=heads,
        deprels=deprels,
        misc=misc,
        **columns,
    )
    return Sentence(made.source, clean.file, clean.line)


def surviving_tree(clean: Sentence, words: Sequence[int]) -> tuple[list[int], list[str]]:
    """Heads and labels of words, given which clean ones they are; see the module."""
    place = {word: number for number, word in enumerate(words, start=1) if word}

    def head_of(word: int) -> int:
        head = clean.heads[word - 1]
        while head > 0 and head not in place:
            head = clean.heads[head - 1]
        return place.get(head, head)

    heads = [head_of(word) if word else UNKNOWN for word in words]
    deprels = [clean.deprels[word - 1] if word else "_" for word in words]
    orphans = [
        number
        for number, (word, head) in enumerate(zip(words, heads, strict=True))
        if head == 0 and clean.heads[word - 1] != 0
    ]
    if orphans:
        root = min(orphans, key=lambda number: _rank(deprels[number]))
        for number in orphans:
            heads[number] = root + 1
        heads[root], deprels[root] = 0, "root"
    return heads, deprels


def with_whole_tree(broken: Sentence) -> Sentence:
    """The same where an added word hangs from the word before it, as a treebank needs it."""
    if UNKNOWN not in broken.heads:
        return broken
    arcs = list(zip(broken.heads, broken.deprels, strict=True))
    # No word is added before all others.
    heads = [place if head == UNKNOWN else head for place, (head, _) in enumerate(arcs)]
    deprels = [ADDED if head == UNKNOWN else label for head, label in arcs]
    return broken.replace(heads=heads, deprels=deprels)


def _rank(deprel: str) -> int:
    """How soon a word below a lost root takes its place."""
    name = deprel.partition(":")[0]
    if name in _PROMOTED:
        return _PROMOTED.index(name)
    return len(_PROMOTED) + (name == "punct")


def clean_words(sentence: Sentence) -> tuple[int, ...]:
    """Which clean word each word is, from MISC; raises CorpusError where it is not told."""
    found: list[int] = []
    for word, notes in enumerate(sentence.notes, start=1):
        number = notes.get(CLEAN, "")
        if not number.isdecimal() or len(number) > 6 or (int(number) and int(number) in found):
            told = f"{CLEAN}={shown(number)}" if CLEAN in notes else f"no {CLEAN}="
            raise CorpusError(
                sentence.file,
                sentence.line,
                "MISC",
                f"{told} at word {word}",
                "give the number of its clean word, 0 for none, as `niwaki corrupt` does",
            )
        found.append(int(number))
    return tuple(found)
