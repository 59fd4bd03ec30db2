"""Does a translation tell when to shift and when to reduce? Tables 6 and 7 of Huang et al. (2009).

At each state with two subtrees s1, s0 on the stack and a word b0 in the buffer, an arc-standard
parser shifts or reduces. Two questions to the links of the sentence: are s1 and s0 contiguous
in the translation (c; speaks for reducing), and s0 with b0, where words still to come may lie
between (c_R; speaks for shifting)?

`decide` counts what the canonical way to the gold tree does by the answers. `first_mistakes`
counts where a parser first leaves the way to it: the moves after that are often wrong because
of it. A mistake is a move that the canonical way does not make, as in the paper; or a genuine
one: a move after which some gold arc can no longer be had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from niwaki.analysis.tables import Table
from niwaki.data.bilingual.links import links_of
from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT
from niwaki.errors import CorpusError, NiwakiError
from niwaki.kernel.transition.contiguity import Contiguity
from niwaki.kernel.transition.systems import MOVES, load_system
from niwaki.kernel.transition.systems._view import View
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.pipeline.learned import Overlap
from niwaki.pipeline.pipeline import Pipeline

SYSTEM = "arc-standard"
# c and c_R as one sign each; a reduction or a shift is advised where they differ.
SIGNS = ("+-", "-+", "++", "--")
ADVICE = {"+-": "reduce", "-+": "shift"}
# Where there is no choice, or not both questions have a meaning.
NO_CHOICE = "no choice"

# What should have been done, and what was.
KINDS = ("shift, but reduced", "reduce, but shifted", "reduce, but the other way")


@dataclass(frozen=True)
class Decisions:
    """Table 7: shifts and reductions of gold trees, by what the links say."""

    sentences: int
    counts: Counter[tuple[str, str]]

    def __getitem__(self, key: tuple[str, str]) -> int:
        return self.counts[key]


@dataclass(frozen=True)
class Mistakes:
    """Table 6: first mistakes by kind, and by what the links say where they are made."""

    sentences: int
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return self.counts.total()

    def of_kind(self, kind: str) -> int:
        return sum(count for (each, _), count in self.counts.items() if each == kind)

    def advised(self) -> tuple[int, int]:
        """Mistakes where the links advise what is right, and where they advise what was done."""
        right = self.counts[KINDS[0], "-+"] + self.counts[KINDS[1], "+-"]
        wrong = self.counts[KINDS[0], "+-"] + self.counts[KINDS[1], "-+"]
        return right, wrong


@dataclass(frozen=True)
class Walk:
    """A state on the way of a parse, with the first words of the subtrees on its stack."""

    view: View
    firsts: tuple[int, ...]

    @classmethod
    def start(cls, words: int) -> Walk:
        return cls(View(load_system(SYSTEM), words), (0,))

    def after(self, move: str) -> Walk:
        if move == "shift":
            return Walk(self.view.move(move), (*self.firsts, self.view.buffer[0]))
        # Two subtrees become one, which begins where the left one did.
        return Walk(self.view.move(move), self.firsts[:-1])

    def signs(self, contiguity: Contiguity) -> str:
        """What the links say here."""
        buffer = self.view.buffer
        if len(self.firsts) < 3 or not buffer:
            return NO_CHOICE
        together = contiguity.contiguous(self.firsts[-2], buffer[0] - 1)
        right = contiguity.right_contiguous(self.firsts[-1], buffer[0])
        return "-+"[together] + "-+"[right]


def _kind(move: str) -> str:
    return "shift" if move == "shift" else "reduce"


def _prepared(sentence: Sentence) -> tuple[tuple[int, ...], Contiguity]:
    """The gold heads (of the nearest tree without crossing arcs), and the links."""
    if sentence.heads.count(ROOT) != 1 or not sentence.tree.is_complete:
        raise CorpusError(
            sentence.file, sentence.line, "HEAD", "not a whole tree", "give trees with one root"
        )
    tree = sentence.tree if sentence.tree.is_projective else sentence.tree.lifted()
    links = [(source + 1, target + 1) for source, target in links_of(sentence)]
    return tree.heads, Contiguity(len(sentence), links)


def decide(sentences: Iterable[Sentence]) -> Decisions:
    """What the canonical ways to gold trees do, by what their links say."""
    counts: Counter[tuple[str, str]] = Counter()
    number = 0
    for sentence in sentences:
        number += 1
        heads, contiguity = _prepared(sentence)
        walk = Walk.start(len(sentence))
        while walk.view.moves:
            move = walk.view.oracle(heads)
            if move != "root":
                counts[walk.signs(contiguity), _kind(move)] += 1
            walk = walk.after(move)
    return Decisions(number, counts)


def first_mistakes(
    sentences: Iterable[Sentence], ways: Iterable[Sequence[str]], *, genuine: bool
) -> Mistakes:
    """The first mistakes of parses, given as the moves of each sentence."""
    found = Mistakes(0)
    number = 0
    for sentence, moves in zip(sentences, ways, strict=True):
        number += 1
        heads, contiguity = _prepared(sentence)
        walk = Walk.start(len(sentence))
        for move in moves:
            wanted = _wanted(walk.view, move, heads, genuine)
            if wanted is not None:
                found.counts[_mistake(wanted, move), walk.signs(contiguity)] += 1
                break
            walk = walk.after(move)
    return Mistakes(number, found.counts)


def _wanted(view: View, move: str, heads: Sequence[int], genuine: bool) -> str | None:
    """What should be done instead of a move; None if it is right."""
    canonical = view.oracle(heads)
    if move == canonical or (genuine and view.cost(move, heads) == 0):
        return None
    if genuine and view.cost(canonical, heads):
        return next(each for each in view.moves if view.cost(each, heads) == 0)
    return canonical


def _mistake(wanted: str, made: str) -> str:
    if _kind(wanted) == _kind(made):
        return KINDS[2]
    return KINDS[0] if wanted == "shift" else KINDS[1]


def moves_of(
    model: Pipeline, sentences: Iterable[Sentence], beam: int, retag: bool
) -> Iterator[list[str]]:
    """The moves by which a model comes to its best trees."""
    if model.parser.facts.get("system") != SYSTEM:
        raise NiwakiError(f"shifts and reductions are those of {SYSTEM}; give such a model")
    assert isinstance(model.parser, TransitionParser)
    classes = model.parser.model_for(beam).spec.classes
    for sentence in sentences:
        best = model.kbest(sentence, 1, beam=beam, retag=retag)
        yield [MOVES[classes[number][0]] for number in best.histories[0]]


@dataclass(frozen=True)
class BilingualReport:
    """Both tables; `mistakes` by how they were told from what is right."""

    decisions: Decisions
    mistakes: dict[str, Mistakes]
    overlap: Overlap | None = None  # what the model has learned from, if there is one

    def to_json(self) -> dict[str, object]:
        decisions = {
            signs: {kind: self.decisions[signs, kind] for kind in ("shift", "reduce")}
            for signs in (*SIGNS, NO_CHOICE)
        }
        learned = {} if self.overlap is None else {"learned": self.overlap.learned[0]}
        return {
            "sentences": self.decisions.sentences,
            **learned,
            "decisions": decisions,
            "first_mistakes": {name: _to_json(each) for name, each in self.mistakes.items()},
        }

    def to_text(self) -> str:
        note = "" if self.overlap is None else self.overlap.note()
        parts = [table.to_text() for table in self.tables()]
        return "\n".join([*parts, f"{note}\n"] if note else parts)

    def tables(self) -> list[Table]:
        made = [self._table_of_decisions()]
        for name, each in self.mistakes.items():
            made += [_table_of_mistakes(name, each), _table_of_advice(name, each)]
        return made

    def _table_of_decisions(self) -> Table:
        rows = []
        for signs in (*SIGNS, NO_CHOICE):
            shift, reduce = (self.decisions[signs, kind] for kind in ("shift", "reduce"))
            whole = shift + reduce
            share = f"{100 * shift / whole:.1f}" if whole else ""
            cells = list(signs) if signs in SIGNS else [signs, ""]
            rows.append([*cells, f"{shift:,}", f"{reduce:,}", share, ADVICE.get(signs, "")])
        return Table(
            f"Gold decisions by contiguity ({self.decisions.sentences:,} sentences)",
            ["c(s1,s0)", "c_R(s0,b0)", "shift", "reduce", "% shift", "advice"],
            rows,
        )


def _to_json(mistakes: Mistakes) -> dict[str, object]:
    right, wrong = mistakes.advised()
    return {
        "sentences_with_one": mistakes.total,
        **{kind: mistakes.of_kind(kind) for kind in KINDS},
        "by_contiguity": {
            kind: {signs: mistakes.counts[kind, signs] for signs in (*SIGNS, NO_CHOICE)}
            for kind in KINDS
        },
        "links_advise_what_is_right": right,
        "links_advise_what_was_done": wrong,
    }


def _table_of_mistakes(name: str, mistakes: Mistakes) -> Table:
    rows = []
    for kind in KINDS:
        count = mistakes.of_kind(kind)
        share = f"{100 * count / mistakes.total:.1f}" if mistakes.total else ""
        rows.append([kind, f"{count:,}", share])
    title = (
        f"First mistakes, {name} ({mistakes.total:,} of {mistakes.sentences:,} sentences have one)"
    )
    return Table(title, ["should", "mistakes", "%"], rows)


def _table_of_advice(name: str, mistakes: Mistakes) -> Table:
    rows = [
        [signs, *(f"{mistakes.counts[kind, signs]:,}" for kind in KINDS[:2]), ADVICE.get(signs, "")]
        for signs in SIGNS
    ]
    right, wrong = mistakes.advised()
    title = (
        f"First mistakes, {name}, by contiguity: links advise what is right in {right:,}, "
        f"what was done in {wrong:,}"
    )
    return Table(title, ["c c_R", *KINDS[:2], "advice"], rows)
