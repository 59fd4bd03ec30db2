"""Break sentences on purpose: words missing, extra, misspelt or in the wrong number; case.

The input is CoNLL-U with tags, or with --parser anything that `niwaki parse` reads. Each sentence
is broken once in each way that is possible: missing, extra, spelling (another word, a letter
apart), agreement; or as --kind says, also misspelling (a word that there is not: a letter lost,
doubled, changed for one of a like sound, or two swapped), lower-case, no-punctuation, all-capitals.
How a sentence breaks depends on its words and the seed. Spelling, misspelling and agreement are
those of English.

The output has `Clean=3` in MISC of a word that is word 3 of the clean sentence, and `Clean=0` of
one that was added, whose head is not known (`_`), or with --whole the word before it. A word whose
head is missing hangs from the nearest ancestor that is there; a lost root is replaced by a word
below it.

  niwaki corrupt trees.conllu > broken.conllu
  niwaki corrupt trees.conllu --kind missing --kind lower-case --seed 7
  niwaki corrupt letter.txt --parser en --once --to text
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments, natural
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.tasks.grammar.corrupt import ERRORS, KINDS
from niwaki.verbs.judging import corrupt

GROUP = "Other jobs"
_ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: stdin")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--kind",
        choices=[*KINDS, _ALL],
        action="append",
        default=[],
        help=f"may be repeated (default: {', '.join(ERRORS)})",
    )
    parser.add_argument("--seed", type=natural, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--once", action="store_true", help="break each sentence in one of the ways, by chance"
    )
    parser.add_argument(
        "--whole",
        action="store_true",
        help="trees to learn from: an added word hangs from the word before it",
    )
    parser.add_argument(
        "--to", choices=["conllu", "text"], default="conllu", help="text: one sentence per line"
    )
    add_parser_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    kinds = list(dict.fromkeys(arguments.kind)) or list(ERRORS)
    found = corrupt(
        arguments.file,
        list(KINDS) if _ALL in kinds else kinds,
        seed=arguments.seed,
        once=arguments.once,
        whole=arguments.whole,
        parser=arguments.parser,
        threads=arguments.threads,
    )
    if arguments.to == "conllu":
        write_conllu(found, arguments.output)
        return OK
    with open_output(arguments.output) as out:
        for sentence in found:
            out.write(f"{sentence.text}\n".encode())
    return OK
