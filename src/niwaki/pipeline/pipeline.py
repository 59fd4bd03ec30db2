"""The whole of a model: words in, tags and trees out, in batches and over threads."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from niwaki.data.constraints import Constraints
from niwaki.data.faults import COLUMNS, DEPREL, FEATS, HEAD, LEMMA, MISC, UPOS, XPOS
from niwaki.data.given import Given, Words, only_sentence, sentences_given
from niwaki.data.kbest import KBest
from niwaki.data.modelfile import ModelFile, part_bytes, write_model_file
from niwaki.data.probabilities import (
    TREE_COMMENT,
    as_text,
    with_probabilities,
    without_probabilities,
)
from niwaki.data.sentence import Sentence
from niwaki.data.sentence_list import SentenceList
from niwaki.errors import ConstraintError, ModelError, shown
from niwaki.features.clusters import WordClusters
from niwaki.features.parts import Parts
from niwaki.features.vocabulary import Vocabulary
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Parsed, Parser, Search
from niwaki.pipeline.batching import in_batches
from niwaki.pipeline.learned import LearnedSentences
from niwaki.pipeline.lengths import LONGER, MAX_LENGTH, LengthLimit, join, skip
from niwaki.segmenting.segmenter import Segmenter
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import AnyTagger, Tags

_TAG_COLUMNS = (LEMMA, UPOS, XPOS, FEATS)


@dataclass(frozen=True)
class _Options:
    """How a batch is to be parsed."""

    search: Search
    retag: bool
    probabilities: bool
    constrain: bool


@dataclass(frozen=True)
class Pipeline:
    """A trained model. Safe to use from many threads at once.

    >>> import niwaki
    >>> nlp = niwaki.load()                                     # doctest: +SKIP
    >>> sentences = list(nlp.parse(niwaki.read_conllu(path)))   # doctest: +SKIP
    """

    config: Mapping[str, Any]
    tagger: AnyTagger | None
    morphology: Morphology | None
    parser: Parser
    clusters: WordClusters | None = None
    segmenter: Segmenter | None = None
    # None: the model is of a time when that was not kept.
    learned: LearnedSentences | None = None

    def __repr__(self) -> str:
        card = self.config.get("card")
        # A foreign one may hold anything.
        said = card if isinstance(card, Mapping) else {}
        known = [shown(str(said[key])) for key in ("name", "language") if said.get(key)]
        return f"<Pipeline {', '.join(known)}>"

    def save(self, path: str | os.PathLike[str], *, packed: bool = False) -> None:
        """Write the model to one file, atomically; if `packed`, to one of about half the size."""
        parts = self.parts()
        write_model_file(path, {"config.json": dict(self.config), **parts.files}, packed=packed)

    def as_file(self) -> ModelFile:
        """What its file would be when it is read."""
        parts = {"config.json": dict(self.config), **self.parts().files}
        found = {name: part_bytes(name, part) for name, part in parts.items()}
        return ModelFile("the model", found)

    def parts(self) -> Parts:
        """What a file holds of it; each part writes itself."""
        parts = Parts()
        every = (self.parser, self.segmenter, self.tagger, self.morphology, self.clusters)
        for part in (*every, self.learned):
            if part is not None:
                parts.add_all(part.parts())
        return parts

    def __call__(self, given: Given) -> SentenceList:
        """The parsed sentences of a text, of texts, of lists of words, or of sentences.

        See `niwaki.data.given` for what is what. Options are those of `parse`.
        """
        return SentenceList(self.parse(given))

    def read(
        self, text: str | Iterable[str], *, by_lines: bool = False, name: str = ""
    ) -> Iterator[Sentence]:
        """Yield the sentences of a raw text, or of its pieces; see `Segmenter.segment`."""
        if self.segmenter is None:
            raise ModelError(
                "this model has no segmenter; give it words, "
                "or train it on data with `# text` or SpaceAfter"
            )
        return self.segmenter.segment(text, by_lines=by_lines, name=name)

    def read_text(self, text: str, name: str) -> Iterator[Sentence]:
        """The sentences of one text among several, which has this name."""
        return self.read(text, name=name)

    def parse(
        self,
        sentences: Given,
        *,
        threads: int = 1,
        beam: int | None = None,
        retag: bool = False,
        probabilities: bool = False,
        max_length: int = MAX_LENGTH,
        longer: str = LONGER[0],
        constrain: bool = False,
        decode: str | None = None,
    ) -> Iterator[Sentence]:
        """Yield the sentences, or those of a text, with tags, lemmas and trees, in order.

        Given are sentences, a text, a list of texts, or a list of lists of words.
        Tags and lemmas that are given stay, unless `retag`, which leaves nothing of them:
        what the model does not predict becomes `_`. A beam of 1 is greedy and fastest.
        With `probabilities`, MISC gets `TagProb` (if there is a tagger),
        `ArcProb` and `LabelProb`, and a comment the probability of the tree. With
        `constrain`, what a sentence says about its tree (see `Constraints.of`) is obeyed. Memory is
        bounded whatever the input: a sentence of more than `max_length` words is parsed
        with a beam of 1 (`longer="greedy"`), in pieces ("split"), or given back as it is
        with a comment ("skip").

        `decode` is how a graph parser chooses trees ("mst", "eisner", "mbr"); it gives true
        probabilities, has no beam, and parses sentences of more than 2,000 words in pieces.
        """
        if probabilities and constrain:
            raise ModelError(
                "probabilities are not known where trees are constrained; ask for one of the two"
            )
        if constrain and longer == "split":
            raise ModelError("pieces of a sentence do not know its tree; leave out one of the two")
        search = Search(beam, decode)
        self.parser.check(search)
        if probabilities and not self.parser.gives_probabilities:
            raise ModelError("this model was not calibrated; give training.dev when it is trained")
        if threads < 1:
            raise ValueError(f"{threads} threads; give at least 1")
        most = self.parser.max_words
        limit = LengthLimit(max_length if most is None else min(max_length, most), longer)
        batches = in_batches(sentences_given(sentences, self.read_text), limit)
        options = _Options(search, retag, probabilities, constrain)
        if threads == 1:
            return itertools.chain.from_iterable(
                self._parse_any(batch, limit, options) for batch in batches
            )
        return self._parse_in_threads(batches, threads, limit, options)

    def _parse_in_threads(
        self,
        batches: Iterator[list[Sentence]],
        threads: int,
        limit: LengthLimit,
        options: _Options,
    ) -> Iterator[Sentence]:
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[list[Sentence]]] = deque()
            for batch in batches:
                waiting.append(pool.submit(self._parse_any, batch, limit, options))
                # A few batches ahead keep all threads busy; more would only take memory.
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            for future in waiting:
                yield from future.result()

    def _parse_any(
        self, batch: list[Sentence], limit: LengthLimit, options: _Options
    ) -> list[Sentence]:
        """Parse a batch, or a sentence that is too long, which is a batch of its own."""
        if not limit.is_exceeded_by(batch[0]):
            return self._parse_batch(batch, options)
        (sentence,) = batch
        if limit.longer == "skip":
            return [skip(sentence)]
        if limit.longer == "greedy" and "beam" in self.parser.options:
            return self._parse_batch(batch, replace(options, search=Search(beam=1)))
        if options.constrain and Constraints.of(sentence):
            raise ConstraintError(
                f"{sentence.file}:{sentence.line}: constraints on a sentence of {len(sentence)} "
                f"words; this model follows them up to {limit.words}"
            )
        return [join(sentence, self._parse_batch(limit.pieces(sentence), options))]

    def _parse_batch(self, sentences: list[Sentence], options: _Options) -> list[Sentence]:
        # Those of an earlier parse are not of this one.
        sentences = [without_probabilities(sentence) for sentence in sentences]
        batch = Batch([sentence.source for sentence in sentences])
        tags = self.tag(batch, keep=not options.retag)
        columns = self._tag_columns(batch, tags, options.retag)
        wanted = options.probabilities
        parsed = self.parser.parse(batch, tags, options.search, probabilities=wanted)
        if wanted:
            found = dict(parsed.probabilities)
            if self.tagger is None:
                del found["tag"]
            columns[MISC] = with_probabilities(batch.texts_of(MISC), found)
        names = self.parser.labels
        if options.constrain:
            names = self._constrain(sentences, batch, tags, options.search, parsed)
        columns |= {HEAD: parsed.heads, DEPREL: (parsed.labels, names.symbols)}
        written = _rendered(sentences, batch, columns)
        if wanted:
            trees = parsed.probabilities["tree"].tolist()
            written = [
                sentence.with_comments([*sentence.comments, f"{TREE_COMMENT} = {as_text(p)}"])
                for sentence, p in zip(written, trees, strict=True)
            ]
        return written

    def _constrain(
        self,
        sentences: list[Sentence],
        batch: Batch,
        tags: Tags,
        search: Search,
        parsed: Parsed,
    ) -> Vocabulary:
        """Parse those sentences again that say something about their trees.

        Heads and numbers of labels are changed in place; returns the labels' names,
        which may be more than those of the model.
        """
        source = self.parser.candidates(batch, tags, search)
        numbers = {name: number for number, name in enumerate(self.parser.labels.names)}
        start = 0
        for s, sentence in enumerate(sentences):
            constraints = Constraints.of(sentence)
            if constraints:
                constraints.check(sentence, projective=self.parser.is_projective(search))
                (best,) = source.kbest(s, 1, constraints)
                place = slice(start, start + len(sentence))
                parsed.heads[place] = best.heads
                parsed.labels[place] = [numbers.setdefault(x, len(numbers)) for x in best.deprels]
            start += len(sentence)
        return Vocabulary(numbers)

    def tag(self, batch: Batch, keep: bool = True) -> Tags:
        """The tags of a batch as the parser sees them."""
        return tag_batch(batch, self.tagger, self.morphology, keep=keep)

    def kbest(
        self,
        sentence: Sentence | str | Words,
        k: int,
        *,
        beam: int | None = None,
        retag: bool = False,
        constraints: Constraints | None = None,
        decode: str | None = None,
    ) -> KBest:
        """The k best distinct trees that the beam finds; a beam narrower than k is widened.

        The sentence may also be a text of one sentence, or a list of its words.
        A graph parser finds the k best of all trees, or with `decode="eisner"` of all
        projective ones. Probabilities are normalised over these candidates. There are
        fewer than k only if the beam found fewer. With `constraints`, all trees obey them,
        or ConstraintError says which contradict; `Constraints.of(sentence)` are those of
        the sentence's own HEAD, DEPREL and MISC.
        """
        search = Search(beam, decode)
        self.parser.check(search)
        sentence = without_probabilities(only_sentence(sentence, self.read_text))
        most = self.parser.max_words
        if most is not None and len(sentence) > most:
            raise ModelError(
                f"{sentence.file}:{sentence.line}: {len(sentence)} words; this model ranks trees "
                f"of up to {most}"
            )
        batch = Batch([sentence.source])
        tags = self.tag(batch, keep=not retag)
        (tagged,) = _rendered([sentence], batch, self._tag_columns(batch, tags, retag))
        if constraints:
            constraints.check(sentence, projective=self.parser.is_projective(search))
        found = self.parser.candidates(batch, tags, search).kbest(0, k, constraints)
        return found.of(tagged)

    def _tag_columns(self, batch: Batch, tags: Tags, retag: bool) -> dict[int, Any]:
        """Tags, features and lemmas for `Batch.render`."""
        return tag_columns(batch, tags, self.tagger, self.morphology, keep=not retag)

    @property
    def unpredicted(self) -> tuple[str, ...]:
        """Those of LEMMA, UPOS, XPOS and FEATS that the model says nothing of."""
        found = self.tagger.predicts if self.tagger is not None else frozenset()
        # It chooses what goes with a tag.
        if self.tagger is not None and self.morphology is not None:
            found |= self.morphology.predicts
        return tuple(COLUMNS[column] for column in _TAG_COLUMNS if column not in found)

    def likely_tags(self, sentence: Sentence, k: int) -> list[list[tuple[str, str, float]]]:
        """The k best (UPOS, XPOS, probability) of each word, best first."""
        if self.tagger is None:
            raise ModelError("this model has no tagger")
        return self.tagger.likely_tags(Batch([sentence.source]), k)


def tag_batch(
    batch: Batch, tagger: AnyTagger | None, morphology: Morphology | None, *, keep: bool = True
) -> Tags:
    """The tags of a batch, and what goes with them, as a parser sees them."""
    if tagger is None:
        return Tags.none(batch)
    tags = tagger.tag(batch, keep)
    return tags if morphology is None else morphology.seen(batch, tags, keep)


def tag_columns(
    batch: Batch,
    tags: Tags,
    tagger: AnyTagger | None,
    morphology: Morphology | None,
    *,
    keep: bool = True,
) -> dict[int, Any]:
    columns: dict[int, Any] = {}
    for part in (tagger, morphology):
        if part is not None:
            columns.update(part.columns(batch, tags, keep=keep))
    if keep:
        return columns
    # What is given must not pass as predicted.
    empty = [b"_"] * batch.words
    return {column: _without_gaps(columns.get(column, empty)) for column in _TAG_COLUMNS}


def _without_gaps(column: Any) -> Any:
    """A column for `Batch.render` in which -1 does not keep what is there."""
    if isinstance(column, list) or (column[0] >= 0).all():
        return column
    numbers, symbols = column
    names = [*symbols.names, b"_"]
    return [names[number] for number in numbers.tolist()]


def tag_sentences(
    sentences: Sequence[Sentence], tagger: AnyTagger | None, morphology: Morphology | None
) -> tuple[list[Sentence], Batch, Tags]:
    """The sentences with tags, features and lemmas, and what a parser sees of them."""
    batch = Batch([sentence.source for sentence in sentences])
    tags = tag_batch(batch, tagger, morphology)
    columns = tag_columns(batch, tags, tagger, morphology)
    return _rendered(list(sentences), batch, columns), batch, tags


def _rendered(sentences: list[Sentence], batch: Batch, columns: dict[int, Any]) -> list[Sentence]:
    """The sentences of a batch with new columns."""
    return [
        Sentence(source, sentence.file, sentence.line)
        for source, sentence in zip(batch.render(columns), sentences, strict=True)
    ]
