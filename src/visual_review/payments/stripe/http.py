"""The HTTP client for the Stripe library, based on httpx and without redirects."""

from collections.abc import Mapping
from typing import Any, Final

import httpx
import stripe

SECONDS: Final = 20.0


class StripeHttpClient(stripe.HTTPClient):
    """Replaces the library's httpx client, which also opens an async one and never closes it."""

    name = "httpx"

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__()
        self._client = httpx.Client(timeout=seconds, follow_redirects=False)

    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,  # noqa: ANN401 - The library's signature.
        *,
        _usage: list[str] | None = None,
    ) -> tuple[str, int, Mapping[str, str]]:
        try:
            response = self._client.request(method, url, headers=headers, content=post_data)
        except httpx.HTTPError as error:
            error_name = type(error).__name__
            raise stripe.APIConnectionError(error_name) from error  # type: ignore[no-untyped-call]
        return response.text, response.status_code, response.headers

    def close(self) -> None:
        self._client.close()
