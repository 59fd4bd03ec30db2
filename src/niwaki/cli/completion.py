"""Print a script with which a shell completes commands, options and choices.

The script is made from the commands of this version; make it again after an update.

  source <(niwaki completion bash)       in ~/.bashrc
  source <(niwaki completion zsh)        in ~/.zshrc, after compinit
  niwaki completion fish | source        in ~/.config/fish/config.fish
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._completion import SHELLS, all_commands

GROUP = "Workbench and scale"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=list(SHELLS), help=", ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    print(SHELLS[arguments.shell](all_commands()), end="")
    return OK
