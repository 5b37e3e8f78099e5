"""The one web process: Starlette at the root, Django's pages and doors in threads beside it."""

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
from visual_review.config.http.health import look
from visual_review.config.http.limits import BodyLimits
from visual_review.config.http.security_headers import SecurityHeaders, content_policy

THREADS_VARIABLE = "VISUAL_REVIEW_WEB_THREADS"
# Each thread keeps a database connection, and PostgreSQL allows 100 in all by default.
THREADS = 24


async def healthz(_request: Request) -> Response:
    """The process is alive; says nothing about what it depends on."""
    return JSONResponse({"status": "alive"})


async def readyz(_request: Request) -> Response:
    """200 when everything needed works, else 503; names each part and what is wrong with it."""
    found = await run_in_threadpool(look)
    body = {
        "status": "ready" if found.ready else "not ready",
        "database": found.database,
        "storage": found.storage,
        "worker": found.worker,
    }
    return JSONResponse(body, 200 if found.ready else 503, {"cache-control": "no-store"})


def make_application() -> Starlette:
    threads = int(os.environ.get(THREADS_VARIABLE, THREADS))
    # Both speak the standards; their annotations name them differently.
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
            # A route of its own: a mount would answer the address without a slash by a redirect.
            Route("/api/mcp", mcp),
            Mount("/", django),
        ],
        middleware=[
            Middleware(SecurityHeaders, policy=content_policy(settings.IMAGE_ORIGINS)),
            Middleware(BodyLimits),
        ],
    )
