"""A worker that parses shards of sentences, and tells the processor time of each."""

from __future__ import annotations

import os
import time
from typing import Any

import niwaki
from niwaki.data.sentence import Sentence


class TimedParse:
    """Gives words, bytes, seconds, its process, and what its start took."""

    def __init__(self, model: str, beam: int | None) -> None:
        self._model, self._beam = niwaki.load(model), beam
        self._start_up = time.process_time()

    def __call__(self, shard: list[Sentence]) -> dict[str, Any]:
        begun = time.process_time()
        parsed = list(self._model.parse(shard, beam=self._beam, retag=True, threads=1))
        seconds = time.process_time() - begun
        return {
            "worker": os.getpid(),
            "start_up": self._start_up,
            "seconds": seconds,
            "words": sum(map(len, shard)),
            # Text is read, CoNLL-U is written.
            "bytes": sum(len(" ".join(s.forms).encode()) + len(s.source) for s in parsed),
        }
