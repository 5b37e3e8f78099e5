"""Read the trusted certificates once for all HTTP clients of a test process.

Otherwise every ``httpx.Client`` reads the certificates, for longer than most requests of the tests
take.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch


@contextmanager
def read_once() -> Iterator[None]:
    create = ssl.create_default_context

    @cache
    def cached_context(cafile: str | None, capath: str | None) -> ssl.SSLContext:
        return create(cafile=cafile, capath=capath)

    def shared_context(
        purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH,
        *,
        cafile: str | None = None,
        capath: str | None = None,
        cadata: str | bytes | None = None,
    ) -> ssl.SSLContext:
        named = cafile is not None or capath is not None
        if named and cadata is None and purpose is ssl.Purpose.SERVER_AUTH:
            return cached_context(cafile, capath)
        return create(purpose, cafile=cafile, capath=capath, cadata=cadata)

    with patch.object(ssl, "create_default_context", shared_context):
        yield
