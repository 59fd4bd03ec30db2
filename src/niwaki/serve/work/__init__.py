"""What worker processes can do, by name; arguments and answers are JSON.

Paths in arguments come from the server's own register, never from a request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from niwaki.serve.work import (
    aligning,
    comparing,
    describing,
    doubts,
    drawing,
    finding,
    findings,
    ordering,
    parsing,
    relating,
    shortening,
    translating,
    weighing,
)

TASKS: dict[str, Callable[..., Any]] = {
    "parse": parsing.parse,
    "kbest": parsing.kbest,
    "pictures": drawing.pictures,
    "find": finding.find,
    "reorder": ordering.reorder,
    "references": ordering.references,
    "relate": relating.relate,
    "shorten": shortening.shorten,
    "translate": translating.translate,
    "translators": translating.translators,
    "align": aligning.align,
    "suggest": aligning.suggest,
    "models": describing.models,
    "rules": describing.rules,
    "check_rules": describing.check_rules,
    "corpora": describing.corpora,
    "split": doubts.split,
    "words_of": doubts.words_of,
    "doubts": doubts.doubts,
    "question": doubts.question,
    "check_state": doubts.check_state,
    "check_systems": comparing.check_systems,
    "score_chunk": comparing.score_chunk,
    "compare": comparing.compare_systems,
    "sentence": comparing.sentence,
    "copy_trees": weighing.copy_trees,
    "weigh": weighing.weigh,
    "analyse_chunk": findings.analyse_chunk,
    "analyse": findings.analyse,
    "widths": findings.widths,
    "beams": findings.beams,
    "order_findings": findings.order_findings,
}
