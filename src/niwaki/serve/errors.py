"""What the API answers when it does not do what it was asked."""

from __future__ import annotations

from typing import Any


class RequestError(Exception):
    """Ends a request with a status and one clear line; `more` is added to the answer."""

    def __init__(
        self, status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.more = status, message, more
        self.headers = headers or {}

    @property
    def record(self) -> dict[str, Any]:
        return {"error": self.message, **self.more}


def busy(seconds: int, why: str = "too many requests are waiting") -> RequestError:
    return RequestError(
        503, f"{why}; try again in {seconds} s", headers={"retry-after": str(seconds)}
    )


def unknown(kind: str, name: str) -> RequestError:
    return RequestError(404, f"no {kind} {name[:80]!r}")
