"""What an action is: one entry of the registry, the source of every surface."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change

InputT = TypeVar("InputT", bound=ActionInput)
ResultT = TypeVar("ResultT", bound=ActionResult)


@dataclass(frozen=True)
class Outcome(Generic[ResultT]):
    """What a run returns: the result, and the changes that go to the audit log."""

    result: ResultT
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Hints:
    """What MCP clients are told of an action before they call it."""

    # Defaults fit most actions: they may be repeated, lose nothing and reach only this service.
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True)
class Action(Generic[InputT, ResultT]):
    """One operation: who may call it, what it takes and gives, what it writes to the log.

    ``run`` is called in one transaction with the caller and the validated input. ``verbs`` are
    the audit verbs it may write; an action without verbs changes nothing. ``secret_result``
    marks results that hold a credential, which must not be logged or cached.
    """

    name: str
    title: str
    permission: str
    description: str
    input: type[InputT]
    result: type[ResultT]
    run: Callable[[Caller, InputT], Outcome[ResultT]]
    verbs: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    secret_result: bool = False

    @property
    def read_only(self) -> bool:
        return not self.verbs
