"""The access log: one record for each request, written in the event loop, so it must be cheap."""

import logging
from typing import Final

from starlette.types import Scope

from visual_review.config.logs import ACCESS_LOGGER

QUIET_PATHS: Final = frozenset({"/healthz", "/readyz"})
MESSAGE: Final = "%s %s %s %.0f ms"

access = logging.getLogger(ACCESS_LOGGER)


def log_request(scope: Scope, status: int, seconds: float) -> None:
    # Without the query, which may contain the signature of a link.
    path = scope["path"]
    if path in QUIET_PATHS or not access.isEnabledFor(logging.INFO):
        return
    client = scope.get("client")
    values = (scope["method"], path, status, seconds * 1000)
    # Made here: the logger would look for the line of code that calls it.
    record = logging.LogRecord(ACCESS_LOGGER, logging.INFO, __file__, 0, MESSAGE, values, None)
    record.__dict__.update(
        method=scope["method"],
        path=path,
        status=status,
        milliseconds=round(seconds * 1000, 1),
        client=client[0] if client else "",
    )
    access.handle(record)
