"""Extract the words that answer questions from candidate sentences.

The input is JSON Lines as `niwaki rank` reads them: questions with candidate sentences. With
--parser, trees are made first; else they must be there. Phrases that may answer are the entities of
the type that is asked for, if the sentences have `entities`, or else names, numbers and noun
phrases. They are ranked by

  frequency  how many of the sentences mention it
  roles      whether it fills the role that is asked for (SemMatch)
  syntax     whether it stands to the question's words as what is asked for does (SynMatch)
  overlap    how many of the question's words its sentence has
  distance   how near it is to the question's words
  svm        which phrase's sentences the question is most like (U-SVM)

in the order of --by: each decides what those before it leave equal. The output has the phrases best
first, each with its score, what each way says of it, and the candidates that mention it.

  niwaki extract-answers questions.jsonl --parser en
  niwaki extract-answers questions.jsonl --parser en --by roles,syntax -o answers.jsonl
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._loading import Loading, optional
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.extraction import write_extracted
from niwaki.data.roles import read_rolesets
from niwaki.data.wordnet import WordNet
from niwaki.pipeline.store import load
from niwaki.scale.cutting import LINES
from niwaki.tasks.extraction.model import WAYS, Settings
from niwaki.tasks.roles.model import IN_THE_BOX, RoleLabeller
from niwaki.verbs.extracting import extract_answers

GROUP = "Other jobs"
_BY = ",".join(Settings().by)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    add_parser_arguments(parser)
    parser.add_argument(
        "--by", metavar="A,B", default=_BY, help=f"of {', '.join(WAYS)} (default: {_BY})"
    )
    parser.add_argument(
        *("-m", "--model"),
        metavar="MODEL",
        default=IN_THE_BOX,
        help=f"roles: a labeller of `niwaki train-roles` (default: {IN_THE_BOX})",
    )
    parser.add_argument(
        "--frames",
        metavar="JSONL",
        help="roles: PropBank's rolesets, with links that join predicates of one frame",
    )
    parser.add_argument(
        "--wordnet", metavar="FOLDER", help="where WordNet is, to know forms of words"
    )
    add_shards(
        parser,
        form=LINES,
        to="json",
        model=RoleLabeller.load,
        parser=optional(load),
        frames=Loading(read_rolesets, is_optional=True, is_model=False),
        wordnet=Loading(WordNet, is_optional=True, is_model=False),
    )


@over_shards
def run(arguments: argparse.Namespace) -> int:
    found = extract_answers(
        arguments.file,
        parser=arguments.parser,
        settings=Settings(by=tuple(arguments.by.split(","))),
        labeller=arguments.model,
        frames=arguments.frames,
        wordnet=arguments.wordnet,
        threads=arguments.threads,
    )
    write_extracted(found, arguments.output)
    return OK
