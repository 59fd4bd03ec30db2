"""Lets `python -m niwaki` be the command."""

import sys

from niwaki.cli import main

sys.exit(main())
