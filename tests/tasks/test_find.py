"""Queries: what they find, judged by a slow twin; and what is refused, where."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Iterator
from unicodedata import normalize

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import NiwakiError, QueryError
from niwaki.tasks.find.query import Query, find_in_sentences
from niwaki.tasks.find.results import marked, read_fields
from tests.conftest import ROOT
from tests.reference import queries as slow

GARDEN = list(read_conllu(ROOT / "examples" / "garden.conllu"))
LABELS = ("nsubj", "nsubj:pass", "obj", "conj")
TAGS = ("NOUN", "VERB")
FEATS = ("_", "Number=Sing", "Number=Plur|Tense=Past")


def found(query: str, sentence: Sentence = GARDEN[0]) -> list[tuple[str, ...]]:
    """The forms of each match."""
    return [
        tuple(match[name].form for name in match.words) for match in Query(query).matches(sentence)
    ]


# -- the slow twin -----------------------------------------------------------------------


def random_sentence(chance: random.Random, heads: tuple[int, ...]) -> Sentence:
    words = range(len(heads))
    return Sentence.from_words(
        [chance.choice(("a", "A", "b")) for _ in words],
        lemmas=[chance.choice(("a", "b")) for _ in words],
        upos=[chance.choice(TAGS) for _ in words],
        xpos=[chance.choice(("NN", "NNS", "VB")) for _ in words],
        feats=[chance.choice(FEATS) for _ in words],
        heads=heads,
        deprels=[chance.choice(LABELS) for _ in words],
    )


def all_heads(words: int) -> Iterator[tuple[int, ...]]:
    """All trees, with one root or many, and some heads that are not known."""
    for heads in itertools.product(range(-1, words + 1), repeat=words):
        if all(head != word for word, head in enumerate(heads, start=1)):
            tree = Tree(heads, ("x",) * words)
            if all(
                word not in tree.subtree(child)
                for word in range(1, words + 1)
                for child in tree.children(word)
            ):
                yield heads


class Queries:
    """Random queries, as people write them."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def query(self) -> str:
        parts = [self._chain(2) for _ in range(self._chance.choice((1, 1, 1, 2)))]
        if "=x" in parts[0] and "=y" in parts[0] and self._chance.random() < 0.5:
            keys = ("lemma", "words", "form", "Number", "upos", "label")
            key = self._chance.choice(keys)
            other = key if self._chance.random() < 0.7 else self._chance.choice(keys)
            parts.append(f"x.{key}{self._chance.choice(('=', '!='))}y.{other}")
        return "; ".join(parts)

    def _chain(self, depth: int, negated: bool = False) -> str:
        parts = [self._word(negated)]
        for _ in range(self._chance.choice((0, 1, 1, 2)) if depth else 0):
            sign = self._chance.choice("!?     ").strip()
            below = self._chain(depth - 1, negated or sign == "!")
            if sign == "?" and not negated:
                below = below.replace("=x", "=z").replace("=y", "=w")
                below += "=v" * (not set(" =") & set(below))
            inside = f"({below})" if " " in below or self._chance.random() < 0.2 else below
            parts.append(f"{sign}{self._arrow()} {inside}")
        return " ".join(parts)

    def _word(self, negated: bool) -> str:
        word = self._chance.choice(("*", "*", "NOUN", "VERB", "NOUN|VERB", "V*"))
        if self._chance.random() < 0.4:
            word = (
                word if self._chance.random() < 0.5 or word == "*" else ""
            ) + f"[{self._condition()}]"
        if self._chance.random() < 0.4:
            word += "=" + self._chance.choice("xy")
        return word

    def _condition(self) -> str:
        return self._chance.choice(
            (
                *("lemma=a", "lemma!=a", "words=a", "form=A", "form=/[Aa]/", "words=/a|c/"),
                *("label=nsubj", 'label="nsubj"', "label!=obj|conj", "label=/.subj(:.*)?/"),
                *("xpos=NN*", "xpos=NN", "upos!=VERB", "Number=Sing", "Number!=Sing", "Tense=*"),
                *("Tense!=*", "Number=/P.*/", "has=obj", "lacks=nsubj|obj", "has!=conj"),
                *("children=0", "children=1-2", "children=2+", "side=before", "side!=after"),
                *("lemma=a, children=1+", "side=before|after", "children=0|2"),
            )
        )

    def _arrow(self) -> str:
        tree = self._chance.choice((">", ">", "<", ">>", "<<", "$", ""))
        order = self._chance.choice(
            ("", "", "", "+", "-", "++", "--") if tree else ("+", "-", "++", "--")
        )
        labels = ("", "", "nsubj", "obj|conj", "/nsubj/", '"obj"')
        return tree + order + (self._chance.choice(labels) if tree not in ("", "$") else "")


# What random queries say that is of no use.
REFUSED = (
    *("named in a negation only", "is also named elsewhere", "is no word that must be there"),
    "nothing is told of what may be there",
)


def read(text: str) -> Query | None:
    try:
        return Query(text)
    except QueryError as error:
        if not any(reason in str(error) for reason in REFUSED):
            raise
        return None


def assert_same(query: Query, sentences: list[Sentence]) -> int:
    told = list(query.numbers.values())
    wanted = [
        (number, list(words))
        for number, sentence in enumerate(sentences)
        for words in slow.matches(query.pattern, told, sentence)
    ]
    names = list(query.numbers)
    places = {sentence.source: number for number, sentence in enumerate(sentences)}
    got = [
        (places[match.sentence.source], [match.words.get(name, 0) for name in names])
        for match in find_in_sentences([query], sentences)
    ]
    assert got == wanted, query
    return len(wanted)


def test_all_small_trees_and_random_queries() -> None:
    chance = random.Random(3)
    sentences = [random_sentence(chance, heads) for n in (1, 2, 3, 4) for heads in all_heads(n)]
    assert len(sentences) > 400
    # Each sentence is another one, so that matches are known by it.
    sentences = list({sentence.source: sentence for sentence in sentences}.values())
    made = Queries(5)
    matches, queries = 0, 0
    while queries < 400:
        query = read(made.query())
        if query is not None:
            matches += assert_same(query, chance.sample(sentences, 40))
            queries += 1
    assert matches > 10_000


# -- what is written ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "forms"),
    [
        ("VERB=v >nsubj NOUN=x >obj *=y", [("planted", "monks", "that")]),
        ("NOUN >acl (VERB >nsubj *=x)", [("monks",)]),
        ("NOUN >acl:relcl VERB", [("pine",)]),
        ('NOUN >"acl" VERB', []),
        ("VERB !>obj *", [("leans",)]),
        ("VERB=v >nsubj *=x; *=x >amod ADJ=a", [("leans", "pine", "old")]),
        ("NOUN=a -- NOUN=b; *=a << *=b", [("monks", "pine")]),
        ("DET=d + NOUN=n", [("the", "monks"), ("the", "pond")]),
        ("*[words=the] - *=before", [("that",), ("over",)]),
        ("[lemma=/p.+/, upos!=VERB]", [("pine",), ("pond",)]),
        ("VERB=v !>>obj *", []),
        ("[children=3+, Tense=Pres]", [("leans",)]),
        ('[form="."]', [(".",)]),
        ("PRON $ *=x", [("monks",)]),
        # A word of the match in a negation: it is not this one's.
        ("VERB=v ++ NOUN=n; *=v !> *=n", [("planted", "pond")]),
        ("VERB=v > NOUN=n !>obl NOUN=n", [("planted", "monks"), ("leans", "pine")]),
        ("VERB=v !>nsubj (NOUN !>amod *)", [("leans",)]),
        ("NOUN=n !<obl (* >nsubj (NOUN >acl *))", [("pine",), ("monks",)]),
        # What may be there is told where it is, and never a word of the match.
        ("VERB=v ?>obj *=y", [("planted", "that"), ("leans",)]),
        ("NOUN=n ?>amod ADJ=a", [("pine", "old"), ("monks",), ("pond",)]),
        ("NOUN ?>acl (VERB=v ?>obj *=o)", [("pine", "planted", "that"), ("monks",), ("pond",)]),
        ("DET=d < *=n ?> DET=e", [("The", "pine"), ("the", "monks"), ("the", "pond")]),
        ("DET=x ++ DET=y; x.words = y.words; x.form != y.form", [("The", "the"), ("The", "the")]),
        ("NOUN=x ++ NOUN=y; x.Number=y.Number", [("pine", "pond")]),
        ("NOUN=x ++ NOUN=y; x.Tense=y.Tense", []),
        ("NOUN=x ++ NOUN=y; x.lemma=y.upos; x.Tense!=y.Tense", []),
    ],
)
def test_what_is_found(query: str, forms: list[tuple[str, ...]]) -> None:
    assert found(query) == forms


@pytest.mark.parametrize(
    ("query", "column", "message"),
    [
        ("", 1, "no word"),
        ("VERB >nsbj NOUN", 7, "did you mean 'nsubj'?"),
        ("VERB >acl:rlcl *", 7, r"did you mean 'acl:relcl'\? If a treebank has it"),
        ("VRB", 1, "did you mean 'VERB'?"),
        ("VERB >NOUN", 7, "put a space between an arrow and a word"),
        ("give >obj *", 1, r"write \[lemma=give\]"),
        ("VERB[lema=x]", 6, "did you mean 'lemma'?"),
        ("VERB[lemma=a*]", 12, "for a pattern"),
        ("VERB[lemma]", 11, "no value of lemma"),
        ("VERB[lemma=a", 13, "write , or"),
        ("VERB[lemma=/(/]", 12, "not a regular expression"),
        ("VERB[children=many]", 15, "write 2, 1-3"),
        ("VERB[side=left]", 11, "known: after, before"),
        ("VERB >obj (NOUN", 16, "a parenthesis is not closed"),
        ("VERB >obj )", 11, "no word"),
        ("VERB ! NOUN", 8, "no arrow behind !"),
        ("VERB ? NOUN", 8, r"no arrow behind \?"),
        ("VERB ?>obj *", 6, r"name it: \?>obj \*=y"),
        ("VERB=x ?>obj *=x", 16, "is also named elsewhere"),
        ("VERB ?>obj *=x ?>iobj *=x", 14, "is also named elsewhere"),
        ("VERB=v ?>obj *=y !>obl *=y", 26, "is also named|named in a negation only"),
        ("VERB=v ?>obj *=y; v.lemma=y.lemma", 19, "'y' is no word that must be there; known: v"),
        ("VERB=v >obj *=y; v.lema=y.lemma", 18, "did you mean 'lemma'?"),
        ("VERB=v >obj *=y; v.lemma", 25, "write such as v.lemma=y.lemma"),
        ("VERB=v >obj *=y; v.lemma=y", 26, "write such as x.lemma"),
        ("VERB NOUN", 6, "put ; between two parts"),
        ("NOUN $obj *", 6, "a label behind"),
        ("VERB=v !>obj *=x", 16, "named in a negation only"),
        ("VERB=1", 6, "a name"),
        ("(" * 99, 1, "no word"),
        ("* > (" * 99, 256, "too many parentheses"),
    ],
)
def test_faults_are_told_with_their_place(query: str, column: int, message: str) -> None:
    with pytest.raises(QueryError, match=message) as caught:
        Query(query)
    assert caught.value.column == column
    assert f"query, character {column}, at " in str(caught.value)
    assert "\n" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_what_is_quoted_is_not_checked() -> None:
    given = Sentence.from_words(["a", "b"], heads=[2, 0], deprels=["dobj", "ROOT"], upos=["N", "V"])
    assert found('[upos="V"]=v >"dobj" *=x', given) == [("b", "a")]
    assert found('[form="a" | b]'.replace(" | ", "|"), given) == [("a",), ("b",)]
    quote = Sentence.from_words(['"', "\\"])
    assert found(r'[form="\""]', quote) == [('"',)]


def test_heads_that_go_round_are_refused() -> None:
    circle = Sentence.from_words(["a", "b"], heads=[2, 1], deprels=["obj", "obj"])
    assert found("*=x >obj *=y", circle) == [("a", "b"), ("b", "a")]
    for query in ("* >> *", "*=x < *=y; *=x << *=y"):
        with pytest.raises(NiwakiError, match="in a circle; give trees"):
            found(query, circle)


def test_too_many_matches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("niwaki.tasks.find.forest._MOST_ROWS", 65)
    assert len(found("*=x + *=y")) == 11
    with pytest.raises(NiwakiError, match="more than 65 words to look at together; say more"):
        found("*=x ++ *=y")


@pytest.mark.parametrize(
    "query", ["[form=café]", "[lemma=café]", '[form="café"]', "[form=/.*é/]", "[words=CAFÉ]"]
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_are_found_however_their_characters_are_written(query: str, form: str) -> None:
    for written in ("NFC", "NFD"):
        word = normalize(written, "café")  # type: ignore[arg-type]
        words = [word, "cafe"]
        sentence = Sentence.from_words(words, lemmas=words, heads=[0, 1], deprels=["root", "flat"])
        assert found(normalize(form, query), sentence) == [(word,)]  # type: ignore[arg-type]


def test_batches_give_what_single_sentences_give() -> None:
    many = GARDEN * 700
    query = Query("NOUN=x >det *=y")
    apart = [match.words for sentence in GARDEN for match in query.matches(sentence)]
    assert apart
    assert [match.words for match in find_in_sentences([query], many)] == apart * 700
    assert list(find_in_sentences([query], [])) == []


def test_marks_stand_in_misc() -> None:
    sentence = GARDEN[0]
    once = marked(sentence, Query("NOUN=x >det *=y").matches(sentence))
    assert once.misc[:3] == ("Found=1:y", "_", "Found=1:x")
    assert once.misc[10] == "SpaceAfter=No|Found=3:x"
    # Others stay, and marks are replaced.
    again = marked(once, Query("VERB").matches(once))
    assert again.misc[:3] == ("_", "_", "_") and again.misc[6] == "Found=1:word"
    assert again.misc[10] == "SpaceAfter=No"
    assert marked(again, []) == sentence


def test_fields_of_words() -> None:
    (match,) = Query("VERB=v >nsubj (*=x >amod *)").matches(GARDEN[0])
    fields = read_fields(
        "x, v.lemma,x.text,v.Tense,x.label,x.id,x.words,v.Case,x.feats", ["v", "x"]
    )
    assert [match.field(*each) for each in fields] == [
        *("pine", "lean", "The old pine that the monks planted", "Pres", "nsubj", "3", "pine"),
        *("", "Number=Sing"),
    ]
    assert match.to_dict()["words"]["v"] == {
        "id": 8,
        "form": "leans",
        "lemma": "lean",
        "upos": "VERB",
        "label": "root",
        "text": GARDEN[0].text.replace("pond.", "pond"),
    }
    # Without what joins it to others.
    (pond,) = Query("[lemma=pond]=x").matches(GARDEN[0])
    assert pond.field("x", "text") == "the pond"
    for wrong, message in (("z", "no word 'z' in the query"), ("x.lema", "did you mean 'lemma'")):
        with pytest.raises(NiwakiError, match=message):
            read_fields(wrong, ["v", "x"])
