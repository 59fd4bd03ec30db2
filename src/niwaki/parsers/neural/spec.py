"""What a neural parser is, but for its weights."""

from __future__ import annotations

from dataclasses import dataclass, field

from niwaki.parsers.arcs.spec import ArcSpec

# Encoders: convolutions over what letters show, or a pretrained transformer over word pieces,
# with absolute positions (BERT, MiniLM) or with relative ones (MPNet).
ENCODERS = ("letters", "bert", "mpnet")
# What is predicted of each word beside its arc, in the order of the file's columns.
KINDS = ("lemmas", "upos", "xpos", "feats")
# What the network sees of the letters of a word, each hashed to a row of one table.
LETTERS = ("form", "lower", "prefix3", "suffix2", "suffix3", "suffix4", "shape", "flags")

_LARGEST = {"width": 8192, "layers": 96, "attention_heads": 256, "inner": 32768, "pieces": 1 << 22}
_LARGEST |= {"positions": 1 << 16, "letter_rows": 1 << 22, "letter_width": 1024}
_LARGEST |= {"arc_width": 4096, "label_width": 4096, "tag_width": 4096}


@dataclass(frozen=True, kw_only=True)
class NeuralSpec(ArcSpec):
    """A parser of arcs whose scores are those of a network."""

    encoder: str = "letters"
    width: int = 256  # of the vector of a word
    layers: int = 4
    # Of a transformer: heads of attention, width of the inner layers, and of its tables.
    attention_heads: int = 0
    inner: int = 0
    pieces: int = 0
    positions: int = 0
    epsilon: float = 1e-5
    letter_rows: int = 16384
    letter_width: int = 32
    arc_width: int = 256
    label_width: int = 128
    tag_width: int = 256
    lowercase: bool = False
    # Names of what is predicted, by kind.
    classes: dict[str, list[str]] = field(default_factory=dict)
    # Whether weights are whole numbers of 8 bits, with a scale for each row.
    quantized: bool = True

    def check(self) -> None:
        super().check()
        if self.order != 1 or self.latent != 1:
            raise ValueError("a neural parser of siblings or latent classes")
        if self.encoder not in ENCODERS:
            raise ValueError(f"no encoder {self.encoder!r}")
        if not set(self.classes) <= set(KINDS):
            raise ValueError("classes of other kinds than " + ", ".join(KINDS))
        least = 0 if self.encoder == "letters" else 1
        for name, most in _LARGEST.items():
            of_pieces = name in ("attention_heads", "inner", "pieces", "positions")
            if not (least if of_pieces else 1) <= getattr(self, name) <= most:
                raise ValueError(f"{name} of {getattr(self, name)}")
        if not 0 < self.epsilon < 1:
            raise ValueError(f"epsilon of {self.epsilon}")
        if self.has_pieces and self.positions < 4:
            raise ValueError(f"positions of {self.positions}")
        if self.has_pieces and self.width % self.attention_heads:
            raise ValueError(f"{self.attention_heads} heads in a width of {self.width}")

    @property
    def has_pieces(self) -> bool:
        """Whether a pretrained encoder reads word pieces."""
        return self.encoder != "letters"
