"""What a parser that scores arcs is, whoever gives the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, get_args

from niwaki.parsers.beliefs import check_temperature

# How the tree is chosen: the best one; the best among projective trees; that of the fewest
# expected errors; and with latent classes, the best tree when each arc takes its best class.
Decode = Literal["mst", "eisner", "mbr", "max-z"]
DECODERS: tuple[str, ...] = get_args(Decode)


@dataclass(frozen=True, kw_only=True)
class ArcSpec:
    """Everything about a parser but what its scorer knows; a model file keeps it."""

    labels: list[str]
    # 2: dependents are also scored with the dependent before them.
    order: int = 1
    # Classes of arcs that no treebank knows (Smith and Smith 2007, section 5).
    latent: int = 1
    # Whether the model was trained on projective trees only.
    projective: bool = False
    decode: str = "mst"
    # Scores are divided by it: what makes probabilities of scores of any trainer.
    temperature: float = 1.0
    label_temperature: float = 1.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        fields = cls.__dataclass_fields__
        return cls(**{name: record[name] for name in fields if name in record})

    def check(self) -> None:
        """Raises ValueError if something is not as it must be."""
        if self.order not in (1, 2) or not 1 <= self.latent <= 64:
            raise ValueError(f"a parser of arcs of order {self.order} with {self.latent} classes")
        if self.order == 2 and self.latent > 1:
            raise ValueError("latent classes of arcs need order 1")
        check_temperature(self.temperature)
        check_temperature(self.label_temperature)
        if self.decode not in DECODERS:
            raise ValueError(f"no way {self.decode!r} to choose a tree")
