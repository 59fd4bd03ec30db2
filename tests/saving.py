"""Parts of models written and read again, without a file."""

from __future__ import annotations

from niwaki.data.modelfile import ModelFile, part_bytes
from niwaki.features.parts import Parts, SavedParts


def saved(parts: Parts) -> SavedParts:
    """The parts as a model file gives them back."""
    packed = {name: part_bytes(name, part) for name, part in parts.files.items()}
    return SavedParts(ModelFile("memory", packed))
