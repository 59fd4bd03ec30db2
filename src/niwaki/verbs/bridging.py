"""How hard languages are to align with each other, which may tell which bridge to take."""

from __future__ import annotations

from niwaki.data.bilingual.bitext import read_filled_bitext
from niwaki.data.files import Source
from niwaki.tasks.align import Settings, preset
from niwaki.tasks.align.aligner import train
from niwaki.tasks.align.corpus import LONGEST
from niwaki.verbs._given import OnError, Watch, fault_handler, unwatched


def align_perplexity(
    source: Source,
    target: Source,
    *,
    settings: Settings | str = "kumar2007",
    threads: int = 1,
    on_error: OnError = "fail",
    watch: Watch = unwatched,
) -> tuple[float, float]:
    """Perplexities of aligners that learn from two files: of target words given the source, and
    of source words given the target.

    They compare languages beside one text (Kumar, Och and Macherey 2007, Table 2), not aligners.

        >>> align_perplexity("text.en", "text.ja")
    """
    chosen = preset(settings) if isinstance(settings, str) else settings
    rounds = chosen.model1_iterations + chosen.hmm_iterations
    read = read_filled_bitext(source, target, LONGEST, fault_handler(on_error))
    pairs = ((pair.source, pair.target) for pair in read)
    return train(
        pairs, chosen, threads, lambda stage, score: watch("learning", 1, rounds)
    ).perplexities
