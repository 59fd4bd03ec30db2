"""What sentences mean: expressions made of trees or of pairs, drawn, and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from niwaki import draw
from niwaki.data.files import Source
from niwaki.data.meaning import Meaning, read_pairs
from niwaki.data.roles import with_table
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import NiwakiError
from niwaki.metrics.meaning import MeaningEvaluation
from niwaki.metrics.meaning import evaluate_meaning as evaluate_expressions
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.meaning.align import aligned
from niwaki.tasks.meaning.decode import decode, most_consistent
from niwaki.tasks.meaning.encode import encode
from niwaki.tasks.meaning.from_ud import expressed
from niwaki.tasks.meaning.labels import is_formal
from niwaki.tasks.meaning.rules import IN_THE_BOX, MeaningRules, load_meaning_rules
from niwaki.verbs._given import Model, Sentences, model_of, read_given

Rules = str | os.PathLike[str] | MeaningRules


def meaning(
    source: Sentences,
    *,
    parser: Model | None = None,
    rules: Rules = IN_THE_BOX,
    table: Source | None = None,
    k: int = 1,
    threads: int = 1,
) -> Iterator[Meaning]:
    """Yield what sentences mean, as expressions of their words.

    Trees with formal labels, such as those of a model that has learned them, are decoded; trees of
    Universal Dependencies are converted by `rules`. They are the input's, or those of `parser`,
    which also takes raw text. `table` has PropBank roles of the trees, by which the arguments of
    predicates find their places. Of the `k` best trees of a parser of formal labels, the first is
    taken that does not contradict itself.

        >>> for found in meaning("letter.txt", parser="en"):
        ...     print(found)
    """
    if table is not None and parser is not None:
        raise NiwakiError("a table of roles is of the trees that are given; give no parser")
    if k > 1 and parser is None:
        raise NiwakiError("k trees are a parser's; give one, or take the trees as they are")
    known = rules if isinstance(rules, MeaningRules) else load_meaning_rules(rules)
    pipeline = None if parser is None else model_of(parser)
    if k > 1 and pipeline is not None and not any(map(is_formal, pipeline.parser.label_names)):
        raise NiwakiError(
            "only formal labels contradict each other, and this parser has others; leave out k"
        )
    return expressed(_trees(source, pipeline, table, k, threads), known)


def encode_meaning(source: Source) -> Iterator[Meaning]:
    """Yield what the sentences of a file of pairs mean: words, a tab and an expression of them.

    Which of several equal words an expression means is found by what keeps dependents near their
    heads. The sentences have trees with formal labels, for a parser to learn.

        >>> write_conllu((found.sentence for found in encode_meaning("pairs.tsv")), "trees.conllu")
    """
    for pair in read_pairs(source):
        expression = aligned(pair)
        tree = encode(expression, len(pair.sentence))
        yield Meaning(pair.sentence.with_tree(tree), expression)


def evaluate_meaning(
    gold: Sentences, system: Sentences, *, rules: Rules = IN_THE_BOX
) -> MeaningEvaluation:
    """Score expressions against gold ones, per word, as a whole, and by what they say.

    Both are trees, with formal labels or of Universal Dependencies.

        >>> evaluate_meaning("gold.conllu", "system.conllu").scores["words"]
    """
    one, other = (list(meaning(each, rules=rules)) for each in (gold, system))
    return evaluate_expressions(one, other)


def draw_meaning(found: Iterable[Meaning], style: Literal["tree", "svg", "html"]) -> Iterator[str]:
    """Yield a picture of each expression, or one page of all, each beside its tree ("html").

    >>> print("\\n".join(draw_meaning(meaning("letter.txt", parser="en"), "tree")))
    """
    if style not in ("tree", "svg", "html"):
        raise NiwakiError(f"no style {style!r}; give tree, svg or html")
    if style == "html":
        yield draw.meanings(found)
        return
    for each in found:
        yield draw.outline(each) if style == "tree" else draw.expression_svg(each)


def record(found: Meaning) -> dict[str, Any]:
    """All that is known of what a sentence means, ready for JSON."""
    forms = found.sentence.forms

    def shown(item: int | str) -> str:
        return item if isinstance(item, str) else forms[item - 1]

    expression = found.expression
    return {
        "id": found.sentence.id,
        "text": found.sentence.text,
        "expression": str(found),
        "covered": expression is None or expression.is_covered,
        "repairs": found.repairs,
        "facts": [
            {"word": f.word, "form": shown(f.word), "relation": f.relation, "item": f.item}
            | ({} if isinstance(f.item, str) else {"item_form": shown(f.item)})
            for f in sorted(found.facts, key=lambda f: (f.word, f.relation, str(f.item)))
        ],
    }


def _trees(
    source: Sentences, pipeline: Pipeline | None, table: Source | None, k: int, threads: int
) -> Iterator[Sentence]:
    """A file is opened when the first tree is asked for, so that none stays open."""
    given = read_given(source, pipeline)
    if table is not None:
        given = with_table(given, table)
    # Tags that are given would be better than those of sentences to come.
    if pipeline is None:
        yield from given
    elif k == 1:
        yield from pipeline.parse(given, threads=threads, retag=True)
    else:
        for sentence in given:
            best = pipeline.kbest(sentence, k, retag=True)
            yield best.sentence.with_tree(most_consistent(best, _conflicts))


def _conflicts(tree: Tree) -> int:
    return decode(tree)[1] if all(map(is_formal, tree.deprels)) else 0
