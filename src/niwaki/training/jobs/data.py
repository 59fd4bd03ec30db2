"""What a training run learns from: a configuration and all that it names, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError, CorpusError
from niwaki.features.clusters import WordClusters, read_clusters
from niwaki.learning.checkpoint import hash_of_arrays, hash_of_files
from niwaki.learning.corpus import Corpus
from niwaki.pipeline.learned import LearnedSentences
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.config import Config, TreebankConfig
from niwaki.training.examples import CostObjective
from niwaki.training.reporting import Reporter
from niwaki.training.treebanks import read_treebanks


@dataclass(frozen=True)
class TrainingData:
    """A configuration and all that it names, in memory."""

    config: Config
    corpus: Corpus
    dev: Corpus | None
    costs: Sequence[CostObjective]
    clusters: WordClusters | None
    init: Pipeline | None
    skips: bool = False  # lines of clusters and links that do not fit

    @property
    def identity(self) -> dict[str, Any]:
        """What a run is, so that a checkpoint of another one is not taken up."""
        identity: dict[str, Any] = {
            "config": self.config.to_json(),
            "data": self.corpus.sha256,
            "dev": self.dev.sha256 if self.dev else "",
        }
        if self.config.model.clusters and self.init is None:
            identity["clusters"] = hash_of_files([self.config.model.clusters])
        if self.costs:
            identity["costs"] = [hash_of_files(each.config.data) for each in self.costs]
            if any(each.held_out for each in self.costs):
                identity["held_out"] = [sorted(each.held_out) for each in self.costs]
        if self.init is not None:
            tensors = self.init.parser.parts().tensors.items()
            arrays = {f"{file}.{name}": x for file, found in tensors for name, x in found.items()}
            identity["init"] = hash_of_arrays(arrays)
        return identity

    @property
    def has_tags(self) -> bool:
        """Whether the model will have a tagger."""
        return self.config.tagger.tags and self.corpus.is_tagged

    @property
    def learned(self) -> LearnedSentences:
        """What the model will have learned from: examples of costs, trees, and what its start
        has. The development data, which chooses an epoch, is not among it.
        """
        examples = [each.sentences for each in self.costs]
        learned = LearnedSentences.of(chain(*examples, self.corpus.sentences))
        return learned if self.init is None else learned.after(self.init.learned)

    @property
    def unseen(self) -> NDArray[np.bool_]:
        """The sentences of which it is known that the tagger does not learn them: those that the
        model to begin with did not learn, and those whose tags are given.
        """
        record, given = self.init.learned if self.init else None, self.corpus.given_tags
        unseen = np.zeros(len(self.corpus.sentences), dtype=np.bool_) if given is None else given
        if record is None or not record.complete:
            return unseen
        return unseen | ~record.knows(self.corpus.sentences)

    @property
    def lowercase(self) -> bool:
        return self.config.model.case == "insensitive"


def read_data(
    config: Config,
    costs: Sequence[CostObjective],
    reporter: Reporter,
    init: Pipeline | None,
    *,
    skip: bool,
) -> TrainingData:
    """What a configuration names; `skip` leaves out lines of clusters and links that do not fit."""
    treebanks = [each for each in config.objective if isinstance(each, TreebankConfig)]
    skipped: list[CorpusError] = []
    faults: list[CorpusError] = []
    bad = faults.append if skip else None
    corpus = read_treebanks(treebanks, skipped.append, bad)
    if not corpus.sentences and init is None:
        raise ConfigError("no trees to learn from; add a treebank, or begin with a model (--init)")
    dev = None
    if config.training.dev:
        links = (config.training.dev_links,) if config.training.dev_links else ()
        dev_file = TreebankConfig(data=(config.training.dev,), links=links)
        dev = read_treebanks([dev_file], on_bad_links=bad)
    if faults:
        reporter.note(f"{len(faults):,} lines of links do not fit, the first: {faults[0]}")
    if corpus.left_out:
        reporter.note(f"{corpus.left_out:,} sentences are left out by `leave_out`")
    if skipped:
        reporter.note(f"{len(skipped):,} sentences are bad and left out; the first: {skipped[0]}")
    for each in costs:
        reporter.note(str(each))
    clusters = init.clusters if init else _read_clusters(config, reporter, skip)
    return TrainingData(config, corpus, dev, costs, clusters, init, skip)


def _read_clusters(config: Config, reporter: Reporter, skip: bool) -> WordClusters | None:
    if not config.model.clusters:
        return None
    faults: list[CorpusError] = []
    clusters = read_clusters(config.model.clusters, faults.append if skip else None)
    reporter.note(f"{clusters.kernel.count:,} words in clusters")
    if faults:
        reporter.note(f"skipped {len(faults):,} lines of clusters, the first: {faults[0]}")
    return clusters
