"""What an action is: one entry of the registry, the source of every surface."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change

InputT = TypeVar("InputT", bound=ActionInput)
ResultT = TypeVar("ResultT", bound=ActionResult)
AskedT = TypeVar("AskedT")


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
class AfterAsking(Generic[InputT, AskedT, ResultT]):
    """A run that needs an answer of the network first, which is asked outside any transaction.

    What ``ask`` was told may be old when ``run`` begins: it looks again at all it relies on here.
    """

    ask: Callable[[Caller, InputT], AskedT]
    run: Callable[[Caller, InputT, AskedT], Outcome[ResultT]]

    def asked(self, caller: Caller, values: InputT) -> Callable[[], Outcome[ResultT]]:
        answer = self.ask(caller, values)
        return lambda: self.run(caller, values, answer)


@dataclass(frozen=True)
class Action(Generic[InputT, ResultT]):
    """One operation: who may call it, what it takes and gives, what it writes to the log.

    ``run`` is called in one transaction with the caller and the validated input; as AfterAsking,
    it declares that the network is asked before. ``verbs`` are the audit verbs it may write; an
    action without verbs changes nothing. ``secret_result`` marks results that hold a credential,
    which must not be logged or cached.
    """

    name: str
    title: str
    permission: str
    description: str
    input: type[InputT]
    result: type[ResultT]
    run: Callable[[Caller, InputT], Outcome[ResultT]] | AfterAsking[InputT, Any, ResultT]
    verbs: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    secret_result: bool = False

    @property
    def read_only(self) -> bool:
        return not self.verbs

    @property
    def asks_network(self) -> bool:
        return isinstance(self.run, AfterAsking)

    @property
    def open_world(self) -> bool:
        return self.hints.open_world or self.asks_network

    def prepared(self, caller: Caller, values: InputT) -> Callable[[], Outcome[ResultT]]:
        """The run, for the transaction; whatever the network must tell first was asked."""
        run = self.run
        if isinstance(run, AfterAsking):
            return run.asked(caller, values)
        return lambda: run(caller, values)
