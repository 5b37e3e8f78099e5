"""A bare Django view next to the service's URLs."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from benchmarks.calls.bare_builds import MissingError, RefusedError, list_builds
from benchmarks.calls.bare_paths import DJANGO_PATH


@csrf_exempt
@require_POST
def list_builds_view(request: HttpRequest) -> HttpResponse:
    try:
        return JsonResponse(list_builds(request.headers.get("Authorization", ""), request.body))
    except RefusedError:
        return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    except MissingError:
        return HttpResponse(status=HTTPStatus.NOT_FOUND)


urlpatterns = [
    path(DJANGO_PATH.removeprefix("/"), list_builds_view),
    path("", include("visual_review.config.urls")),
]
