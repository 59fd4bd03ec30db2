"""Treebanks of many languages beside UDPipe 1: gold words with own tags, raw text, words a second.

Models are trained by one call of `niwaki.train_ud`, with settings that follow from the data, and
scored on the test parts. Published figures of UDPipe 1 (own tags, gold words) stand beside rows
whose files are byte-equal with that release, those of UDPipe 2 beside all. With --udpipe train,
UDPipe 1 is trained on the same files with its defaults, but fewer passes of its tokenizer, at 16 ms
a word; with --udpipe kept, those of its models count that lie in build/languages, where ours are
kept, too. Rows of other treebanks stay as they are in the results, and so does what was measured of
UDPipe, so that a table can be made in several goes; with --measured, rows of ours that are there
do, too, and only UDPipe is scored.
python -m benchmarks.accuracy.languages --only ud-greek-gud --udpipe train
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import niwaki
from benchmarks.common import (
    DATA,
    PEERS,
    RESULTS,
    ROOT,
    best_of,
    need,
    peer,
    report,
    signature,
    timed,
)
from niwaki.analysis.treebanks_report import TreebankRow
from niwaki.data.rawtext import raw_text
from niwaki.data.releases import Treebank, find_treebanks
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.pipeline.pipeline import Pipeline

TREEBANKS = DATA / "ud-languages"
BUILT = ROOT / "build" / "languages"
# UDPipe's default is 100, of which it keeps the best; it learns 7,000 characters a second.
TOKENIZER_EPOCHS = 10
BEAM = "5"  # UDPipe's default
CLOCK = time.process_time  # the machine may be busy
RESULT = "languages"
# Who stands beside us, and which of our scores is compared.
BESIDE = {
    "UDPipe 1 published": "LAS",
    "UDPipe 2 published": "LAS",
    "UDPipe 1 here": "LAS",
    "UDPipe 1 here, raw": "LAS raw",
}

# LAS of UDPipe 1 on gold words with its own tags, where files are equal: MANUAL of
# github.com/ufal/udpipe at 9158bf7b (models 2.5-191206, 2.4-190531, 2.0-170801).
UDPIPE_1 = {
    "ud25-afrikaans-afribooms": 78.4,
    "ud25-coptic-scriptorium": 80.4,
    "ud25-french-sequoia": 84.1,
    "ud25-telugu-mtg": 76.8,
    "ud25-uyghur-udt": 57.9,
    "ud25-vietnamese-vtb": 54.5,
    "ud25-wolof-wtb": 72.5,
    "ud-armenian-armtdp": 63.5,
    "ud-classical-chinese-kyoto": 71.3,
    "ud-indonesian-gsd": 74.5,
    "ud-latvian-lvtb": 63.9,
    "ud-lithuanian-alksnis": 57.5,
}
# LAS of UDPipe 2 on gold words, of the nearest release: docs/models_ud*.md of the same
# repository, branch udpipe-2, at 223da86f.
UDPIPE_2 = {
    "ud-afrikaans-afribooms": 87.76,
    "ud-armenian-armtdp": 81.18,
    "ud-classical-chinese-kyoto": 80.20,
    "ud-coptic-scriptorium": 88.27,
    "ud-french-sequoia": 94.36,
    "ud-greek-gud": 90.79,
    "ud-icelandic-modern": 84.17,
    "ud-indonesian-gsd": 80.18,
    "ud-irish-idt": 78.30,
    "ud-japanese-gsd": 93.75,
    "ud-kyrgyz-ktmu": 74.02,
    "ud-latvian-lvtb": 86.23,
    "ud-lithuanian-alksnis": 80.08,
    "ud-portuguese-bosque": 91.08,
    "ud-russian-taiga": 80.81,
    "ud-sanskrit-vedic": 61.55,
    "ud-scottish-gaelic-arcosg": 82.84,
    "ud-telugu-mtg": 84.05,
    "ud-thai-tud": 71.00,
    "ud-turkish-framenet": 84.53,
    "ud-uyghur-udt": 66.62,
    "ud-vietnamese-vtb": 65.51,
    "ud-welsh-ccg": 82.61,
    "ud-wolof-wtb": 80.16,
    "ud25-afrikaans-afribooms": 88.40,
    "ud25-coptic-scriptorium": 85.79,
    "ud25-french-sequoia": 94.43,
    "ud25-telugu-mtg": 84.47,
    "ud25-uyghur-udt": 66.27,
    "ud25-vietnamese-vtb": 65.41,
    "ud25-wolof-wtb": 80.75,
}


class Lines:
    """A reporter that prints what it is told."""

    def stage(self, name: str, total: int) -> None: ...

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: niwaki.EpochReport) -> None: ...

    def note(self, line: str) -> None:
        print(line, flush=True)


def kept_udpipe(treebank: Treebank) -> Path:
    return BUILT / f"{treebank.folder.name}.udpipe"


class UDPipe:
    """UDPipe 1 in the peers' environment, trained here or taken from where it was kept."""

    def __init__(self, treebank: Treebank) -> None:
        self.model = kept_udpipe(treebank)
        if not self.model.exists():
            parts = ["--train", *map(str, treebank.train), "--dev", *map(str, treebank.dev)]
            self._asked("train_udpipe.py", str(TOKENIZER_EPOCHS), self.model, *parts)

    def _asked(self, script: str, *arguments: str | os.PathLike[str]) -> dict[str, Any]:
        answer = peer(script, *arguments)
        if answer is None:
            raise SystemExit(f"{self.model}: {script} failed in {PEERS}")
        return answer

    def row(self, gold: list[Sentence]) -> dict[str, float]:
        """Scores from gold words and from raw text."""
        with TemporaryDirectory() as folder:
            given, text, found, read = (Path(folder) / x for x in ("gold", "text", "found", "read"))
            niwaki.write_conllu(gold, given)
            text.write_text("".join(raw_text(gold)), encoding="utf-8")
            self._parse(given, found)
            self._asked("read_text.py", self.model, text, read)
            # UDPipe knows neither multiword tokens nor comments of words that it was given.
            parsed = [
                own.replace(heads=other.heads, deprels=other.deprels)
                for own, other in zip(gold, niwaki.read_conllu(found), strict=True)
            ]
            raw = evaluate_segmentation(gold, niwaki.read_conllu(read)).scores
        return {
            "UDPipe 1 here": evaluate(gold, parsed).scores["LAS"],
            "UDPipe 1 here, raw": raw["LAS"],
            "UDPipe 1 here, words raw": raw["Words"],
        }

    def speeds(self, gold: list[Sentence], ours: Pipeline) -> dict[str, float]:
        """By processor time; parsers take turns on the same sentences."""
        # Only the words, as the peer has them.
        bare = [Sentence.from_words(sentence.forms) for sentence in gold]

        def own_turns(beam: int | None) -> float:
            """The best of some: one is short beside UDPipe's."""
            return min(timed(lambda: list(ours.parse(bare, beam=beam)), CLOCK) for _ in range(5))

        with TemporaryDirectory() as folder:
            given, found = Path(folder) / "gold", Path(folder) / "found"
            niwaki.write_conllu(gold, given)
            seconds = best_of(
                2,
                {
                    "beam": lambda: own_turns(None),
                    "greedy": lambda: own_turns(1),
                    "UDPipe": lambda: self._parse(given, found),
                },
            )
        return {
            "UDPipe 1 words/s": sum(map(len, gold)) / seconds["UDPipe"],
            "times UDPipe 1": seconds["UDPipe"] / seconds["beam"],
            "times UDPipe 1, greedy": seconds["UDPipe"] / seconds["greedy"],
        }

    def _parse(self, given: Path, found: Path) -> float:
        """Tag and parse the words of a file into another; the processor time that it took."""
        answer = self._asked("parse.py", "udpipe", self.model, BEAM, given, found)
        return float(answer["both, processor"])


def trained_rows(names: Sequence[str], overrides: Sequence[str]) -> dict[str, TreebankRow]:
    """Our models of some treebanks, by the treebank; those that are finished are kept."""
    if not names:
        return {}
    found = niwaki.train_ud(
        TREEBANKS, BUILT, only=names, overrides=overrides, resume=True, report=Lines()
    )
    for row in found.faults:
        raise SystemExit(f"{row.name}: {row.fault}")
    print(f"{sum(row.seconds for row in found.rows) / 60:.1f} minutes of one core each")
    return {row.name: row for row in found.rows}


def own_row(
    treebank: Treebank, trained: TreebankRow, overrides: Sequence[str], gold: list[Sentence]
) -> tuple[dict[str, Any], Pipeline]:
    """What a model of ours comes to."""
    name = treebank.folder.name
    model = niwaki.load(BUILT / f"{trained.name}.niwaki")
    greedy = list(model.parse(gold, beam=1, retag=True))
    row = {
        "treebank": name,
        "commit": signature()["commit"],
        "set": list(overrides),
        "words": trained.facts["words"],
        "settings": trained.settings,
        "LAS": trained.gold_words["LAS"],
        "LAS greedy": evaluate(gold, greedy).scores["LAS"],
        "LAS raw": trained.raw_text.get("LAS"),
        "words raw": trained.raw_text.get("Words"),
        "sentences raw": trained.raw_text.get("Sentences"),
        "gold words": trained.gold_words,
        "raw text": trained.raw_text,
        "words/s": trained.words_per_second,
        "minutes": trained.seconds / 60,
        "MB": trained.bytes / 1e6,
        "UDPipe 1 published": UDPIPE_1.get(name),
        "UDPipe 2 published": UDPIPE_2.get(name),
    }
    return row, model


def measured_rows() -> dict[str, dict[str, Any]]:
    """What earlier runs came to, by treebank."""
    path = RESULTS / f"{RESULT}.json"
    kept = json.loads(path.read_text())["rows"] if path.exists() else []
    return {row["treebank"]: row for row in kept}


def rows(
    treebanks: Sequence[Treebank], given: argparse.Namespace, measured: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    wanted = [x for x in treebanks if not (given.measured and x.folder.name in measured)]
    trained = trained_rows([treebank.folder.name for treebank in wanted], given.set)
    for treebank in treebanks:
        name = treebank.folder.name
        gold = [s for file in treebank.test for s in niwaki.read_conllu(file)]
        model = None
        row = measured.get(name, {})
        if treebank in wanted:
            kept = {key: value for key, value in row.items() if key.startswith("UDPipe 1 here")}
            row, model = own_row(treebank, trained[treebank.name], given.set, gold)
            row |= kept
        if given.udpipe == "train" or (given.udpipe == "kept" and kept_udpipe(treebank).exists()):
            other = UDPipe(treebank)
            row |= other.row(gold)
            if model is not None:
                row |= other.speeds(gold, model)
        print({k: round(v, 2) for k, v in row.items() if isinstance(v, float)}, name, flush=True)
        yield row


def mean_lead(found: Sequence[dict[str, Any]], ours: str, other: str) -> float | None:
    leads = [row[ours] - row[other] for row in found if row.get(other) is not None]
    return round(sum(leads) / len(leads), 2) if leads else None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", nargs="+", default=[], metavar="FOLDER")
    arguments.add_argument("--udpipe", choices=["train", "kept"], default="")
    arguments.add_argument("--measured", action="store_true", help="train none that has a row")
    arguments.add_argument(
        "--set", nargs="+", default=[], metavar="KEY=VALUE", help="change settings of all"
    )
    given = arguments.parse_args()
    need(TREEBANKS)
    BUILT.mkdir(parents=True, exist_ok=True)
    found = measured_rows()
    for row in rows(find_treebanks(TREEBANKS, given.only), given, dict(found)):
        found[row["treebank"]] = row
        table = [found[name] for name in sorted(found)]
        leads = {name: mean_lead(table, ours, name) for name, ours in BESIDE.items()}
        # A run that is ended early keeps what it has.
        report(RESULT, {**signature(), "rows": table, "mean lead in LAS": leads})


if __name__ == "__main__":
    main()
