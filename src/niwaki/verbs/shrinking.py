"""Models made small enough to be sent over a network."""

from __future__ import annotations

import os

from niwaki.adapting.shrinking import Shrunk
from niwaki.adapting.shrinking import shrink as shrink_file
from niwaki.data.files import check_writable
from niwaki.data.modelfile import read_model_file
from niwaki.errors import NiwakiError
from niwaki.pipeline.store import find_model
from niwaki.verbs._given import Sentences, Watch, sentences_of, unwatched


def shrink(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    dev: Sentences,
    size: int,
    watch: Watch = unwatched,
) -> Shrunk:
    """Write a model that takes at most `size` bytes, and say what that costs on `dev`.

    Parts are deflated, and tables of weights give up rows where the trees, tags and words of the
    development data miss them least. Of weights for a beam and others for greedy search, one alone
    may be what is best (`alone`). Probabilities are calibrated anew on the development data.

        >>> found = shrink("te.niwaki", "small.niwaki", dev="te_mtg-ud-dev.conllu", size=2_500_000)
        >>> found.before["LAS (beam)"], found.after["LAS (beam)"]
    """
    check_writable(output)
    trees = list(sentences_of(dev))
    if not trees:
        raise NiwakiError("no development data; give sentences with trees")
    file = read_model_file(find_model(model))

    def told(now: int, wanted: int) -> None:
        watch(f"{now / 1e6:.2f} of {wanted / 1e6:.2f} MB", 0, 0)

    found = shrink_file(file, trees, size, told)
    found.model.save(output, packed=True)
    return found
