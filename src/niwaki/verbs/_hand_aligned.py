"""Hand-aligned pairs: read beside a text, and asked how many letters of words should count.

Of a small text, most words are seen once or twice, and their first letters are seen more often: a
stemmer for languages that inflect words at their ends. Whether it helps depends on the languages
and on how much text there is, which people's links tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from niwaki.data.bilingual.bitext import Links, read_linked_bitext
from niwaki.data.files import Source
from niwaki.metrics.blocks import evaluate_blocks
from niwaki.tasks.align import Settings, link
from niwaki.tasks.align.aligner import Aligner
from niwaki.tasks.align.corpus import Corpus

# Letters that may count; None are whole words, which are taken where nothing is better.
LENGTHS = (None, 6, 5, 4)
# Settings that are tried: lengths of one side, then of the other.
TRIALS = 2 * len(LENGTHS) - 1
# Pairs that are aligned to choose by. In more text, words are seen often enough.
_MOST = 20_000

# Source, target and links of hand-aligned pairs.
GoldFiles = tuple[Source, Source, Source]
Words = Sequence[str]
Pairs = list[tuple[Words, Words]]


def add_gold(pairs: Pairs, files: GoldFiles) -> dict[int, Links]:
    """Read hand-aligned pairs and add them to others; gives their links by number."""
    found = {}
    for pair in read_linked_bitext(*files):
        if pair.links is not None:
            found[len(pairs)] = pair.links
        pairs.append((pair.source, pair.target))
    return found


def choose_stems(
    pairs: Pairs,
    gold: Mapping[int, Links],
    settings: Settings,
    *,
    alpha: float,
    threads: int = 1,
    tried: Callable[[], None] = lambda: None,
) -> Settings:
    """Settings with the lengths of stems by which the HMM links hand-aligned pairs best.

    `gold` has links by the number of the pair. A length that is given is kept, and so is that of
    the other side. The HMM does not learn from these links here, so all of them can choose.
    """
    if settings.source_prefix is not None or settings.target_prefix is not None or not gold:
        return settings
    first = sorted(gold)
    others = [number for number in range(len(pairs)) if number not in gold]
    text = [pairs[number] for number in (*first, *others)][:_MOST]
    wanted = [gold[number] for number in first][: len(text)]

    def score(each: Settings) -> float:
        corpus = Corpus(each)
        for pair in text:
            corpus.add(*pair)
        found = Aligner(corpus, each, threads).posteriors(len(wanted))
        tried()
        return evaluate_blocks(wanted, [link(x) for x in found], alpha=alpha).scores["F"]

    scores: dict[Settings, float] = {}
    best = settings
    for side in (_with_target, _with_source):
        choices = [side(best, length) for length in LENGTHS]
        scores |= {each: score(each) for each in choices if each not in scores}
        best = max(choices, key=scores.__getitem__)
    return best


def _with_source(settings: Settings, length: int | None) -> Settings:
    return replace(settings, source_prefix=length)


def _with_target(settings: Settings, length: int | None) -> Settings:
    return replace(settings, target_prefix=length)
