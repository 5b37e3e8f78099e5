"""Who decided, and with which program, in a few words."""

from django.urls import reverse

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.deciders import ApprovalOrigin, name_person

_THROUGH = {"api_key": "API key", "mcp": "MCP client"}


def name_decider(name: str, source: str, client: str) -> str:
    """Return the name, with the credential or program of the decision."""
    through = _THROUGH.get(source, "")
    if client and source != "api_key":
        # A client may call itself anything, also like a person.
        through = f"a client that calls itself {client}"
    shown = name_person(name)
    return show_bidi_controls(f"{shown} ({through})" if through else shown)


def origin_url(origin: ApprovalOrigin) -> str:
    """Return the URL of the screenshot whose approval was carried over."""
    return f"{reverse('build', args=[origin.build_id])}#{origin.screenshot_id}"
