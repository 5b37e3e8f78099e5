"""Serves the small images in comments at Git providers, by signed URL."""

from typing import Final

from django.http import HttpRequest, HttpResponse

from visual_review.api.errors import api_endpoint
from visual_review.builds.images.public_links import read_shared_image
from visual_review.kernel.blobs import CONTENT_POLICY

# Git providers cache fetched images; not for long, so a setting takes effect.
CACHE_SECONDS: Final = 3600


@api_endpoint("GET", "HEAD")
def serve_shared_image(_request: HttpRequest, token: str) -> HttpResponse:
    found = read_shared_image(token)
    response = HttpResponse(found.data, content_type=found.media_type)
    response["Cache-Control"] = f"private, max-age={CACHE_SECONDS}"
    response["Content-Security-Policy"] = CONTENT_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    return response
