"""Shows bidirectional control characters on every page, whichever template wrote them."""

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse

from visual_review.builds.bidi_controls import CONTROLS, show_bidi_controls

HTML: Final = "text/html"
# Values sent back by forms and targets of links must stay unchanged. The text of users contains no
# quotation marks here, because templates escape them.
KEPT: Final = re.compile(
    r"(<textarea\b[^>]*>.*?</textarea>|\s(?:value|href|src|action|id|for|name)=\"[^\"]*\")",
    re.DOTALL,
)


def show_bidi_controls_on_pages(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: replaces the characters in the text of HTML, so no template can forget them."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.streaming and response.get("Content-Type", "").startswith(HTML):
            _replace(response)
        return response

    return middleware


def _replace(response: HttpResponse) -> None:
    text = response.content.decode(response.charset)
    if CONTROLS.search(text):
        response.content = show_in_html(text)


def show_in_html(document: str) -> str:
    """Replace controls in the text and the visible attributes of an HTML document."""
    parts = KEPT.split(document)
    # Every second part is an unchanged one.
    return "".join(
        part if index % 2 else show_bidi_controls(part) for index, part in enumerate(parts)
    )
