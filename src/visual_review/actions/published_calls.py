"""Calls of published actions by programs: dispatches, and explains ids that cannot exist."""

from collections.abc import Mapping
from typing import Any

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action, InputT, ResultT
from visual_review.actions.dispatch import dispatch
from visual_review.actions.wrong_ids import explain_wrong_id
from visual_review.kernel.errors import NotFoundError


def call_published(
    action: Action[InputT, ResultT], caller: Caller, payload: Mapping[str, Any]
) -> ResultT:
    """Dispatch the call. Raises what ``dispatch`` raises, with more about an id that is wrong."""
    try:
        return dispatch(action, caller, payload)
    except NotFoundError as error:
        raise explain_wrong_id(payload, error) from error
