"""Answers extracted from sentences: what is asked for, which phrases may answer, who ranks them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.answers import Answer, Question
from niwaki.data.roles import Roleset
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.tasks.extraction.model import AnswerExtractor, Settings
from niwaki.tasks.extraction.phrases import Asked
from niwaki.tasks.extraction.semantics import SemMatch, alike
from niwaki.tasks.extraction.syntax import likeness
from niwaki.tasks.extraction.types import ANY, asked_phrase, question_word, types_asked
from niwaki.tasks.roles.learning import learn_roles
from niwaki.tasks.roles.model import RoleLabeller
from niwaki.tasks.trees import TreeView
from tests.asked import statement
from tests.labelled import active, passive, reports


@pytest.fixture(scope="module")
def labeller() -> RoleLabeller:
    return learn_roles(reports(24))


def words(text: str, rows: str) -> Sentence:
    """Words with `UPOS head label` each, commas between."""
    tags, heads, labels = zip(*(row.split() for row in rows.split(", ")), strict=True)
    return Sentence.from_words(
        text.split(), upos=list(tags), heads=list(map(int, heads)), deprels=list(labels)
    )


CITY = words(
    "In what city does Abe live ?",
    "ADP 3 case, DET 3 det, NOUN 6 obl, AUX 6 aux, PROPN 6 nsubj, VERB 0 root, PUNCT 6 punct",
)
CAPITAL = words(
    "What is the name of the river ?",
    "PRON 0 root, AUX 1 cop, DET 4 det, NOUN 1 nsubj, ADP 7 case, DET 7 det, NOUN 4 nmod, "
    "PUNCT 1 punct",
).replace(lemmas=["what", "be", "the", "name", "of", "the", "river", "?"])
MANY = words(
    "How many pines grow ?", "ADV 2 advmod, ADJ 3 amod, NOUN 4 nsubj, VERB 0 root, PUNCT 4 punct"
)
WHERE = words(
    "Where do pines grow ?", "ADV 4 advmod, AUX 4 aux, NOUN 4 nsubj, VERB 0 root, PUNCT 4 punct"
)
RAKE = words("Rake it .", "VERB 0 root, PRON 1 obj, PUNCT 1 punct")


def test_what_a_question_asks_for() -> None:
    phrases = [asked_phrase(TreeView(s)) for s in (CITY, CAPITAL, MANY, WHERE, RAKE)]
    assert phrases == [3, 1, 3, 1, None]
    assert question_word(TreeView(MANY)) == 1 and question_word(TreeView(RAKE)) is None
    found = [types_asked(TreeView(s)) for s in (CITY, CAPITAL, MANY, WHERE, RAKE)]
    assert "GPE" in found[0] and "LOCATION" in found[1] and found[2] == {"CARDINAL", "PERCENT"}
    assert "GPE" in found[3] and found[4] == ANY


def who(*answers: Sentence, verb: str = "rakes", lemma: str = "rake") -> Question:
    asked = statement("Who", verb, "gravel").replace(
        forms=["Who", verb, "gravel", "?"],
        lemmas=["who", lemma, "gravel", "?"],
        upos=["PRON", "VERB", "NOUN", "PUNCT"],
    )
    return Question("q", asked, tuple(Answer(str(n), a) for n, a in enumerate(answers)))


def with_entities(sentence: Sentence, *entities: str) -> Sentence:
    return sentence.replace(misc=["_" if e == "-" else f"NE={e}" for e in entities])


def test_candidates_are_entities_of_the_type_or_names() -> None:
    one = with_entities(statement("Mori", "rakes", "gravel"), "PERSON", "-", "SUBSTANCE", "-")
    two = with_entities(statement("Tokyo", "shows", "Mori"), "GPE", "-", "PERSON", "-")
    asked = Asked(who(one, two))
    (found,) = asked.candidates
    assert (found.text, found.type, len(found.mentions)) == ("Mori", "PERSON", 2)
    assert [m.head for m in found.mentions] == [1, 3]
    # Without entities tags tell names; what the question says is no answer.
    bare = Asked(who(statement("Mori", "rakes", "gravel"), statement("Tokyo", "shows", "moss")))
    assert [each.text for each in bare.candidates] == ["Mori", "Tokyo"]


def test_numbers_and_noun_phrases_without_entities() -> None:
    told = words(
        "Old pines grow 30 feet .",
        "ADJ 2 amod, NOUN 3 nsubj, VERB 0 root, NUM 5 nummod, NOUN 3 obj, PUNCT 3 punct",
    )
    (number,) = Asked(Question("q", MANY, (Answer("1", told),))).candidates
    assert number.text == "30"
    nouns = Asked(Question("q", RAKE, (Answer("1", told),))).candidates
    assert [(each.text, each.mentions[0].head) for each in nouns] == [
        ("Old pines", 2),
        ("30 feet", 5),
    ]


@given(*[st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)] * 2)
def test_ways_are_warped_at_the_least_cost(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    def least(i: int, j: int) -> float:
        cost = float(one[i] != other[j])
        before = [(i - 1, j - 1), (i - 1, j), (i, j - 1)]
        ways = [least(*place) for place in before if min(place) >= 0]
        return cost + (min(ways) if ways else 0.0)

    wanted = 1 - least(len(one) - 1, len(other) - 1) / max(len(one), len(other))
    assert likeness(one, other) == pytest.approx(wanted)
    assert likeness(one, one) == 1 and likeness((), other) == 0


def extracted(question: Question, labeller: RoleLabeller, *by: str) -> list[str]:
    found = AnswerExtractor(Settings(by=by), labeller).extract(question)
    best = found.answers[0].score
    return [each.text for each in found.answers if each.score == best]


def test_who_rakes_is_told_by_the_tree_or_by_roles(labeller: RoleLabeller) -> None:
    # Abe is mentioned as often as Mori, but does not rake.
    question = who(statement("Mori", "rakes", "gravel"), statement("Gravel", "rakes", "Abe"))
    question = question.with_trees(
        [
            question.sentence,
            *[
                s.replace(
                    lemmas=[s.forms[0], "rake", s.forms[2], "."],
                    upos=["PROPN", "VERB", "PROPN", "PUNCT"],
                )
                for s in question.sentences[1:]
            ],
        ]
    )
    assert sorted(extracted(question, labeller, "frequency")) == ["Abe", "Mori"]
    assert extracted(question, labeller, "syntax") == ["Mori"]
    assert extracted(question, labeller, "roles") == ["Mori"]
    assert extracted(question, labeller, "frequency", "roles") == ["Mori"]


def test_roles_see_through_the_passive(labeller: RoleLabeller) -> None:
    # "Gravel was raked by Abe": another tree, the same role; "Mori" is part of another.
    raked = words(
        "Gravel of Mori was raked by Abe .",
        "NOUN 5 nsubj:pass, ADP 3 case, PROPN 1 nmod, AUX 5 aux:pass, VERB 0 root, ADP 7 case, "
        "PROPN 5 obl:agent, PUNCT 5 punct",
    ).replace(lemmas=["gravel", "of", "Mori", "be", "rake", "by", "Abe", "."])
    assert extracted(who(raked), labeller, "roles") == ["Abe"]


def test_predicates_of_one_frame_match(labeller: RoleLabeller) -> None:
    def frames(*elements: str) -> dict[str, Roleset]:
        return {
            "rake.01": Roleset("rake.01", "rake", (), {}, {"Tending": {"ARG0": "agent"}}),
            "water.01": Roleset(
                "water.01",
                "water",
                (),
                {},
                {"Tending": dict(zip(["ARG0"], elements, strict=False))},
            ),
        }

    watered = statement("Mori", "waters", "gravel").replace(lemmas=["Mori", "water", "gravel", "."])
    question = who(watered)
    asked = Asked(question)
    assert SemMatch(labeller).scores(asked, asked.candidates) == [0.0]
    assert SemMatch(labeller, frames("agent")).scores(asked, asked.candidates)[0] > 0
    assert SemMatch(labeller, frames("place")).scores(asked, asked.candidates) == [0.0]
    covered = [
        SemMatch(labeller, known).coverage(asked, [True]) for known in (None, frames("agent"))
    ]
    assert covered == ["no match", "rest"]


def test_what_roles_cannot_cover(labeller: RoleLabeller) -> None:
    match = SemMatch(labeller)
    sentence = active(0)
    assert match.coverage(Asked(Question("q", CAPITAL, ())), []) == "no frame"
    raked = Asked(who(passive(0), sentence))
    assert match.coverage(raked, [False, False]) == "no match"
    assert match.coverage(raked, [True, False]) == "rest"


def test_soft_roles_are_alike_by_their_shares() -> None:
    asked = {1: {"ARG0": 0.75, "ARGM-TMP": 0.25}, 2: {"ARG1": 1.0}}
    assert alike(asked, asked, None) == 3
    given = {1: {"ARG2": 0.25, "ARGM-TMP": 0.75}, 3: {"ARG1": 1.0}}
    assert alike(asked, given, None) == pytest.approx(1 / 1.5)
    assert alike(asked, given, {"ARG0": "ARG2"}) == pytest.approx(2 / 1.5)


def test_each_way_decides_what_those_before_leave_equal(labeller: RoleLabeller) -> None:
    question = who(statement("Mori", "rakes", "gravel"), statement("Abe", "rakes", "moss"))
    for by in itertools.permutations(("frequency", "overlap", "syntax")):
        found = AnswerExtractor(Settings(by=by), labeller).extract(question).answers
        rows = [tuple(each.ways[name] for name in by) for each in found]
        assert rows == sorted(rows, reverse=True) and found[0].score == 1
        assert found[0].candidates == ("0",)


def test_a_question_without_phrases_has_no_answers() -> None:
    found = AnswerExtractor(Settings(by=("syntax",))).extract(who())
    assert found.answers == () and found.id == "q"


@pytest.mark.parametrize(
    ("by", "message"),
    [(("sintax",), "did you mean 'syntax'"), ((), "name each once"), (("roles",) * 2, "twice")],
)
def test_ways_that_there_are_not(by: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Settings(by=by)
