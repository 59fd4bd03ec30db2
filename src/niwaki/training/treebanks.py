"""Reads treebanks for training: checked for what training needs, renamed, filtered, weighed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import cycle, islice, zip_longest
from unicodedata import normalize

import numpy as np

from niwaki.data.bilingual.links import link_sentences
from niwaki.data.conllu import read_conllu, read_stream
from niwaki.data.constraints import Constraints
from niwaki.data.files import Input
from niwaki.data.probabilities import NOTES
from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT, UNKNOWN
from niwaki.errors import CorpusError
from niwaki.learning.corpus import LAYERS, Corpus, Interpolated
from niwaki.pipeline.lengths import joined_tree
from niwaki.training.config import TreebankConfig

OnFault = Callable[[CorpusError], None]
_ARC_PROBABILITY = NOTES["arc"]
_JOINED_SIZES = (2, 3, 4)
_COPIED = ("forms", "lemmas", "upos", "xpos", "feats")


def read_treebank(files: Sequence[str], partial: Collection[str] = ()) -> Corpus:
    """Sentences with whole trees, or partly known ones in the files `partial`.

    Refuses others, with sentence and line; so too partial trees that no tree completes.
    """
    return read_treebanks([TreebankConfig(data=(file,), partial=file in partial) for file in files])


def read_treebanks(
    objectives: Sequence[TreebankConfig],
    on_fault: OnFault = lambda fault: None,
    on_bad_links: OnFault | None = None,
) -> Corpus:
    """The sentences of all objectives that are treebanks, as each of them wants them.

    What cannot be learned from is refused; objectives that skip it tell `on_fault`. For
    `on_bad_links` see `link_sentences`.
    """
    sentences: list[Sentence] = []
    constraints: dict[int, Constraints] = {}
    weights: dict[str, list[float]] = {layer: [] for layer in LAYERS}
    interpolated: list[bool] = []
    given_tags: list[bool] = []
    left_out = 0
    for objective in objectives:
        before = len(sentences)
        for file, links in zip_longest(objective.data, objective.links):
            for sentence, known in learnable(file, links, objective, on_fault, on_bad_links):
                if is_left_out(sentence, objective.leave_out):
                    left_out += 1
                    continue
                if known is not None:
                    constraints[len(sentences)] = known
                sentences.append(sentence)
        own = sentences[before:]
        whole = [s for number, s in enumerate(own, start=before) if number not in constraints]
        wanted = objective.joined and "trees" in objective.trains
        added = list(joined_sentences(whole)) if wanted else []
        sentences += added
        interpolated += [objective.interpolate > 0] * len(own) + [False] * len(added)
        given_tags += [objective.given_tags] * (len(own) + len(added))
        for layer, visits in weights.items():
            trained = {layer, "tags"} if layer == "training-tags" else {layer}
            weight = objective.weight * (not trained.isdisjoint(objective.trains))
            visits += [
                weight * certainty(each) if objective.weight_by_confidence else weight
                for each in own
            ]
            visits += [weight * objective.joined * (layer == "trees")] * len(added)
    return Corpus(
        tuple(file for objective in objectives for file in objective.data),
        tuple(sentences),
        constraints,
        {name: np.array(w) for name, w in weights.items() if any(each != 1 for each in w)},
        next(
            (
                Interpolated(np.array(interpolated), each.interpolate, each.interpolate_epochs)
                for each in objectives
                if each.interpolate
            ),
            None,
        ),
        left_out,
        np.array(given_tags) if any(given_tags) else None,
    )


def learnable(
    file: str,
    links: str | None,
    objective: TreebankConfig,
    on_fault: OnFault,
    on_bad_links: OnFault | None = None,
) -> Iterator[tuple[Sentence, Constraints | None]]:
    """The sentences of a file, and what is known of those whose trees are partial."""
    if objective.on_error == "skip":
        read = read_stream(Input(file), on_fault)
    else:
        read = read_conllu(file, multi_root=True, unknown_heads=objective.partial)
    with closing(read):
        for sentence in link_sentences(read, links, on_bad_links) if links else read:
            known = None
            if UNKNOWN in sentence.heads or (objective.partial and "_" in sentence.deprels):
                known = Constraints.of(sentence)
            if known is not None and objective.partial:
                known.check(sentence)
                fault = None
            else:
                fault = fault_of(sentence)
            if fault is None:
                yield renamed(_composed(sentence), objective.label_map, objective.tag_map), known
            elif objective.on_error == "skip":
                on_fault(fault)
            else:
                raise fault


def _composed(sentence: Sentence) -> Sentence:
    """The sentence in Unicode's form NFC: so models learn, and so they see what is parsed."""
    text = sentence.source.decode("utf-8")
    found = normalize("NFC", text)
    if found == text:
        return sentence
    return Sentence(found.encode("utf-8"), sentence.file, sentence.line)


def joined_sentences(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Neighbours read as one sentence, each sentence in one of them: two, three, four, two...

    Treebanks have hardly a full stop with words behind it, and weights of a beam that never met
    one give it to a sentence before.
    """
    rest = iter(sentences)
    for size in cycle(_JOINED_SIZES):
        pieces = list(islice(rest, size))
        if len(pieces) < 2:
            return
        columns = {name: [v for p in pieces for v in getattr(p, name)] for name in _COPIED}
        yield Sentence.from_words(**columns).with_tree(joined_tree(pieces))


def is_left_out(sentence: Sentence, pattern: str) -> bool:
    return bool(pattern) and re.search(pattern, " ".join(sentence.forms)) is not None


def fault_of(sentence: Sentence) -> CorpusError | None:
    """Why nothing can be learned from a tree: it is not whole, or it has not one root."""
    roots = sentence.heads.count(ROOT)
    unknown = UNKNOWN in sentence.heads
    if roots == 1 and not unknown:
        return None
    called = f" in sentence {sentence.id!r}" if sentence.id else ""
    return CorpusError(
        sentence.file,
        sentence.line,
        "SENTENCE",
        f"unknown heads{called}" if unknown else f"{roots} roots{called}",
        "a parser learns trees with one root; correct or remove the sentence",
    )


def renamed(sentence: Sentence, labels: Mapping[str, str], tags: Mapping[str, str]) -> Sentence:
    """The sentence with labels and tags written in another way.

    Labels may go with a word in lower case (label/word); tags are UPOS, UPOS/XPOS, or
    UPOS/XPOS/word. What says most counts.
    """
    if not labels and not tags:
        return sentence
    words = [form.lower() for form in sentence.forms]
    if labels:
        old = sentence.deprels
        new_labels = [
            labels.get(f"{label}/{word}", labels.get(label, label))
            for label, word in zip(old, words, strict=True)
        ]
        if new_labels != list(old):
            sentence = sentence.replace(deprels=new_labels)
    if tags:
        upos, xpos = list(sentence.upos), list(sentence.xpos)
        for at, (tag, fine, word) in enumerate(zip(upos, xpos, words, strict=True)):
            names = (f"{tag}/{fine}/{word}", f"{tag}/{fine}", tag)
            new = next((tags[name] for name in names if name in tags), None)
            if new is not None:
                upos[at], slash, other = new.partition("/")
                xpos[at] = other if slash else xpos[at]
        if upos != list(sentence.upos) or xpos != list(sentence.xpos):
            sentence = sentence.replace(upos=upos, xpos=xpos)
    return sentence


def certainty(sentence: Sentence) -> float:
    """How sure the teacher was: the mean probability of the arcs; 1 where it did not say."""
    values = []
    for notes in sentence.notes:
        if _ARC_PROBABILITY in notes:
            try:
                values.append(float(notes[_ARC_PROBABILITY]))
            except ValueError:
                values.append(-1.0)
            if not 0 <= values[-1] <= 1:
                raise CorpusError(
                    sentence.file,
                    sentence.line,
                    "MISC",
                    f"{_ARC_PROBABILITY}={notes[_ARC_PROBABILITY]}",
                    "give a probability from 0 to 1",
                )
    return float(np.mean(values)) if values else 1.0
