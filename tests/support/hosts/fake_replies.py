"""Shared parts of the fake Git provider servers."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from tests.support.hosts.local_server import ReceivedRequest, Reply, page, reply
from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostError,
    HostMissingError,
    HostResponseError,
)
from visual_review.kernel.clock import now

# Smaller than any provider's, so that few items fill several pages.
PAGE = 3
Item = TypeVar("Item")


def failure_reply(failure: HostError, limited: int = 429) -> Reply:
    """Return the provider's error response; ``limited`` is its status for rate limits."""
    match failure:
        case HostAccessError():
            return reply({"message": "Bad credentials"}, 401)
        case HostMissingError():
            return reply({"message": "Not Found"}, 404)
        case HostBusyError(until=None):
            return reply({"message": "Server Error"}, 503)
        case HostBusyError(until=until):
            seconds = math.ceil((until - now()).total_seconds())
            return reply({"message": "Slow down"}, limited, Retry_After=str(max(seconds, 0)))
        case HostResponseError():
            return page("<!doctype html><title>Sign in</title>")
    raise failure


def paged(
    request: ReceivedRequest,
    items: Sequence[Item],
    shown: Callable[[list[Item]], Any],
    size: int = PAGE,
) -> tuple[Any, dict[str, str]]:
    """Return the requested page as ``shown``, and the header that links to the next one."""
    number = int(request.query.get("page", "1"))
    part = list(items[(number - 1) * size : number * size])
    if number * size >= len(items):
        return shown(part), {}
    query = urlencode({**request.query, "page": number + 1})
    url = f"http://{request.headers['host']}{request.path}?{query}"
    return shown(part), {"Link": f'<{url}>; rel="next", <{url}>; rel="last"'}
