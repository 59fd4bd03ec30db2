"""Names of languages, as cards of models have them, and their codes (ISO 639)."""

from __future__ import annotations

# Those of Universal Dependencies that have more than a test part.
_CODES = """
Afrikaans af|Ancient Greek grc|Arabic ar|Armenian hy|Basque eu|Belarusian be|Bulgarian bg
Catalan ca|Chinese zh|Classical Chinese lzh|Coptic cop|Croatian hr|Czech cs|Danish da|Dutch nl
English en|Estonian et|Faroese fo|Finnish fi|French fr|Galician gl|German de|Gothic got|Greek el
Hebrew he|Hindi hi|Hungarian hu|Icelandic is|Indonesian id|Irish ga|Italian it|Japanese ja
Korean ko|Kyrgyz ky|Latin la|Latvian lv|Lithuanian lt|Maltese mt|Manx gv|Marathi mr|Norwegian nb
Norwegian Nynorsk nn|Persian fa|Polish pl|Portuguese pt|Romanian ro|Russian ru|Sanskrit sa
Scottish Gaelic gd|Serbian sr|Slovak sk|Slovenian sl|Spanish es|Swedish sv|Tamil ta|Telugu te
Thai th|Turkish tr|Ukrainian uk|Urdu ur|Uyghur ug|Vedic Sanskrit sa|Vietnamese vi|Welsh cy|Wolof wo
"""
_CODE_OF = {
    name: code
    for name, _, code in (
        entry.rpartition(" ") for entry in _CODES.strip().replace("\n", "|").split("|")
    )
}


def language_code(language: str) -> str:
    """The code of a language by its English name, or by itself; "" if it is not known."""
    if language in _CODE_OF.values():
        return language
    return _CODE_OF.get(language, "")
