"""Trains the models of `packages/niwaki-models`, makes them small, and writes their index.

tools/make_language_models.py build/languages packages/niwaki-models/src/niwaki_models

Treebanks lie in the folder `ud-languages` of NIWAKI_DATA (default: ../shared/data). Whole models
go to the first folder, those that are shipped to the second; one that is there is not made again.
The same data gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from niwaki import cli

SIZE = "2.5MB"


@dataclass(frozen=True)
class Language:
    """What a model is made from; only open licences, which allow all uses."""

    name: str
    folder: str
    treebank: str
    licence: str = "CC BY-SA 4.0"


LANGUAGES = {
    "af": Language("Afrikaans", "ud-afrikaans-afribooms", "UD Afrikaans-AfriBooms"),
    "cy": Language("Welsh", "ud-welsh-ccg", "UD Welsh-CCG"),
    "el": Language("Greek", "ud-greek-gud", "UD Greek-GUD"),
    "fr": Language("French", "ud-french-sequoia", "UD French-Sequoia", "LGPL-LR"),
    "ga": Language("Irish", "ud-irish-idt", "UD Irish-IDT", "CC BY-SA 3.0"),
    "hy": Language("Armenian", "ud-armenian-armtdp", "UD Armenian-ArmTDP"),
    "is": Language("Icelandic", "ud-icelandic-modern", "UD Icelandic-Modern"),
    "ja": Language("Japanese", "ud-japanese-gsd", "UD Japanese-GSD"),
    "pt": Language("Portuguese", "ud-portuguese-bosque", "UD Portuguese-Bosque"),
    "ru": Language("Russian", "ud-russian-taiga", "UD Russian-Taiga"),
    "te": Language("Telugu", "ud-telugu-mtg", "UD Telugu-MTG"),
    "tr": Language("Turkish", "ud-turkish-framenet", "UD Turkish-FrameNet"),
    "vi": Language("Vietnamese", "ud-vietnamese-vtb", "UD Vietnamese-VTB"),
    "wo": Language("Wolof", "ud-wolof-wtb", "UD Wolof-WTB"),
}


def part(folder: Path, name: str) -> str:
    """The one file of a treebank that is its training or development part."""
    found = sorted(folder.glob(f"*-ud-{name}.conllu*"))
    if len(found) != 1:
        raise SystemExit(f"{folder}: {len(found)} files *-ud-{name}.conllu*; one is needed")
    return str(found[0])


def make(code: str, data: Path, whole: Path, shipped: Path) -> None:
    language = LANGUAGES[code]
    folder = data / language.folder
    card = {
        "name": code,
        "language": language.name,
        "description": f"Segmenter, tagger and parser for {language.name}, a small model.",
        "licences": [f"model: {language.licence}", f"{language.treebank}: {language.licence}"],
    }
    overrides = [f"--set=card.{key}={_toml(value)}" for key, value in card.items()]
    model, small = whole / f"{code}.niwaki", shipped / f"{code}.niwaki"
    dev = part(folder, "dev")
    if not model.exists():
        given = ["train", "--data", part(folder, "train"), "--dev", dev, "-o", str(model)]
        _run([*given, "--resume", *overrides])
    if not small.exists():
        _run(["shrink", str(model), "--to-size", SIZE, "--dev", dev, "-o", str(small)])


def _toml(value: str | list[str]) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"[{', '.join(map(_toml, value))}]"


def _run(words: list[str]) -> None:
    status = cli.main(words)
    if status:
        raise SystemExit(status)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("whole", type=Path, help="folder of models as they are trained")
    parser.add_argument("shipped", type=Path, help="folder of small models, and of their index")
    parser.add_argument("codes", nargs="*", help=f"default: {' '.join(LANGUAGES)}")
    given = parser.parse_args()
    unknown = set(given.codes) - set(LANGUAGES)
    if unknown:
        raise SystemExit(f"no {', '.join(sorted(unknown))}; known: {' '.join(LANGUAGES)}")
    data = Path(os.environ.get("NIWAKI_DATA") or "../shared/data") / "ud-languages"
    if not data.is_dir():
        raise SystemExit(f"no folder {data}: NIWAKI_DATA names the folder with ud-languages in it")
    for folder in (given.whole, given.shipped):
        folder.mkdir(parents=True, exist_ok=True)
    for code in given.codes or LANGUAGES:
        sys.stdout.write(f"{code}: {LANGUAGES[code].name}\n")
        make(code, data, given.whole, given.shipped)
    _run(["index-models", str(given.shipped)])


if __name__ == "__main__":
    main()
