"""Treebanks of many languages beside UDPipe 1: gold words with own tags, raw text, words a second.

Models are trained by `niwaki.train_ud`, with settings that follow from the data, and scored on the
test parts. Published figures of UDPipe 1 (own tags, gold words) stand beside rows whose files are
byte-equal with that release, those of UDPipe 2 beside all. With --udpipe, UDPipe 1 is trained on
the same files with its defaults, which takes hours; its models are kept in build/languages.
python -m benchmarks.accuracy.languages --only ud25-wolof-wtb --udpipe
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, ROOT, need, report, signature, timed
from niwaki.analysis.treebanks_report import TreebankRow
from niwaki.data.rawtext import raw_text
from niwaki.data.releases import Treebank, find_treebanks
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import evaluate_segmentation

TREEBANKS = DATA / "ud-languages"
BUILT = ROOT / "build" / "languages"

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


class UDPipe:
    """UDPipe 1, trained here by its defaults, or taken from where it was kept."""

    def __init__(self, treebank: Treebank, kept: Path) -> None:
        import ufal.udpipe as udpipe

        self._udpipe = udpipe
        if not kept.exists():
            trained = udpipe.Trainer.train(
                "morphodita_parsito",
                self._sentences(treebank.train),
                self._sentences(treebank.dev),
                *[udpipe.Trainer.DEFAULT] * 3,
                error := udpipe.ProcessingError(),
            )
            if error.occurred():
                raise SystemExit(f"{treebank.name}: UDPipe says {error.message}")
            kept.write_bytes(trained if isinstance(trained, bytes) else trained.encode("latin-1"))
        self.model = udpipe.Model.load(str(kept))
        if self.model is None:
            raise SystemExit(f"{kept} cannot be loaded; remove it to train it again")

    def _sentences(self, files: Sequence[Path]) -> Any:
        found = self._udpipe.Sentences()
        for sentence in (s for file in files for s in niwaki.read_conllu(file)):
            reader = self._udpipe.InputFormat.newConlluInputFormat()
            reader.setText(str(sentence))
            one = self._udpipe.Sentence()
            reader.nextSentence(one)
            found.push_back(one)
        return found

    def parse(self, text: str, form: str) -> list[Sentence]:
        """The trees of CoNLL-U without tags ("conllu"), or of raw text ("tokenize")."""
        default = self._udpipe.Pipeline.DEFAULT
        pipeline = self._udpipe.Pipeline(self.model, form, default, default, "conllu")
        out = pipeline.process(text, self._udpipe.ProcessingError())
        return [Sentence.from_conllu(f"{block}\n\n") for block in out.strip().split("\n\n")]


def udpipe_row(treebank: Treebank, gold: list[Sentence]) -> dict[str, float]:
    peer = UDPipe(treebank, BUILT / f"{treebank.folder.name}.udpipe")
    words = "".join(str(each) for each in gold)
    found: list[Sentence] = []
    seconds = timed(lambda: found.extend(peer.parse(words, "conllu")))
    raw = evaluate_segmentation(gold, peer.parse("".join(raw_text(gold)), "tokenize")).scores
    return {
        "UDPipe 1 here": evaluate(gold, found).scores["LAS"],
        "UDPipe 1 here, raw": raw["LAS"],
        "UDPipe 1 words/s": sum(map(len, gold)) / seconds,
    }


def rows(
    treebanks: Sequence[Treebank], overrides: Sequence[str], udpipe: bool
) -> Iterator[dict[str, Any]]:
    for treebank in treebanks:
        name = treebank.folder.name
        found = niwaki.train_ud(
            treebank.folder, BUILT / name, overrides=overrides, resume=True, report=Lines()
        )
        trained: TreebankRow = found.rows[0]
        if trained.fault:
            raise SystemExit(f"{name}: {trained.fault}")
        model = niwaki.load(BUILT / name / f"{trained.name}.niwaki")
        gold = [s for file in treebank.test for s in niwaki.read_conllu(file)]
        greedy = timed(lambda model=model, gold=gold: list(model.parse(gold, beam=1, retag=True)))
        row: dict[str, Any] = {
            "treebank": name,
            "LAS": trained.gold_words["LAS"],
            "LAS raw": trained.raw_text.get("LAS"),
            "words raw": trained.raw_text.get("Words"),
            "sentences raw": trained.raw_text.get("Sentences"),
            "words/s": trained.words_per_second,
            "words/s greedy": sum(map(len, gold)) / greedy,
            "minutes": trained.seconds / 60,
            "MB": trained.bytes / 1e6,
            "UDPipe 1 published": UDPIPE_1.get(name),
            "UDPipe 2 published": UDPIPE_2.get(name),
        }
        row |= udpipe_row(treebank, gold) if udpipe else {}
        print({k: round(v, 2) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
        yield row


def mean_lead(found: Sequence[dict[str, Any]], other: str) -> float | None:
    leads = [row["LAS"] - row[other] for row in found if row.get(other) is not None]
    return round(sum(leads) / len(leads), 2) if leads else None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", nargs="+", default=[], metavar="FOLDER")
    arguments.add_argument("--udpipe", action="store_true", help="train UDPipe 1 here, too")
    arguments.add_argument(
        "--set", nargs="+", default=[], metavar="KEY=VALUE", help="change settings of all"
    )
    given = arguments.parse_args()
    need(TREEBANKS)
    BUILT.mkdir(parents=True, exist_ok=True)
    found = list(rows(find_treebanks(TREEBANKS, given.only), given.set, given.udpipe))
    others = ("UDPipe 1 published", "UDPipe 1 here", "UDPipe 2 published")
    leads = {name: mean_lead(found, name) for name in others}
    settings = {"set": given.set, "rows": found, "mean lead in LAS": leads}
    report("languages", {**signature(), **settings})


if __name__ == "__main__":
    main()
