"""The web process: Starlette at the root, with MCP; Django serves the rest in threads."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from visual_review.accounts.client_address import Network, client_address, is_private, is_trusted
from visual_review.api.mcp.endpoint import McpEndpoint
from visual_review.builds.cursors import read_cursors
from visual_review.config.cookies import is_https
from visual_review.config.http.bodies import BodyLimits, RequestBodies, Spool
from visual_review.config.http.django_bridge import DjangoBridge
from visual_review.config.http.event_hub import EventHub, most_streams
from visual_review.config.http.event_streams import PATH as EVENTS_PATH
from visual_review.config.http.event_streams import EventStreams
from visual_review.config.http.health import Readiness
from visual_review.config.http.machine_calls import MachineCalls, MachineHandler
from visual_review.config.http.page_files import PATH as STATIC_PATH
from visual_review.config.http.page_files import PageFiles
from visual_review.config.http.security_headers import SecurityHeaders
from visual_review.config.http.threads import RequestThreads
from visual_review.web.security import default_policy
from visual_review.web.static_files import static_files

FORWARDED_FOR = b"x-forwarded-for"
FORWARDED_PROTO = b"x-forwarded-proto"
# 'Forwarded' (RFC 7239) is not read: a proxy writing the headers above passes on 'Forwarded' as the
# client sent it.
SCHEMES = frozenset({"http", "https"})
logger = logging.getLogger(__name__)
THREADS_VARIABLE = "VISUAL_REVIEW_WEB_THREADS"
# More than connections to the database: many requests wait for the storage, or for a Git provider.
THREADS = 24


class ClientAddress:
    """Middleware: sets ``scope["client"]`` and ``scope["scheme"]`` from trusted proxies."""

    def __init__(self, app: ASGIApp, trusted: Sequence[Network]) -> None:
        self.app = app
        self.trusted = trusted
        self.warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client and is_trusted(client[0], self.trusted):
            scope = {**scope, **_describe_client(scope, client, self.trusted)}
        elif client and not self.warned and is_private(client[0]):
            self._warn(scope, client[0])
        await self.app(scope, receive, send)

    def _warn(self, scope: Scope, peer: str) -> None:
        """Warn the operator once of a proxy missing from the list."""
        if _values(scope, FORWARDED_FOR):
            self.warned = True
            logger.warning(
                "X-Forwarded-For from %s was ignored: all people behind it count as one client. "
                "If it is your reverse proxy, add it to VISUAL_REVIEW_TRUSTED_PROXIES.",
                peer,
            )


def _describe_client(
    scope: Scope, client: tuple[str, int], trusted: Sequence[Network]
) -> dict[str, object]:
    peer, port = client
    address = client_address(peer, _values(scope, FORWARDED_FOR), trusted)
    schemes = _values(scope, FORWARDED_PROTO)
    scheme = schemes[-1].strip() if schemes else ""
    return {
        # A forwarded client's port is not known.
        "client": (address, port if address == peer else 0),
        "scheme": scheme if scheme in SCHEMES else scope.get("scheme", "http"),
    }


def _values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == wanted]


async def healthz(_request: Request) -> Response:
    """Report a live process, without checking dependencies."""
    return JSONResponse({"status": "alive"})


def make_application() -> Starlette:
    spool = Spool(settings.WORK_FOLDER)
    threads = RequestThreads(int(os.environ.get(THREADS_VARIABLE, THREADS)))
    limits = BodyLimits(threads)
    mcp = McpEndpoint(settings.PUBLIC_URL, threads)
    django = DjangoBridge(get_wsgi_application(), MachineHandler(), threads, spool)
    readiness = Readiness(threads)
    hub = EventHub(read_cursors, threads, most_streams())

    @asynccontextmanager
    async def running(_application: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            hub.stop()
            await asyncio.to_thread(threads.close)

    application = Starlette(
        lifespan=running,
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readiness.respond),
            Route("/startupz", readiness.respond_started),
            Mount(STATIC_PATH, PageFiles(static_files())),
            Route(EVENTS_PATH, EventStreams(django, hub)),
            Mount("/", django),
        ],
        middleware=[
            # First, since the access log and every limit need the client's address.
            Middleware(ClientAddress, trusted=settings.TRUSTED_PROXIES),
            Middleware(
                SecurityHeaders,
                policy=default_policy(),
                https_only=is_https(settings.PUBLIC_URL),
            ),
            Middleware(RequestBodies, limits=limits, spool=spool),
            # Last: Starlette's own work for routes would take longer than all middleware above.
            Middleware(MachineCalls, django=django, mcp=mcp),
        ],
    )
    application.state.events = hub
    return application
