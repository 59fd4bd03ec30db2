"""Finds and loads models: a card, and parts that read themselves."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import metadata, resources
from pathlib import Path
from typing import TypeVar

from niwaki.data.modelfile import ModelFile, read_model_file
from niwaki.errors import ConfigError, ModelError, nearest, shown
from niwaki.features.clusters import WordClusters
from niwaki.features.parts import SavedParts
from niwaki.hub.cache import NAME, SUFFIX, cached_models
from niwaki.hub.sources import installed_model, known_names
from niwaki.parsers.base import TaggingParser, load_family
from niwaki.pipeline.learned import LEARNED_FILE, LearnedSentences
from niwaki.pipeline.pipeline import Pipeline
from niwaki.segmenting.segmenter import Segmenter
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import AnyTagger, Tagger

T = TypeVar("T")

# What it raises when parts of a model do not fit together.
_UNFIT = (
    *(ConfigError, LookupError, TypeError, ValueError, AttributeError, OverflowError),
    *(MemoryError, RecursionError),
)
_LONGEST_REASON = 400

# Models of installed packages: the entry point `NAME = package:MODEL` gives the path of the file.
_GROUP = "niwaki.models"
# Models of Niwaki that are not bundled, and how they are had.
_PACKAGES = {"en-accurate": "pip install niwaki-en-accurate (in a checkout: make accurate)"}


def load(name_or_path: str | os.PathLike[str] = "en") -> Pipeline:
    """A model by its name or from a file: `en` is bundled, `niwaki download` fetches others."""
    return pipeline_of(read_model_file(find_model(name_or_path)))


def pipeline_of(file: ModelFile) -> Pipeline:
    """The model of a file that was read and found whole; what is in it may be anything."""
    task = file.config.get("kind")
    if isinstance(task, str):
        raise ModelError(
            f"{file.path}: a model of {shown(task)}, which parses nothing; give one of "
            "`niwaki train`"
        )
    return _checked(_build, file)


def learned_of(file: ModelFile) -> LearnedSentences | None:
    """What the model of a file has learned from, if it says so; it need not be built."""
    if LEARNED_FILE not in file.parts:
        return None
    return _checked(lambda each: LearnedSentences.load(SavedParts(each)), file)


def _checked(make: Callable[[ModelFile], T], file: ModelFile) -> T:
    try:
        return make(file)
    except _UNFIT as error:
        # The checksums are right, so whoever wrote it wrote something else.
        raise ModelError(
            f"{file.path}: not a model that this niwaki can use ({_reason(error)}); train it again"
        ) from error


def _reason(error: Exception) -> str:
    """What an error says, in one printable line: it may quote what is in the file."""
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    text = str(error)
    if len(text) > _LONGEST_REASON or not text.isprintable():
        return shown(text, _LONGEST_REASON)
    return text


def _build(file: ModelFile) -> Pipeline:
    parts = SavedParts(file)
    clusters = WordClusters.load(parts)
    shared = clusters.kernel if clusters else None
    # Models from before families were named have it on the card, or are transition parsers.
    kind = str(parts.card["model"].get("kind", "transition"))
    parser = load_family(kind).load(parts, shared)
    tagger: AnyTagger | None
    if isinstance(parser, TaggingParser):
        tagger, morphology = parser.tagger, None
    else:
        tagger, morphology = Tagger.load(parts, shared), Morphology.load(parts)
    return Pipeline(
        config=parts.card,
        tagger=tagger,
        morphology=morphology,
        parser=parser,
        clusters=clusters,
        segmenter=Segmenter.load(parts),
        learned=LearnedSentences.load(parts),
    )


def find_model(name_or_path: str | os.PathLike[str]) -> Path:
    """The file of a model: by its name (bundled, of a package, in the cache), or the path."""
    path, name = Path(name_or_path), os.fspath(name_or_path)
    bundled = bundled_models()
    if name in bundled:
        return bundled[name]
    if path.name != name:
        return path
    packaged = metadata.entry_points(group=_GROUP)
    if name in packaged.names:
        return _file_of(packaged[name])
    fetched = cached_models()
    if name in fetched:
        return fetched[name].path
    found = installed_model(name) if NAME.fullmatch(name) and path.suffix != SUFFIX else None
    if found is not None or path.exists():
        return found or path
    if name in _PACKAGES:
        raise ModelError(f"no model {name!r}: its package is missing; run: {_PACKAGES[name]}")
    offered = known_names()
    if name in offered:
        raise ModelError(f"no model {name!r} yet; run: niwaki download {name}")
    raise ModelError(
        f"no model {name!r}: neither a file nor bundled or of an installed package, nor "
        "downloaded (`niwaki models` lists what there is); "
        f"{nearest(name, {*bundled, *packaged.names, *fetched, *offered})}"
    )


def bundled_models() -> dict[str, Path]:
    """The bundled models, by name."""
    # The kernel is compiled, so the package lies in a folder, never in an archive.
    folder = Path(str(resources.files("niwaki"))) / "assets" / "models"
    return {file.stem: file for file in sorted(folder.glob(f"*{SUFFIX}"))}


def packaged_models() -> dict[str, Path]:
    """The models that installed packages are, by name."""
    return {each.name: _file_of(each) for each in metadata.entry_points(group=_GROUP)}


def _file_of(entry: metadata.EntryPoint) -> Path:
    """The file that the package of an entry point names; its code may do anything."""
    where = f"model {entry.name!r} ({entry.value})"
    try:
        path = Path(entry.load())
    except Exception as error:
        reason = shown(f"{type(error).__name__}: {error}", _LONGEST_REASON)
        raise ModelError(
            f"{where}: its package fails with {reason}; install the package again"
        ) from error
    if not path.is_file():
        raise ModelError(f"{where}: no file {str(path)!r}; install the package again")
    return path
