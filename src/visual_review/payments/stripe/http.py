"""How the Stripe library's calls travel: by httpx, to the address of the call and nowhere else."""

from collections.abc import Mapping
from typing import Any, Final

import httpx
import stripe

SECONDS: Final = 20.0


class Http(stripe.HTTPClient):
    """The library's own client for httpx opens an asynchronous one too, which nobody would close."""

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
            answer = self._client.request(method, url, headers=headers, content=post_data)
        except httpx.HTTPError as error:
            fault = type(error).__name__
            raise stripe.APIConnectionError(fault) from error  # type: ignore[no-untyped-call]
        return answer.text, answer.status_code, answer.headers

    def close(self) -> None:
        self._client.close()
