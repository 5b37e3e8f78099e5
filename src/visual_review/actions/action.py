"""The entries of the registry, from which every interface is built."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change

InputT = TypeVar("InputT", bound=ActionInput)
ResultT = TypeVar("ResultT", bound=ActionResult)
ResponseT = TypeVar("ResponseT")
# Parts of the interface, for limiting a connection.
Toolset = Literal["review", "manage", "recordings"]


@dataclass(frozen=True)
class Outcome(Generic[ResultT]):
    """What a run returns: the result, and the changes that go to the audit log."""

    result: ResultT
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Hints:
    """Properties of an action for MCP clients to see before a call."""

    # Defaults fit most actions: repeatable, losing nothing, and reaching only this service.
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True)
class AfterNetwork(Generic[InputT, ResponseT, ResultT]):
    """A run after a network call, which is made outside any transaction.

    The response may be outdated when ``run`` starts, so ``run`` checks its preconditions again.
    """

    call: Callable[[Caller, InputT], ResponseT]
    run: Callable[[Caller, InputT, ResponseT], Outcome[ResultT]]

    def prepare(self, caller: Caller, values: InputT) -> Callable[[], Outcome[ResultT]]:
        response = self.call(caller, values)
        return lambda: self.run(caller, values, response)


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[InputT, ResultT]):
    """What any interface can call: the permission, the input and the audit entries."""

    name: str
    permission: str
    input: type[InputT]
    # Called in one transaction with the caller and the validated input.
    run: Callable[[Caller, InputT], Outcome[ResultT]] | AfterNetwork[InputT, Any, ResultT]
    # The audit verbs that `run` may write; an operation without verbs changes nothing.
    verbs: tuple[str, ...] = ()
    # Runs even while the disk is full.
    frees_space: bool = False

    @property
    def read_only(self) -> bool:
        return not self.verbs

    def prepare(self, caller: Caller, values: InputT) -> Callable[[], Outcome[ResultT]]:
        """Make the network call, if any, and return the run for the transaction."""
        run = self.run
        if isinstance(run, AfterNetwork):
            return run.prepare(caller, values)
        return lambda: run(caller, values)


@dataclass(frozen=True, kw_only=True)
class Action(Operation[InputT, ResultT]):
    """An operation for programs too, with all that REST, MCP and the reference say of it."""

    title: str
    description: str
    result: type[ResultT]
    hints: Hints = field(default_factory=Hints)
    # The result contains a credential, which must not be logged or cached.
    secret_result: bool = False
    # Properties in the documented example of the input, in addition to the required ones.
    optional_in_example: tuple[str, ...] = ()
    # Replaces examples of properties in the example of the result, where other values are typical.
    result_in_example: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # By default, the toolsets of the permission.
    toolsets: tuple[Toolset, ...] = ()

    @property
    def calls_network(self) -> bool:
        return isinstance(self.run, AfterNetwork)

    @property
    def open_world(self) -> bool:
        return self.hints.open_world or self.calls_network
