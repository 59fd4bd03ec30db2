"""Put source words into target order, by trees and rules.

The input is CoNLL-U with trees, or sentences that are parsed first: with -m, or with the
model `en` if the input has no trees. Rules are a shipped set (ja, ko, tr, hi, ur, and others)
or a file. Output is one sentence a line, or source positions in target order; with
--from tokens, lines stay where they are.

  niwaki reorder trees.conllu --rules ja
  niwaki reorder trees.conllu --rules ja --explain
  echo "The monks planted a pine ." | niwaki reorder - -m en --rules ko --to order
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from niwaki.cli import OK
from niwaki.cli._arguments import add_source, add_threads, positive
from niwaki.cli._loading import optional
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._progress import Progress
from niwaki.cli._shards import add_shards, over_shards
from niwaki.cli._tags import add_tags_argument
from niwaki.data.files import open_output
from niwaki.draw import printable
from niwaki.pipeline.store import load
from niwaki.tasks.reorder.reorderer import Move, Reordering
from niwaki.verbs.reordering import reorder

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", metavar="RULES", default="ja", help="name or file of the rules (default: ja)"
    )
    parser.add_argument("-m", "--model", metavar="MODEL", help="parse with this model first")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    add_source(parser)
    parser.add_argument(
        "--to", choices=["words", "order", "json"], default="words", help="default: words"
    )
    parser.add_argument(
        "--explain", action="store_true", help="say which rule moved what, below each sentence"
    )
    parser.add_argument(
        "--beam", type=positive, metavar="N", help="with -m: default is the model's"
    )
    add_tags_argument(parser, "with -m: ")
    add_threads(parser, prefix="with -m: ")
    add_on_error(parser, "sentences that cannot be read")
    add_shards(parser, to="words", model=optional(load))


@over_shards
def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    reordered = reorder(
        arguments.file,
        arguments.rules,
        arguments.model,
        form=arguments.source,
        beam=arguments.beam,
        tags=arguments.tags,
        threads=arguments.threads,
        on_error=skipped.on_error,
    )
    line = 0
    with Progress("reordered", "sentences") as progress, open_output(arguments.output) as out:
        for reordering in reordered:
            if arguments.source == "tokens":
                # Lines of parallel text must not slip: an empty one stays an empty one.
                out.write(b"\n" * (reordering.sentence.line - line - 1))
                line = reordering.sentence.line
            out.write(_rendered(reordering, arguments).encode("utf-8"))
            progress.add(1)
    skipped.tell()
    return OK


def _rendered(reordering: Reordering, arguments: argparse.Namespace) -> str:
    if arguments.to == "json":
        return json.dumps(_record(reordering, arguments.explain), ensure_ascii=False) + "\n"
    words = map(str, reordering.order) if arguments.to == "order" else reordering.tokens
    line = " ".join(words) + "\n"
    if not arguments.explain:
        return line
    return line + "".join(_explained(reordering, move) for move in _moved(reordering)) + "\n"


def _moved(reordering: Reordering) -> Iterator[Move]:
    return (move for move in reordering.moves() if move.moved)


def _explained(reordering: Reordering, move: Move) -> str:
    forms = reordering.sentence.forms

    def named(word: int) -> str:
        return f"{word}:{printable(forms[word - 1])}"

    lines = [f"  rule {move.rule.name!r} at {named(move.head)}"]
    for place in move.after:
        turn = "" if place.turn.value == "NORMAL" else f" {place.turn.value}"
        why = {"default": " (no tuple)", "barrier": " (barrier)"}.get(place.why, "")
        weight = "" if place.why == "barrier" else f" {place.weight:g}"
        lines.append(f"    {named(place.word)} {place.label}{weight}{turn}{why}")
    return "\n".join(lines) + "\n"


def _record(reordering: Reordering, explain: bool) -> dict[str, object]:
    record: dict[str, object] = {
        "id": reordering.sentence.id,
        "tokens": reordering.sentence.forms,
        "order": reordering.order,
        "reordered": reordering.tokens,
    }
    if explain:
        record["moves"] = [move.record for move in _moved(reordering)]
    return record
