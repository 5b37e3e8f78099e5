"""What an action is: one entry of the registry, from which every interface is built."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change

InputT = TypeVar("InputT", bound=ActionInput)
ResultT = TypeVar("ResultT", bound=ActionResult)
ResponseT = TypeVar("ResponseT")
# Parts of the interface that a connection can be limited to.
Toolset = Literal["review", "manage", "recordings"]


@dataclass(frozen=True)
class Outcome(Generic[ResultT]):
    """What a run returns: the result, and the changes that go to the audit log."""

    result: ResultT
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Hints:
    """Properties of an action that MCP clients see before they call it."""

    # Defaults fit most actions: they may be repeated, lose nothing and reach only this service.
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True)
class AfterNetwork(Generic[InputT, ResponseT, ResultT]):
    """A run that needs a network call first, which is made outside any transaction.

    The response may be outdated when ``run`` starts, so ``run`` checks again what it relies on.
    """

    call: Callable[[Caller, InputT], ResponseT]
    run: Callable[[Caller, InputT, ResponseT], Outcome[ResultT]]

    def prepare(self, caller: Caller, values: InputT) -> Callable[[], Outcome[ResultT]]:
        response = self.call(caller, values)
        return lambda: self.run(caller, values, response)


@dataclass(frozen=True)
class Action(Generic[InputT, ResultT]):
    """One operation: who may call it, its input and result, and what it writes to the audit log.

    ``run`` is called in one transaction with the caller and the validated input; an AfterNetwork
    makes a network call before it. ``verbs`` are the audit verbs it may write; an action without
    verbs changes nothing. ``secret_result`` marks results that contain a credential, which must
    not be logged or cached. The documented example of the input has what is required and the
    properties ``optional_in_example``; that of the result is composed from its properties, with
    ``result_in_example`` in place of what this action returns otherwise. ``toolsets`` are those it
    belongs to, if not those of its permission. One that ``frees_space`` runs also while the disk is
    full.
    """

    name: str
    title: str
    permission: str
    description: str
    input: type[InputT]
    result: type[ResultT]
    run: Callable[[Caller, InputT], Outcome[ResultT]] | AfterNetwork[InputT, Any, ResultT]
    verbs: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    secret_result: bool = False
    optional_in_example: tuple[str, ...] = ()
    result_in_example: Mapping[str, Any] = field(default_factory=dict, hash=False)
    toolsets: tuple[Toolset, ...] = ()
    frees_space: bool = False

    @property
    def read_only(self) -> bool:
        return not self.verbs

    @property
    def calls_network(self) -> bool:
        return isinstance(self.run, AfterNetwork)

    @property
    def open_world(self) -> bool:
        return self.hints.open_world or self.calls_network

    def prepare(self, caller: Caller, values: InputT) -> Callable[[], Outcome[ResultT]]:
        """Make the network call, if any, and return the run for the transaction."""
        run = self.run
        if isinstance(run, AfterNetwork):
            return run.prepare(caller, values)
        return lambda: run(caller, values)
