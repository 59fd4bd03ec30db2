"""What of the user's data is not learned: to choose by, and to report on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.objectives import AnyObjective, groups_of
from niwaki.pipeline.learned import LearnedSentences
from niwaki.training.config import Config, TreebankConfig

# Shares of the examples to choose settings by and to report on, and how many are enough.
_SHARE, _MOST = 0.2, 500
# With fewer examples nothing can be told.
LEAST_EXAMPLES = 25
# Sentences that treebank scores are watched on: at most, and to be worth a part of their own.
_MOST_TREES, _LEAST_TREES = 500, 100
_DOCUMENT = "newdoc"


@dataclass(frozen=True)
class Parts:
    """Numbers of examples: to learn from, to choose settings by, to report on."""

    learned: tuple[int, ...]
    choosing: tuple[int, ...]
    reporting: tuple[int, ...]

    @property
    def held_out(self) -> frozenset[int]:
        return frozenset(self.choosing + self.reporting)


def split(name: str, objective: AnyObjective) -> Parts:
    """Examples in three parts. Those of one document stay together, and those of equal words: else
    what is held out would have been learned all the same.
    """
    size = len(objective.ids)
    if size < LEAST_EXAMPLES:
        raise ConfigError(
            f"{name}: {size} examples; {LEAST_EXAMPLES} are needed to learn from some of them and "
            "to see on others what that was worth"
        )
    wanted = min(_MOST, max(round(_SHARE * size), 5))
    parts: tuple[list[int], ...] = ([], [], [])
    for cluster in _clusters(objective):
        held = [part for part in (parts[1], parts[2]) if len(part) + len(cluster) <= 1.5 * wanted]
        open_parts = [part for part in held if len(part) < wanted]
        (min(open_parts, key=len) if open_parts else parts[0]).extend(cluster)
    if not all(parts):
        raise ConfigError(
            f"{name}: its examples are of so few documents, or so much alike, that none can be "
            "held out; give more"
        )
    return Parts(*(tuple(sorted(part)) for part in parts))


def _clusters(objective: AnyObjective) -> list[list[int]]:
    """Examples that belong together, in an order that only their words decide."""
    clusters: dict[str, list[int]] = {}
    document = ""
    for number, group in enumerate(groups_of(objective)):
        sentences = [objective.sentences[s] for s in group]
        for sentence in sentences:
            if any(comment.startswith(_DOCUMENT) for comment in sentence.comments):
                document = f"document {number}"
        words = "\n".join(" ".join(s.forms).lower() for s in sentences)
        clusters.setdefault(document or words, []).append(number)
    keyed = {hashlib.sha256(name.encode()).hexdigest(): each for name, each in clusters.items()}
    return [keyed[name] for name in sorted(keyed)]


@dataclass(frozen=True)
class Treebank:
    """Trees that scores are watched on; and the configuration that learns from the others."""

    config: Config
    gold: Sequence[Sentence]
    note: str  # what the scores are worth, if that needs to be said


def watched_treebank(config: Config, folder: Path, learned: LearnedSentences | None) -> Treebank:
    """The development data; or sentences of the treebanks that the model has not learned, and then
    the adapted one does not learn them either; or any.
    """
    if config.training.dev:
        return Treebank(config, list(read_conllu(config.training.dev)), "")
    treebanks = [
        each
        for each in config.objective
        if isinstance(each, TreebankConfig) and "trees" in each.trains and not each.partial
    ]
    if not treebanks:
        said = f"no treebank: what is lost elsewhere is not seen; {_advice('a treebank')}"
        return Treebank(config, (), said)
    if learned is not None and learned.complete and not any(each.links for each in treebanks):
        found = _without_some(config, treebanks, folder, learned)
        if found is not None:
            return found
    sentences = [s for each in treebanks for file in each.data for s in read_conllu(file)]
    gold = sentences[:: max(1, -(-len(sentences) // _MOST_TREES))]
    said = f"treebank scores are on sentences that may have been learned; {_advice('others')}"
    return Treebank(config, gold, said)


def _advice(what: str) -> str:
    return f'give {what} as training.dev = "dev.conllu"'


def _without_some(
    config: Config, treebanks: Sequence[TreebankConfig], folder: Path, learned: LearnedSentences
) -> Treebank | None:
    """Hold out sentences that were not learned, if there are enough of them."""
    read = {file: list(read_conllu(file)) for each in treebanks for file in each.data}
    new = [
        (file, number)
        for file, sentences in read.items()
        for number, known in enumerate(learned.knows(sentences).tolist())
        if not known
    ]
    if len(new) < 2 * _LEAST_TREES:
        return None
    count = min(_MOST_TREES, max(_LEAST_TREES, len(new) // 10))
    held = set(new[:: len(new) // count][:count])
    gold = [read[file][number] for file, number in sorted(held)]
    same = {" ".join(s.forms).lower() for s in gold}
    renamed = {}
    for at, (file, sentences) in enumerate(read.items()):
        renamed[file] = str(folder / f"treebank-{at}.conllu")
        write_conllu([s for s in sentences if " ".join(s.forms).lower() not in same], renamed[file])
    objectives = []
    for each in config.objective:
        if each in treebanks:
            each = replace(each, data=tuple(renamed[file] for file in each.data))
        objectives.append(each)
    return Treebank(replace(config, objective=tuple(objectives)), gold, "")
