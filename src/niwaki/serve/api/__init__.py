"""The HTTP API: every module here has a list ENDPOINTS."""

from __future__ import annotations

from niwaki.serve.api import (
    adapting,
    agreeing,
    annotating,
    comparing,
    finding,
    ordering,
    parsing,
    relating,
    shortening,
    translating,
)
from niwaki.serve.endpoint import Endpoint

ENDPOINTS: list[Endpoint] = [
    *parsing.ENDPOINTS,
    *finding.ENDPOINTS,
    *ordering.ENDPOINTS,
    *translating.ENDPOINTS,
    *relating.ENDPOINTS,
    *shortening.ENDPOINTS,
    *comparing.ENDPOINTS,
    *annotating.ENDPOINTS,
    *agreeing.ENDPOINTS,
    *adapting.ENDPOINTS,
]
