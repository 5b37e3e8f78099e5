"""``/blobs/<key>``: signed addresses of what lies in the storage folder.

S3 storage signs addresses of its own, and none of it passes here.
"""

import re
import time
from http import HTTPStatus
from pathlib import Path
from typing import Final

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.api.errors import LengthRequiredError, machine_door, problem
from visual_review.builds.uploads import incoming_of
from visual_review.builds.verification import LARGEST_IMAGE, receive_image
from visual_review.kernel.blobs import LinkInvalidError, blob_store, check_link
from visual_review.kernel.errors import InvalidInputError, NotFoundError, TooLargeError

PIECE: Final = 256 * 1024
TYPES: Final = {".png": "image/png", ".jpg": "image/jpeg"}
UNKNOWN_TYPE: Final = "application/octet-stream"
# Signed keys are ours; a part may still never lead out of the folder.
_PART: Final = "[A-Za-z0-9_-][A-Za-z0-9._-]*"
_KEY: Final = re.compile(f"{_PART}(/{_PART})+")
# Whatever a browser makes of the bytes, it runs nothing and loads nothing.
CONTENT_POLICY: Final = "sandbox; default-src 'none'"


@machine_door("GET", "HEAD", "PUT")
def blob(request: HttpRequest, key: str) -> HttpResponseBase:
    try:
        check_link(key, request.GET, "PUT" if request.method == "PUT" else "GET")
    except LinkInvalidError as error:
        return problem(HTTPStatus.FORBIDDEN, str(error))
    if request.method == "PUT":
        return _take(request, key)
    return _give(request, key)


def _take(request: HttpRequest, key: str) -> HttpResponse:
    place = incoming_of(key)
    if place is None:
        return problem(HTTPStatus.FORBIDDEN, "Nothing can be stored at this address.")
    receive_image(place, _body(request), blob_store())
    return HttpResponse(status=HTTPStatus.CREATED)


def _body(request: HttpRequest) -> bytes:
    text = request.META.get("CONTENT_LENGTH") or ""
    if not (text.isascii() and text.isdigit()):
        raise LengthRequiredError("Send the image whole, with a Content-Length header.")
    # Refused by the announced length, before any of it is in memory.
    if int(text) > LARGEST_IMAGE:
        raise TooLargeError(
            f"The image has {int(text)} bytes; at most {LARGEST_IMAGE} are taken. Nothing was stored."
        )
    data = bytearray()
    while piece := request.read(PIECE):
        data += piece
    if len(data) != int(text):
        raise InvalidInputError(
            f"The body ended after {len(data)} of {text} bytes. Nothing was stored; send it again."
        )
    return bytes(data)


def _give(request: HttpRequest, key: str) -> FileResponse:
    path = _stored(key)
    response = FileResponse(
        path.open("rb"), content_type=TYPES.get(path.suffix, UNKNOWN_TYPE), filename=path.name
    )
    # The link was checked: it has an end, and that end lies ahead.
    left = max(0, int(request.GET["expires"]) - int(time.time()))
    response["Cache-Control"] = f"private, max-age={left}, immutable"
    response["Content-Security-Policy"] = CONTENT_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _stored(key: str) -> Path:
    folder = blob_store().folder
    if folder is not None and _KEY.fullmatch(key):
        path = folder / key
        if path.is_file():
            return path
    raise NotFoundError("Nothing is stored at this address any more.")
