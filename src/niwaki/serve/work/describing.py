"""What is registered: cards of models, texts of rules with their examples, sizes of corpora."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Any

from niwaki.data.bilingual.bitext import read_bitext
from niwaki.errors import NiwakiError
from niwaki.keys import is_file_name
from niwaki.serve.work.loading import model_of, references_of, trees_of
from niwaki.serve.work.ordering import shown_reordering
from niwaki.serve.work.showing import as_conllu
from niwaki.tasks.reorder.checking import failing_examples
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import parse_rules, read_text
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.training.config import ModelConfig


def models(entries: list[list[str]]) -> list[dict[str, Any]]:
    """Cards of the models `[id, path]`; one that cannot be loaded says why."""
    found: list[dict[str, Any]] = []
    for name, path in entries:
        try:
            model = model_of(path)
        except (NiwakiError, OSError) as error:
            reason = str(error).replace(f"{os.path.dirname(path)}/", "")
            found.append({"id": name, "error": reason})
            continue
        card = model.config.get("card", {})
        found.append(
            {
                "id": name,
                "name": card.get("name", name),
                "language": card.get("language", ""),
                "description": card.get("description", ""),
                "licences": list(card.get("licences", ())),
                "kind": model.config.get("model", {}).get("kind", ModelConfig().kind),
                "options": sorted(model.parser.options),
                "facts": dict(model.parser.facts),
                "segments": model.segmenter is not None,
                "probabilities": model.parser.gives_probabilities,
                "labels": list(model.parser.label_names),
                "upos": [] if model.tagger is None else list(model.tagger.upos.names),
                "scores": model.config.get("scores_on_dev", {}),
            }
        )
    return found


def rules(name: str, path: str) -> dict[str, Any]:
    """A rule set with its text and its own examples, reordered as it says now."""
    file = Path(path)
    if not is_file_name(path):
        file = Path(str(resources.files("niwaki"))) / "assets" / "rules" / f"{path}.toml"
    # An example that does not come true is shown, so that it can be mended.
    return check_rules(read_text(str(file)), name)


def check_rules(text: str, name: str, *, sound: bool = False) -> dict[str, Any]:
    """The same of a text that is no file yet; what is wrong raises RulesError with its line.

    Of rules that are to be kept (`sound`), so does an example that does not come true.
    """
    found = parse_rules(text, "rules", name)
    if sound:
        for fault in failing_examples(found, "rules"):
            raise fault
    return {"text": text, **_described(name, found)}


def _described(name: str, found: RuleSet) -> dict[str, Any]:
    sentences = [example.sentence for example in found.examples]
    return {
        "id": name,
        "description": found.description,
        "labels": found.scheme,
        "rules": [rule.name for rule in found.rules],
        "examples": [
            {
                **shown_reordering(each),
                "gives": example.gives,
                "right": each.tokens == example.gives,
                "conllu": as_conllu([example.sentence]).decode("utf-8"),
            }
            for each, example in zip(
                Reorderer(found).reorder(sentences), found.examples, strict=True
            )
        ],
    }


def corpora(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sizes of what is registered; a file that cannot be read says why."""
    found = []
    for entry in entries:
        record: dict[str, Any] = {"id": entry["id"], "kind": entry["kind"]}
        try:
            record |= _size(entry["kind"], entry["files"])
        except (NiwakiError, OSError) as error:
            folder = os.path.dirname(entry["files"][0])
            record["error"] = str(error).replace(f"{folder}/", "")
        found.append(record)
    return found


def _size(kind: str, files: list[str]) -> dict[str, Any]:
    if kind in ("trees", "partial"):
        sentences = trees_of(files[0])
        whole = all(-1 not in each.heads for each in sentences)
        return {"sentences": len(sentences), "words": sum(map(len, sentences)), "whole": whole}
    if kind == "references":
        references = references_of(files[0])
        return {
            "sentences": len(references),
            "words": sum(len(each.tokens) for each in references),
        }
    pairs = list(read_bitext(*files[:2]))
    return {"sentences": len(pairs), "words": sum(len(pair.source) for pair in pairs)}
