"""Django for programs: without sessions, forms and pages, and without the middleware for them.

The server adds the security headers to every response.
"""

from collections.abc import Callable
from typing import Any, Final

from django.core.handlers.exception import convert_exception_to_response
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from starlette.types import ASGIApp, Receive, Scope, Send

from visual_review.api.paths import API_ROOT
from visual_review.kernel.blobs import LINK_PATH

MCP_PATH: Final = "/api/mcp"
# Keys in the environment of a WSGI request: the server's own state, and in it the route.
STATE: Final = "visual_review.state"
ROUTE: Final = "route"
PREFIXES: Final = (f"{API_ROOT}/", f"{LINK_PATH}/", "/shared-pictures/")

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def is_machine_call(path: str) -> bool:
    """Whether programs call this URL, with a credential of their own or a signed link."""
    return path.startswith(PREFIXES) or path == API_ROOT


class MachineCalls:
    """ASGI middleware: calls of programs go to Django or MCP past the routes of all the others."""

    def __init__(self, app: ASGIApp, django: ASGIApp, mcp: ASGIApp) -> None:
        self.app = app
        self.django = django
        self.mcp = mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            app = self.app
        elif scope["path"] == MCP_PATH:
            app = self.mcp
        else:
            app = self.django if is_machine_call(scope["path"]) else self.app
        await app(scope, receive, send)


class MachineHandler(WSGIHandler):
    """Django's handler with ``machine_middleware`` in place of the settings' middleware."""

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's.
        _ = is_async
        # As set by Django's own method; none of our middleware has these hooks.
        self._view_middleware: list[object] = []
        self._template_response_middleware: list[object] = []
        self._exception_middleware: list[object] = []
        # The part of Django between middleware and view has no public name.
        respond: GetResponse = self._get_response  # type: ignore[attr-defined]
        view: Any = convert_exception_to_response(respond)
        self._middleware_chain = convert_exception_to_response(
            record_route(machine_middleware(view))
        )


def record_route(get_response: GetResponse) -> GetResponse:
    """Django middleware: pass the template of the URL to the server, for counting by templates."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.resolver_match is not None:
            request.META.setdefault(STATE, {})[ROUTE] = request.resolver_match.route
        return response

    return middleware


def machine_middleware(get_response: GetResponse) -> GetResponse:
    """Refuse requests for another host, and give every complete response a length."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        # Raises DisallowedHost, which becomes 400: links are made with the host's name.
        request.get_host()
        response = get_response(request)
        if isinstance(response, HttpResponse) and "Content-Length" not in response.headers:
            response.headers["Content-Length"] = str(len(response.content))
        return response

    return middleware
