"""The documentation of this version."""

from mimetypes import guess_type

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from visual_review.web.documentation import site_file
from visual_review.web.requests import public_page
from visual_review.web.security import allow_origins

# Names of files do not change with an upgrade, so a browser may show old files for this long.
CACHE_CONTROL = "public, max-age=600"


@require_safe
@public_page
def page(request: HttpRequest, path: str = "") -> HttpResponse:  # noqa: ARG001 - Every view gets it.
    file = site_file(path)
    response = HttpResponse(file.read_bytes(), content_type=guess_type(file.name, strict=False)[0])
    response["Cache-Control"] = CACHE_CONTROL
    # The style sheet of the site contains its icons.
    return allow_origins(response, images=["data:"])
