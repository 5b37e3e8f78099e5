"""The indexes of the tables that grow with each build: none makes another useless."""

import re

import pytest
from django.db import connection

from tests.support.case import Case
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build

# With a row or more for each screenshot or build.
GROWING = (
    *("builds_screenshot", "builds_build", "builds_changegroup", "builds_image"),
    *("builds_comparison", "builds_baselineentry", "builds_reviewentry"),
)
DEFINITION = re.compile(r"USING btree \((?P<columns>[^)]*)\)(?P<where>.*)")


def indexes_of(table: str) -> dict[str, list[str]]:
    """Return the columns of each index that covers the whole table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes "
            "WHERE schemaname = current_schema() AND tablename = %s",
            [table],
        )
        found = {name: DEFINITION.search(definition) for name, definition in cursor.fetchall()}
    return {
        name: match["columns"].removesuffix(" DESC").split(", ")
        for name, match in found.items()
        if match and not match["where"]
    }


@pytest.mark.django_db
@pytest.mark.parametrize("table", GROWING)
def test_no_index_is_the_beginning_of_another(table: str) -> None:
    indexes = indexes_of(table)
    assert indexes
    useless = [
        (name, other)
        for name, columns in indexes.items()
        for other, others in indexes.items()
        if name != other and others[: len(columns)] == columns
    ]
    assert useless == []


@pytest.mark.django_db
@pytest.mark.parametrize("table", ["builds_screenshot", "builds_build", "builds_changegroup"])
def test_no_id_is_indexed_for_its_beginning(table: str) -> None:
    assert ["id varchar_pattern_ops"] not in indexes_of(table).values()


BUILDS = 3000
CONDITIONS = (
    {"commit__startswith": f"{1000:08x}"},
    {"commit": f"{1000:08x}" * 5},
    {"branch": "feature-1000"},
)


@pytest.fixture
def world(personas: Personas) -> World:
    """A repository with so many builds that reading all of them costs more than an index."""
    made = World(personas.alice)
    first = made.publish({"a": "red"})
    values = {**Build.objects.filter(pk=first.pk).values()[0]}
    del values["id"]
    Build.objects.bulk_create(
        Build(
            **values
            | {"number": number, "nonce": f"run {number}", "commit": f"{number:08x}" * 5}
            | {"branch": f"feature-{number}"}
        )
        for number in range(100, BUILDS)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE builds_build")
    return made


def test_builds_are_found_by_an_index(world: World, case: Case) -> None:
    for condition in CONDITIONS:
        with case(str(condition)):
            rows = Build.objects.filter(repository__in=[world.repository.id], **condition)
            plan = rows.order_by("-number").explain()
            assert re.search(r"Index Cond: .*\((commit|branch)\)", plan), plan
