"""Tags and imperatives before and after (Katz-Brown et al. 2011, Table 3).

python -m benchmarks.tasks.imperatives [--profile fast] [--base MODEL]

The models of benchmarks.tasks.word_order, with costs that reach the parser alone, and with
costs that reach the tagger too (`tags = 4`). Counted are sentences that are parsed as
imperatives (the first word is a verb and the root) among the held-out references and among the
imperatives of EWT dev and test, and the tags of the words that changed most.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    loaded,
    lower_case,
    task_parser,
)
from benchmarks.tasks.word_order import PROFILES, Runs, make_references
from niwaki.analysis.tag_shifts import is_imperative, shifted_tags
from niwaki.data.bilingual.references import read_references
from niwaki.data.sentence import Sentence

QUESTIONS = DATA / "questions"
WORDS = 5


def changed_words(before: list[Sentence], after: list[Sentence]) -> list[str]:
    """The words whose tag changed most often."""
    counts = Counter(
        form.lower()
        for one, other in zip(before, after, strict=True)
        for form, a, b in zip(one.forms, one.upos, other.upos, strict=True)
        if a != b
    )
    return [word for word, _ in counts.most_common(WORDS)]


def main() -> None:
    arguments = task_parser(__doc__).parse_args()
    profile = PROFILES[arguments.profile]
    data = make_references()
    base, beside = lower_case(arguments, profile)
    runs = Runs("transition", base, profile, beside)
    models = {
        "before": base,
        "EWT alone": runs.train_on(data),
        "schedule 2.0": runs.train_on(data, schedule=2.0),
        "schedule 2.0, tags 4": runs.train_on(data, schedule=2.0, tags=4),
    }
    texts = {
        "held-out references": [
            Sentence.from_words(each.tokens) for each in read_references(data["test"])
        ],
        "imperatives of EWT": [
            sentence
            for part in ("dev", "test")
            for sentence in niwaki.read_conllu(need(QUESTIONS / f"imperatives-ewt-{part}.conllu"))
        ],
    }
    parsed = {
        name: {text: list(loaded(path).parse(each, retag=True)) for text, each in texts.items()}
        for name, path in models.items()
    }
    gold = sum(map(is_imperative, texts["imperatives of EWT"]))
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile),
        "sentences": {text: len(each) for text, each in texts.items()},
        "begin with their verb, of EWT": gold,
        "parsed as imperatives": {
            name: {text: sum(map(is_imperative, each)) for text, each in found.items()}
            for name, found in parsed.items()
        },
    }
    text = "held-out references"
    before, after = parsed["EWT alone"][text], parsed["schedule 2.0, tags 4"][text]
    result["tags"] = [
        vars(each) for each in shifted_tags(changed_words(before, after), before, after)
    ]
    report("imperatives", result)


if __name__ == "__main__":
    main()
