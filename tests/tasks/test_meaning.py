"""Expressions become trees with formal labels and again expressions; trees of UD become both."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.expression_text import Written, format_expression, read_expression
from niwaki.data.expressions import DEEPEST, Expression, facts_of
from niwaki.data.meaning import Pair
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError, NiwakiError, RulesError
from niwaki.tasks.meaning.align import aligned
from niwaki.tasks.meaning.decode import decode, meaning_of, most_consistent
from niwaki.tasks.meaning.encode import encode
from niwaki.tasks.meaning.from_ud import MOST_NESTED, converted
from niwaki.tasks.meaning.labels import FormalLabel, Opened, is_formal, read_label
from niwaki.tasks.meaning.rules import load_meaning_rules, parse_meaning_rules
from niwaki.tasks.meaning.writing import ExpressionWriter
from tests.meant import CHIRPY, CHIRPY_EXPRESSION, CHIRPY_HEADS, CHIRPY_LABELS, expressions

RULES = load_meaning_rules()


def pair(words: str, expression: str) -> Pair:
    return Pair(Sentence.from_words(words.split()), read_expression(expression))


# -- labels --------------------------------------------------------------------------------


def test_the_example_of_the_paper_gets_the_labels_of_its_table() -> None:
    found = encode(aligned(pair(CHIRPY, CHIRPY_EXPRESSION)), len(CHIRPY.split()))
    assert found == Tree(CHIRPY_HEADS, tuple(CHIRPY_LABELS))
    sentence = Sentence.from_words(CHIRPY.split()).with_tree(found)
    assert str(meaning_of(sentence)) == CHIRPY_EXPRESSION


@given(expressions())
def test_what_is_encoded_is_decoded(made: tuple[Expression, int]) -> None:
    expression, length = made
    tree = encode(expression, length)
    assert tree.is_complete and all(map(is_formal, tree.deprels))
    assert decode(tree) == (expression, 0)


@given(expressions())
def test_silent_words_cross_no_arc(made: tuple[Expression, int]) -> None:
    expression, length = made
    kept = dict(zip(expression.words, itertools.count(1)))
    alone = encode(expression.renumbered(kept), len(kept))
    assert encode(expression, length).is_projective == alone.is_projective


@given(st.integers(0, 2), st.sampled_from(["", ":", "+", "1", "12"]), expressions())
def test_labels_are_read_as_they_are_written(
    up: int, joint: str, made: tuple[Expression, int]
) -> None:
    known = [(read_label(name), name) for name in encode(*made).deprels if name != "~"]
    assert known and [str(label) for label, _ in known] == [name for _, name in known]
    others = [FormalLabel(up, joint, label.opened) for label, _ in known if label]
    assert [read_label(str(other)) for other in others] == others


def test_labels_that_are_not_formal() -> None:
    names = ("root", "nsubj", "", "*0", "[*", "-", "^1-", "[*:", "*100")
    assert [name for name in names if is_formal(name)] == []
    assert read_label("--[2_1-^3-{0*0") == FormalLabel(
        2, "2", (Opened("[", ((1, "_"), (3, "^"))), Opened("{"))
    )


@given(st.data(), st.integers(1, 9))
def test_every_tree_is_decoded(data: st.DataObject, length: int) -> None:
    """Whatever a parser makes of labels: each word that is not silent is there, once."""
    names = ["~", "*", "*:", "-*1", "-*2", "[*0", "[:^1-*0", "--*3", "{*0", "-[2_1-*0", "root"]
    labels = data.draw(st.lists(st.sampled_from(names), min_size=length, max_size=length))
    heads = [data.draw(st.integers(0, word)) for word in range(length)]
    expression, repairs = decode(Tree(tuple(heads), tuple(labels)))
    said = tuple(word for word, name in enumerate(labels, start=1) if name != "~")
    assert (expression.words if expression else ()) == said
    # What needed no repair is what somebody would have encoded, but for silent words.
    if expression and not repairs:
        again = encode(expression, length)
        assert [again.deprels[w - 1] for w in said] == [labels[w - 1] for w in said]


@pytest.mark.parametrize(
    ("labels", "text", "repairs"),
    [
        (("[*0", "-*1", "-*1"), "[a, b, c]", 1),  # the next free place
        (("[*0", "-*2", "-*2"), "[a, _, b, c]", 2),  # and nobody takes the first
        (("*", "-*1", "*:"), "a:c%b", 1),  # no tuple
        (("[*0", "--*:", "-*1"), "[a, c]:b", 1),  # not so far up
        (("[*0", "*", "nsubj"), "[a%b%c]", 2),  # a root below another word, no label
        (("*:", "*:", "~"), "a:b", 1),  # a root that is joined
        (("~", "*", "*:"), "|b, c|", 4),  # two that hang on a silent word
    ],
)
def test_contradictions_are_settled_and_counted(
    labels: tuple[str, ...], text: str, repairs: int
) -> None:
    found, counted = decode(Tree((0, 1, 1), labels))
    written = read_expression(text)
    numbers = {n: " abc".index(word) for n, word in enumerate(written.words, start=1)}
    assert found == written.expression.renumbered(numbers) and counted == repairs


def test_the_first_tree_without_contradictions_is_chosen() -> None:
    clash, gap, good, other = (
        Tree((0, 1, 1), labels)
        for labels in (
            ("[*0", "-*2", "-*2"),
            ("[*0", "-*1", "-*1"),
            ("[*0", "-*1", "-*2"),
            ("[*0", "-*2", "-*1"),
        )
    )

    def conflicts(tree: Tree) -> int:
        return decode(tree)[1]

    assert most_consistent([clash, gap, good, other], conflicts) == good
    assert most_consistent([clash, gap], conflicts) == gap
    with pytest.raises(ValueError, match="at least one tree"):
        most_consistent([], conflicts)


def test_trees_deeper_than_expressions_are_decoded() -> None:
    length = 4 * DEEPEST
    forms = [f"w{word}" for word in range(1, length + 1)]
    for label in ("*:", "[:^1-*0", "-[1[0[0*0"):
        chain = Tree(tuple(range(length)), ("[*0", *[label] * (length - 1)))
        found, repairs = decode(chain)
        assert found and found.words == tuple(range(1, length + 1))
        assert repairs and found.depth <= DEEPEST
        # And who walks through what was made comes to its end.
        written = read_expression(format_expression(found, forms, numbered=True))
        again = written.expression.renumbered(dict(enumerate(written.places, start=1)))
        assert again == found and facts_of(again) == facts_of(found)
    dots = Sentence.from_words(["."] * length, heads=range(length), deprels=["punct"] * length)
    assert converted(dots, RULES).expression is None
    with pytest.raises(CorpusError, match="nested deeper than"):
        deep = Sentence.from_words(["w"] * length, heads=range(length), deprels=["amod"] * length)
        converted(deep, RULES)


def test_what_cannot_be_encoded_or_decoded_is_told() -> None:
    with pytest.raises(NiwakiError, match="word 3 of an expression"):
        encode(Expression(3), 2)
    with pytest.raises(NiwakiError, match="word 1 of an expression"):
        encode(Expression(1).joining(":", Expression(1)), 2)
    with pytest.raises(CorpusError, match="no formal label 'root'"):
        meaning_of(Sentence.from_words(["Go"], heads=[0], deprels=["root"]))
    with pytest.raises(CorpusError, match="no whole tree"):
        meaning_of(Sentence.from_words(["Go"], heads=[-1], deprels=["*"]))
    assert meaning_of(Sentence.from_words(["!"], heads=[0], deprels=["~"])).expression is None
    assert encode(None, 2) == Tree((0, 1), ("~", "~"))


# -- alignment -----------------------------------------------------------------------------


def test_repeated_words_stay_near_their_heads() -> None:
    found = aligned(
        pair("the cat of the man saw the dog", "[saw, cat.the:[of, ^, man.the], dog.the]")
    )
    assert encode(found, 8).heads == (2, 6, 2, 5, 3, 0, 8, 6)
    # What is said is kept, and the other copies take what is left.
    crossed = aligned(pair("the cat saw the dog", "[saw, cat.the#4, dog.the]"))
    assert encode(crossed, 5).heads == (5, 3, 0, 2, 3)
    # Case does not matter, and a word that is not in the expression is silent.
    assert aligned(pair("The the end", "end.the")).words == (2, 3)


def test_many_copies_are_placed_one_by_one() -> None:
    words = "a x1 a x2 a x3 a x4 a x5 a x6 a x7 a x8"
    expression = "|" + ", ".join(f"x{n}.a" for n in range(1, 9)) + "|"
    found = encode(aligned(pair(words, expression)), 16)
    assert found.heads[::2] == tuple(range(2, 17, 2)) and found.is_projective


@given(expressions(6))
def test_words_that_differ_are_aligned_as_they_were(made: tuple[Expression, int]) -> None:
    expression, length = made
    forms = [f"w{n}" for n in range(1, length + 1)]
    order = {word: n for n, word in enumerate(expression.words, start=1)}
    words = tuple(forms[word - 1] for word in expression.words)
    shuffled = Written(expression.renumbered(order), words, (0,) * len(words))
    assert aligned(Pair(Sentence.from_words(forms), shuffled)) == expression


def test_words_that_are_not_there_are_told() -> None:
    with pytest.raises(CorpusError, match="'go' is more often in the expression"):
        aligned(pair("I go", "[go, go]"))
    with pytest.raises(CorpusError, match="I#7 in 2 words"):
        aligned(pair("I go", "[go, I#7]"))


# -- from trees of Universal Dependencies --------------------------------------------------

UD = [
    ("Mori/PROPN/2/nsubj sold/VERB/0/root lamps/NOUN/2/obj ./PUNCT/2/punct", "[sold, Mori, lamps]"),
    ("Lamps/NOUN/3/nsubj:pass were/AUX/3/aux:pass sold/VERB/0/root", "[sold/were, _, Lamps]"),
    ("the/DET/3/det old/ADJ/3/amod pond/NOUN/0/root", "pond.the:old"),
    ("in/ADP/3/case the/DET/3/det pond/NOUN/0/root", "[in, ^, pond.the]"),
    ("Barack/PROPN/0/root Obama/PROPN/1/flat", "Barack+Obama"),
    (
        "it/PRON/3/nsubj is/AUX/3/cop cold/ADJ/0/root today/NOUN/3/obl:unmarked",
        "[is@today, it, cold]",
    ),
    ("it/PRON/4/nsubj is/AUX/4/cop very/ADV/4/advmod cold/ADJ/0/root", "[is, it, cold/very]"),
    ("it/PRON/4/nsubj is/AUX/4/cop in/ADP/4/case Kyoto/PROPN/0/root", "[is, it, [in, ^, Kyoto]]"),
    ("pines/NOUN/0/root and/CCONJ/3/cc maples/NOUN/1/conj", "and{pines, maples}"),
    (
        "in/ADP/2/case Kyoto/PROPN/0/root and/CCONJ/4/cc Nara/PROPN/2/conj",
        "[in, ^, and{Kyoto, Nara}]",
    ),
    (
        "in/ADP/2/case Kyoto/PROPN/0/root and/CCONJ/5/cc in/ADP/5/case Nara/PROPN/2/conj",
        "and{[in, ^, Kyoto], [in, ^, Nara]}",
    ),
    ("a/X/0/root b/X/1/conj and/CCONJ/4/cc c/X/1/conj d/X/1/conj", "|and{a, b, c}, d|"),
    ("he/PRON/2/nsubj came/VERB/0/root saw/VERB/2/conj", "[came, he] & [saw, _]"),
    (
        "he/PRON/2/nsubj left/VERB/0/root because/SCONJ/5/mark she/PRON/5/nsubj came/VERB/2/advcl",
        "[left:[because, ^, [came, she]], he]",
    ),
    (
        "he/PRON/2/nsubj said/VERB/0/root that/SCONJ/5/mark she/PRON/5/nsubj came/VERB/2/ccomp",
        "[said, he, [came/that, she]]",
    ),
    ("men/NOUN/0/root selling/VERB/1/acl lamps/NOUN/2/obj", "men:[selling, ^, lamps]"),
    ("lamps/NOUN/0/root I/PRON/3/nsubj sold/VERB/1/acl:relcl", "lamps:[sold, I, ^]"),
    (
        "men/NOUN/0/root who/PRON/3/nsubj sold/VERB/1/acl:relcl lamps/NOUN/3/obj",
        "men:[sold, who, lamps]",
    ),
    (
        "trouble/NOUN/4/nsubj:outer is/AUX/4/cop he/PRON/4/nsubj left/VERB/0/root",
        "[is, trouble, [left, he]]",
    ),
    ("well/INTJ/2/parataxis go/VERB/0/root up/ADP/2/compound:prt", "[go/up%well, _]"),
    ("./PUNCT/0/root", '"."'),
]


def ud(text: str) -> Sentence:
    rows = [token.rsplit("/", 3) for token in text.split()]
    forms, upos, heads, labels = zip(*rows, strict=True)
    return Sentence.from_words(
        forms, lemmas=forms, upos=upos, heads=[int(head) for head in heads], deprels=labels
    )


@pytest.mark.parametrize(("tree", "expression"), UD)
def test_trees_become_expressions_by_the_rules(tree: str, expression: str) -> None:
    found = converted(ud(tree), RULES)
    assert str(found) == expression
    assert decode(found.sentence.tree) == (found.expression, 0)


def test_a_passive_participle_lacks_its_second_argument() -> None:
    sentence = ud("lamps/NOUN/0/root sold/VERB/1/acl").replace(xpos=["NNS", "VBN"])
    assert str(converted(sentence, RULES)) == "lamps:[sold, _, ^]"


def test_roles_give_the_places_of_a_tuple() -> None:
    sentence = ud("doors/NOUN/2/nsubj opened/VERB/0/root him/PRON/2/iobj")
    marked = sentence.replace(misc=["_", "Roleset=open.01|Roles=ARG1:1,ARGM-GOL:3", "_"])
    assert str(converted(sentence, RULES)) == "[opened, doors, _, him]"
    assert str(converted(marked, RULES)) == "[opened, _, doors, him]"


def test_any_tree_of_relations_becomes_an_expression() -> None:
    choose = random.Random(7)
    relations = [
        *(*RULES.places, *RULES.connectives, "punct", "parataxis", "nsubj:outer"),
        *(*RULES.conjunct, *RULES.around, *RULES.copula, *RULES.coordinator, *RULES.abstracted),
    ]
    identical = 0
    for _ in range(300):
        length = choose.randint(1, 12)
        order = choose.sample(range(1, length + 1), length)
        heads = [0] * length
        for at, word in enumerate(order[1:], start=1):
            heads[word - 1] = choose.choice(order[:at])
        upos = choose.choices(["VERB", "NOUN", "PART", "AUX"], k=length)
        labels = ["root" if head == 0 else choose.choice(relations) for head in heads]
        told = Sentence.from_words(["w"] * length, upos=upos, heads=heads, deprels=labels)
        found = converted(told, RULES)
        assert found.expression is not None
        # What spares a look at how deep the expressions of short sentences are.
        assert found.expression.depth <= 1 + MOST_NESTED * length
        identical += decode(found.sentence.tree) == (found.expression, 0)
        written = ExpressionWriter(RULES).write(told)
        assert written == format_expression(found.expression, told.forms).encode()
        silent = {w for w, name in enumerate(found.sentence.deprels, start=1) if name == "~"}
        assert all(labels[word - 1] == "punct" for word in silent)
    assert identical == 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"silent = [", "not TOML"),
        (b"silence = []", "unknown key 'silence'; did you mean 'silent'?"),
        (b"description = ''", "no key silent; take assets/meaning/en.toml as a pattern"),
    ],
)
def test_rules_that_are_wrong_are_told(text: bytes, message: str) -> None:
    with pytest.raises(RulesError) as found:
        parse_meaning_rules(text, "r.toml")
    assert message in str(found.value) and "r.toml" in str(found.value)


def test_values_of_rules_are_checked() -> None:
    from niwaki.tasks.meaning import rules

    for name, value in (("places", {"obj": 0}), ("connectives", {"obj": "!"}), ("silent", "x")):
        with pytest.raises(RulesError, match=f"{name} is "):
            rules._value("r.toml", name, value)
    with pytest.raises(RulesError, match="no such rules of meaning"):
        load_meaning_rules("fr")
