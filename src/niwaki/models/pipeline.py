"""The whole of a model: words in, tags and trees out, in batches and over threads."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from niwaki.data.candidates import Candidates
from niwaki.data.faults import COLUMNS
from niwaki.data.modelfile import ModelFile, Part, read_model_file, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ModelError, nearest
from niwaki.kernel.batch import Batch
from niwaki.models.chooser import Chooser
from niwaki.models.clusters import WordClusters
from niwaki.models.features import tagging_features
from niwaki.models.morphology import Morphology
from niwaki.models.segmenter import Segmenter
from niwaki.models.tagger import Tagger, Tags
from niwaki.models.transition import DEPREL, Design, TransitionParser
from niwaki.models.weights import Compressed

HEAD = COLUMNS.index("HEAD")

# Large enough that the work in Python does not count, small enough to stream.
_BATCH_SENTENCES = 256
_BATCH_WORDS = 4096


@dataclass(frozen=True)
class Pipeline:
    """A trained model. Safe to use from many threads at once.

    >>> import niwaki
    >>> nlp = niwaki.load()                                     # doctest: +SKIP
    >>> sentences = list(nlp.parse(niwaki.read_conllu(path)))   # doctest: +SKIP
    """

    config: Mapping[str, Any]
    tagger: Tagger | None
    morphology: Morphology | None
    parser: TransitionParser
    greedy: TransitionParser | None
    clusters: WordClusters | None = None
    segmenter: Segmenter | None = None

    @property
    def beam(self) -> int:
        """The width of the beam that the model was trained for; the default of `parse`."""
        return int(self.config["model"]["beam"])

    def __call__(self, text: str) -> list[Sentence]:
        """The parsed sentences of a text."""
        return list(self.parse(text))

    def read(self, text: str | Iterable[str], *, by_lines: bool = False) -> Iterator[Sentence]:
        """Yield the sentences of a raw text, or of its pieces; see `Segmenter.segment`."""
        if self.segmenter is None:
            raise ModelError(
                "this model has no segmenter; give it words, "
                "or train it on data with `# text` or SpaceAfter"
            )
        return self.segmenter.segment(text, by_lines=by_lines)

    def parse(
        self,
        sentences: Iterable[Sentence] | str,
        *,
        threads: int = 1,
        beam: int | None = None,
        retag: bool = False,
    ) -> Iterator[Sentence]:
        """Yield the sentences, or those of a text, with tags, lemmas and trees, in order.

        Tags and lemmas that are given stay, unless `retag`. A beam of 1 is greedy
        and fastest. Memory is bounded whatever the input.
        """
        width = self.beam if beam is None else beam
        if width < 1 or threads < 1:
            raise ValueError("beam and threads are at least 1")
        batches = _in_batches(self.read(sentences) if isinstance(sentences, str) else sentences)
        if threads == 1:
            return itertools.chain.from_iterable(
                self._parse_batch(batch, width, retag) for batch in batches
            )
        return self._parse_in_threads(batches, threads, width, retag)

    def _parse_in_threads(
        self, batches: Iterator[list[Sentence]], threads: int, width: int, retag: bool
    ) -> Iterator[Sentence]:
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[list[Sentence]]] = deque()
            for batch in batches:
                waiting.append(pool.submit(self._parse_batch, batch, width, retag))
                # A few batches ahead keep all threads busy; more would only take memory.
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            for future in waiting:
                yield from future.result()

    def _parse_batch(self, sentences: list[Sentence], width: int, retag: bool) -> list[Sentence]:
        batch = Batch([sentence.source for sentence in sentences])
        tags = self.tag(batch, keep=not retag)
        parser = self.parser_for(width)
        heads, labels = parser.parse(batch, tags, width)
        columns: dict[int, Any] = {HEAD: heads, DEPREL: (labels, parser.labels.symbols)}
        if self.tagger is not None:
            columns.update(self.tagger.columns(batch, tags, keep=not retag))
        if self.morphology is not None:
            columns.update(self.morphology.columns(batch, tags, keep=not retag))
        rendered = batch.render(columns)
        return [
            Sentence(source, sentence.file, sentence.line)
            for source, sentence in zip(rendered, sentences, strict=True)
        ]

    def tag(self, batch: Batch, keep: bool = True) -> Tags:
        """The tags of a batch as the parser sees them."""
        if self.tagger is not None:
            return self.tagger.tag(batch, keep)
        return untagged(batch)

    def parser_for(self, width: int) -> TransitionParser:
        return self.greedy if width == 1 and self.greedy is not None else self.parser

    def kbest(
        self, sentence: Sentence, k: int, *, beam: int | None = None, retag: bool = False
    ) -> Candidates:
        """The k best distinct trees that the beam finds; a beam narrower than k is widened.

        Probabilities are normalised over these candidates. There are fewer than k
        only if the beam found fewer.
        """
        width = self.beam if beam is None else beam
        (tagged,) = self._tagged([sentence], retag)
        batch = Batch([tagged.source])
        tags = self.tag(batch)
        # The list must not depend on k, so a greedy parser is never asked for one tree.
        parser = self.parser
        heads, labels, scores, moves = parser.kernel.kbest(
            batch, 0, parser.attribute_values(batch, tags), k, width
        )
        names = parser.labels.names
        trees = tuple(
            Tree(tuple(row), tuple([names[label] for label in row_labels]))
            for row, row_labels in zip(heads.tolist(), labels.tolist(), strict=True)
        )
        return Candidates(
            tagged,
            trees,
            tuple(scores.tolist()),
            _normalised(scores),
            tuple(row.tobytes() for row in moves),
        )

    def _tagged(self, sentences: list[Sentence], retag: bool) -> list[Sentence]:
        """The sentences with tags and lemmas, but the heads that they came with."""
        batch = Batch([sentence.source for sentence in sentences])
        tags = self.tag(batch, keep=not retag)
        columns: dict[int, Any] = {}
        if self.tagger is not None:
            columns.update(self.tagger.columns(batch, tags, keep=not retag))
        if self.morphology is not None:
            columns.update(self.morphology.columns(batch, tags, keep=not retag))
        return [
            Sentence(source, sentence.file, sentence.line)
            for source, sentence in zip(batch.render(columns), sentences, strict=True)
        ]

    def likely_tags(self, sentence: Sentence, k: int) -> list[list[tuple[str, str, float]]]:
        """The k best (UPOS, XPOS, probability) of each word, best first."""
        if self.tagger is None:
            raise ModelError("this model has no tagger")
        return self.tagger.likely_tags(Batch([sentence.source]), k)

    # -- files ----------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, atomically."""
        parts: dict[str, Part] = {"config.json": dict(self.config)}
        designs: dict[str, Any] = {"parser": self.parser.design.to_json()}
        weights: dict[str, Any] = {"parser": self.parser.model}
        if self.greedy is not None:
            designs["greedy"] = self.greedy.design.to_json()
            weights["greedy"] = self.greedy.model
        if self.segmenter is not None:
            designs["segmenter"], weights["segmenter"] = (
                self.segmenter.to_json(),
                self.segmenter.model,
            )
            if self.segmenter.split_model is not None:
                designs["splits"], weights["splits"] = {}, self.segmenter.split_model
        if self.tagger is not None:
            designs["tagger"] = {
                "upos": self.tagger.upos.names,
                "xpos": self.tagger.xpos.names,
                "pairs": self.tagger.pairs,
                "features": self.tagger.features,
                "lowercase": self.tagger.lowercase,
            }
            weights["tagger"] = self.tagger.model
        for name, chooser in self._choosers().items():
            designs[name] = {"values": chooser.values.names, "lowercase": chooser.lowercase}
            weights[name] = chooser.model
            parts[f"candidates-{name}.safetensors"] = chooser.candidates
        for name, model in weights.items():
            if not isinstance(model, Compressed):
                raise ValueError("only compressed weights can be saved")
            designs[name]["weights"] = {"classes": model.classes, "scale": model.scale}
            parts[f"weights-{name}.safetensors"] = model.arrays
        parts["designs.json"] = designs
        if self.clusters is not None:
            parts["clusters.bin"] = self.clusters.to_bytes()
        write_model_file(path, parts)

    def _choosers(self) -> dict[str, Chooser]:
        if self.morphology is None:
            return {}
        named = {name: getattr(self.morphology, name) for name in ("xpos", "feats", "lemmas")}
        return {name: chooser for name, chooser in named.items() if chooser is not None}


def load(name_or_path: str | os.PathLike[str] = "en") -> Pipeline:
    """A model by its name (`en` is in the box) or from a file."""
    bundled = {path.name.removesuffix(".niwaki"): path for path in _bundled()}
    if isinstance(name_or_path, str) and name_or_path in bundled:
        with resources.as_file(bundled[name_or_path]) as path:
            return _load(read_model_file(path))
    if (
        isinstance(name_or_path, str)
        and not Path(name_or_path).exists()
        and "/" not in name_or_path
    ):
        raise ModelError(
            f"no model {name_or_path!r}: neither a file nor one in the box; "
            f"{nearest(name_or_path, bundled)}"
        )
    return _load(read_model_file(name_or_path))


def _bundled() -> list[Any]:
    folder = resources.files("niwaki") / "assets" / "models"
    return [path for path in folder.iterdir() if path.name.endswith(".niwaki")]


def _load(file: ModelFile) -> Pipeline:
    try:
        return _build(file)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        # The checksums are right, so whoever wrote it wrote something else.
        raise ModelError(
            f"{file.path}: not a model that this niwaki can use ({error}); train it again"
        ) from error


def _build(file: ModelFile) -> Pipeline:
    config = file.config
    designs = file.json("designs.json")
    clusters = None
    if "clusters.bin" in file.parts:
        clusters = WordClusters.from_bytes(bytes(file.raw("clusters.bin")))
    shared = clusters.kernel if clusters else None

    def weights(name: str) -> Compressed:
        shape = designs[name]["weights"]
        return Compressed(
            shape["classes"], shape["scale"], file.tensors(f"weights-{name}.safetensors")
        )

    def parser(name: str) -> TransitionParser | None:
        if name not in designs:
            return None
        return TransitionParser(Design.from_json(designs[name]), weights(name), shared)

    def chooser(name: str, features: str) -> Chooser | None:
        if name not in designs:
            return None
        return Chooser(
            designs[name]["values"],
            file.tensors(f"candidates-{name}.safetensors"),
            weights(name),
            tagging_features(features),
            designs[name]["lowercase"],
        )

    tagger = None
    if "tagger" in designs:
        record = designs["tagger"]
        tagger = Tagger(
            record["upos"],
            record["xpos"],
            [(u, x) for u, x in record["pairs"]],
            weights("tagger"),
            lowercase=record["lowercase"],
            clusters=shared,
            features=record["features"],
        )
    morphology = Morphology(
        chooser("xpos", "features"), chooser("feats", "features"), chooser("lemmas", "lemmas")
    )
    segmenter = None
    if "segmenter" in designs:
        split_model = weights("splits") if "splits" in designs else None
        segmenter = Segmenter.from_json(designs["segmenter"], weights("segmenter"), split_model)
    main = parser("parser")
    if main is None:
        raise ModelError(f"{file.path}: a model without a parser; train it again")
    return Pipeline(config, tagger, morphology, main, parser("greedy"), clusters, segmenter)


def untagged(batch: Batch) -> Tags:
    """What a parser sees of words when there is no tagger: nothing."""
    none = np.full(batch.words, 1, dtype=np.uint32)
    sure = np.ones(batch.words, dtype=np.float32)
    pairs = np.full(batch.words, -1, dtype=np.int32)
    return Tags(pairs, sure, none, none, none, none)


def _in_batches(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    batch: list[Sentence] = []
    size = 0
    for sentence in sentences:
        batch.append(sentence)
        # A word has about 60 bytes; asking for its length would cut the columns.
        size += len(sentence.source)
        if len(batch) == _BATCH_SENTENCES or size >= 60 * _BATCH_WORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _normalised(scores: Any) -> tuple[float, ...]:
    weights = np.exp(np.asarray(scores, dtype=np.float64) - float(scores[0]))
    return tuple((weights / weights.sum()).tolist())
