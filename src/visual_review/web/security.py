"""What every page forbids the browser, and how pages that hold a secret are kept private."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

View = Callable[..., HttpResponse]


def content_security_policy(get_response: View) -> View:
    """Middleware: only our own files, no inline script or style, nobody may frame a page."""
    # Pictures may come by signed links from the storage, whose origin the settings name.
    pictures = " ".join(["'self'", *getattr(settings, "PICTURE_ORIGINS", [])])
    policy = "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src {pictures}",
            f"media-src {pictures}",
            "font-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Pictures out of the folder carry a stricter policy of their own.
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


def opened_by_apps(view: View) -> View:
    """For pages an app in a browser opens in a window of its own, which then tells it the answer.

    Without it the window would lose its opener here, also for the app's page that comes after.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return wrapped


def secret_page(view: View) -> View:
    """For pages whose address or content is a credential: not cached, address not passed on."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        # Not 'no-referrer': browsers then send 'Origin: null' and the CSRF check refuses forms.
        response.headers["Referrer-Policy"] = "strict-origin"
        response.headers["X-Robots-Tag"] = "noindex"
        return response

    return never_cache(wrapped)
