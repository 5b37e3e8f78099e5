"""Compiled queries return what Django's own queries return."""

from typing import Any, NamedTuple

import pytest
from django.db import DatabaseError
from django.db.models import QuerySet

from tests.support.personas import Personas
from visual_review.accounts.models import Membership
from visual_review.kernel.compiled_queries import CompiledQuery, Parameter


class Row(NamedTuple):
    user_id: str
    role: str
    organization__name: str


def memberships(organization_id: str) -> QuerySet[Membership, tuple[Any, ...]]:
    rows = Membership.objects.filter(organization_id=organization_id).order_by("user_id")
    return rows.values_list(*Row._fields)


COMPILED = CompiledQuery(Row, lambda: memberships(Parameter("organization")))


def test_a_compiled_query_returns_the_rows_of_the_values_of_each_call(personas: Personas) -> None:
    for persona in (personas.alice, personas.mallory, personas.alice):
        expected = [Row(*columns) for columns in memberships(persona.organization.id)]
        assert COMPILED.fetch(organization=persona.organization.id) == expected
        assert COMPILED.first(organization=persona.organization.id) == expected[0]
    assert COMPILED.fetch(organization="org_unknown") == []
    assert COMPILED.first(organization="org_unknown") is None


def test_a_limit_leaves_out_the_rows_after_it(personas: Personas) -> None:
    organization = personas.alice.organization.id
    everyone = COMPILED.fetch(organization=organization)
    assert len(everyone) > 2
    for limit in (1, 2, 1000):
        assert COMPILED.fetch_first(limit, organization=organization) == everyone[:limit]


def test_a_value_that_is_missing_is_an_error(personas: Personas) -> None:  # noqa: ARG001 - The database.
    with pytest.raises(KeyError, match="organization"):
        COMPILED.fetch()


@pytest.mark.django_db
def test_errors_of_the_database_are_those_of_django() -> None:
    with pytest.raises(DatabaseError):
        COMPILED.fetch(organization="a NUL character: \0")
