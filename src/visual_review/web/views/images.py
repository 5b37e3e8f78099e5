"""The images of a repository, and the thumbnails of a build, for the review page."""

import json
from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from visual_review.builds.images.repository_images import (
    repository_diff_key,
    repository_image_key,
)
from visual_review.builds.images.thumbnails import (
    Thumbnail,
    read_image_thumbnail,
    read_thumbnails,
)
from visual_review.kernel.errors import InvalidInputError
from visual_review.web.json_responses import json_member_required
from visual_review.web.requests import caller_of
from visual_review.web.stored_images import stored_image

# The format of several thumbnails in one response; pure.
#
# Four bytes with the length of a JSON list (big-endian), the list of ``[screenshot id, bytes]``, and
# the WebP files in the list's order. Zero bytes: there is no thumbnail yet, or never.

MEDIA_TYPE: Final = "application/vnd.visual-review.thumbnails"
CACHE_CONTROL: Final = "private, max-age=86400"
MAX_THUMBNAILS = 60


def pack_thumbnails(thumbnails: Sequence[Thumbnail]) -> bytes:
    """Return the body of a response with the thumbnails."""
    sizes = [[each.screenshot_id, len(each.data)] for each in thumbnails]
    head = json.dumps(sizes, separators=(",", ":")).encode()
    return b"".join((len(head).to_bytes(4), head, *(each.data for each in thumbnails)))


@require_safe
@json_member_required
def repository_image(request: HttpRequest, repository_id: str, sha256: str) -> HttpResponseBase:
    organization_id = caller_of(request).organization_id
    return stored_image(request, repository_image_key(organization_id, repository_id, sha256))


@require_safe
@json_member_required
def repository_thumbnail(request: HttpRequest, repository_id: str, sha256: str) -> HttpResponse:
    """Return the thumbnail of an image, or the image itself until the thumbnail is rendered."""
    organization_id = caller_of(request).organization_id
    repository_image_key(organization_id, repository_id, sha256)
    data = read_image_thumbnail(organization_id, sha256)
    if not data:
        return redirect("repository_image", repository_id, sha256)
    response = HttpResponse(data, content_type="image/webp")
    response["Cache-Control"] = CACHE_CONTROL
    return response


@require_safe
@json_member_required
def repository_diff(request: HttpRequest, repository_id: str, key: str) -> HttpResponseBase:
    organization_id = caller_of(request).organization_id
    return stored_image(request, repository_diff_key(organization_id, repository_id, key))


@require_safe
@json_member_required
def thumbnail(request: HttpRequest, build_id: str, screenshot_id: str) -> HttpResponse:
    """Return one thumbnail, or nothing (204) before its rendering."""
    (found,) = read_thumbnails(caller_of(request).organization_id, build_id, [screenshot_id])
    response = HttpResponse(
        found.data, content_type="image/webp", status=200 if found.data else 204
    )
    response["Cache-Control"] = CACHE_CONTROL if found.data else "no-store"
    return response


@require_safe
@json_member_required
def thumbnails(request: HttpRequest, build_id: str) -> HttpResponse:
    """Return the thumbnails of some screenshots in one response."""
    ids = [each for each in request.GET.get("ids", "").split(",") if each]
    if not 1 <= len(ids) <= MAX_THUMBNAILS:
        raise InvalidInputError(
            f"'ids' has {len(ids)} screenshots. Give 1 to {MAX_THUMBNAILS}, separated by commas."
        )
    found = read_thumbnails(caller_of(request).organization_id, build_id, ids)
    response = HttpResponse(pack_thumbnails(found), content_type=MEDIA_TYPE)
    # A thumbnail not rendered yet will be there in a moment.
    complete = all(each.data or not each.expected for each in found)
    response["Cache-Control"] = CACHE_CONTROL if complete else "no-store"
    return response
