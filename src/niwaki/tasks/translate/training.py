"""Trains a system step by step: word order, links, phrases, language model, reordering.

Each step leaves a file in `FOLDER.part` and the hash of all it depends on; a run that is started
again with equal inputs takes what is there. In the end the folder gets its name.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from niwaki.data.bilingual.bitext import Links, read_links, write_links
from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError, NiwakiError, nearest
from niwaki.tasks.align.aligner import Aligner
from niwaki.tasks.align.corpus import Corpus, Side
from niwaki.tasks.align.settings import preset
from niwaki.tasks.align.symmetrize import link
from niwaki.tasks.reorder.rulewriting import format_rules
from niwaki.tasks.translate import language_model
from niwaki.tasks.translate.features import default_weights, feature_names
from niwaki.tasks.translate.phrases import (
    LONGEST_SOURCE,
    LONGEST_TARGET,
    find_occurrences,
    linked_arrays,
    score_pairs,
)
from niwaki.tasks.translate.preorder import Preorderer
from niwaki.tasks.translate.reordering import events, learn_reordering, msd_table
from niwaki.tasks.translate.system import (
    JUMPS,
    LANGUAGE_MODEL,
    PHRASES,
    RULES,
    System,
    check_place,
    save_system,
)
from niwaki.tasks.translate.table import make_table

Words = tuple[str, ...]
Watch = Callable[[str, int, int], None]

REORDERINGS = ("none", "msd", "maxent")
# Files that only the training needs.
_ORDERED, _LINKS, _STEPS = "source.txt", "links.txt", "steps.json"


@dataclass(frozen=True)
class TrainSettings:
    """How a system is trained: longest phrases on both sides, options of a source phrase, order of
    the language model, reordering model, and the aligner's preset and heuristic.
    """

    source_length: int = LONGEST_SOURCE
    target_length: int = LONGEST_TARGET
    options: int = 20
    order: int = 5
    reordering: str = "maxent"
    preset: str = "xu2009"
    method: str = "grow-diag-final-and"

    def __post_init__(self) -> None:
        if self.reordering not in REORDERINGS:
            known = nearest(self.reordering, REORDERINGS)
            raise ConfigError(f"no reordering model {self.reordering!r}; {known}")
        for name, least, most in (
            *(("source_length", 1, 50), ("target_length", 1, 50)),
            *(("options", 1, 10_000), ("order", 1, 5)),
        ):
            if not least <= getattr(self, name) <= most:
                found = getattr(self, name)
                raise ConfigError(f"{name} is {found}; it must be from {least} to {most}")


@dataclass
class Bitext:
    """Tokenised pairs, with links if somebody else made them."""

    source: list[Words]
    target: list[Words]
    links: list[Links] | None = None


def train_system(
    text: Bitext,
    folder: str | os.PathLike[str],
    settings: TrainSettings,
    *,
    more: Sequence[Words] = (),
    preorderer: Preorderer | None = None,
    parser: str | None = None,
    threads: int = 1,
    watch: Watch = lambda stage, done, total: None,
) -> System:
    """Train on pairs that have words on both sides, and write the system.

    `more` sentences of the target language are for the language model alone.
    """
    if not text.source:
        raise NiwakiError("there is no sentence pair to learn from; give parallel text")
    check_place(folder)
    run = _Run(text, Path(folder), settings, more, preorderer, parser, threads, watch)
    run.train()
    return System.load(folder)


class _Run:
    """One training; steps look at what earlier ones left."""

    def __init__(
        self,
        text: Bitext,
        folder: Path,
        settings: TrainSettings,
        more: Sequence[Words],
        preorderer: Preorderer | None,
        parser: str | None,
        threads: int,
        watch: Watch,
    ) -> None:
        self._text, self._folder, self._settings, self._more = text, folder, settings, more
        self._preorderer, self._parser = preorderer, parser
        self._threads, self._watch = threads, watch
        self._parts = folder.with_name(f"{folder.name}.part")
        self._parts.mkdir(exist_ok=True)
        self._done: dict[str, str] = _read_steps(self._parts / _STEPS)

    def train(self) -> None:
        settings = self._settings
        source = _hash(self._text.source)
        if self._preorderer is not None:
            rules = format_rules(self._preorderer.rules)
            source = self._step(_ORDERED, self._order, source, rules, self._preorderer.identity)
            with atomic_write(self._parts / RULES) as file:
                file.write(rules.encode())
            self._take_order()
        else:
            (self._parts / RULES).unlink(missing_ok=True)
        target = _hash(self._text.target)
        how = settings.preset, settings.method
        given = self._text.links
        if given is None:
            links = self._step(_LINKS, self._align, source, target, how)
        else:
            links = self._step(_LINKS, self._keep_links, source, target, _hash(map(str, given)))
        sizes = settings.source_length, settings.target_length, settings.options
        has_msd = settings.reordering == "msd"
        self._step(PHRASES, self._extract, source, target, links, sizes, has_msd)
        self._step(LANGUAGE_MODEL, self._speak, target, _hash(self._more), settings.order)
        if settings.reordering == "maxent":
            self._step(JUMPS, self._jump, source, target, links)
        else:
            (self._parts / JUMPS).unlink(missing_ok=True)
        names = feature_names(msd=has_msd, jumps=settings.reordering == "maxent")
        save_system(
            self._parts,
            self._folder,
            default_weights(names),
            parser=self._parser if self._preorderer else None,
            settings={**asdict(settings), "pairs": len(self._text.source)},
        )

    def _step(self, name: str, work: Callable[[Path], None], *inputs: object) -> str:
        """Do a step unless its file is there, made of equal inputs; returns what it depends on."""
        identity = _hash([name, *(json.dumps(each) for each in inputs)])
        path = self._parts / name
        if self._done.get(name) != identity or not path.exists():
            work(path)
            self._done[name] = identity
            with atomic_write(self._parts / _STEPS) as file:
                file.write(json.dumps(self._done).encode())
        return identity

    # ---- the steps ----

    def _order(self, path: Path) -> None:
        assert self._preorderer is not None
        count = len(self._text.source)
        with atomic_write(path) as file:
            for found in self._preorderer.reorder(self._text.source):
                line = f"{' '.join(map(str, found.positions))}\t{' '.join(found.tokens)}\n"
                file.write(line.encode())
                self._watch("ordering", 1, count)

    def _take_order(self) -> None:
        """The source in its new order; links that were given move with their words."""
        lines = (self._parts / _ORDERED).read_text(encoding="utf-8").split("\n")[:-1]
        sides = [line.split("\t") for line in lines]
        source = [tuple(words.split(" ")) for _, words in sides]
        links = self._text.links
        if links is not None:
            orders = ([int(at) for at in positions.split(" ")] for positions, _ in sides)
            links = [_moved(each, order) for each, order in zip(links, orders, strict=True)]
        self._text = Bitext(source, self._text.target, links)

    def _align(self, path: Path) -> None:
        chosen = preset(self._settings.preset)
        corpus = Corpus(chosen)
        for pair in zip(self._text.source, self._text.target, strict=True):
            corpus.add(*pair)
        rounds = chosen.model1_iterations + chosen.hmm_iterations
        aligner = Aligner(
            corpus, chosen, self._threads, lambda stage, score: self._watch("learning", 1, rounds)
        )
        write_links(self._links(aligner, corpus.size), path)

    def _links(self, aligner: Aligner, count: int) -> Iterator[Links]:
        for each in aligner.posteriors():
            yield link(each, self._settings.method)
            self._watch("aligning", 1, count)

    def _keep_links(self, path: Path) -> None:
        assert self._text.links is not None
        write_links(self._text.links, path)

    def _extract(self, path: Path) -> None:
        settings = self._settings
        sides = Side(False, None), Side(False, None)
        for source, target in zip(self._text.source, self._text.target, strict=True):
            sides[0].add(source)
            sides[1].add(target)
        links = linked_arrays(read_links(self._parts / _LINKS))
        self._watch("extracting", 1, 3)
        found = find_occurrences(*sides, links, (settings.source_length, settings.target_length))
        self._watch("extracting", 1, 3)
        pairs = score_pairs(found)
        msd = None
        if settings.reordering == "msd":
            msd = msd_table(pairs.members, found.before, found.after, len(pairs.source))
        vocabularies = list(sides[0].types), list(sides[1].types)
        make_table(found, pairs, vocabularies, settings.options, msd).save(path)
        self._watch("extracting", 1, 3)

    def _speak(self, path: Path) -> None:
        sentences = [*self._text.target, *self._more]
        language_model.train(sentences, self._settings.order).save(path)

    def _jump(self, path: Path) -> None:
        links = read_links(self._parts / _LINKS)
        triples = zip(self._text.source, self._text.target, links, strict=True)
        found = (event for a, b, each in triples for event in events(a, b, each.all))
        learn_reordering(found, watch=lambda total: self._watch("reordering", 1, total)).save(path)


def _read_steps(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _hash(items: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for item in items:
        digest.update(f"{item}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _moved(links: Links, positions: Sequence[int]) -> Links:
    """Links of tokens as those of the words that come from them."""
    places: dict[int, list[int]] = {}
    for place, position in enumerate(positions):
        places.setdefault(position, []).append(place)
    return Links(frozenset((place, j) for i, j in links.all for place in places[i]))
