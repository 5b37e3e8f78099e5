"""``/.well-known/security.txt`` (RFC 9116): the contact for vulnerabilities of the service."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from visual_review.kernel.clock import now, rfc3339

# The RFC asks for less than a year; the contact belongs to the running service.
VALID_FOR: Final = timedelta(days=180)
NOT_SET: Final = "The operator of this service has set no contact for vulnerabilities."


@require_safe
def security_txt(_request: HttpRequest) -> HttpResponse:
    contact = settings.SECURITY_CONTACT
    if not contact:
        raise Http404(NOT_SET)
    lines = [
        f"Contact: {contact}",
        f"Expires: {rfc3339(now() + VALID_FOR)}",
        f"Canonical: {settings.PUBLIC_URL}/.well-known/security.txt",
        "Preferred-Languages: en",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
