"""Expressions of sentences as lines of text, without making objects of what need not be kept."""

from __future__ import annotations

from niwaki.data.expression_text import SPACED, format_expression
from niwaki.data.expressions import BRACKETS, COLLECTION, CONNECTIVES, UNCOVERED
from niwaki.data.sentence import Sentence
from niwaki.kernel.meaning.writer import Writer
from niwaki.tasks.meaning.decode import DEEPEST_HEAD, has_formal_labels, instruction, meaning_of
from niwaki.tasks.meaning.from_ud import expression_of
from niwaki.tasks.meaning.labels import SILENT, FormalLabel
from niwaki.tasks.meaning.rules import MeaningRules


class ExpressionWriter:
    """Writes what trees mean, be their labels formal or those of Universal Dependencies.

    >>> from niwaki.tasks.meaning.rules import load_meaning_rules
    >>> told = Sentence.from_words(["Trees", "grow"], heads=[2, 0], deprels=["-*1", "[*0"])
    >>> ExpressionWriter(load_meaning_rules()).write(told)
    b'[grow, Trees]'
    """

    def __init__(self, rules: MeaningRules) -> None:
        self._rules = rules
        signs = [SPACED[each].encode() for each in CONNECTIVES]
        self._writer = Writer(signs, _rank(UNCOVERED), COLLECTION.encode(), DEEPEST_HEAD)
        self._writer.learn_silent(SILENT.encode())
        self._known = {SILENT}

    def write(self, sentence: Sentence) -> bytes:
        """The text of one sentence; raises CorpusError as `meaning_of` and `converted` do."""
        text = self._writer.write(sentence.source)
        if text is not None:
            return text
        if not has_formal_labels(sentence):
            expression = expression_of(sentence, self._rules)
            return (
                b""
                if expression is None
                else format_expression(expression, sentence.forms).encode()
            )
        for name in {*sentence.deprels} - self._known:
            self._known.add(name)
            self._learn(name, instruction(name))
        text = self._writer.write(sentence.source)
        # What is no whole tree is an error, which is told there.
        return text if text is not None else str(meaning_of(sentence)).encode()

    def _learn(self, name: str, label: FormalLabel) -> None:
        joined = not label.place and label.joint
        self._writer.learn(
            name.encode(),
            label.up,
            label.place,
            _rank(label.joint if joined else UNCOVERED),
            [
                (
                    each.bracket.encode(),
                    BRACKETS[each.bracket].encode(),
                    [(place, blank.encode()) for place, blank in each.blanks],
                )
                for each in reversed(label.opened)
            ],
        )


def _rank(connective: str) -> int:
    return CONNECTIVES.index(connective)
