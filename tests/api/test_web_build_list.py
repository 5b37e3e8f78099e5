"""The list of builds: filter line and pages."""

import html
import re

import pytest
from django.test import Client

from tests.support.action_calls import act
from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build, PullRequest


@pytest.fixture
def world(personas: Personas) -> World:
    """Four builds: approved, rejected and merged, one to review, and one without changes."""
    world = World(personas.alice)
    first = world.publish({"a": "red"}, message="Begin", author="Ann Lee", commit="a" * 40)
    world.approve(first)
    second = world.publish({"a": "blue"}, "feature/blue", target="main", author="Bo", number=12)
    PullRequest.objects.update(title="Make it blue", state="merged")
    world.act("reject_build", buildId=second.id)
    world.publish({"a": "green"}, "feature/green", message="Make it green", author="Ann Lee")
    world.publish({"a": "red"}, "feature/none")
    return world


@pytest.fixture
def client(personas: Personas) -> Client:
    return signed_in(personas.carol)


LINES = {
    "": {1, 2, 3, 4},
    "state:open": {3},
    "state:approved": {1},
    "state:rejected": {2},
    "state:unchanged": {4},
    "state:failed": set(),
    "branch:feature/green": {3},
    "author:ann": {1, 3},
    "author:ann state:open": {3},
    "pr:12": {2},
    "commit:AAAAAAA": {1},
    "aaaaaaa": {1},
    "make it": {2, 3},
    "#12": {2},
    "#3": {3},
    "product:default begin": {1},
    "nothing": set(),
}


def test_the_line_filters_the_list(case: Case, client: Client, world: World) -> None:
    builds = {build.number: build.id for build in Build.objects.all()}
    for line, found in LINES.items():
        with case(line):
            response = client.get(f"/repositories/{world.repository.id}", {"q": line})
            page = response.content.decode()
            shown = {number for number, pk in builds.items() if f'href="/builds/{pk}"' in page}
            assert shown == found
            assert ("No builds found" in page) == (not found)


def test_the_menus_write_the_line(client: Client, world: World) -> None:
    page = text_of(client, f"/repositories/{world.repository.id}?q=author:Bo+blue")
    urls = [html.unescape(url) for url in re.findall(r'menu__item" href="([^"]+)"', page)]
    assert "?q=author%3ABo+state%3Aopen+blue" in urls
    assert "?q=author%3A%22Ann+Lee%22+blue" in urls
    assert "?q=author%3ABo+branch%3Afeature%2Fgreen+blue" in urls
    assert "?q=blue" in urls


def test_a_filter_that_does_not_exist_is_named(client: Client, world: World) -> None:
    page = text_of(client, f"/repositories/{world.repository.id}?q=colour:red")
    assert "“colour:” is not a filter." in page


def test_a_build_shows_who_made_it_and_how_far_the_review_is(client: Client, world: World) -> None:
    page = text_of(client, f"/repositories/{world.repository.id}")
    assert "by <bdi>Ann Lee</bdi>" in page
    assert "0 of 1 decided" in page
    assert page.index("Make it green") < page.index("Make it blue") < page.index("Begin")


def test_pages_follow_each_other_and_keep_the_line(personas: Personas, client: Client) -> None:
    world = World(personas.alice)
    sample = world.publish({"a": "red"}, message="begin")
    Build.objects.bulk_create(
        Build(
            repository=sample.repository,
            product=sample.product,
            number=number,
            nonce=f"n{number}",
            branch="main",
            commit=sample.commit,
            message="more" if number % 2 else "other",
            baseline_rule=sample.baseline_rule,
            status="completed",
        )
        for number in range(2, 120)
    )
    url, seen = "?q=more", []
    while url:
        page = text_of(client, f"/repositories/{world.repository.id}{url}")
        seen += [int(each) for each in re.findall(r"#([0-9]+),", page)]
        following = re.findall(r'rel="next" href="([^"]+)"', page)
        url = html.unescape(following[0]) if following else ""
    assert seen == list(range(119, 2, -2))
    assert 'href="?q=more">First page' in page


def test_who_is_mentioned_sees_the_build_before_others(personas: Personas, world: World) -> None:
    older, build = (world.publish({"a": color}, color) for color in ("white", "black"))
    shot = world.shot(build, "a")
    act(personas.alice, "comment", screenshotId=shot.id, text="What do you say, @Carol?")
    page = text_of(signed_in(personas.carol), "/")
    assert page.index(f"/builds/{build.id}") < page.index(f"/builds/{older.id}")
    assert page.count("You are mentioned") == 1
    page = text_of(signed_in(personas.bob), "/")
    assert page.index(f"/builds/{build.id}") > page.index(f"/builds/{older.id}")
