"""Who decided, as text; pure."""

from visual_review.actions.build_results import DeciderResult, DeciderWithOriginResult
from visual_review.api.mcp.quoting import PERSON, quote_text
from visual_review.builds.states import CARRIED_OVER


def describe_decision(decision: str, decided: DeciderResult | None) -> str:
    """Return ``approved by "Alice" through "Claude Code"``; names are quoted as texts of others."""
    if decided is None:
        return decision
    means = _means(decided)
    if decided.source == CARRIED_OVER:
        # The service made the decision, because of who approved the same pair before.
        who = (
            f", first approved by {quote_text(decided.name, PERSON)}{means}" if decided.name else ""
        )
        return f"{decision} as carried over from {_origin(decided)}{who}"
    return f"{decision} by {quote_text(decided.name, PERSON)}{means}"


def _origin(decided: DeciderResult) -> str:
    # Lists have none.
    if not isinstance(decided, DeciderWithOriginResult):
        return "an earlier build"
    origin = decided.carried_over_from
    if origin is None:
        return "an earlier build"
    build = f"build #{origin.build_number}"
    return f"{build} of pull request #{origin.pull_request}" if origin.pull_request else build


def _means(decided: DeciderResult) -> str:
    if decided.source == "api_key":
        return " with an API key"
    if decided.client:
        return f" through {quote_text(decided.client, PERSON)}"
    return " through an MCP client" if decided.source == "mcp" else ""
