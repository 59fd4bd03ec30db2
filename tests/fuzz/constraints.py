"""What sentences say of their trees: the parser obeys, or says what contradicts."""

from __future__ import annotations

import contextlib
import tempfile
from functools import cache
from pathlib import Path

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.errors import ConstraintError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from tests.fuzz.choices import Choices
from tests.toy import quick_model

_NUMBERS = ("0", "1", "2", "3", "4", "5", "9", "01", "-1", "7" * 5000, "٣", "", "x")
_LABELS = ("obj", "nsubj", "root", "never:seen", "obl↑nsubj", "", "_")


@cache
def model() -> Pipeline:
    with tempfile.TemporaryDirectory() as folder:
        return quick_model(
            Path(folder) / "m.niwaki",
            model={"beam": 2, "features": "lean"},
            tagger={"tags": False},
            training={"epochs": 1, "greedy_epochs": 1},
        )


def check(data: bytes) -> None:
    choices = Choices(data)
    rows = []
    count = 1 + choices.below(6)
    for number in range(1, count + 1):
        kind = choices.below(8)
        head = str(choices.below(count + 2)) if kind & 1 else "_"
        label = choices.of(_LABELS) or "_" if kind & 2 else "_"
        misc = _notes(choices) if kind & 4 else "_"
        rows.append(f"{number}\ta{number % 2}\t_\t_\t_\t_\t{head}\t{label}\t_\t{misc}\n")
    try:
        # Without the check of `from_conllu` that heads make no cycle: that is for constraints.
        sentence = Sentence("".join([*rows, "\n"]).encode())
        known = Constraints.of(sentence)
    except NiwakiError:
        return
    beam = 1 + choices.below(3)
    try:
        found = model().kbest(sentence, 1 + choices.below(4), beam=beam, constraints=known)
    except ConstraintError:
        return
    for tree in found.trees:
        assert tree.is_complete
        assert not list(known.broken_by(tree))
    with contextlib.suppress(NiwakiError):
        (parsed,) = model().parse([sentence], beam=beam, constrain=True)
        assert not list(known.broken_by(parsed.tree))


def _notes(choices: Choices) -> str:
    notes = []
    for _ in range(1 + choices.below(3)):
        name = choices.of(("Forbid", "LabelSet", "Subtree", "Forbid=", "Other"))
        values = _LABELS if name == "LabelSet" else _NUMBERS
        items = [choices.of(values) for _ in range(choices.below(4))]
        notes.append(f"{name}={','.join(items)}")
    return "|".join(notes)
