"""Opens what users name (paths, `-`, gzip, zstd, file objects) and writes files all or nothing."""

from __future__ import annotations

import contextlib
import errno
import glob
import gzip
import io
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, TextIO

from niwaki.data.system import sync_folder, try_to_lock
from niwaki.errors import CorpusError, ExtraMissingError, NiwakiError
from niwaki.kernel.conllu import MAX_LINE

Source = str | os.PathLike[str] | IO[Any]
Target = Source

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_STDIN, _STDOUT = "<stdin>", "<stdout>"
_CHUNK = 1 << 20
_PACKED_CHUNK = 1 << 14

_TOO_LONG = f"a line of more than {MAX_LINE} bytes"

OnFault = Callable[[CorpusError], None] | None


class Input:
    """A stream of bytes with a name for messages; gzip and zstd are known by their first bytes."""

    def __init__(self, source: Source) -> None:
        self._owned = False
        raw: IO[Any]
        if isinstance(source, str) and source == "-":
            self.name, raw = _STDIN, _opened(sys.stdin, _STDIN).buffer
        elif isinstance(source, str | os.PathLike):
            self.name, raw = os.fspath(source), open(source, "rb")  # noqa: SIM115
            self._owned = True
        else:
            self.name, raw = str(getattr(source, "name", "<input>")), source
        self._raw = raw
        self._stream: IO[Any] | gzip.GzipFile | _Zstd = raw
        # What comes through a pipe or from a keyboard is wanted as it arrives.
        self.interactive = _is_interactive(raw)
        self._held = self._read(2)
        if len(self._held) == 1:
            self._held += self._read(1)
        if self._held == _GZIP_MAGIC:
            self._stream = gzip.GzipFile(fileobj=io.BufferedReader(_Prefixed(self._held, raw)))
            self._held = b""
            self.interactive = False
        elif self._held == _ZSTD_MAGIC[:2] and self.peek(4)[:4] == _ZSTD_MAGIC:
            self._stream = _Zstd(self._held, raw)
            self._held = b""
            self.interactive = False

    def read(self, size: int) -> bytes:
        """Some bytes, about `size` at most; b"" at the end."""
        held, self._held = self._held, b""
        return held or self._read(size)

    def peek(self, size: int) -> bytes:
        """Bytes that the next read will give again; from a pipe, what has arrived."""
        if len(self._held) < size:
            self._held += self._read(size)
        return self._held

    def _read(self, size: int) -> bytes:
        try:
            if self.interactive and hasattr(self._stream, "read1"):
                data = self._stream.read1(size)
            else:
                data = self._stream.read(size)
            return data.encode("utf-8") if isinstance(data, str) else bytes(data or b"")
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            kind = "zstd" if isinstance(self._stream, _Zstd) else "gzip"
            raise CorpusError(
                self.name,
                0,
                "FILE",
                f"a damaged {kind} file ({error})",
                "fetch or compress it again",
            ) from error
        except UnicodeError as error:
            raise CorpusError(
                self.name, 0, "FILE", f"text that is not Unicode ({error})", "open it as bytes"
            ) from error

    def close(self) -> None:
        if self._owned:
            self._raw.close()

    def __enter__(self) -> Input:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lines(self, on_fault: OnFault = None) -> Iterator[tuple[int, str]]:
        """Numbered lines without their ends; only line feeds end a line (U+2028 is data).

        With `on_fault`, that is told of bytes that are not UTF-8, which become U+FFFD, and of
        lines of more than MAX_LINE bytes, which become empty: files that are read side by side
        stay in step. Memory is bounded whatever the input is, or expands to.
        """
        for number, line in enumerate(self._byte_lines(), start=1):
            if len(line) > MAX_LINE:
                self._tell(on_fault, number, _TOO_LONG, f"keep lines below {MAX_LINE} bytes")
                line = b""
            yield number, self._decode(number, line, on_fault)

    def _byte_lines(self) -> Iterator[bytes]:
        """The lines; of one that is too long, the beginning before the rest is looked for."""
        line = bytearray()
        cut = False  # whether the line was given, and its end is yet to come
        while data := self.read(_CHUNK):
            *ended, rest = data.split(b"\n")
            for end in ended:
                if not cut:
                    yield bytes(line + end).removesuffix(b"\r")
                line.clear()
                cut = False
            if not cut:
                line += rest
                # One byte more may be the carriage return of a line that is not too long.
                if len(line) > MAX_LINE + 1:
                    yield bytes(line)
                    line.clear()
                    cut = True
        if line:
            yield bytes(line).removesuffix(b"\r")

    def _decode(self, number: int, line: bytes, on_fault: OnFault) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"invalid UTF-8 at byte {error.start + 1}"
            self._tell(on_fault, number, found, "convert the file to UTF-8")
            return line.decode("utf-8", "replace")

    def _tell(self, on_fault: OnFault, number: int, found: str, advice: str) -> None:
        fault = CorpusError(self.name, number, "LINE", found, advice)
        if on_fault is None:
            raise fault
        on_fault(fault)


class _Prefixed(io.RawIOBase):
    """A raw stream with bytes put back in front of it."""

    def __init__(self, prefix: bytes, rest: IO[bytes]) -> None:
        self._prefix, self._rest = prefix, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data, self._prefix = self._prefix, b""
        data = data[: len(buffer)] or self._rest.read(len(buffer)) or b""
        buffer[: len(data)] = data
        return len(data)


class _Zstd:
    """What frames of zstd hold; one that is cut off is an error, unlike in its own reader."""

    def __init__(self, prefix: bytes, rest: IO[bytes]) -> None:
        self._module = zstandard()
        self._held, self._rest = prefix, rest
        self._frame = self._module.ZstdDecompressor().decompressobj()
        self._begun = False

    def read(self, _: int) -> bytes:
        """Some bytes; how many depends on the file."""
        while True:
            packed, self._held = self._held or self._rest.read(_PACKED_CHUNK), b""
            if not packed:
                if self._begun:
                    raise EOFError("it is cut off")
                return b""
            try:
                data: bytes = self._frame.decompress(packed)
            except self._module.ZstdError as error:
                raise EOFError(str(error)) from error
            self._begun = not self._frame.eof
            if self._frame.eof:
                self._held = self._frame.unused_data
                self._frame = self._module.ZstdDecompressor().decompressobj()
            if data:
                return data


def zstandard() -> Any:
    """The package that packs and unpacks zstd."""
    try:
        import zstandard
    except ImportError as error:
        raise ExtraMissingError(
            "zstandard is not installed; run: pip install niwaki[scale]"
        ) from error
    return zstandard


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """A file that is written by hand, such as rules; one beyond all measure is refused."""
    with open(path, "rb") as file:
        data = file.read(MAX_LINE + 1)
    if len(data) > MAX_LINE:
        raise CorpusError(
            os.fspath(path), 0, "FILE", f"more than {MAX_LINE} bytes", "give the file that is meant"
        )
    return data


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file that is written by hand."""
    data = read_whole(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            os.fspath(path), line, "LINE", "invalid UTF-8", "convert the file to UTF-8"
        ) from error


def _opened(stream: TextIO | None, name: str) -> TextIO:
    """A standard stream; Python has none where the process was started without (`<&-`)."""
    if stream is None:
        raise OSError(errno.EBADF, "closed; give a file", name)
    return stream


def _is_interactive(stream: IO[Any]) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


class Output(Protocol):
    """Something that takes bytes."""

    def write(self, data: bytes, /) -> object: ...


@contextlib.contextmanager
def open_output(target: Target) -> Iterator[Output]:
    """Bytes to a path (atomically; .gz and .zst are packed), to `-`, or to a file object."""
    if isinstance(target, str) and target == "-":
        stdout = _opened(sys.stdout, _STDOUT).buffer
        yield _Stdout()
        with _errors_name(_STDOUT):
            stdout.flush()
    elif isinstance(target, str | os.PathLike):
        with atomic_write(target) as file:
            if os.fspath(target).endswith(".gz"):
                # No name and no time in the header: the same data gives the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    yield packed
            elif os.fspath(target).endswith(".zst"):
                with zstandard().ZstdCompressor().stream_writer(file, closefd=False) as packed:
                    yield packed
            else:
                yield file
    elif isinstance(target, io.TextIOBase):
        yield _Encoded(target)
    else:
        yield target


class _Stdout:
    """Standard output, with errors that say so."""

    def write(self, data: bytes) -> None:
        try:
            sys.stdout.buffer.write(data)
        except OSError as error:
            error.filename = _STDOUT
            raise


class _Encoded:
    """Lets bytes of whole lines be written to a text stream."""

    def __init__(self, stream: io.TextIOBase) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data.decode("utf-8"))


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file that appears whole or not at all.

    The bytes go to a temporary sibling, which is fsynced and renamed over the
    target; then the directory is fsynced. On any error the old file is intact
    and the sibling is removed. What a killed process left is removed by the next
    that writes the same file. Devices and pipes are written to directly.
    """
    # Follow links, so that the file behind a link is replaced and not the link.
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with io.BufferedWriter(_NamedFile(target, "w", path)) as device:
            yield device
        return
    remove_leftovers(target)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with _errors_name(path):
            file = io.BufferedWriter(_NamedFile(temporary, "x", path))
            try_to_lock(file.fileno())
        with file:
            yield file
            with _errors_name(path):
                file.flush()
                if target.exists() and hasattr(os, "fchmod"):  # not on every Windows
                    os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
                os.fsync(file.fileno())
        with _errors_name(path):
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    with _errors_name(path):
        sync_folder(target.parent)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before there is anything to write.

    Room on the disk may still run out; what is checked is what people get wrong.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise NiwakiError(f"{os.fspath(path)}: a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise NiwakiError(f"{os.fspath(path)}: no folder {target.parent}; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise NiwakiError(f"{os.fspath(path)}: the folder {target.parent} cannot be written to")


def open_to_append(path: str | os.PathLike[str]) -> BinaryIO:
    """A file that grows while work goes on, with errors that name it."""
    return io.BufferedWriter(_NamedFile(Path(path), "a", path))


class _NamedFile(io.FileIO):
    """A file whose errors name what the user knows; those of Python name nothing."""

    def __init__(self, path: Path, mode: str, known_as: str | os.PathLike[str]) -> None:
        super().__init__(path, mode)
        self._known_as = known_as

    def write(self, data: Any, /) -> int:
        with _errors_name(self._known_as):
            return super().write(data)


def remove_leftovers(target: Path) -> None:
    """Remove temporary siblings whose writers were killed: nobody holds a lock on them."""
    for found in target.parent.glob(f".{glob.escape(target.name)}.{'[0-9a-f]' * 8}.tmp"):
        with contextlib.suppress(OSError):
            with open(found, "rb") as file:
                is_left = try_to_lock(file.fileno())
            if is_left:
                found.unlink()


@contextlib.contextmanager
def _errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """The user knows the target, not our temporary sibling; a full disk names neither."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise
