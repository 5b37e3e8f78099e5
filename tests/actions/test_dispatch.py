"""The actions with a transaction."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.personas import Personas
from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_VIEW
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.dispatch import dispatch
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.audit.models import AuditEntry
from visual_review.repositories.models import Repository

VERB = "repository.renamed"
pytestmark = pytest.mark.django_db(transaction=True)


class Input(ActionInput):
    pass


class Result(ActionResult):
    in_transaction: bool


def action_with(*verbs: str, changes: tuple[Change, ...] = ()) -> Operation[Input, Result]:
    def run(caller: Caller, _values: Input) -> Outcome[Result]:
        inside = connection.in_atomic_block
        if verbs:
            Repository.objects.create(organization_id=caller.organization_id, full_name="a/b")
        return Outcome(Result(in_transaction=inside), changes)

    return Operation(name="rename", permission=REPOS_VIEW, input=Input, run=run, verbs=verbs)


def test_an_action_without_verbs_runs_without_a_transaction(personas: Personas) -> None:
    caller = personas.alice.caller
    with CaptureQueriesContext(connection) as sent:
        assert not dispatch(action_with(), caller, {}).in_transaction
    assert not sent.captured_queries


def test_an_action_with_verbs_runs_in_one_with_its_audit_entry(personas: Personas) -> None:
    change = Change(VERB, Target("repository", "repo"))
    assert dispatch(action_with(VERB, changes=(change,)), personas.alice.caller, {}).in_transaction
    assert AuditEntry.objects.get().verb == VERB


def test_a_verb_that_is_not_declared_undoes_the_whole_call(personas: Personas) -> None:
    change = Change("repository.removed", Target("repository", "repo"))
    for verbs in ((), (VERB,)):
        with pytest.raises(AssertionError, match="does not declare the verb"):
            dispatch(action_with(*verbs, changes=(change,)), personas.alice.caller, {})
    assert not AuditEntry.objects.exists()
    assert not Repository.objects.exists()
