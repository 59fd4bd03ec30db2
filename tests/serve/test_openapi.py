"""The description of the API is true: what it allows is answered, whatever is sent."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from niwaki.serve.api import ENDPOINTS
from niwaki.serve.openapi import describe
from niwaki.serve.schema import check
from tests.serve.conftest import Client


def test_every_endpoint_is_described(bench: Client) -> None:
    served = bench.get("/openapi.json").json
    assert served == describe(ENDPOINTS)
    assert served["openapi"].startswith("3.1")
    for endpoint in ENDPOINTS:
        operation = served["paths"][endpoint.path][endpoint.method.lower()]
        assert operation["summary"]
        names = set(re.findall(r"\{(\w+)\}", endpoint.path))
        assert {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"} == names


def test_examples_are_answered(bench: Client) -> None:
    shown = [endpoint for endpoint in ENDPOINTS if endpoint.example is not None]
    assert len(shown) > 3
    for endpoint in shown:
        assert endpoint.body is not None
        check(endpoint.example, endpoint.body)
        assert bench.post(endpoint.path, endpoint.example).status == 200


# Warnings of the tool's own code are the tool's: they must not fail a request of ours.
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_whatever_is_sent_there_is_no_500(bench: Client) -> None:
    """Schemathesis makes requests from the description, sound ones and unsound ones.

    What fails inside the tool while it makes a request says nothing about the server, and it
    varies with the depth of the stack; such requests are counted and must stay few.
    """
    schemathesis = pytest.importorskip(
        "schemathesis", reason="schemathesis is missing: pip install niwaki[dev]"
    )
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import GenerationMode

    schema = schemathesis.openapi.from_dict(describe(ENDPOINTS))
    seen: Counter[int] = Counter()
    broken: list[tuple[str, int, str]] = []
    not_made: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in ("/api/compare", "/api/analyze", "/api/adapt-start"):
            continue  # jobs: their requests are the same, and their work is long
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            strategy = operation.as_strategy(generation_mode=mode)

            @settings(
                max_examples=8,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=strategy)
            def send(case) -> None:  # type: ignore[no-untyped-def]
                try:
                    response = case.call(base_url=bench.url, timeout=60)
                except OSError as error:  # no answer at all
                    broken.append((case.path, 0, repr(error)))
                    return
                seen[response.status_code] += 1
                if response.status_code >= 500:
                    broken.append((case.path, response.status_code, response.text))

            try:
                send()
            except Exception as error:  # from the tool: `send` itself only counts
                if type(error).__name__ != "Unsatisfiable":
                    not_made.append(f"{operation.path}: {error!r}")
    assert broken == []
    assert len(not_made) < 5, not_made
    assert seen[200] > 20, seen
    assert seen[422] > 20
