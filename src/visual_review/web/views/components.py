"""The page of all components, in both themes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from visual_review.web.requests import sign_in_required


@require_safe
@sign_in_required
def components(request: HttpRequest) -> HttpResponse:
    return render(request, "web/components.html")
