"""The compiled CoNLL-U code against its readable twins."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from niwaki.data.faults import find_faults
from niwaki.kernel import conllu as kernel
from tests.reference import conllu as reference
from tests.strategies import conllu_files, damaged_files, field

BOTH = kernel.ALLOW_MANY_ROOTS | kernel.ALLOW_UNKNOWN_HEADS
FLAGS = [0, kernel.ALLOW_MANY_ROOTS, kernel.ALLOW_UNKNOWN_HEADS, BOTH]


def scan_all(data: bytes, flags: int) -> list[tuple[bytes, int]]:
    """Blocks and verdicts of a whole file."""
    found, at = [], 0
    while True:
        end, lines, verdict = kernel.scan(data, at, flags, True, False)
        assert verdict != kernel.INCOMPLETE
        if verdict == kernel.NOTHING:
            assert data[at:].strip(b"\r\n") == b""
            return found
        assert lines == data[at:end].count(b"\n") + (not data[at:end].endswith(b"\n"))
        found.append((data[at:end], verdict))
        at = end


@given(st.one_of(conllu_files(), damaged_files(), st.binary(max_size=60)), st.sampled_from(FLAGS))
def test_scan_agrees_with_the_readable_checker(data: bytes, flags: int) -> None:
    for block, verdict in scan_all(data, flags):
        faults = find_faults(block, 1, flags)
        assert (verdict == kernel.SOUND) == (not faults), faults


@given(st.one_of(conllu_files(), damaged_files()))
def test_scan_cuts_where_the_reference_cuts(data: bytes) -> None:
    found = [block for block, _ in scan_all(data, BOTH)]
    expected = [block for block in reference.blocks(data) if block.strip(b"\r\n")]
    assert found == expected


@given(damaged_files(), st.data())
def test_a_prefix_is_incomplete_or_cut_at_the_same_place(
    data: bytes, choose: st.DataObject
) -> None:
    cut = choose.draw(st.integers(0, len(data)))
    end, _, verdict = kernel.scan(data[:cut], 0, BOTH, False, False)
    assume(verdict != kernel.INCOMPLETE)
    assert (end, verdict) == kernel.scan(data, 0, BOTH, True, False)[::2]


def test_every_tree_of_up_to_four_words() -> None:
    """All head assignments: the kernel accepts exactly those the checker accepts."""
    sound = []
    for words in range(1, 5):
        for heads in itertools.product(range(-1, words + 2), repeat=words):
            rows = (f"{i}\tw\t_\t_\t_\t_\t{h}\t_\t_\t_\n" for i, h in enumerate(heads, start=1))
            block = "".join(rows).encode() + b"\n"
            for flags in FLAGS:
                verdict = kernel.scan(block, 0, flags, True, False)[2]
                assert (verdict == kernel.SOUND) == (not find_faults(block, 1, flags)), heads
                sound += [heads] if flags == 0 and verdict == kernel.SOUND else []
    # Trees with one root, after Cayley.
    assert len(sound) == sum(words ** (words - 1) for words in range(1, 5))


@given(conllu_files(partial=True))
def test_read_off(data: bytes) -> None:
    data = data.removeprefix(b"\xef\xbb\xbf")
    for block, verdict in scan_all(data, BOTH):
        assert verdict == kernel.SOUND
        assert kernel.read_off(block) == reference.read_off(block)


@given(conllu_files(), st.data())
def test_splice(data: bytes, choose: st.DataObject) -> None:
    data = data.removeprefix(b"\xef\xbb\xbf")
    for block, _ in scan_all(data, BOTH):
        words = len(kernel.read_off(block)[0])
        columns: list[list[bytes] | None] = [None] * 10
        for number in choose.draw(st.sets(st.integers(1, 9), max_size=3)):
            values = choose.draw(st.lists(field, min_size=words, max_size=words))
            columns[number] = [value.encode() for value in values]
        assert kernel.splice(block, columns) == reference.splice(block, columns)


@pytest.mark.parametrize("value", [b"", b"a\tb", b"a\nb", b"a\r", b"\0"])
def test_splice_refuses_what_would_break_the_line(value: bytes) -> None:
    source = b"1\tw\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    assert kernel.splice(source, [None, [value], *[None] * 8]) is None


@pytest.mark.parametrize("count", [0, 2])
def test_splice_refuses_a_wrong_number_of_values(count: int) -> None:
    source = b"1\tw\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    assert kernel.splice(source, [None, [b"x"] * count, *[None] * 8]) is None


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError):
        kernel.scan("text", 0, 0, True, False)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kernel.splice(b"", [["text"], *[None] * 9])  # type: ignore[list-item]
    # The last ones: to add them to an address would overflow.
    for start in (-1, 1, 2**63 - 1, -(2**63)):
        with pytest.raises(ValueError, match="outside"):
            kernel.scan(b"", start, 0, True, False)
    with pytest.raises(ValueError, match="not a sound"):
        kernel.read_off(b"1\tw\n")
