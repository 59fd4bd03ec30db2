"""A list of sentences that shows itself in a notebook."""

from __future__ import annotations

from typing import SupportsIndex, overload

from niwaki.data.sentence import Sentence

# Pictures that are shown; a notebook with thousands of them is of no use to anyone.
SHOWN = 20


class SentenceList(list[Sentence]):
    """A list of sentences; a notebook shows the trees of its first 20.

    >>> SentenceList(niwaki.read_conllu("trees.conllu"))[40:60]     # doctest: +SKIP
    """

    @overload
    def __getitem__(self, place: SupportsIndex) -> Sentence: ...
    @overload
    def __getitem__(self, place: slice) -> SentenceList: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Sentence | SentenceList:
        found = super().__getitem__(place)
        return found if isinstance(found, Sentence) else SentenceList(found)

    def _repr_html_(self) -> str | None:
        pictures = [sentence._repr_html_() for sentence in self[:SHOWN]]
        if None in pictures:
            return None
        more = f"<p>{len(self) - SHOWN:,} more</p>" if len(self) > SHOWN else ""
        return "".join(filter(None, pictures)) + more if pictures else "<p>no sentences</p>"
