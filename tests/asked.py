"""Questions with answers, made up: who does what can be told by the tree; a tiny WordNet."""

from __future__ import annotations

import json
from pathlib import Path

from niwaki.data.answers import Answer, Question
from niwaki.data.sentence import Sentence

_NAMES = "Mori Sato Kimura Ono Abe".split()
_VERBS = "rakes waters prunes paints sweeps plants".split()
_THINGS = "gravel moss pines lanterns bridges".split()


def statement(subject: str, verb: str, thing: str, *, odd: bool = False) -> Sentence:
    """ "Mori rakes gravel ." and the like; in an odd one, the thing hangs from the subject."""
    return Sentence.from_words(
        [subject, verb, thing, "."],
        upos=["PROPN", "VERB", "NOUN", "PUNCT"],
        heads=[2, 0, 1 if odd else 2, 2],
        deprels=["nsubj", "root", "nmod" if odd else "obj", "punct"],
    )


def asked(number: int) -> Question:
    """ "Who rakes gravel ?", with the answer, one with an odd tree, and two with other words."""
    verb, thing = _VERBS[number % 6], _THINGS[number % 5]
    question = statement("Who", verb, thing)
    question = question.replace(forms=["Who", verb, thing, "?"], upos=["PRON", *question.upos[1:]])
    name, other = _NAMES[number % 5], _NAMES[(number + 1) % 5]
    rows = [
        (statement(other, verb, _THINGS[(number + 1) % 5]), False),
        (statement(name, verb, thing), True),
        (statement(name, verb, thing, odd=True), False),
        (statement(other, _VERBS[(number + 1) % 6], thing), False),
    ]
    answers = [Answer(str(place), each, right) for place, (each, right) in enumerate(rows, start=1)]
    return Question(f"q{number}", question, tuple(answers))


def pool(count: int = 12) -> list[Question]:
    return [asked(number) for number in range(count)]


def as_text(questions: list[Question], *, trees: bool = True) -> str:
    """The questions as a file."""
    return "".join(f"{json.dumps(_record(question, trees))}\n" for question in questions)


def _record(question: Question, trees: bool) -> dict[str, object]:
    candidates = [
        {"id": each.id, "label": int(bool(each.right)), **_words(each.sentence, trees)}
        for each in question.answers
    ]
    return {
        "id": question.id,
        "question": _words(question.sentence, trees),
        "candidates": candidates,
    }


def _words(sentence: Sentence, trees: bool) -> dict[str, object]:
    names = ("upos", "heads", "deprels") if trees else ()
    return {"tokens": sentence.forms, **{name: getattr(sentence, name) for name in names}}


# "buy" is to "purchase" what "acquire" is above; "sell" is the opposite; "snore" entails "sleep".
_DATA = {
    "noun": [
        "00000001 00 n 02 gardener 0 Nurseryman 0 002 @ 00000002 n 0000 + 00000003 v 0101",
        "00000002 00 n 01 worker 0 001 ~ 00000001 n 0000 | somebody who works",
    ],
    "verb": [
        "00000003 00 v 01 garden 0 001 + 00000001 n 0101 01 + 02 00",
        "00000004 00 v 02 buy 0 purchase 0 002 @ 00000005 v 0000 ! 00000006 v 0101 01 + 08 00",
        "00000005 00 v 01 acquire 0 001 ~ 00000004 v 0000 01 + 08 00",
        "00000006 00 v 01 sell 0 001 ! 00000004 v 0101 01 + 08 00",
        "00000007 00 v 01 snore 0 001 * 00000008 v 0000 01 + 02 00",
        "00000008 00 v 01 sleep 0 002 ^ 00000007 v 0000 $ 0000000a v 0000 01 + 02 00",
        "00000009 00 v 01 tire 0 001 > 00000008 v 0000 01 + 08 00",
        "0000000a 00 v 01 rest 0 000 01 + 02 00",
    ],
    "adj": [
        "0000000b 00 a 01 wet 0 002 ! 0000000c a 0101 & 0000000d a 0000",
        "0000000c 00 a 01 dry 0 002 ! 0000000b a 0101 & 0000000e a 0000",
        "0000000d 00 s 01 damp(p) 0 001 & 0000000b a 0000",
        "0000000e 00 s 01 arid 0 001 & 0000000c a 0000",
    ],
    "adv": [],
}
_IRREGULAR = {"verb": ["bought buy", "slept sleep"], "noun": ["gardenerz gardener"]}


def small_wordnet(folder: Path) -> Path:
    """A folder with a WordNet of some words."""
    folder.mkdir(exist_ok=True)
    for name, lines in _DATA.items():
        senses: dict[str, list[str]] = {}
        for line in lines:
            fields = line.split()
            for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
                senses.setdefault(word.partition("(")[0].lower(), []).append(fields[0])
        licence = "  1 This software and database is made up for tests.\n"
        data = "".join(f"{line}\n" for line in lines)
        (folder / f"data.{name}").write_text(licence + data)
        rows = (
            f"{word} {name[0]} {len(found)} 1 @ {len(found)} 0 {' '.join(found)}\n"
            for word, found in sorted(senses.items())
        )
        (folder / f"index.{name}").write_text(licence + "".join(rows))
        (folder / f"{name}.exc").write_text("\n".join(_IRREGULAR.get(name, [])) + "\n")
    return folder
