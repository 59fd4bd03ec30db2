"""Our decoder beside thot's on the same text and links, each tuned by the same optimiser.

python -m benchmarks.tasks.translation_thot [--pairs N] [--limits 0 4]

thot (https://pypi.org/project/sil-thot) is a phrase-based engine by others. Both get the same pairs
of parallel-enja-small, the same word links (ours), phrases of at most 7 words, the 20 best of each
source phrase, a language model of three words, and no reordering model but distance. thot
extracts and scores its phrases itself, smooths them by its own HMM, and interpolates its own
language model; the shares of that are chosen by perplexity on the tuning sentences. Weights of both
are tuned by PRO on the same sentences, --runs times with other seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import thot.alignment as ta
import thot.common as tc
import thot.translation as tt

from benchmarks.common import report, signature
from benchmarks.tasks._translation import (
    WORK,
    Pair,
    Texts,
    add_settings,
    identity,
    parts_of,
    together,
)
from niwaki.data.bilingual.bitext import Links
from niwaki.metrics.significance import compare
from niwaki.metrics.translation import TranslationEvaluation, evaluate_translation
from niwaki.tasks.align import link, preset, train
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.nbest import Hypothesis, NBestList
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.training import Bitext, TrainSettings, train_system
from niwaki.tasks.translate.tuning import TuningSettings, tune
from niwaki.typing import FloatArray

ORDER, PHRASE, OPTIONS = 3, 7, 20
# Iterations of thot's word models, as its own trainer has them.
ITERATIONS = 5
# thot's features: words, language model, length of target phrases, jumps, length of source phrases,
# phrases given target and source, sentence length. The last is left out, as its own trainer does.
FIRST = np.array([1.0] * 7 + [0.0])
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


class Ours:
    """Our system without a reordering model."""

    def __init__(self, text: Bitext, folder: Path, stack: int) -> None:
        settings = TrainSettings(
            source_length=PHRASE,
            target_length=PHRASE,
            options=OPTIONS,
            order=ORDER,
            reordering="none",
        )
        self._system: System = train_system(text, folder, settings)
        self._stack = stack
        self.first = np.array([self._system.weights[name] for name in self._system.names])

    def decode(self, weights: FloatArray, texts: Texts, nbest: int, limit: int) -> list[NBestList]:
        named = dict(zip(self._system.names, weights.tolist(), strict=True))
        decoder = self._system.with_weights(named).decoder(SearchSettings(limit, self._stack))
        return list(decoder.translate_all(texts.source, nbest))


class Thot:
    """thot with its own phrases and language model, from links that are given."""

    first = FIRST

    def __init__(self, text: Bitext, folder: Path, stack: int, tuning: Texts) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._stack = folder, stack
        _words(text.source, text.target, folder / "tm_invswm")
        _words(text.target, text.source, folder / "tm_swm")
        self._extract(text)
        _speak(text.target, folder / "lm", [each.split() for each in tuning.references])

    def _extract(self, text: Bitext) -> None:
        links, table = self._folder / "tm.A3.final", self._folder / "tm.ttable"
        assert text.links is not None
        with open(links, "w", encoding="utf-8") as file:
            for source, target, each in zip(text.source, text.target, text.links, strict=True):
                file.write(_a3(source, target, each))
        phrases, settings = tt.PhraseModel(), tt.PhraseExtractParameters()
        settings.max_target_phrase_length = PHRASE
        settings.constrain_source_length = True
        phrases.build(str(links), settings, False)
        phrases.print_phrase_table(str(table), OPTIONS)
        phrases.clear()
        # As its own trainer writes them: how much the phrases count beside the word models, and
        # what lengths of phrases are like.
        for end, said in (
            *(("lambda", "0.7 0.7"), ("srcsegmlentable", "Uniform")),
            *(("trgcutstable", "0.999"), ("trgsegmlentable", "Geometric")),
        ):
            (self._folder / f"tm.{end}").write_text(said)

    def decode(self, weights: FloatArray, texts: Texts, nbest: int, limit: int) -> list[NBestList]:
        model = tt.SmtModel(ta.AlignmentModelType.INCR_HMM)
        if not model.load_translation_model(str(self._folder / "tm")):
            sys.exit("thot could not read its phrases")
        if not model.load_language_model(str(self._folder / "lm")):
            sys.exit("thot could not read its language model")
        # W, A, E and the heuristic as its own trainer has them; A is the options of a phrase.
        model.non_monotonicity, model.w, model.a, model.e, model.heuristic = (
            limit,
            0.4,
            OPTIONS,
            2,
            6,
        )
        model.weights = weights.tolist()
        decoder = tt.SmtDecoder(model)
        decoder.s, decoder.is_breadth_first = self._stack, True
        lines = [" ".join(each) for each in texts.source]
        found = decoder.translate_n_batch(lines, nbest)
        lists = [
            NBestList(
                at,
                tuple(
                    Hypothesis(
                        tuple(each.target), np.array(each.score_components, np.float32), each.score
                    )
                    for each in translations
                ),
            )
            for at, translations in enumerate(found)
        ]
        decoder.clear()
        model.clear()
        return lists


def _words(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], place: Path) -> None:
    """thot's own HMM, of which its phrases are smoothed."""
    first = ta.Ibm1AlignmentModel()
    last = ta.HmmAlignmentModel(first)
    for pair in zip(source, target, strict=True):
        last.add_sentence_pair(list(pair[0]), list(pair[1]), 1)
    for model in (first, last):
        model.start_training()
        for _ in range(ITERATIONS):
            model.train()
        model.end_training()
    last.print(str(place))


def _a3(source: Sequence[str], target: Sequence[str], links: Links) -> str:
    """Links as GIZA writes them, with the words of the target and places in the source."""
    places: list[list[int]] = [[] for _ in target]
    for i, j in sorted(links.all):
        places[j].append(i + 1)
    linked = {place for each in places for place in each}
    rest = [place for place in range(1, len(source) + 1) if place not in linked]
    cells = [
        f"{word} ({{ {''.join(f'{place} ' for place in each)}}})"
        for word, each in zip(["NULL", *target], [rest, *places], strict=True)
    ]
    return f"# 1\n{' '.join(source)}\n{' '.join(cells)} \n"


def _speak(text: Sequence[Sequence[str]], place: Path, tuning: Sequence[Sequence[str]]) -> None:
    """thot's language model: counts of n-grams, in which a word's first place is that of <unk>."""
    counts: Counter[tuple[str, ...]] = Counter()
    known: set[str] = set()
    for sentence in text:
        words = ["<s>"]
        for word in sentence:
            words.append(word if word in known else "<unk>")
            known.add(word)
        words.append("</s>")
        for n in range(1, ORDER + 1):
            counts.update(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
    total = sum(count for ngram, count in counts.items() if len(ngram) == 1)
    with open(place, "w", encoding="utf-8") as file:
        for ngram, count in sorted(counts.items(), key=lambda each: (len(each[0]), each[0])):
            before = counts[ngram[:-1]] if len(ngram) > 1 else total
            file.write(f"{' '.join(ngram)} {before} {count}\n")
    place.with_name("lm.wp").write_text("".join(f"{' '.join(each)}\n" for each in text))
    _choose_shares(place, tuning)


def _choose_shares(place: Path, tuning: Sequence[Sequence[str]]) -> None:
    """The shares of interpolation that are best on the tuning sentences, one after the other."""

    def score(shares: Sequence[float]) -> float:
        text = " ".join(map(str, shares))
        place.with_name("lm.weights").write_text(f"{ORDER} 3 10 {text}\n")
        model = tc.NGramLanguageModel()
        model.load(str(place))
        found = sum(model.get_sentence_log_probability(list(each)) for each in tuning)
        model.clear()
        return float(found)

    shares = [0.5] * (3 * ORDER)
    for at in range(len(shares)):
        tried = {share: [*shares[:at], share, *shares[at + 1 :]] for share in SHARES}
        shares = max(tried.values(), key=score)
    score(shares)


def prepared(pairs: Sequence[Pair]) -> Bitext:
    """The text with our links."""
    source, target = ([tuple(each.split()) for each in side] for side in zip(*pairs, strict=True))
    settings = preset("xu2009")
    found = train(list(zip(source, target, strict=True)), settings).posteriors()
    return Bitext(source, target, [link(each, "grow-diag-final-and") for each in found])


def measured(
    engine: Ours | Thot, tuning: Texts, test: Texts, limit: int, arguments: argparse.Namespace
) -> tuple[dict[str, Any], TranslationEvaluation]:
    """BLEU of all runs, and the runs together."""
    references = [text.split() for text in tuning.references]
    runs, tuned, seconds = [], [], 0.0
    for seed in range(1, arguments.runs + 1):
        found = tune(
            lambda weights: engine.decode(weights, tuning, 100, limit),
            references,
            engine.first,
            TuningSettings(by=arguments.by, rounds=arguments.rounds, seed=seed),
        ).best
        tuned.append(round(float(found.bleu), 2))
        started = time.process_time()
        lists = engine.decode(found.weights, test, 1, limit)
        seconds += time.process_time() - started
        texts = [each.hypotheses[0].text if each.hypotheses else "" for each in lists]
        runs.append(evaluate_translation(test.references, texts, scores=("BLEU",)))
    record = {
        "tuned": tuned,
        "test": [round(run.scores["BLEU"], 2) for run in runs],
        "processor time a run, s": round(seconds / arguments.runs, 1),
    }
    return record, together(runs)


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--pairs", type=int, default=10_000)
    made.add_argument("--limits", type=int, nargs="*", default=[0])
    add_settings(made)
    arguments = made.parse_args()
    parts = parts_of("enja", arguments.pairs, arguments.tuning)
    text = prepared(parts.train)
    WORK.mkdir(parents=True, exist_ok=True)
    folder = WORK / f"thot-{identity(parts.train)}"
    engines: dict[str, Ours | Thot] = {
        "ours": Ours(text, folder.with_name(f"{folder.name}-ours"), arguments.stack),
        "thot": Thot(text, folder, arguments.stack, parts.tuning),
    }
    result: dict[str, Any] = {
        "signature": signature(**vars(arguments)),
        "sentences": {
            "training": len(parts.train),
            "tuning": len(parts.tuning.source),
            "test": len(parts.test.source),
        },
    }
    for limit in arguments.limits:
        rows = {
            name: measured(engine, parts.tuning, parts.test, limit, arguments)
            for name, engine in engines.items()
        }
        result[f"limit {limit}"] = {
            **{name: record for name, (record, _) in rows.items()},
            "ours over thot": [
                each.to_json() for each in compare(rows["thot"][1], rows["ours"][1])
            ],
        }
        report("translation-thot", result)


if __name__ == "__main__":
    main()
