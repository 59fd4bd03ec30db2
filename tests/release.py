"""A small release of treebanks in three scripts, made of own sentences."""

from __future__ import annotations

import gzip
from pathlib import Path

Row = tuple[str, str, str, str, int, str]  # form, lemma, UPOS, FEATS, head, label

# Learned in a moment; the settings that follow from the data stay what they are.
QUICKLY = (
    *("model.beam=2", "training.epochs=2", "training.greedy_epochs=1"),
    *("tagger.epochs=2", "tagger.folds=2", "segmenter.epochs=3"),
)

_LATIN = [("vitsa", "vitsa"), ("kuusi", "kuusi"), ("pihka", "pihka"), ("oksa", "oksa")]
_CYRILLIC = [("сад", "сада"), ("дуб", "дуба"), ("клён", "клёна"), ("пруд", "пруда")]
_HAN = ["松", "庭", "竹", "石"]


def latin() -> list[list[Row]]:
    """Words with capitals and spaces, and a contraction of two words in every other sentence."""
    found = []
    for first, _ in _LATIN:
        for other, lemma in _LATIN:
            subject = (first.title(), first, "NOUN", "Case=Nom", 2, "nsubj")
            verb = ("näkee", "nähdä", "VERB", "_", 0, "root")
            seen = (other + "n", lemma, "NOUN", "Case=Gen", 2, "obj")
            found.append([subject, verb, seen, (".", ".", "PUNCT", "_", 2, "punct")])
    return found


def cyrillic() -> list[list[Row]]:
    """An arc that crosses others in every sentence."""
    found = []
    for first, of_first in _CYRILLIC:
        for other, of_other in _CYRILLIC:
            found.append(
                [
                    (of_first, first, "NOUN", "Case=Gen", 4, "nmod"),
                    ("я", "я", "PRON", "Case=Nom", 3, "nsubj"),
                    ("вижу", "видеть", "VERB", "Mood=Ind", 0, "root"),
                    ("красу", "краса", "NOUN", "Case=Acc", 3, "obj"),
                    (of_other, other, "NOUN", "Case=Gen", 4, "nmod"),
                    (".", ".", "PUNCT", "_", 3, "punct"),
                ]
            )
    return found


def han() -> list[list[Row]]:
    """No spaces between words."""
    return [
        [
            (first, first, "NOUN", "_", 3, "nsubj"),
            ("は", "は", "ADP", "_", 1, "case"),
            (other + "だ", other, "NOUN", "_", 0, "root"),
            ("。", "。", "PUNCT", "_", 3, "punct"),
        ]
        for first in _HAN
        for other in _HAN
    ]


def conllu(sentences: list[list[Row]], *, spaces: bool = True) -> str:
    """The sentences as a file; the last word but one has no space after it."""
    lines = []
    for number, words in enumerate(sentences, start=1):
        forms = [word[0] for word in words]
        text = " ".join(forms[:-1]) + forms[-1] if spaces else "".join(forms)
        lines += [f"# sent_id = {number}", f"# text = {text}"]
        for place, (form, lemma, upos, feats, head, label) in enumerate(words, start=1):
            joined = not spaces or place == len(words) - 1
            misc = "SpaceAfter=No" if joined else "_"
            row = [place, form, lemma, upos, "_", feats, head, label, "_", misc]
            lines.append("\t".join(map(str, row)))
        lines.append("")
    return "\n".join(lines) + "\n"


def write_release(folder: Path) -> Path:
    """Three treebanks: one in the folder, one packed, one below and without a dev part."""
    files = {
        "xl_latin-ud-train.conllu": conllu(latin()[:12]),
        "xl_latin-ud-dev.conllu": conllu(latin()[12:14]),
        "xl_latin-ud-test.conllu": conllu(latin()[14:]),
        "UD_Second-Cyrillic/xc_cyrillic-ud-train.conllu.gz": conllu(cyrillic()[:12]),
        "UD_Second-Cyrillic/xc_cyrillic-ud-dev.conllu.gz": conllu(cyrillic()[12:14]),
        "UD_Second-Cyrillic/xc_cyrillic-ud-test.conllu.gz": conllu(cyrillic()[14:]),
        "UD_Third-Han/xh_han-ud-train.conllu": conllu(han()[:14], spaces=False),
        "UD_Third-Han/xh_han-ud-test.conllu": conllu(han()[14:], spaces=False),
        "UD_Fourth-Test/xt_only-ud-test.conllu": conllu(latin()),
        "README.txt": "not a treebank",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        packed = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
        path.write_bytes(packed)
    return folder
