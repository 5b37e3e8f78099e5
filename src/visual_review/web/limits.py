"""How often a form may be sent, by address or person; what each limit is stands in the settings."""

from collections.abc import Callable
from functools import wraps

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse

from visual_review.web.errors import too_many

View = Callable[..., HttpResponse]


def limited(action: str) -> Callable[[View], View]:
    """Answer the POSTs beyond the limit of ``action`` with the page for too many attempts."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if request.method == "POST" and not ratelimit.consume(request, action=action):
                return too_many(request)
            return view(request, *args, **kwargs)

        return wrapped

    return decorate
