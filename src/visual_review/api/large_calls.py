"""How a thread reports to the server that a call must be made again, when it is its turn."""

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse

# In the WSGI environment of a request that the server can make again.
REPEATABLE: Final = "visual_review.repeatable"
# In a response that is not for the client.
LARGE_HEADER: Final = "X-Visual-Review-Large"


def is_repeatable(request: HttpRequest) -> bool:
    return REPEATABLE in request.META


def large_call_response() -> HttpResponse:
    """Return what the server replaces by the response of the call when it is its turn."""
    # Not an error, which Django would log.
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={LARGE_HEADER: "1"})
