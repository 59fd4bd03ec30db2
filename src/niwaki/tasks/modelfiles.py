"""Files of models that are made for a task: a card that says which kind, and parts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from niwaki.data.modelfile import ModelFile, read_model_file
from niwaki.errors import ConfigError, ModelError

T = TypeVar("T")


def load_as(
    path: str | os.PathLike[str],
    kind: str,
    made: Callable[[ModelFile], T],
    *,
    what: str,
    command: str,
) -> T:
    """What `made` makes of a file whose card says this kind.

    Raises ModelError if it is another one, or damaged, and says what to give: `what`, which is the
    result of `command`.
    """
    file = read_model_file(path, command)
    if file.config.get("kind") != kind:
        raise ModelError(f"{file.path}: no {what}; give one of `niwaki {command}`")
    try:
        return made(file)
    except (ConfigError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"{file.path}: not a {what} that this niwaki can use ({error}); train it again"
        ) from error
