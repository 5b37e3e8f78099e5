"""Every list, page and call reads what it needs: no query reads a large table as a whole."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from benchmarks.growth import analyze, grow
from benchmarks.query_plans import explain_queries
from django.db import connection, transaction

from tests.support.action_arguments import Target
from tests.support.api_keys import user_key
from tests.support.ci.publish_client import Job
from tests.support.database import rolled_back
from tests.support.every_page import one_of_everything, page_urls
from tests.support.host_accounts import host_world
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.actions.registry import callable_actions
from visual_review.api.ci.urls import urlpatterns
from visual_review.builds.models import Baseline, Build
from visual_review.repositories.tokens import mint_token

# Storing a million screenshots takes minutes.
pytestmark = [
    pytest.mark.deep,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(1800),
]
CHANGING = "a"
STORIES = dict.fromkeys([CHANGING, "b", *(f"story-{number:02}" for number in range(23))], "red")
BUILDS = 40_000
LARGE = 20_000
LARGE_TABLES = {
    "builds_screenshot",
    "builds_baselineentry",
    "builds_build",
    "builds_image",
    "builds_comparison",
    "builds_pullrequest",
}
# The other calls of the CI interface only write.
CI_READS = {
    "ci-capture-plan": "capture-plan?branch=new&pullRequest=1000000&baseBranch=main",
    "ci-baseline": "baseline?branch=new&repository=acme/grown",
    "ci-build": "builds/{build_id}",
    "ci-recording": "recordings/{recording_id}",
}
CI_WRITES = {"ci-builds", "ci-screenshots", "ci-finish", "ci-recordings", "ci-recording-finish"}
Calls = Iterator[tuple[str, Callable[[], object]]]


def grown_world(personas: Personas) -> tuple[World, Build]:
    """Return a repository with a million screenshots, and its newest build, which is undecided."""
    world = World(personas.alice, "acme/grown")
    world.approve(world.publish(STORIES))
    world.approve(world.publish(STORIES | {"story-00": "blue"}))
    shots = STORIES | {"story-00": "blue", "story-01": "green"}
    world.approve(world.publish(shots, "feature-1", target="main"))
    grow(world.repository, BUILDS)
    return world, world.publish(STORIES | {CHANGING: "blue"})


def all_calls(personas: Personas) -> Calls:
    """Yield a call of each action for programs, each page, and each read of the CI interface."""
    with transaction.atomic():
        ids = one_of_everything(personas)
        # For connect_repo.
        host_world().add_repository("acme/another")
        world, build = grown_world(personas)
        shot = world.shot(build, CHANGING)
        target = Target(world, build, shot)
    analyze()
    for action in callable_actions():
        yield action.name, partial(world.act, action.name, **target.calls[action.name])
    repository = {"repoId": world.repository.id}
    for filters in (
        {},
        {**repository, "branch": "main"},
        {**repository, "branch": "no-such-branch"},
        {**repository, "commit": build.commit[:8]},
        {"commit": build.commit[:8]},
        {**repository, "pullRequest": 1000},
        {"pullRequest": 1000},
    ):
        name = " ".join(["find_builds by", *filters])
        yield name, partial(world.act, "find_builds", **filters)
    ids |= {
        "repository_id": world.repository.id,
        "build_id": build.id,
        "screenshot_id": shot.id,
        "baseline_id": Baseline.objects.get(product__repository=world.repository, branch="main").id,
        "story_id": CHANGING,
    }
    client = signed_in(personas.alice)
    for name, url in page_urls(ids).items():
        yield f"page {name}", partial(client.get, url)
    assert {pattern.name for pattern in urlpatterns} == CI_WRITES | CI_READS.keys()
    job = Job(mint_token(world.repository), world.repository)
    person = Job(user_key(personas.alice), world.repository)
    for name, path in CI_READS.items():
        caller = person if name == "ci-baseline" else job
        yield name, partial(caller.call, "GET", path.format(**ids))


def large_tables() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > %s", [LARGE]
        )
        return {name for (name,) in cursor.fetchall()}


def test_no_query_reads_a_large_table_as_a_whole(
    personas: Personas, subtests: pytest.Subtests
) -> None:
    large: set[str] = set()
    for name, call in all_calls(personas):
        large = large or large_tables()
        assert large >= LARGE_TABLES
        with subtests.test(name), rolled_back(), explain_queries() as queries:
            call()
            assert queries or name.startswith("page")
            for query in queries:
                assert not query.scanned & large, query.sql
