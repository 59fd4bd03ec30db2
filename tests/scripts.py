"""Small treebanks in several scripts, written for the tests: who does what to whom."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from niwaki.data.sentence import Sentence


@dataclass(frozen=True)
class Script:
    """Words of a language, and how its sentences are put together."""

    code: str
    language: str
    subjects: tuple[str, ...]
    verbs: tuple[str, ...]
    objects: tuple[str, ...]
    order: str = "SVO"
    space: str = " "  # between words
    end: str = "."
    bound: bool = False  # the first two words are one multiword token

    def sentences(self) -> list[Sentence]:
        """All of them, in an order that mixes words."""
        chosen = list(itertools.product(self.subjects, self.verbs, self.objects))
        return [self._sentence(*chosen[7 * i % len(chosen)]) for i in range(len(chosen))]

    def _sentence(self, subject: str, verb: str, thing: str) -> Sentence:
        roles = {"S": (subject, "NOUN", "nsubj"), "V": (verb, "VERB", "root")}
        roles["O"] = (thing, "NOUN", "obj")
        words = [roles[role] for role in self.order] + [(self.end, "PUNCT", "punct")]
        root = self.order.index("V") + 1
        rows, text = [], ""
        for place, (form, tag, label) in enumerate(words, start=1):
            inside = self.bound and place <= 2
            glued = place == 3 or (place < 3 and not self.space)
            if self.bound and place == 1:
                both = form + words[1][0]
                rows.append(_row("1-2", both, "_", "_", "_", "_"))
                text += both + " "
            if not inside:
                text += form + ("" if glued else " ")
            head = "0" if label == "root" else str(root)
            misc = "SpaceAfter=No" if glued and not inside else "_"
            rows.append(_row(str(place), form, tag, head, label, misc))
        lines = [f"# text = {text.rstrip()}", *rows]
        return Sentence.from_conllu("\n".join([*lines, "", ""]))


def _row(number: str, form: str, tag: str, head: str, label: str, misc: str) -> str:
    lemma = "_" if tag == "_" else form
    return "\t".join([number, form, lemma, tag, "_", "_", head, label, "_", misc])


ARABIC = Script(
    *("ar", "Arabic"),
    subjects=("القطُّ", "الولد", "الكلب"),
    verbs=("يشرب", "يرى"),
    objects=("الماء", "الحليب", "البيت"),
    order="VSO",
    end="؟",
)
HINDI = Script(
    *("hi", "Hindi"),
    subjects=("लड़की", "बिल्ली", "हिंदी"),
    verbs=("पीती", "देखती"),
    objects=("पानी", "दूध", "किताब"),
    order="SOV",
    end="।",
)
TELUGU = Script(
    *("te", "Telugu"),
    subjects=("పిల్లి", "అమ్మాయి", "కుక్క"),
    verbs=("తాగింది", "చూసింది"),
    objects=("నీళ్ళు", "పాలు", "ఇల్లు"),
    order="SOV",
)
THAI = Script(
    *("th", "Thai"),
    subjects=("แมว", "เด็ก", "หมา"),
    verbs=("กิน", "เห็น"),
    objects=("ปลา", "น้ำ", "บ้าน"),
    space="",
    end="ฯ",
)
JAPANESE = Script(
    *("ja", "Japanese"),
    subjects=("猫が", "犬が", "子供が"),
    verbs=("食べる", "見る"),
    objects=("魚を", "水を", "𠮟りを"),
    order="SOV",
    space="",
    end="。",
)
COPTIC = Script(
    *("cop", "Coptic"),
    subjects=("ⲁϥ", "ⲁⲥ", "ⲁⲩ"),
    verbs=("ⲥⲱⲧⲙ", "ⲛⲁⲩ"),
    objects=("ⲡⲣⲱⲙⲉ", "ⲡⲏⲓ", "ⲡⲙⲟⲟⲩ"),
    bound=True,
)
VIETNAMESE = Script(
    *("vi", "Vietnamese"),
    subjects=("học sinh", "con mèo", "Lan"),
    verbs=("đọc", "nhìn thấy"),
    objects=("quyển sách", "nước", "ngôi nhà"),
)
GOTHIC = Script(
    *("got", "Gothic"),
    subjects=("𐍃𐌿𐌽𐌿𐍃", "𐌰𐍄𐍄𐌰", "🌲"),
    verbs=("𐍃𐌰𐌹𐍈𐌹𐌸", "𐌱𐌰𐌹𐍂𐌹𐌸"),
    objects=("𐍅𐌰𐍄𐍉", "𐌷𐌻𐌰𐌹𐍆", "👩‍🌾"),
    end="·",
)

SCRIPTS = (ARABIC, HINDI, TELUGU, THAI, JAPANESE, COPTIC, VIETNAMESE, GOTHIC)
RIGHT_TO_LEFT = (ARABIC,)
