"""Responses with a stored image, for people who are signed in."""

from typing import Final

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.kernel.blobs import CONTENT_POLICY, blob_store
from visual_review.kernel.errors import NotFoundError

# Only between a view and the web process, which sends the blob with this key instead.
BLOB_HEADER: Final = "X-Stored-Blob"
PNG: Final = "image/png"
# The bytes of a hash never change. Only the person's own browser may keep the image, for a day.
CACHE_CONTROL: Final = "private, max-age=86400, immutable"
IMAGE_GONE: Final = (
    "The file of this image is no longer in the storage. Restore it from a backup, or publish the "
    "build again."
)


def stored_image(request: HttpRequest, key: str) -> HttpResponseBase:
    """Return the PNG with this key; raises NotFoundError for an image lost by the storage."""
    etag = f'"{key.rpartition("/")[2].partition(".")[0]}"'
    if etag in request.headers.get("If-None-Match", ""):
        response: HttpResponseBase = HttpResponse(status=304)
    else:
        response = _response(key)
        response["Content-Security-Policy"] = CONTENT_POLICY
        response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = CACHE_CONTROL
    response["ETag"] = etag
    return response


def _response(key: str) -> HttpResponseBase:
    folder = blob_store().folder
    if folder is None:
        # The storage may be slow, and the threads for pages are few.
        return HttpResponse(content_type=PNG, headers={BLOB_HEADER: key})
    try:
        # The web process sends the file, without a thread while the client reads.
        return FileResponse((folder / key).open("rb"), content_type=PNG)
    except FileNotFoundError as error:
        raise NotFoundError(IMAGE_GONE) from error
