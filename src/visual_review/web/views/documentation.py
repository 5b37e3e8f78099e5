"""The documentation, as it is for this version."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from visual_review.web.documentation import (
    IMAGE_TYPES,
    PARTS,
    image_file,
    page_paths,
    read_page,
)
from visual_review.web.requests import public_page


@require_safe
@public_page
def index(request: HttpRequest) -> HttpResponse:
    parts = [
        (part, [(path, read_page(path).title) for path in page_paths() if path.startswith(part)])
        for part in PARTS
    ]
    return render(request, "web/documentation.html", {"parts": parts})


@require_safe
@public_page
def page(request: HttpRequest, path: str) -> HttpResponse:
    if path.endswith(".md"):
        return render(request, "web/documentation_page.html", {"page": read_page(path)})
    file = image_file(path)
    return HttpResponse(file.read_bytes(), content_type=IMAGE_TYPES[file.suffix])
