"""The web process: Starlette at the root, with MCP; Django serves the rest in threads."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from visual_review.api.mcp.endpoint import McpEndpoint
from visual_review.config.http.client_address import ClientAddress
from visual_review.config.http.health import check_readiness
from visual_review.config.http.limits import BodyLimits
from visual_review.config.http.security_headers import SecurityHeaders
from visual_review.web.security import default_policy

THREADS_VARIABLE = "VISUAL_REVIEW_WEB_THREADS"
# Each thread keeps a database connection, and PostgreSQL's default limit is 100.
THREADS = 24


async def healthz(_request: Request) -> Response:
    """Report that the process is alive, without checking its dependencies."""
    return JSONResponse({"status": "alive"})


async def readyz(_request: Request) -> Response:
    """Return 200 if all dependencies work, otherwise 503, with the state of each one."""
    readiness = await run_in_threadpool(check_readiness)
    body = {
        "status": "ready" if readiness.ready else "not ready",
        "database": readiness.database,
        "storage": readiness.storage,
        "worker": readiness.worker,
    }
    return JSONResponse(body, 200 if readiness.ready else 503, {"cache-control": "no-store"})


def make_application() -> Starlette:
    threads = int(os.environ.get(THREADS_VARIABLE, THREADS))
    # Both follow the standards; only their annotations differ.
    django = cast("ASGIApp", WSGIMiddleware(cast("Any", get_wsgi_application()), workers=threads))
    mcp = McpEndpoint(settings.PUBLIC_URL)

    @asynccontextmanager
    async def running(_application: Starlette) -> AsyncIterator[None]:
        async with mcp.run():
            yield

    return Starlette(
        lifespan=running,
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            # Not a mount, which would redirect the URL without a trailing slash.
            Route("/api/mcp", mcp),
            Mount("/", django),
        ],
        middleware=[
            # First, since the access log and every limit need the client's address.
            Middleware(ClientAddress, trusted=settings.TRUSTED_PROXIES),
            Middleware(SecurityHeaders, policy=default_policy()),
            Middleware(BodyLimits),
        ],
    )
