"""Who decided, in words; pure."""

from visual_review.actions.build_results import DeciderResult
from visual_review.api.mcp.quoting import PERSON, quoted
from visual_review.builds.states import CARRIED_OVER


def decided_by(decision: str, decided: DeciderResult | None) -> str:
    """``approved by "Alice" through "Claude Code"``; names are quoted like all texts of others."""
    if decided is None:
        return decision
    means = _means(decided)
    if decided.source == CARRIED_OVER:
        # The decision is the service's own, on the word of who approved the same pair before.
        who = f", first approved by {quoted(decided.name, PERSON)}{means}" if decided.name else ""
        return f"{decision} as carried over from an earlier build{who}"
    return f"{decision} by {quoted(decided.name, PERSON)}{means}"


def _means(decided: DeciderResult) -> str:
    if decided.source == "api_key":
        return " with an API key"
    if decided.client:
        return f" through {quoted(decided.client, PERSON)}"
    return " through an MCP client" if decided.source == "mcp" else ""
