"""The request for an issuer's published keys."""

import time
from typing import Final

import httpx

from visual_review.api.ci.issuer_errors import KeysUnreachableError

MAX_BYTES: Final = 256 * 1024
TIMEOUT_SECONDS: Final = 5.0


def fetch_keys(url: str) -> bytes:
    """Fetch the key set at ``url``; https only, no redirects, limited in time and size.

    The operator configured the host, so it may be in a private network. Raises
    KeysUnreachableError.
    """
    if not url.startswith("https://"):
        raise KeysUnreachableError("keys are fetched over https only")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        with (
            httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False) as client,
            client.stream("GET", url, headers={"Accept": "application/json"}) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise KeysUnreachableError(f"the host returned {response.status_code}")
            body = b""
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_BYTES or time.monotonic() > deadline:
                    raise KeysUnreachableError("the response is too large or too slow")
            return body
    except httpx.HTTPError as error:
        raise KeysUnreachableError(str(error) or type(error).__name__) from error
