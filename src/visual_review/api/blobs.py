"""``/blobs/<key>``: signed URLs of the files in the storage folder.

S3 storage signs URLs of its own, and its files are not served here.
"""

import io
import logging
import re
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Final

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    UnreadablePostError,
)
from django.http.response import HttpResponseBase

from visual_review.api.byte_ranges import ByteRange, RangeNotSatisfiableError, parse_range
from visual_review.api.errors import api_endpoint, problem_response
from visual_review.builds.publishing.uploads import parse_incoming_key
from visual_review.builds.publishing.verification import LARGEST_IMAGE, receive_image
from visual_review.kernel.blobs import CONTENT_POLICY, LinkInvalidError, blob_store, check_link
from visual_review.kernel.errors import (
    InvalidInputError,
    NotFoundError,
    TooLargeError,
    VisualReviewError,
)
from visual_review.recordings.blob_keys import parse_incoming_key as parse_recording_key
from visual_review.recordings.uploads import receive_upload

logger = logging.getLogger(__name__)

CHUNK_BYTES: Final = 256 * 1024
TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".webm": "video/webm",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".zip": "application/zip",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".log": "text/plain; charset=utf-8",
}
UNKNOWN_TYPE: Final = "application/octet-stream"
# Signed keys are ours; still, no part may lead out of the folder.
_PART: Final = "[A-Za-z0-9_-][A-Za-z0-9._-]*"
_KEY: Final = re.compile(f"{_PART}(/{_PART})+")


@api_endpoint("GET", "HEAD", "PUT")
def serve_blob(request: HttpRequest, key: str) -> HttpResponseBase:
    try:
        check_link(key, request.GET, "PUT" if request.method == "PUT" else "GET")
    except LinkInvalidError as error:
        return problem_response(HTTPStatus.FORBIDDEN, str(error))
    if request.method == "PUT":
        return _store_upload(request, key)
    return _serve_file(request, key)


def _store_upload(request: HttpRequest, key: str) -> HttpResponse:
    size = _content_length(request)
    if size is None:
        return problem_response(
            HTTPStatus.LENGTH_REQUIRED, "Send the whole file with a Content-Length header."
        )
    image, recorded = parse_incoming_key(key), parse_recording_key(key)
    try:
        if image is not None:
            receive_image(image, _body(request, size), blob_store())
        elif recorded is not None:
            receive_upload(recorded, size, _read_chunks(request), blob_store())
        else:
            return problem_response(HTTPStatus.FORBIDDEN, "Nothing can be stored at this URL.")
    except VisualReviewError as error:
        # The reason goes only to the client, and the client's log may be gone later.
        logger.warning("the upload of %s was refused: %s", key, error)
        raise
    return HttpResponse(status=HTTPStatus.CREATED)


def _content_length(request: HttpRequest) -> int | None:
    text = request.META.get("CONTENT_LENGTH") or ""
    return int(text) if text.isascii() and text.isdigit() else None


def _body(request: HttpRequest, size: int) -> bytes:
    # Reject by Content-Length, before any of the body is in memory.
    if size > LARGEST_IMAGE:
        raise TooLargeError(
            f"The image has {size} bytes; at most {LARGEST_IMAGE} are accepted. Nothing was stored."
        )
    data = b"".join(_read_chunks(request))
    if len(data) != size:
        raise InvalidInputError(
            f"The body ended after {len(data)} of {size} bytes. Nothing was stored; send it again."
        )
    return data


def _read_chunks(request: HttpRequest) -> Iterator[bytes]:
    try:
        while chunk := request.read(CHUNK_BYTES):
            yield chunk
    except UnreadablePostError as error:
        # The code for storing the chunks would mistake the error for a disk failure.
        raise InvalidInputError(
            "The body ended before its Content-Length was reached; send it again."
        ) from error


def _serve_file(request: HttpRequest, key: str) -> HttpResponseBase:
    path = _stored(key)
    size = path.stat().st_size
    try:
        span = _span(request, path)
    except RangeNotSatisfiableError:
        response: HttpResponseBase = problem_response(
            HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, f"The file has {size} bytes."
        )
        response["Content-Range"] = f"bytes */{size}"
        return response
    response = _whole(path) if span is None else _part(path, span, size)
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = _etag(path)
    # The link was checked: its expiry exists and is in the future.
    left = max(0, int(request.GET["expires"]) - int(time.time()))
    response["Cache-Control"] = f"private, max-age={left}, immutable"
    response["Content-Security-Policy"] = CONTENT_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _span(request: HttpRequest, path: Path) -> ByteRange | None:
    header = request.headers.get("Range", "")
    # A part of another version would not match the client's parts; dates are not supported here.
    other = request.headers.get("If-Range", _etag(path)) != _etag(path)
    if request.method != "GET" or not header or other:
        return None
    return parse_range(header, path.stat().st_size)


def _etag(path: Path) -> str:
    # The bytes of a key never change, so the tag changes only with the restore of a backup.
    found = path.stat()
    return f'"{found.st_size:x}-{found.st_mtime_ns:x}"'


def _whole(path: Path) -> FileResponse:
    return FileResponse(path.open("rb"), content_type=_type(path), filename=path.name)


def _part(path: Path, span: ByteRange, size: int) -> FileResponse:
    part = FilePart(path, span)
    response = FileResponse(part, content_type=_type(path), status=HTTPStatus.PARTIAL_CONTENT)
    response["Content-Length"] = str(span.length)
    response["Content-Range"] = f"bytes {span.first}-{span.last}/{size}"
    return response


class FilePart(io.FileIO):
    """A file ending with the range."""

    def __init__(self, path: Path, span: ByteRange) -> None:
        super().__init__(path)
        self.seek(span.first)
        self._end = span.last + 1

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._end - self.tell()
        return super().read(left if size is None or size < 0 else min(size, left)) or b""


def _type(path: Path) -> str:
    return TYPES.get(path.suffix, UNKNOWN_TYPE)


def _stored(key: str) -> Path:
    folder = blob_store().folder
    if folder is not None and _KEY.fullmatch(key):
        path = folder / key
        if path.is_file():
            return path
    raise NotFoundError("Nothing is stored at this URL anymore.")
