"""Security headers of pages, and of pages with a secret."""

from collections.abc import Callable, Iterable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

View = Callable[..., HttpResponse]


def default_policy() -> str:
    """Return the Content-Security-Policy: only our own files, nothing inline, no framing."""
    # Composites, sheets and videos are loaded from the storage through signed URLs; the settings
    # have the storage's origin.
    sources = " ".join(["'self'", *settings.IMAGE_ORIGINS])
    return _policy(sources, sources)


def allow_origins(
    response: HttpResponse, *, images: Iterable[str] = (), forms: Iterable[str] = ()
) -> HttpResponse:
    """Let one page load images from other origins, or its forms lead there."""
    response.headers["Content-Security-Policy"] = _policy(
        " ".join(["'self'", *images]), "'none'", " ".join(["'self'", *forms])
    )
    return response


def _policy(images: str, videos: str, forms: str = "'self'") -> str:
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src {images}",
            f"media-src {videos}",
            "font-src 'self'",
            "connect-src 'self'",
            f"form-action {forms}",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )


def content_security_policy(get_response: View) -> View:
    """Middleware: the default policy for every response without a policy of its own."""
    policy = default_policy()

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Images served from the data folder have a stricter policy.
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


def own_images_only(view: View) -> View:
    """Allow images of this service alone, and images made by the page's scripts."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = _policy("'self' blob:", "'none'")
        return response

    return wrapped


def keep_opener(view: View) -> View:
    """Keep the opener, for pages opened by a browser app in a pop-up window.

    Otherwise the window would lose the opener, also for the app's own page afterwards.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return wrapped


def secret_page(view: View) -> View:
    """Protect pages whose URL or content is a credential: no caching, no referrer, no indexing."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        # Not 'no-referrer': browsers then send 'Origin: null' and the CSRF check rejects forms.
        response.headers["Referrer-Policy"] = "strict-origin"
        response.headers["X-Robots-Tag"] = "noindex"
        return response

    return never_cache(wrapped)
