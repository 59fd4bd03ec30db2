from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.linear import SparseWeights

ROLE_NAMES: tuple[str, ...]
MOST_TEMPLATES: int
MAX_OFFSET: int

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Attributes = list[NDArray[np.uint32]]

class ArcFeatures:
    template_count: int
    attribute_count: int
    has_siblings: bool
    def __init__(self, templates: list[list[tuple[Any, ...]]], attribute_count: int) -> None: ...

class ArcModel:
    features: ArcFeatures
    classes: int
    def __init__(self, features: ArcFeatures, model: SparseWeights | CompiledWeights) -> None: ...
    def arcs(self, batch: Batch, attributes: Attributes, sentences: Ints) -> Floats: ...
    def siblings(self, batch: Batch, attributes: Attributes, sentences: Ints) -> Floats: ...
    def listed(self, batch: Batch, attributes: Attributes, s: int, parts: Ints) -> Floats: ...
    def chosen(self, batch: Batch, attributes: Attributes, heads: Ints) -> Floats: ...
    def keys(
        self, batch: Batch, attributes: Attributes, s: int, parts: Ints
    ) -> tuple[NDArray[np.uint64], Ints]: ...
