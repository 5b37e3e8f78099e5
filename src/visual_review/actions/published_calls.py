"""Calls of published actions by programs: dispatches, and explains impossible ids."""

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
    """Dispatch the call. Raises the errors of ``dispatch``, with an explanation of a wrong id."""
    try:
        return dispatch(action, caller, payload)
    except NotFoundError as error:
        raise explain_wrong_id(payload, error) from error
