"""What annotators are asked: sentences in the order of how uncertain a model is about them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from niwaki.data.constraints import Constraints, ForbiddenHead, Labels
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConstraintError
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import model_of, trees_of
from niwaki.serve.work.reading import Given, read_given
from niwaki.serve.work.showing import as_conllu

# Trees that are looked at to see what may be the main verb, and how sure the model is.
_TREES = 16


def split(
    model: str, given: Given, limits: dict[str, int], *, start: bool = False
) -> dict[str, Any]:
    """What a new project is made of: the sentences as CoNLL-U, each with an id.

    With `start`, what they say about their trees must be possible.
    """
    sentences = read_given(given, model_of(model), limits)
    if not sentences:
        raise RequestError(422, "there is no sentence in it")
    if start:
        for sentence in sentences:
            Constraints.of(sentence).check(sentence, projective=False)
    named, seen = [], set()
    for number, sentence in enumerate(sentences, start=1):
        name = sentence.id
        if not name or name in seen:
            name = f"s{number}"
            comments = [
                comment
                for comment in sentence.comments
                if comment.partition("=")[0].strip() != "sent_id"
            ]
            sentence = sentence.with_comments([f"sent_id = {name}", *comments])
        seen.add(name)
        named.append(sentence)
    return {"conllu": as_conllu(named).decode("utf-8"), "sentences": len(named)}


def words_of(file: str) -> dict[str, Any]:
    """The sentences of a registered treebank without their trees."""
    made = [
        each.replace(heads=[-1] * len(each), deprels=["_"] * len(each)) for each in trees_of(file)
    ]
    return {"conllu": as_conllu(made).decode("utf-8"), "sentences": len(made)}


def doubts(model: str, file: str, start: int, stop: int) -> dict[str, Any]:
    """How uncertain the main word, and the whole tree, of some sentences are (0 to 1)."""
    pipeline = model_of(model)
    rows = []
    for sentence in trees_of(file)[start:stop]:
        found = pipeline.kbest(sentence, _TREES)
        best = max(root_shares(found).values())
        rows.append([round(1 - best, 4), round(_entropy(found.probabilities.tolist()), 4)])
    return {"rows": rows}


def root_shares(candidates: KBest) -> dict[int, float]:
    """How much of the weight of the trees each root has."""
    shares: dict[int, float] = defaultdict(float)
    for tree, probability in zip(candidates.trees, candidates.probabilities.tolist(), strict=True):
        shares[tree.root or 1] += probability
    return shares


def _entropy(probabilities: Sequence[float]) -> float:
    """In units of the most that so many trees can have: 0 for one sure tree, 1 for even odds."""
    bits = -sum(each * math.log(each) for each in probabilities if each > 0)
    return max(0.0, bits / math.log(_TREES))


def question(model: str, file: str, number: int, *, start: bool = False) -> dict[str, Any]:
    """A sentence with the model's tree, and how likely each word is the main one.

    With `start`, `marks` are what MISC says of heads and labels (docs/guides/constraints.md).
    """
    sentence = trees_of(file)[number]
    pipeline = model_of(model)
    (parsed,) = pipeline.parse([sentence], probabilities=pipeline.parser.gives_probabilities)
    shares = root_shares(pipeline.kbest(sentence, _TREES))
    return {
        **parsed.to_dict(),
        "roots": [round(shares.get(word, 0.0), 4) for word in range(1, len(sentence) + 1)],
        "marks": _marks(sentence) if start else [],
    }


def _marks(sentence: Sentence) -> list[Given]:
    """Heads that a word cannot have and labels that it can have, as constraints of the API."""
    found: dict[int, Given] = {}
    for each in Constraints.of(sentence).statements:
        if isinstance(each, ForbiddenHead):
            row = found.setdefault(each.word, {"word": each.word})
            row.setdefault("forbid", []).append(each.head)
        elif isinstance(each, Labels):
            found.setdefault(each.word, {"word": each.word})["labels"] = list(each.labels)
    return [found[word] for word in sorted(found)]


def check_state(words: int, heads: dict[str, int], labels: dict[str, str]) -> dict[str, Any]:
    """Refuse what no tree can obey, with the statements that contradict."""
    try:
        known = Constraints.make(
            words,
            heads={int(word): head for word, head in heads.items()},
            labels={int(word): label for word, label in labels.items()},
        )
        _ = known.tables
    except ConstraintError as error:
        raise RequestError(422, str(error)) from error
    return {"ok": True}
