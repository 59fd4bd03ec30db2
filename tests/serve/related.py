"""Stories in which connectives and roles are marked, and small models that learned them."""

from __future__ import annotations

from pathlib import Path

from niwaki.data.connectives import Document
from niwaki.data.roles import Filler, Predicate, with_predicates
from niwaki.data.sentence import Sentence
from niwaki.verbs.connecting import train_connectives
from niwaki.verbs.labelling import train_roles
from tests.connected import as_text, stories, story


def plain_story(number: int) -> str:
    """A story as CoNLL-U with trees and without marks."""
    return as_text([Document(story(number).sentences)])


def _predicates(sentence: Sentence) -> list[Predicate]:
    """Verbs with subject and object; one that is joined has the subject of the first."""
    rows = list(enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=1))
    found = []
    for word, tag in enumerate(sentence.upos, start=1):
        if tag == "VERB":
            near = word, sentence.heads[word - 1]
            fillers = [Filler("ARG0", n) for n, (h, x) in rows if h in near and x == "nsubj"]
            fillers += [Filler("ARG1", n) for n, (h, x) in rows if h == word and x == "obj"]
            found.append(Predicate(word, f"{sentence.forms[word - 1]}.01", tuple(fillers)))
    return found


def relation_files(folder: Path) -> tuple[Path, Path]:
    """A model of connectives and a labeller of roles that know the stories by heart."""
    connectives, roles = folder / "connectives.niwaki", folder / "roles.niwaki"
    (folder / "stories.conllu").write_text(as_text(stories()), encoding="utf-8")
    train_connectives(folder / "stories.conllu", connectives)
    told = [s for document in stories() for s in document.sentences]
    train_roles([with_predicates(s, _predicates(s)) for s in told], roles)
    return connectives, roles
