"""Problem documents (RFC 9457) of the parts that stand before Django."""

import json

from starlette.responses import Response


def problem(status: int, title: str, detail: str) -> Response:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Response(json.dumps(body), status, media_type="application/problem+json")
