"""Rate limits of forms, by IP address or person; the settings contain the limits."""

from collections.abc import Callable, Container
from copy import copy
from functools import wraps

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse

from visual_review.web.errors import too_many_requests

View = Callable[..., HttpResponse]


def rate_limited(
    action: str, methods: Container[str] = frozenset({"POST"})
) -> Callable[[View], View]:
    """Respond to requests beyond the limit of ``action`` with the page for too many attempts."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if request.method in methods and not _consume(request, action):
                return too_many_requests(request)
            return view(request, *args, **kwargs)

        return wrapped

    return decorate


def _consume(request: HttpRequest, action: str) -> bool:
    # allauth does not count GET requests.
    counted = copy(request)
    counted.method = "POST"
    allowed: bool = ratelimit.consume(counted, action=action)
    return allowed
