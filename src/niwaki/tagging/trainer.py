"""Trains the tagger, the classifiers of FEATS and lemmas, and predicts the tags to parse with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import FEATS, XPOS
from niwaki.errors import ConfigError
from niwaki.features.templates import tagging_features
from niwaki.features.vocabulary import Vocabulary
from niwaki.features.weights import Interpolation, compress, noted, pack, unpack
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging import tagger as kernel
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus, Layer, run_name
from niwaki.learning.workers import checked_first, run_all
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.lemmas import find_rule
from niwaki.tagging.lexicon_classifier import LEVELS, LexiconClassifier, find_candidates
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import Tagger, Tags
from niwaki.tagging.trigrams import MAX_PAIRS, Trigrams
from niwaki.typing import Arrays

_CHUNK = 512
_CLASSIFIER_EPOCHS = 4
_CLASSIFIER_MARGIN = 2.0
_CLASSIFIER_ROWS = 100_000

Advance = Callable[[int], None]


def train_tagger(
    corpus: Corpus,
    config: TaggerConfig,
    seed: int,
    stage: str,
    *,
    lowercase: bool,
    clusters: Clusters | None,
    advance: Advance,
    like: Tagger | None = None,
    layer: Layer = "tags",
    checkpoint: Checkpoint | None = None,
) -> Tagger:
    """A compressed tagger learned from a corpus; `like` gives it tags and kind of another one.

    With a checkpoint it is kept there, or taken from it.
    """
    trained_on = corpus.that_trains(layer)
    if like is None:
        seen = {pair for s in trained_on.sentences for pair in zip(s.upos, s.xpos, strict=True)}
        # A word without UPOS says nothing about tags.
        pairs = {(upos, xpos) for upos, xpos in seen if upos != "_"}
        tagger = Tagger.untrained(sorted(pairs), lowercase=lowercase, clusters=clusters)
        if config.learner == "tnt":
            advance(len(trained_on.sentences))
            return _count_trigrams(trained_on, tagger, config.ending_weight)
    elif isinstance(like.model, Trigrams):
        advance(len(trained_on.sentences))
        return _count_trigrams(trained_on, like, like.model.smoothing)
    else:
        tagger = like
    if checkpoint is not None and stage in checkpoint:
        return tagger.with_model(unpack(checkpoint[stage]))
    classes, interpolation = len(tagger.upos) + len(tagger.xpos), None

    def learn(corpus: Corpus, epochs: int, name: str, min_updates: int) -> Arrays:
        learner = tagger.with_model(SparseWeights(classes, min_updates))
        # The name of a stage also seeds the order of its sentences.
        return _learn_tags(learner, corpus, config, epochs, seed, name, layer, advance)

    learned = learn(trained_on, config.epochs, stage, config.min_updates)
    found, how = trained_on.interpolated_part(layer), trained_on.interpolated
    if found is not None and how is not None:
        own = learn(found[0], how.epochs, f"{stage}-alone", 1)
        interpolation = Interpolation(how.share, noted(own, config.max_rows))
    elif config.runs > 1:
        names = [run_name(stage, run) for run in range(1, config.runs)]
        runs = [learn(trained_on, config.epochs, name, config.min_updates) for name in names]
        interpolation = Interpolation.of_runs([noted(x, config.max_rows) for x in runs], classes)
    compressed = compress(learned, classes, config.max_rows, interpolation)
    if checkpoint is not None:
        checkpoint.put(stage, pack(compressed))
    return tagger.with_model(compressed)


def _learn_tags(
    tagger: Tagger,
    corpus: Corpus,
    config: TaggerConfig,
    epochs: int,
    seed: int,
    stage: str,
    layer: Layer,
    advance: Advance,
) -> Arrays:
    """What the weights of an untrained tagger become by a corpus."""
    weights, learner = tagger.model, tagger.kernel
    assert isinstance(weights, SparseWeights)
    assert isinstance(learner, kernel.Tagger)
    gold = tagger.numbers(corpus.batch)
    rate = config.learning_rate if config.learner == "logistic" else 0.0
    for epoch in range(epochs):
        order = corpus.epoch_order(layer, seed, stage, epoch)
        for start in range(0, len(order), _CHUNK):
            part = order[start : start + _CHUNK]
            learner.learn(corpus.batch, gold, part, rate, config.adagrad_epsilon, config.margin)
            advance(len(part))
    return weights.export()


def _count_trigrams(corpus: Corpus, tagger: Tagger, smoothing: float) -> Tagger:
    """The trigram tagger of a corpus, for the tags of another tagger."""
    if len(tagger.pairs) > MAX_PAIRS:
        # XPOS is chosen afterwards, like FEATS.
        names = [(name, "_") for name in tagger.upos.names]
        tagger = Tagger.untrained(names, lowercase=tagger.lowercase)
    if len(tagger.pairs) > MAX_PAIRS:
        raise ConfigError(
            f"{len(tagger.pairs)} UPOS tags, but tnt can tell {MAX_PAIRS} apart; "
            "is something else in that column?"
        )
    gold = tagger.numbers(corpus.batch)
    counted = Trigrams.count(
        corpus.batch, gold, len(tagger.pairs), smoothing, lowercase=tagger.lowercase
    )
    return tagger.with_model(counted)


def jackknife(
    corpus: Corpus,
    tagger: Tagger,
    config: TaggerConfig,
    seed: int,
    *,
    morphology: Morphology | None = None,
    threads: int,
    clusters: Clusters | None,
    checkpoint: Checkpoint,
    advance: Advance,
    unseen: NDArray[np.bool_] | None = None,
) -> Tags:
    """Tags of the corpus, each part tagged by a tagger that learned from the other parts.

    So the parser meets in training what it will meet later: tags with mistakes. Sentences that
    the finished tagger has not learned from (`unseen`) it tags itself, or they have the tags
    of their file, if the corpus says so. With a `morphology`, the parser looks at FEATS too, and
    these are predicted in the same way.
    """
    if config.folds == 0:
        return tagger.tag(corpus.batch)
    everything = np.ones(len(corpus.sentences), dtype=np.bool_)
    parts = folds_of(everything if unseen is None else ~unseen, config)
    rest = everything.copy()
    for part in parts:
        rest &= ~part

    def tag(fold: int, check: Callable[[], None]) -> None:
        if fold_name(fold) not in checkpoint:
            told = checked_first(advance, check)
            feats = morphology is not None
            found = tag_fold(corpus, parts[fold], tagger, config, seed, fold, clusters, told, feats)
            checkpoint.put(fold_name(fold), found)

    def save_if_due() -> None:
        if checkpoint.is_due:
            checkpoint.save()

    run_all(tag, range(len(parts)), threads, save_if_due)
    given = np.zeros_like(rest) if corpus.given_tags is None else rest & corpus.given_tags
    rest &= ~given
    batch = corpus.part(np.flatnonzero(rest)).batch
    own = tagger.tag(batch, keep=False)
    if morphology is not None:
        own = morphology.seen(batch, own, keep=False)
    as_given = tagger.tag(corpus.part(np.flatnonzero(given)).batch)
    merged = {name: np.array(values) for name, values in vars(Tags.none(corpus.batch)).items()}
    tagged = [checkpoint[fold_name(fold)] for fold in range(len(parts))]
    tagged += [vars(own), vars(as_given)]
    for part, found in zip([*parts, rest, given], tagged, strict=True):
        words = corpus.words_of(part)
        for name, values in merged.items():
            values[words] = found[name]
    return Tags(**merged)


def tag_fold(
    corpus: Corpus,
    part: NDArray[np.bool_],
    tagger: Tagger,
    config: TaggerConfig,
    seed: int,
    fold: int,
    clusters: Clusters | None,
    advance: Advance,
    feats: bool,
) -> Arrays:
    """Tags of a fold, which is a part of the corpus, by a tagger that learned from the rest.

    With `feats`, FEATS are predicted in the same way.
    """
    others, held_out = (corpus.part(np.flatnonzero(x)) for x in (~part, part))
    trained = train_tagger(
        others,
        config,
        seed,
        fold_name(fold),
        lowercase=tagger.lowercase,
        clusters=clusters,
        advance=advance,
        like=tagger,
        layer="training-tags",
    )
    tags = trained.tag(held_out.batch, keep=False)
    if feats:
        own = train_morphology(others, trained, config, seed, advance=advance, kinds=("feats",))
        tags = own.seen(held_out.batch, tags, keep=False)
    return vars(tags)


def fold_name(fold: int) -> str:
    """Under which checkpoints keep the tags of a fold; it also seeds the order of sentences."""
    return f"fold-{fold}"


def folds_of(learned: NDArray[np.bool_], config: TaggerConfig) -> list[NDArray[np.bool_]]:
    """Which sentences are in each fold, of those that the tagger has learned from."""
    if config.folds < 2 or len(learned) < 2:
        return []
    numbers = np.cumsum(learned) - 1
    folds = min(config.folds, int(learned.sum()))
    return [learned & (numbers % folds == fold) for fold in range(folds)]


def train_morphology(
    corpus: Corpus,
    tagger: Tagger,
    config: TaggerConfig,
    seed: int,
    *,
    advance: Advance,
    kinds: Collection[str] = ("xpos", "feats", "lemmas"),
) -> Morphology:
    """Classifiers for what goes with the tags: XPOS if there are too many, FEATS, lemmas."""
    corpus = corpus.that_trains("morphology")
    tags = tagger.tag(corpus.batch)

    def train(
        kind: str, values: Sequence[str], gold: NDArray[np.int32]
    ) -> LexiconClassifier | None:
        if len(values) < 2 or len(values) > 0xFFFF:
            return None
        return _train_classifier(corpus, tags, kind, values, gold, tagger.lowercase, seed, advance)

    xpos = feats = lemmas = None
    if "xpos" in kinds and not len(tagger.xpos):
        names = sorted({tag for s in corpus.sentences for tag in s.xpos})
        xpos = train("features", names, corpus.batch.numbers(XPOS, Vocabulary(names).symbols))
    if "feats" in kinds and config.feats:
        names = sorted({value for s in corpus.sentences for value in s.feats})
        feats = train("features", names, corpus.batch.numbers(FEATS, Vocabulary(names).symbols))
    if "lemmas" in kinds and config.lemmas:
        # A lemma `_` is one that is not given, unless it is that of the underscore itself.
        rules = [
            find_rule(form, lemma) if lemma != "_" or form == "_" else ""
            for s in corpus.sentences
            for form, lemma in zip(s.forms, s.lemmas, strict=True)
        ]
        vocabulary = Vocabulary(sorted(set(rules) - {""}))
        numbers = np.array([vocabulary.number(rule) for rule in rules], dtype=np.int32)
        lemmas = train("lemmas", vocabulary.names, numbers)
    return Morphology(xpos, feats, lemmas)


def _train_classifier(
    corpus: Corpus,
    tags: Tags,
    kind: str,
    values: Sequence[str],
    gold: NDArray[np.int32],
    lowercase: bool,
    seed: int,
    advance: Advance,
) -> LexiconClassifier:
    features = tagging_features(kind)
    seen = tags.tag.astype(np.uint64)
    # While learning, no word is known: what is learned must serve for unknown words.
    unknown = find_candidates(corpus.batch, tags.tag, gold, lowercase, LEVELS[1:])
    weights = SparseWeights(len(values))
    classifier = LexiconClassifier(values, unknown, weights, features, lowercase, LEVELS[1:])
    for epoch in range(_CLASSIFIER_EPOCHS):
        order = corpus.epoch_order("morphology", seed, kind, epoch)
        classifier.kernel.learn(corpus.batch, seen, gold, order, _CLASSIFIER_MARGIN)
        advance(len(order))
    candidates = find_candidates(corpus.batch, tags.tag, gold, lowercase)
    model = compress(weights.export(), weights.classes, _CLASSIFIER_ROWS)
    return LexiconClassifier(values, candidates, model, features, lowercase)
