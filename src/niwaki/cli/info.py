"""Print the card of a model: what it is, what it was trained on, its scores and licences.

Settings that mean nothing to its kind of model are left out; --json prints all.

niwaki info en
niwaki info model.niwaki --json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from niwaki.cli import OK
from niwaki.data.modelfile import read_model_file
from niwaki.draw import printable
from niwaki.pipeline.store import find_model
from niwaki.training.card import upgraded, used_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file, or en")
    parser.add_argument("--json", action="store_true", help="print the whole configuration as JSON")


def run(arguments: argparse.Namespace) -> int:
    model = read_model_file(find_model(arguments.model))
    config = upgraded(model.config)
    if arguments.json:
        print(json.dumps(config, ensure_ascii=False, indent=1))
        return OK
    for line in _card(used_settings(config), 0):
        print(printable(line))
    print("parts")
    for name, part in model.parts.items():
        print(f"  {name}: {len(part):,} bytes")
    return OK


def _card(value: dict[str, Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}"
            yield from _card(item, depth + 1)
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            for each in item:
                yield f"{indent}{key}"
                yield from _card(each, depth + 1)
        elif isinstance(item, list):
            yield f"{indent}{key}: {', '.join(map(str, item))}"
        else:
            # As a configuration writes it.
            yield f"{indent}{key}: {str(item).lower() if isinstance(item, bool) else item}"
