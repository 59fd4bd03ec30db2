"""How the parts of a model write and read themselves: a record each, tables of weights, files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from niwaki.data.modelfile import ModelFile, Part
from niwaki.errors import ModelError
from niwaki.features.weights import PackedWeights
from niwaki.kernel.linear import SparseWeights
from niwaki.typing import Arrays

_RECORDS = "designs.json"


def table_file(name: str) -> str:
    """The file of the table of weights that goes with a record."""
    return f"weights-{name}.safetensors"


def image_file(name: str) -> str:
    """What a compiled table is called in a `ModelFile` that processes share; no file has it."""
    return f"weights-{name}.image"


class Parts:
    """What is written: records by name, of which some have weights, and other files."""

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Any]] = {}
        self._files: dict[str, Part] = {}

    def add(
        self,
        name: str,
        record: Mapping[str, Any],
        weights: SparseWeights | PackedWeights | None = None,
    ) -> None:
        """A record, and the table of weights that goes with it."""
        self._records[name] = dict(record)
        if weights is not None:
            if not isinstance(weights, PackedWeights):
                raise ValueError("only packed weights can be saved")
            self._records[name]["weights"] = {"classes": weights.classes, "scale": weights.scale}
            self._files[table_file(name)] = weights.arrays

    def add_file(self, name: str, content: Part) -> None:
        self._files[name] = content

    def add_all(self, others: Parts) -> None:
        self._records.update(others._records)
        self._files.update(others._files)

    @property
    def files(self) -> dict[str, Part]:
        """All of it as the parts of a model file."""
        return {**self._files, _RECORDS: self._records}

    @property
    def tensors(self) -> dict[str, Arrays]:
        """The files that hold arrays."""
        found = {n: file for n, file in self._files.items() if n.endswith(".safetensors")}
        return {name: file for name, file in found.items() if isinstance(file, Mapping)}


class SavedParts:
    """What is read: the same by the same names."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        self._records: Mapping[str, Any] = file.json(_RECORDS)

    @property
    def card(self) -> Mapping[str, Any]:
        return self._file.config

    def __contains__(self, name: str) -> bool:
        """Whether there is a record, or a file, of this name."""
        return name in self._records or name in self._file.parts

    def record(self, name: str) -> Mapping[str, Any]:
        if name not in self._records:
            raise ModelError(f"{self._file.path}: a model without its {name}; train it again")
        found: Mapping[str, Any] = self._records[name]
        return found

    @property
    def tables(self) -> list[str]:
        """The names of those records that a table of weights goes with."""
        return [name for name, record in self._records.items() if "weights" in record]

    def weights(self, name: str) -> PackedWeights:
        shape = self.record(name)["weights"]
        arrays = self.tensors(table_file(name))
        found = self._file.arrays.get(image_file(name))
        image = None if found is None else dict(found)
        return PackedWeights(shape["classes"], shape["scale"], arrays, image)

    def tensors(self, name: str) -> dict[str, Any]:
        return self._file.tensors(name)

    def json(self, name: str) -> Any:
        return self._file.json(name)

    def raw(self, name: str) -> bytes:
        return self._file.raw(name)
