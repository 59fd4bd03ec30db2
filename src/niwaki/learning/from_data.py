"""What a treebank is like, and the settings that follow from it: nobody tunes by hand.

The rule is stated, with what it was chosen by, in docs/explain/languages.md.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from niwaki.data.conllu import read_conllu
from niwaki.data.rawtext import surface_tokens
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError

Tables = dict[str, dict[str, Any]]

# If in so many sentences of a hundred arcs cross, the parser must be able to build them.
_OFTEN_CROSSING = 20.0
# So many values of FEATS are those of a language with cases and agreement.
_RICH_MORPHOLOGY = 100
# Treebanks of fewer words gain by weights that are averaged over so many runs; in larger ones an
# order of the sentences matters less, and a run takes longer.
_FEW_WORDS = 100_000
# Above so many of a hundred, words are hidden, and nothing can be learned of them.
_HIDDEN = 50.0
_RUNS = 2
# Trees of other languages count so much, and are seen through features that languages share.
_BESIDE = {"weight": 0.5, "trains": ["trees"], "given_tags": True}
_SHARED_FEATURES = "universal"


@dataclass(frozen=True)
class Facts:
    """What is counted in a treebank. Shares are in percent."""

    sentences: int
    words: int
    script: str  # of most letters, as Unicode names it
    has_case: bool  # whether that script has capitals
    unspaced: float  # surface tokens that no space follows
    spaces_within: float  # words that hold a space
    multiword: float  # surface tokens of several words
    nonprojective: float  # sentences with an arc that crosses another
    xpos: int  # different values
    feats: int
    labels: int
    hidden: float = 0.0  # words that are written `_`

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def facts_of(sentences: Iterable[Sentence]) -> Facts:
    """Count them; one pass."""
    letters: Counter[str] = Counter()
    values: dict[str, set[str]] = {"xpos": set(), "feats": set(), "labels": set()}
    number = words = tokens = unspaced = within = multiword = hidden = crossing = 0
    for sentence in sentences:
        number, words = number + 1, words + len(sentence)
        letters.update("".join(sentence.forms))
        values["xpos"].update(sentence.xpos)
        values["feats"].update(sentence.feats)
        values["labels"].update(sentence.deprels)
        for token in surface_tokens(sentence):
            tokens += 1
            unspaced += not token.space_after
            multiword += token.last > token.first
        within += sum(" " in form for form in sentence.forms)
        hidden += sentence.forms.count("_")
        crossing += not sentence.tree.is_projective
    script, has_case = _script_of(letters)
    return Facts(
        number,
        words,
        script,
        has_case,
        unspaced=_percent(unspaced, tokens),
        spaces_within=_percent(within, words),
        multiword=_percent(multiword, tokens),
        hidden=_percent(hidden, words),
        nonprojective=_percent(crossing, number),
        **{name: len(found - {"_"}) for name, found in values.items()},
    )


def facts_of_files(files: Sequence[str]) -> Facts:
    return facts_of(sentence for file in files for sentence in read_conllu(file))


def _script_of(letters: Counter[str]) -> tuple[str, bool]:
    """The script of most letters, by the first word of their names, and whether it has case."""
    scripts: Counter[str] = Counter()
    cased: Counter[str] = Counter()
    for letter, count in letters.items():
        if letter.isalpha():
            script = unicodedata.name(letter, "?").split()[0]
            scripts[script] += count
            cased[script] += count * (letter.lower() != letter.upper())
    if not scripts:
        return "?", False
    script, count = scripts.most_common(1)[0]
    return script, 2 * cased[script] > count


def _percent(part: int, whole: int) -> float:
    return round(100 * part / max(1, whole), 2)


def settings_for(facts: Facts) -> Tables:
    """The tables of a configuration that differ from its defaults."""
    rich = facts.feats >= _RICH_MORPHOLOGY
    model: dict[str, Any] = {"features": "morphology" if rich else "suffixes"}
    if facts.nonprojective >= _OFTEN_CROSSING:
        model["nonprojective"] = "pseudo-projective"
    if facts.words >= _FEW_WORDS:
        return {"model": model}
    return {"model": model, "tagger": {"runs": _RUNS}, "training": {"runs": _RUNS}}


def check_words(facts: Facts, file: str) -> None:
    """Refuse a treebank without its text; `file` is where its words are to be."""
    if facts.hidden > _HIDDEN:
        raise NiwakiError(
            f"{file}: {facts.hidden:.0f}% of the words are `_`; the text is left out where its "
            "licence asks for it: put it in, as the README of the treebank says"
        )


def tables_for(
    data: Sequence[str],
    dev: str | None,
    facts: Facts | None = None,
    beside: Sequence[str] = (),
) -> Tables:
    """A whole configuration for the files of one treebank, and perhaps for files of others whose
    trees are learned beside them.
    """
    facts = facts or facts_of_files(data)
    check_words(facts, data[0])
    found: dict[str, Any] = dict(settings_for(facts))
    found["objective"] = [{"data": list(data)}]
    if beside:
        found["model"] = {**found["model"], "features": _SHARED_FEATURES}
        found["objective"].append({"data": list(beside), **_BESIDE})
    if dev is not None:
        found["training"] = {**found.get("training", {}), "dev": dev}
    return found
