"""The service's web process with a bare Django view and a bare Starlette route in addition."""

import gc
import socket
from http import HTTPStatus

import uvicorn
from django.conf import settings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from benchmarks.calls.bare_builds import MissingError, RefusedError, list_builds
from benchmarks.calls.bare_paths import STARLETTE_PATH
from visual_review.config.http.asgi import make_application
from visual_review.config.http.connections import ConnectionGuard
from visual_review.config.http.listener import limit_unsent_bytes
from visual_review.config.http.serve import server_configuration
from visual_review.kernel.database_threads import DatabaseThreads

THREADS = 24
MOST_CONNECTIONS = 256


def make_bare_application() -> Starlette:
    """Return the service's application, with the route in front of its own."""
    threads = DatabaseThreads(THREADS, "bare")

    async def respond(request: Request) -> Response:
        authorization = request.headers.get("authorization", "")
        try:
            found = await threads.run(list_builds, authorization, await request.body())
        except RefusedError:
            return Response(status_code=HTTPStatus.UNAUTHORIZED)
        except MissingError:
            return Response(status_code=HTTPStatus.NOT_FOUND)
        return JSONResponse(found)

    application = make_application()
    application.router.routes.insert(0, Route(STARLETTE_PATH, respond, methods=["POST"]))
    return application


def serve(listener: socket.socket) -> None:
    """Serve as the service's own ``serve`` does."""
    limit_unsent_bytes(listener)
    guard = ConnectionGuard(settings.TRUSTED_PROXIES, MOST_CONNECTIONS)
    gc.freeze()
    uvicorn.Server(server_configuration(make_bare_application(), guard)).run(sockets=[listener])
