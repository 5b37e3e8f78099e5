"""The maximum size of a request body, decided by the URL before the body is read."""

from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import Scope

from visual_review.api.json_bodies import ACTION_LIMIT, MANIFEST_LIMIT
from visual_review.api.webhooks.hosts import MAX_DELIVERY_BYTES, may_be_genuine
from visual_review.config.http.threads import RequestThreads
from visual_review.kernel.blobs import LINK_PATH, LinkInvalidError, check_link

BLOBS: Final = f"{LINK_PATH}/"
DELIVERIES: Final = "/api/webhooks/hosts/"
CI: Final = "/api/ci/"
MAX_UPLOAD_BYTES: Final = 128 * 1024 * 1024
# Not a client of the network: a client with many requests does not delay another's delivery.
CLIENT: Final = "limits"


@dataclass(frozen=True)
class BodyLimit:
    """The most bytes; 0 for an unread body, since the request is going to fail.

    ``signed_for``: the organization of the caller's valid signed URL.
    """

    most: int
    signed_for: str = ""

    def explain(self) -> str:
        return (
            f"The request body must not be larger than {self.most} bytes at this URL. Nothing was "
            "stored."
        )


UNREAD: Final = BodyLimit(0)
USUAL: Final = BodyLimit(ACTION_LIMIT)
MANIFEST: Final = BodyLimit(MANIFEST_LIMIT)
DELIVERY: Final = BodyLimit(MAX_DELIVERY_BYTES)


class BodyLimits:
    """Decides with the help of the database who may send a large body."""

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads

    async def limit_of(self, scope: Scope) -> BodyLimit:
        path: str = scope["path"]
        if path.startswith(BLOBS):
            return _upload_limit(scope, path.removeprefix(BLOBS))
        if path.startswith(CI):
            # Without a credential the response is the same for any body.
            return MANIFEST if "authorization" in Headers(scope=scope) else UNREAD
        if path.startswith(DELIVERIES):
            account_id = path.removeprefix(DELIVERIES)
            headers = dict(Headers(scope=scope))
            genuine = await self._threads.run(CLIENT, partial(may_be_genuine, account_id, headers))
            return DELIVERY if genuine else UNREAD
        return USUAL


def _upload_limit(scope: Scope, key: str) -> BodyLimit:
    if scope["method"] != "PUT":
        return UNREAD
    query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    try:
        check_link(key, query, "PUT")
    except LinkInvalidError:
        return UNREAD
    _, organization_id, *_ = key.split("/")
    return BodyLimit(MAX_UPLOAD_BYTES, organization_id)
