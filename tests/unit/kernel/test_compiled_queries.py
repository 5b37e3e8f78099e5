"""Compiled queries return what Django's own queries return."""

from typing import Any, NamedTuple

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
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


def end_connection() -> None:
    """What a restart of PostgreSQL does to the connection of this thread."""
    other = connection.copy()
    with other.cursor() as cursor:
        pid = connection.connection.info.backend_pid
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
    other.close()


@pytest.mark.django_db(transaction=True)
def test_a_query_whose_connection_was_ended_runs_in_a_new_one(personas: Personas) -> None:
    organization = personas.alice.organization.id
    expected = COMPILED.fetch(organization=organization)
    end_connection()
    assert COMPILED.fetch(organization=organization) == expected


@pytest.mark.django_db(transaction=True)
def test_a_transaction_whose_connection_was_ended_fails(personas: Personas) -> None:
    def read_twice() -> None:
        with transaction.atomic():
            COMPILED.fetch(organization=personas.alice.organization.id)
            end_connection()
            COMPILED.fetch(organization=personas.alice.organization.id)

    with pytest.raises(OperationalError):
        read_twice()


@pytest.mark.django_db(transaction=True)
def test_a_server_that_cannot_be_reached_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    with monkeypatch.context() as patched:
        patched.setitem(connection.settings_dict, "PORT", "1")
        with pytest.raises(OperationalError):
            COMPILED.fetch(organization="org")
