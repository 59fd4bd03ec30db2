"""The whole of a model: words in, tags and trees out, in batches and over threads."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from niwaki.data.constraints import Constraints
from niwaki.data.faults import COLUMNS
from niwaki.data.kbest import Candidates
from niwaki.data.modelfile import ModelFile, Part, read_model_file, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError, ConstraintError, ModelError, nearest
from niwaki.features.clusters import WordClusters
from niwaki.features.templates import tagging_features
from niwaki.features.vocabulary import Vocabulary
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.parsers.graph.model import MAX_WORDS, GraphParser, GraphSpec
from niwaki.parsers.graph.search import graph_kbest, graph_probabilities
from niwaki.parsers.transition.confidence import (
    Confidence,
    gather_evidence,
    with_probabilities,
)
from niwaki.parsers.transition.model import DEPREL, TransitionParser, TransitionSpec
from niwaki.parsers.transition.search import Found, constrained_kbest
from niwaki.pipeline.lengths import LONGER, MAX_LENGTH, LengthLimit, join, skip
from niwaki.segmenting.segmenter import Segmenter
from niwaki.tagging.lemmas import check_rule
from niwaki.tagging.lexicon_classifier import LexiconClassifier
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import Tagger, Tags
from niwaki.tagging.trigrams import Trigrams

# The tables of weights of a graph parser.
_GRAPH_WEIGHTS = ("arcs", "labels")
HEAD, MISC = COLUMNS.index("HEAD"), COLUMNS.index("MISC")

# Large enough that the work in Python does not count, small enough to stream.
_BATCH_SENTENCES = 256
_BATCH_WORDS = 4096
MAX_BEAM = 4096


Parser = TransitionParser | GraphParser


@dataclass(frozen=True)
class _Options:
    """How a batch is to be parsed."""

    width: int
    retag: bool
    probabilities: bool
    constrain: bool
    decode: str | None


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
    parser: Parser
    greedy: TransitionParser | None
    clusters: WordClusters | None = None
    segmenter: Segmenter | None = None
    confidence: Confidence | None = None

    @property
    def beam(self) -> int:
        """The width of the beam that the model was trained for; the default of `parse`."""
        return int(self.config["model"].get("beam", 1))

    @property
    def uses_links(self) -> bool:
        """Whether a parser looks at links to a translation (MISC `Links=2,5`)."""
        parsers = (self.parser, self.greedy)
        return any(isinstance(x, TransitionParser) and x.uses_links for x in parsers)

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
        probabilities: bool = False,
        max_length: int = MAX_LENGTH,
        longer: str = LONGER[0],
        constrain: bool = False,
        decode: str | None = None,
    ) -> Iterator[Sentence]:
        """Yield the sentences, or those of a text, with tags, lemmas and trees, in order.

        Tags and lemmas that are given stay, unless `retag`. A beam of 1 is greedy
        and fastest. With `probabilities`, MISC gets `TagProb` (if there is a tagger),
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
        is_graph = isinstance(self.parser, GraphParser)
        if decode is not None:
            self._graph.decoder(decode)
        if probabilities and self.confidence is None and not is_graph:
            raise ModelError("this model was not calibrated; give training.dev when it is trained")
        width = self.beam if beam is None else beam
        if width < 1 or threads < 1:
            raise ValueError("beam and threads are at least 1")
        limit = LengthLimit(min(max_length, MAX_WORDS) if is_graph else max_length, longer)
        read = self.read(sentences) if isinstance(sentences, str) else sentences
        batches = _in_batches(read, limit)
        options = _Options(width, retag, probabilities, constrain, decode)
        if threads == 1:
            return itertools.chain.from_iterable(
                self._parse_any(batch, limit, options) for batch in batches
            )
        return self._parse_in_threads(batches, threads, limit, options)

    @property
    def _graph(self) -> GraphParser:
        if not isinstance(self.parser, GraphParser):
            raise ModelError(
                'only graph parsers decode in several ways; train one with model.kind = "graph"'
            )
        return self.parser

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
        if limit.longer == "greedy" and not isinstance(self.parser, GraphParser):
            return self._parse_batch(batch, replace(options, width=1))
        if options.constrain and Constraints.of(sentence):
            raise ConstraintError(
                f"{sentence.file}:{sentence.line}: constraints on a sentence of {len(sentence)} "
                f"words; this model follows them up to {limit.words}"
            )
        return [join(sentence, self._parse_batch(limit.pieces(sentence), options))]

    def _parse_batch(self, sentences: list[Sentence], options: _Options) -> list[Sentence]:
        batch = Batch([sentence.source for sentence in sentences])
        tags = self.tag(batch, keep=not options.retag)
        parser = self.parser_for(options.width)
        columns = self._tag_columns(batch, tags, options.retag)
        heads, labels, found = self._search(batch, tags, options)
        if options.probabilities:
            if self.tagger is None:
                del found["tag"]
            columns[MISC] = with_probabilities(batch.texts_of(MISC), found)
        names = parser.labels
        if options.constrain:
            names = self._constrain(sentences, batch, tags, options, heads, labels)
        columns |= {HEAD: heads, DEPREL: (labels, names.symbols)}
        parsed = _rendered(sentences, batch, columns)
        if options.probabilities:
            parsed = [
                sentence.with_comments([*sentence.comments, f"tree_probability = {p:.4f}"])
                for sentence, p in zip(parsed, found["tree"].tolist(), strict=True)
            ]
        return parsed

    def _search(self, batch: Batch, tags: Tags, options: _Options) -> tuple[Any, Any, Any]:
        """Heads and labels of a batch, and their probabilities if they are wanted."""
        parser = self.parser_for(options.width)
        if isinstance(parser, GraphParser):
            if options.probabilities:
                return graph_probabilities(parser, batch, tags, options.decode)
            return *parser.parse(batch, tags, options.decode), {}
        if not options.probabilities:
            return *parser.parse(batch, tags, options.width), {}
        assert self.confidence is not None
        evidence = gather_evidence(
            batch, tags, parser, self.greedy, options.width, self.confidence.temperature
        )
        return evidence.heads, evidence.labels, self.confidence.probabilities(evidence)

    def _constrain(
        self,
        sentences: list[Sentence],
        batch: Batch,
        tags: Tags,
        options: _Options,
        heads: Any,
        labels: Any,
    ) -> Vocabulary:
        """Parse those sentences again that say something about their trees.

        Heads and numbers of labels are changed in place; returns the labels' names,
        which may be more than those of the model.
        """
        parser = self.parser_for(options.width)
        values = parser.attribute_values(batch, tags)
        numbers = {name: number for number, name in enumerate(parser.labels.names)}
        start = 0
        for s, sentence in enumerate(sentences):
            constraints = Constraints.of(sentence)
            if constraints:
                constraints.check(sentence)
                if isinstance(parser, GraphParser):
                    (best,) = graph_kbest(parser, batch, s, values, 1, options.decode, constraints)
                else:
                    (best,) = constrained_kbest(
                        parser, batch, s, values, constraints, 1, options.width
                    )
                place = slice(start, start + len(sentence))
                heads[place] = best.tree.heads
                labels[place] = [numbers.setdefault(x, len(numbers)) for x in best.tree.deprels]
            start += len(sentence)
        return Vocabulary(numbers)

    def tag(self, batch: Batch, keep: bool = True) -> Tags:
        """The tags of a batch as the parser sees them."""
        if self.tagger is not None:
            return self.tagger.tag(batch, keep)
        return untagged(batch)

    def parser_for(self, width: int) -> Parser:
        return self.greedy if width == 1 and self.greedy is not None else self.parser

    def kbest(
        self,
        sentence: Sentence,
        k: int,
        *,
        beam: int | None = None,
        retag: bool = False,
        constraints: Constraints | None = None,
        decode: str | None = None,
    ) -> Candidates:
        """The k best distinct trees that the beam finds; a beam narrower than k is widened.

        A graph parser finds the k best of all trees, or with `decode="eisner"` of all
        without crossing arcs. Probabilities are normalised over these candidates. There are
        fewer than k only if the beam found fewer. With `constraints`, all trees obey them,
        or ConstraintError says which contradict; `Constraints.of(sentence)` are those of
        the sentence's own HEAD, DEPREL and MISC.
        """
        width = self.beam if beam is None else beam
        batch = Batch([sentence.source])
        tags = self.tag(batch, keep=not retag)
        (tagged,) = _rendered([sentence], batch, self._tag_columns(batch, tags, retag))
        parser = self.parser_for(max(width, k))
        values = parser.attribute_values(batch, tags)
        temperature = self.confidence.temperature if self.confidence else 1.0
        if constraints:
            constraints.check(sentence)
        if isinstance(parser, GraphParser):
            if len(sentence) > MAX_WORDS:
                raise ModelError(
                    f"{sentence.file}:{sentence.line}: {len(sentence)} words; a graph parser "
                    f"ranks trees of up to {MAX_WORDS}"
                )
            found = graph_kbest(parser, batch, 0, values, k, decode, constraints)
            return _candidates(tagged, found, 1.0)
        if decode is not None:
            self._graph.decoder(decode)
        if constraints:
            found = constrained_kbest(parser, batch, 0, values, constraints, k, width)
            return _candidates(tagged, found, temperature)
        heads, labels, scores, moves = parser.kernel.kbest(batch, 0, values, k, width)
        names = parser.labels.names
        ranks: dict[Tree, int] = {}
        for rank, row in enumerate(zip(heads, labels, strict=True)):
            row_heads, row_labels = parser.decoded(*row, [len(sentence)])
            tree = Tree(tuple(row_heads.tolist()), tuple([names[i] for i in row_labels.tolist()]))
            # Two encoded trees may mean the same one: the better stands for both.
            ranks.setdefault(tree, rank)
        best = [
            Found(tree, float(scores[rank]), moves[rank].tobytes()) for tree, rank in ranks.items()
        ]
        return _candidates(tagged, best, temperature)

    def _tag_columns(self, batch: Batch, tags: Tags, retag: bool) -> dict[int, Any]:
        """Tags, features and lemmas for `Batch.render`."""
        columns: dict[int, Any] = {}
        for part in (self.tagger, self.morphology):
            if part is not None:
                columns.update(part.columns(batch, tags, keep=not retag))
        return columns

    def likely_tags(self, sentence: Sentence, k: int) -> list[list[tuple[str, str, float]]]:
        """The k best (UPOS, XPOS, probability) of each word, best first."""
        if self.tagger is None:
            raise ModelError("this model has no tagger")
        return self.tagger.likely_tags(Batch([sentence.source]), k)

    # -- files ----------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, atomically."""
        parts: dict[str, Part] = {"config.json": dict(self.config)}
        designs: dict[str, Any] = {}
        weights: dict[str, Any] = {}
        if isinstance(self.parser, GraphParser):
            designs["graph"] = self.parser.spec.to_json()
            for name in _GRAPH_WEIGHTS:
                designs[f"graph-{name}"] = {}
                weights[f"graph-{name}"] = self.parser.weights[name]
        else:
            designs["parser"] = self.parser.spec.to_json()
            weights["parser"] = self.parser.model
        if self.greedy is not None:
            designs["greedy"] = self.greedy.spec.to_json()
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
            if isinstance(self.tagger.model, Trigrams):
                designs["tagger"]["smoothing"] = self.tagger.model.smoothing
                parts["trigrams-tagger.safetensors"] = self.tagger.model.arrays
            else:
                weights["tagger"] = self.tagger.model
        for name, classifier in self._classifiers().items():
            designs[name] = {"values": classifier.values.names, "lowercase": classifier.lowercase}
            weights[name] = classifier.model
            parts[f"candidates-{name}.safetensors"] = classifier.candidates
        for name, model in weights.items():
            if not isinstance(model, PackedWeights):
                raise ValueError("only compressed weights can be saved")
            designs[name]["weights"] = {"classes": model.classes, "scale": model.scale}
            parts[f"weights-{name}.safetensors"] = model.arrays
        parts["designs.json"] = designs
        if self.confidence is not None:
            parts["confidence.json"] = self.confidence.to_json()
        if self.clusters is not None:
            parts["clusters.bin"] = self.clusters.to_bytes()
        write_model_file(path, parts)

    def _classifiers(self) -> dict[str, LexiconClassifier]:
        if self.morphology is None:
            return {}
        named = {name: getattr(self.morphology, name) for name in ("xpos", "feats", "lemmas")}
        return {name: classifier for name, classifier in named.items() if classifier is not None}


def load(name_or_path: str | os.PathLike[str] = "en") -> Pipeline:
    """A model by its name (`en` is in the box) or from a file."""
    return _load(read_model_file(find_model(name_or_path)))


def find_model(name_or_path: str | os.PathLike[str]) -> Path:
    """The file of a model: a bundled one by its name, else the path itself."""
    path = Path(name_or_path)
    # The kernel is compiled, so the package lies in a folder, never in an archive.
    folder = Path(str(resources.files("niwaki"))) / "assets" / "models"
    bundled = {file.stem: file for file in folder.glob("*.niwaki")}
    if isinstance(name_or_path, str) and name_or_path in bundled:
        return bundled[name_or_path]
    if not path.exists() and path.name == os.fspath(name_or_path):
        raise ModelError(
            f"no model {path.name!r}: neither a file nor one in the box; "
            f"{nearest(path.name, bundled)}"
        )
    return path


# What it raises when parts of a model do not fit together.
_UNFIT = (ConfigError, LookupError, TypeError, ValueError, AttributeError, OverflowError)


def _load(file: ModelFile) -> Pipeline:
    try:
        return _build(file)
    except _UNFIT as error:
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

    def weights(name: str) -> PackedWeights:
        shape = designs[name]["weights"]
        return PackedWeights(
            shape["classes"], shape["scale"], file.tensors(f"weights-{name}.safetensors")
        )

    def parser(name: str) -> TransitionParser | None:
        if name not in designs:
            return None
        return TransitionParser(TransitionSpec.from_json(designs[name]), weights(name), shared)

    def classifier(name: str, features: str) -> LexiconClassifier | None:
        if name not in designs:
            return None
        return LexiconClassifier(
            designs[name]["values"],
            file.tensors(f"candidates-{name}.safetensors"),
            weights(name),
            tagging_features(features),
            designs[name]["lowercase"],
        )

    tagger = None
    if "tagger" in designs:
        record = designs["tagger"]
        model: PackedWeights | Trigrams
        if "weights" in record:
            model = weights("tagger")
        else:
            model = Trigrams(
                len(record["pairs"]),
                float(record["smoothing"]),
                file.tensors("trigrams-tagger.safetensors"),
            )
        tagger = Tagger(
            record["upos"],
            record["xpos"],
            [(u, x) for u, x in record["pairs"]],
            model,
            lowercase=record["lowercase"],
            clusters=shared,
            features=record["features"],
        )
    morphology = Morphology(
        classifier("xpos", "features"),
        classifier("feats", "features"),
        classifier("lemmas", "lemmas"),
    )
    if morphology.lemmas is not None:
        for rule in morphology.lemmas.values.names:
            check_rule(rule)
    segmenter = None
    if "segmenter" in designs:
        split_model = weights("splits") if "splits" in designs else None
        segmenter = Segmenter.from_json(designs["segmenter"], weights("segmenter"), split_model)
    main: Parser | None = parser("parser")
    if "graph" in designs:
        main = GraphParser(
            GraphSpec.from_json(designs["graph"]),
            {name: weights(f"graph-{name}") for name in _GRAPH_WEIGHTS},
            shared,
        )
    if main is None:
        raise ModelError(f"{file.path}: a model without a parser; train it again")
    confidence = None
    if "confidence.json" in file.parts:
        confidence = Confidence.from_json(file.json("confidence.json"))
        confidence.check()
    pipeline = Pipeline(
        config, tagger, morphology, main, parser("greedy"), clusters, segmenter, confidence
    )
    if not 1 <= pipeline.beam <= MAX_BEAM:
        raise ModelError(f"{file.path}: a beam of {pipeline.beam}; train it again")
    return pipeline


def untagged(batch: Batch) -> Tags:
    """What a parser sees of words when there is no tagger: nothing."""
    none = np.full(batch.words, 1, dtype=np.uint32)
    sure = np.ones(batch.words, dtype=np.float32)
    pairs = np.full(batch.words, -1, dtype=np.int32)
    return Tags(pairs, sure, none, none, none, none)


def tag_sentences(
    sentences: Sequence[Sentence], tagger: Tagger | None, morphology: Morphology | None
) -> tuple[list[Sentence], Batch, Tags]:
    """The sentences with tags, features and lemmas, and what a parser sees of them."""
    batch = Batch([sentence.source for sentence in sentences])
    tags = tagger.tag(batch) if tagger is not None else untagged(batch)
    columns: dict[int, Any] = {}
    for part in (tagger, morphology):
        if part is not None:
            columns.update(part.columns(batch, tags))
    return _rendered(list(sentences), batch, columns), batch, tags


def _in_batches(sentences: Iterable[Sentence], limit: LengthLimit) -> Iterator[list[Sentence]]:
    batch: list[Sentence] = []
    size = 0
    for sentence in sentences:
        if limit.is_exceeded_by(sentence):
            if batch:
                yield batch
            yield [sentence]
            batch, size = [], 0
            continue
        batch.append(sentence)
        # A word has about 60 bytes; asking for its length would cut the columns.
        size += len(sentence.source)
        if len(batch) == _BATCH_SENTENCES or size >= 60 * _BATCH_WORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _rendered(sentences: list[Sentence], batch: Batch, columns: dict[int, Any]) -> list[Sentence]:
    """The sentences of a batch with new columns."""
    return [
        Sentence(source, sentence.file, sentence.line)
        for source, sentence in zip(batch.render(columns), sentences, strict=True)
    ]


def _candidates(sentence: Sentence, found: list[Found], temperature: float) -> Candidates:
    scores = [each.score for each in found]
    return Candidates(
        sentence,
        tuple(each.tree for each in found),
        tuple(scores),
        _normalised(scores, temperature),
        tuple(each.moves for each in found if each.moves),
    )


def _normalised(scores: Any, temperature: float) -> tuple[float, ...]:
    leads = np.asarray(scores, dtype=np.float64) - float(scores[0])
    weights = np.exp(leads / temperature)
    return tuple((weights / weights.sum()).tolist())
