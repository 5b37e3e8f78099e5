"""How often a form may be sent, by address or person; what each limit is stands in the settings."""

from collections.abc import Callable, Container
from copy import copy
from functools import wraps

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse

from visual_review.web.errors import too_many

View = Callable[..., HttpResponse]


def limited(action: str, methods: Container[str] = frozenset({"POST"})) -> Callable[[View], View]:
    """Answer what is beyond the limit of ``action`` with the page for too many attempts."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if request.method in methods and not _consume(request, action):
                return too_many(request)
            return view(request, *args, **kwargs)

        return wrapped

    return decorate


def _consume(request: HttpRequest, action: str) -> bool:
    # The library counts every method but GET.
    counted = copy(request)
    counted.method = "POST"
    allowed: bool = ratelimit.consume(counted, action=action)
    return allowed
