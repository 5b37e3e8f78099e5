"""What this server offers for reading and installing: the documentation, and the client."""

from mimetypes import guess_type

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from visual_review.kernel.errors import NotFoundError
from visual_review.web.ci_setup import create_install_snippet
from visual_review.web.client_wheel import DISTRIBUTION, WHEEL_NAME, client_wheel, wheel_name
from visual_review.web.documentation import site_file
from visual_review.web.node_package import PACKAGE_NAME, node_package
from visual_review.web.requests import public_page
from visual_review.web.security import allow_origins

MINUTE = 60
# Names of files do not change with an upgrade, so a browser may show old files for this long.
CACHE_CONTROL = "public, max-age=600"


@require_safe
@public_page
def client(request: HttpRequest) -> HttpResponse:
    context = {"name": wheel_name(), "snippet": create_install_snippet(settings.PUBLIC_URL)}
    return render(request, "web/client.html", context)


@require_safe
@public_page
def simple_index(request: HttpRequest) -> HttpResponse:
    """Render the page of a package index, for a mirror or a lock file."""
    wheel = client_wheel()
    return render(request, "web/client_simple.html", {"wheel": wheel, "package": DISTRIBUTION})


@require_safe
@public_page
def client_file(_request: HttpRequest, name: str) -> HttpResponse:
    """Send the wheel, or the npm package; the name of another version leads to the current one.

    CI must not fail because the server was upgraded, and CI's client must fit the server.
    """
    if PACKAGE_NAME.fullmatch(name):
        return _send_package(name)
    if not WHEEL_NAME.fullmatch(name):
        raise NotFoundError("There is no such file. The page /client/ has the current one.")
    if name != wheel_name():
        return redirect("client_file", wheel_name())
    wheel = client_wheel()
    headers = {
        "Content-Disposition": f'attachment; filename="{wheel.name}"',
        "Cache-Control": f"public, max-age={MINUTE}",
        "ETag": f'"{wheel.sha256}"',
    }
    return HttpResponse(wheel.content, content_type="application/zip", headers=headers)


def _send_package(name: str) -> HttpResponse:
    package = node_package()
    if name != package.name:
        return redirect("client_file", package.name)
    headers = {
        "Content-Disposition": f'attachment; filename="{package.name}"',
        "Cache-Control": f"public, max-age={MINUTE}",
    }
    return HttpResponse(package.content, content_type="application/gzip", headers=headers)


@require_safe
@public_page
def page(request: HttpRequest, path: str = "") -> HttpResponse:  # noqa: ARG001 - Every view gets it.
    file = site_file(path)
    response = HttpResponse(file.read_bytes(), content_type=guess_type(file.name, strict=False)[0])
    response["Cache-Control"] = CACHE_CONTROL
    # The style sheet of the site contains its icons.
    return allow_origins(response, images=["data:"])
