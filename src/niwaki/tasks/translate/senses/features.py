"""What classifiers of phrase senses see of an occurrence: words, tags, and the tree around."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.candidates import feature_key
from niwaki.tasks.trees import TreeView

Keys = NDArray[np.uint32]
_NOTHING = "_"


class Occurrences:
    """The phrases of a sentence; what they share is made once."""

    def __init__(self, tree: TreeView) -> None:
        self._tree = tree
        self._words = [form.lower() for form in tree.forms]
        self._bag = [feature_key(f"b:{word}") for word in self._words]

    def keys(self, begin: int, end: int) -> Keys:
        """The features of the words [begin, end), as sorted numbers."""
        around = [feature_key(name) for name in self._names(begin, end)]
        return np.unique(np.array([*self._bag[:begin], *self._bag[end:], *around], np.uint32))

    def _names(self, begin: int, end: int) -> Iterator[str]:
        """Places, collocations across the phrase's borders, and the tree."""
        places = {-2: begin - 2, -1: begin - 1, 1: end, 2: end + 1}
        words = {offset: self._word(at) for offset, at in places.items()}
        for offset, at in places.items():
            yield f"w{offset}:{words[offset]}"
            yield f"t{offset}:{self._tag(at)}"
        for one, other in ((-2, -1), (-1, 1), (1, 2)):
            yield f"c{one}{other}:{words[one]} {words[other]}"
            yield f"d{one}{other}:{self._tag(places[one])} {self._tag(places[other])}"
        yield from self._syntax(begin, end)

    def _syntax(self, begin: int, end: int) -> Iterator[str]:
        """The head and label of the phrase's top word, and its children beside the phrase."""
        tree = self._tree
        top = min(range(begin, end), key=lambda at: len(tree.chains[at]))
        head = tree.heads[top] - 1
        yield f"label:{tree.relations[top]}"
        yield f"head:{self._word(head)}"
        yield f"headtag:{self._tag(head)}"
        yield f"side:{'none' if head < 0 else 'left' if head < top else 'right'}"
        for child in tree.children[top + 1]:
            at = child - 1
            if not begin <= at < end:
                yield f"child:{tree.relations[at]}"
                yield f"childword:{tree.relations[at]} {self._words[at]}"

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else _NOTHING

    def _tag(self, at: int) -> str:
        return self._tree.upos[at] if 0 <= at < len(self._words) else _NOTHING
