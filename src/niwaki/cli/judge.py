"""Judge sentences: the probability that each is well formed.

The input is anything that `niwaki parse` reads. A line for each sentence: the probability, a tab,
the text; with --to conllu, the sentence with a comment `well_formed = 0.8231`. Half of the
sentences that a judge learned from were broken, so one half is where it is undecided. Compare
sentences by their probabilities, or choose a threshold of your own. The parser is the one that the
judge learned with.

  niwaki judge mails.txt -m judge.niwaki --from lines
  niwaki judge sentences.conllu -m judge.niwaki --to conllu
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.data.judged import with_judgement
from niwaki.data.text import FORMATS
from niwaki.pipeline.store import load
from niwaki.tasks.grammar.judge import Judge
from niwaki.verbs.judging import judge

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        *("-m", "--model"), metavar="JUDGE", required=True, help="a judge of `niwaki train-judge`"
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--from", choices=FORMATS, dest="source", help="format of the input (default: by its look)"
    )
    parser.add_argument("--to", choices=["text", "conllu"], default="text", help="default: text")
    add_parser_arguments(parser, default="en")
    add_shards(parser, to="text", model=Judge.load, parser=load)


@over_shards
def run(arguments: argparse.Namespace) -> int:
    found = judge(
        arguments.file,
        arguments.model,
        arguments.parser,
        form=arguments.source,
        threads=arguments.threads,
    )
    if arguments.to == "conllu":
        write_conllu((with_judgement(*each) for each in found), arguments.output)
        return OK
    with open_output(arguments.output) as out:
        for sentence, probability in found:
            out.write(f"{probability:.4f}\t{sentence.text}\n".encode())
    return OK
