"""Trees as pictures for the API: one file, or an archive of them."""

from __future__ import annotations

import io
import zipfile

from niwaki.draw import png, svg
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import model_of
from niwaki.serve.work.parsing import parsed_around
from niwaki.serve.work.reading import Given, read_given


def pictures(
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    most: int,
    beam: int | None = None,
    retag: bool = False,
    constraints: list[list[Given]] | None = None,
    to: str = "svg",
) -> bytes:
    """A picture of the tree of a sentence; of several, a ZIP archive with one each."""
    pipeline = model_of(model)
    sentences = read_given(given, pipeline, limits)
    if not sentences:
        raise RequestError(422, "there is no sentence in it")
    if len(sentences) > most:
        raise RequestError(413, f"{len(sentences)} sentences; pictures are drawn of up to {most}")
    parsed = parsed_around(
        pipeline, sentences, constraints, beam=beam, retag=retag, probabilities=False
    )
    drawn = [_bytes(svg(each), to) for each in parsed]
    return drawn[0] if len(drawn) == 1 else _archive(drawn, to)


def _bytes(picture: str, to: str) -> bytes:
    return png(picture) if to == "png" else picture.encode("utf-8")


def _archive(files: list[bytes], ending: str) -> bytes:
    digits = len(str(len(files)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(files, start=1):
            # The same trees give the same bytes, whatever the time is.
            archive.writestr(zipfile.ZipInfo(f"{number:0{digits}}.{ending}"), content)
    return out.getvalue()
