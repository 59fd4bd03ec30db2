"""Trains the tagger, the classifiers of FEATS and lemmas, and predicts the tags to parse with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError
from niwaki.features.vocabulary import Vocabulary
from niwaki.features.weights import Interpolation, compress, noted, pack, unpack
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging import tagger as kernel
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus, Layer, run_name
from niwaki.learning.workers import checked_first, run_all
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.lemmas import rules_of
from niwaki.tagging.lexicon_classifier import LexiconClassifier, find_candidates
from niwaki.tagging.morphology import KINDS, Morphology
from niwaki.tagging.tagger import Tagger, Tags, given_feats
from niwaki.tagging.trigrams import MAX_PAIRS, Trigrams
from niwaki.typing import Arrays

_CHUNK = 512
_CLASSIFIER_EPOCHS = 5
_CLASSIFIER_RATE = _CLASSIFIER_EPSILON = 0.1
_CLASSIFIER_ROWS = 100_000
# A number has 16 bits.
MAX_VALUES = 0xFFFF

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
    of their file, if the corpus says so. With a `morphology`, the parser looks at that too, and it
    is predicted in the same way.
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
            kinds = () if morphology is None else morphology.kinds
            found = tag_fold(corpus, parts[fold], tagger, config, seed, fold, clusters, told, kinds)
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
    merged = {name: np.array(values) for name, values in Tags.none(corpus.batch).arrays().items()}
    tagged = [checkpoint[fold_name(fold)] for fold in range(len(parts))]
    tagged += [own.arrays(), as_given.arrays()]
    for part, found in zip([*parts, rest, given], tagged, strict=True):
        words = corpus.words_of(part)
        for name, values in merged.items():
            values[words] = found[name]
    return Tags.of_arrays(merged)


def tag_fold(
    corpus: Corpus,
    part: NDArray[np.bool_],
    tagger: Tagger,
    config: TaggerConfig,
    seed: int,
    fold: int,
    clusters: Clusters | None,
    advance: Advance,
    kinds: tuple[str, ...],
) -> Arrays:
    """Tags of a fold, which is a part of the corpus, by a tagger that learned from the rest.

    Some `kinds` of morphology are predicted in the same way.
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
    if kinds:
        own = train_morphology(others, trained, config, seed, advance=advance, kinds=kinds)
        tags = own.seen(held_out.batch, tags, keep=False)
    return tags.arrays()


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
    begin: Advance = lambda visits: None,
    kinds: Collection[str] = ("xpos", "feats", "lemmas"),
) -> Morphology:
    """Classifiers for what goes with the tags: XPOS if there are too many, FEATS, lemmas.

    To `begin`, it is told how many sentences will be looked at.
    """
    corpus = corpus.that_trains("morphology")
    sentences = corpus.sentences
    found: dict[str, Sequence[str | None]] = {}
    if "xpos" in kinds and not len(tagger.xpos):
        found["xpos"] = [tag for s in sentences for tag in s.xpos]
    if "feats" in kinds and config.feats:
        found["feats"] = [value for s in sentences for value in s.feats]
    if "lemmas" in kinds and config.lemmas:
        rules = rules_of(sentences)
        found["beginnings"] = [rule and rule[0] for rule in rules]
        found["lemmas"] = [rule and rule[1] for rule in rules]
    numbered = {kind: _numbered(values) for kind, values in found.items()}
    # Where there is one value, nothing is chosen.
    chosen = {kind: x for kind, x in numbered.items() if 1 < len(x[0]) <= MAX_VALUES}
    begin(len(chosen) * _CLASSIFIER_EPOCHS * corpus.visits("morphology"))
    tags = tagger.tag(corpus.batch)
    if "feats" not in chosen:
        # Lemmas cannot hang on what will not be known.
        feats, case = given_feats(corpus.batch, keep=False)
        tags = replace(tags, feats=feats, case=case)
    classifiers = {
        kind: _train_classifier(corpus, tags, kind, *x, tagger.lowercase, seed, advance)
        for kind, x in chosen.items()
    }
    return Morphology(**classifiers)


def _numbered(values: Sequence[str | None]) -> tuple[Sequence[str], NDArray[np.int32]]:
    """The different values, and the number of each; -1 of None."""
    vocabulary = Vocabulary(sorted({value for value in values if value is not None}))
    numbers = [-1 if value is None else vocabulary.number(value) for value in values]
    return vocabulary.names, np.array(numbers, dtype=np.int32)


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
    choice = KINDS[kind].choice(values, lowercase)
    # While learning, no word is known: what is learned must serve for unknown words.
    guessing = replace(choice, levels=choice.levels[1:])
    weights = SparseWeights(choice.columns)
    unknown = find_candidates(corpus.batch, tags.tag, gold, guessing)
    learner = LexiconClassifier(guessing, unknown, weights).kernel
    tag, feats = (values.astype(np.uint64) for values in (tags.tag, tags.feats))
    for epoch in range(_CLASSIFIER_EPOCHS):
        order = corpus.epoch_order("morphology", seed, kind, epoch)
        learner.learn(corpus.batch, tag, gold, order, _CLASSIFIER_RATE, _CLASSIFIER_EPSILON, feats)
        advance(len(order))
    candidates = find_candidates(corpus.batch, tags.tag, gold, choice)
    model = compress(weights.export(), weights.classes, _CLASSIFIER_ROWS)
    return LexiconClassifier(choice, candidates, model)
