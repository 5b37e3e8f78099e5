"""``/static/``: the files of the pages, served from memory, without a thread of Django."""

from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from visual_review.web.static_files import StaticFile, StaticFiles

PATH: Final = "/static"
# The bytes of a URL with a digest never change.
VERSIONED: Final = "public, max-age=31536000, immutable"
# Names without one do not change with an upgrade.
PLAIN: Final = "max-age=60, public"
METHODS: Final = frozenset({"GET", "HEAD"})


class PageFiles:
    """An ASGI application for the URLs below ``PATH``."""

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        file, versioned = self._files.find(scope["path"].removeprefix(f"{PATH}/"))
        if request.method not in METHODS:
            response: Response = PlainTextResponse(
                "Method Not Allowed", 405, {"allow": "GET, HEAD"}
            )
        elif file is None:
            response = PlainTextResponse("There is no file at this URL.", 404)
        else:
            response = _respond(request, file, VERSIONED if versioned else PLAIN)
        await response(scope, receive, send)


def _respond(request: Request, file: StaticFile, cache_control: str) -> Response:
    headers = {"cache-control": cache_control, "etag": file.etag, "vary": "Accept-Encoding"}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = file.content
    if file.compressed is not None and _accepts_gzip(request):
        body = file.compressed
        headers["content-encoding"] = "gzip"
    headers |= {"content-length": str(len(body)), "content-type": file.content_type}
    return Response(b"" if request.method == "HEAD" else body, headers=headers)


def _accepts_gzip(request: Request) -> bool:
    for each in request.headers.get("accept-encoding", "").split(","):
        name, _, weight = each.replace(" ", "").lower().partition(";")
        if name == "gzip":
            return weight not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
