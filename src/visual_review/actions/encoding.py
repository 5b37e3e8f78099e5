"""Results of actions as JSON, the same for every interface."""

from visual_review.actions.schema import ActionResult


def encode_result(result: ActionResult) -> bytes:
    """Return the JSON of a result, in UTF-8."""
    return b"".join(result.to_json_parts())
