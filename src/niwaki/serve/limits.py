"""How much a request may ask for; every number has a reason to be there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Defaults are for one person, or a small group, on two cores."""

    head: int = 64 << 10  # bytes of the request line and the headers
    headers: int = 100
    body: int = 4 << 20  # bytes of a request
    sentence_words: int = 1_000
    request_words: int = 20_000
    seconds: float = 10.0  # that a piece of work may wait, and may take
    slow_seconds: float = 10.0  # for a client to send its request, or to take its answer
    waiting: int = 64  # requests in the queue; more are sent away with 503
    workers: int = 2  # processes that parse
    connections: int = 512
    background_seconds: float = 600.0  # one step of a job
    project_sentences: int = 10_000
    jobs_kept: int = 50
