"""Who decided, and through what, in a few words."""

from visual_review.kernel.bidi_controls import show_bidi_controls

_THROUGH = {"api_key": "API key", "mcp": "MCP client"}


def name_decider(name: str, source: str, client: str) -> str:
    """Return the name, with the credential or program that it was decided through."""
    through = _THROUGH["api_key"] if source == "api_key" else client or _THROUGH.get(source, "")
    shown = name or "Visual Review"
    return show_bidi_controls(f"{shown} ({through})" if through else shown)
