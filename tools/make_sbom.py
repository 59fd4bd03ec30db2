"""Writes dist/niwaki-VERSION.cdx.json: what the package and its development consist of, as a
software bill of materials (CycloneDX 1.6), from the lock file and what is installed.

Scopes: `required` is what the package needs, `optional` what its extras need, `excluded` what only
developers do.
"""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement

sys.path.insert(0, str(Path(__file__).resolve().parent))

from commit_time import commit_time
from make_lock import ROOT, lock_file, normalized

PROJECT = "niwaki"
DEVELOPING = "dev"
_LICENCE = "License :: OSI Approved :: "


class Locked(NamedTuple):
    """A line of the lock file."""

    name: str
    version: str
    digest: str

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def read_lock(path: Path) -> dict[str, Locked]:
    """The lines of a lock file by the names of the packages."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            pinned, _, digest = line.partition(" --hash=sha256:")
            name, _, version = pinned.partition("==")
            found[name] = Locked(name, version, digest)
    return found


def needed(package: Distribution, extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """What a package needs here, with these of its extras."""
    for text in package.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras)):
            yield requirement


def reached(requirements: Iterable[Requirement], locked: dict[str, Locked]) -> dict[str, set[str]]:
    """The names of all packages that requirements lead to, with the extras that are asked for."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = list(requirements)
    while waiting:
        requirement = waiting.pop()
        place = (normalized(requirement.name), frozenset(requirement.extras))
        if place not in found and (place[0] in locked or place[0] == PROJECT):
            found.add(place)
            waiting += needed(distribution(place[0]), place[1])
    extras: dict[str, set[str]] = {}
    for name, asked in found:
        extras.setdefault(name, set()).update(asked)
    extras.pop(PROJECT, None)
    return extras


def scopes(locked: dict[str, Locked]) -> dict[str, str]:
    project = distribution(PROJECT)
    extras = project.metadata.get_all("Provides-Extra") or []
    required = reached(needed(project), locked)
    optional = reached(needed(project, [name for name in extras if name != DEVELOPING]), locked)
    return {
        name: "required" if name in required else "optional" if name in optional else "excluded"
        for name in locked
    }


def licences(package: Distribution) -> list[dict[str, Any]]:
    """As the package declares it: an expression, or else names."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return [{"expression": expression}]
    named = [
        each.removeprefix(_LICENCE)
        for each in metadata.get_all("Classifier") or []
        if each.startswith(_LICENCE)
    ]
    # Some packages put the whole text into this field; its first line names it.
    given = (metadata.get("License") or "").strip().partition("\n")[0]
    return [{"license": {"name": name}} for name in named or [given] if name]


def component(locked: Locked, scope: str) -> dict[str, Any]:
    package = distribution(locked.name)
    if package.version != locked.version:
        raise SystemExit(
            f"{locked.name} {package.version} is installed but {locked.version} is locked; "
            "run `make build`"
        )
    found = licences(package)
    return {
        "type": "library",
        "bom-ref": locked.purl,
        "name": locked.name,
        "version": locked.version,
        "scope": scope,
        "hashes": [{"alg": "SHA-256", "content": locked.digest}],
        **({"licenses": found} if found else {}),
        "purl": locked.purl,
    }


def bill(locked: dict[str, Locked]) -> dict[str, Any]:
    project = distribution(PROJECT)
    own = f"pkg:pypi/{PROJECT}@{project.version}"
    chosen = scopes(locked)
    components = [component(each, chosen[name]) for name, each in sorted(locked.items())]
    extras = project.metadata.get_all("Provides-Extra") or []
    edges = {own: needed(project, extras)}
    asked = reached(needed(project, extras), locked)
    for name, each in sorted(locked.items()):
        edges[each.purl] = needed(distribution(name), asked.get(name, ()))
    found: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(commit_time(), UTC).isoformat(),
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": PROJECT,
                "version": project.version,
                "licenses": licences(project),
                "purl": own,
            },
        },
        "components": components,
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(purls(requirements, locked))}
            for ref, requirements in edges.items()
        ],
    }
    # The same contents have the same number.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(found, sort_keys=True))
    return {**found, "serialNumber": serial.urn}


def purls(requirements: Iterable[Requirement], locked: dict[str, Locked]) -> set[str]:
    names = {normalized(requirement.name) for requirement in requirements}
    return {locked[name].purl for name in names if name in locked}


def write() -> Path:
    path = lock_file()
    if not path.exists():
        raise SystemExit(f"{path.name} is missing; run `make lock`")
    found = bill(read_lock(path))
    version = found["metadata"]["component"]["version"]
    target = ROOT / "dist" / f"{PROJECT}-{version}.cdx.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return target


if __name__ == "__main__":
    print(write().relative_to(ROOT))
