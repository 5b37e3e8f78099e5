"""Call actions as a persona, and check the entries in the audit log."""

from typing import Any

import pytest

from tests.support.personas import Persona
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import InvalidInputError, VisualReviewError


def act(persona: Persona, name: str, /, **payload: object) -> Any:  # noqa: ANN401 - Results differ.
    return dispatch(any_action(name), persona.caller, payload)


def error_of(
    kind: type[VisualReviewError], persona: Persona, name: str, **payload: object
) -> VisualReviewError:
    """Return the error of a call that must fail without writing an audit entry."""
    before = AuditEntry.objects.count()
    with pytest.raises(kind) as caught:
        act(persona, name, **payload)
    assert AuditEntry.objects.count() == before
    return caught.value


def invalid_fields(persona: Persona, name: str, **payload: object) -> list[str]:
    """Return JSON pointers to the invalid parts of the input."""
    error = error_of(InvalidInputError, persona, name, **payload)
    assert isinstance(error, InvalidInputError)
    return [pointer for pointer, _ in error.problems]


def only_entry(verb: str) -> AuditEntry:
    """Return the only entry of the log; the entry must have the given verb."""
    entry = AuditEntry.objects.get()
    assert entry.verb == verb
    return entry
