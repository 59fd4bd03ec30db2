"""Bilingual contiguity by its definition: every word, every link, nothing remembered."""

from __future__ import annotations

from collections.abc import Collection

Link = tuple[int, int]


def reverse_image(words: Collection[int], links: Collection[Link]) -> set[int]:
    """All words that are linked into the hull of what the words are linked to."""
    image = {target for word, target in links if word in words}
    hull = range(min(image), max(image) + 1) if image else range(0)
    return {word for word, target in links if target in hull}


def contiguous(words: Collection[int], links: Collection[Link]) -> bool:
    """c of Huang, Jiang and Liu (2009, Table 3): the reverse image lies in the span."""
    return reverse_image(words, links) <= set(range(min(words), max(words) + 1))


def right_contiguous(words: Collection[int], links: Collection[Link], n: int) -> bool:
    """c_R: it lies in the span or to its right."""
    return reverse_image(words, links) <= set(range(min(words), n + 1))
