"""The server's HTML of the review page, and regions set on the page."""

import json
import re

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, build_with_a_change, build_with_each_state
from visual_review.accounts.models import Membership
from visual_review.builds.models import Build
from visual_review.repositories.models import DynamicRegions, HostAccount


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_each_state(personas.bob)


def test_the_shell_has_no_screenshot_and_the_urls_of_its_json(
    personas: Personas, reviewer: Client, in_review: BuildInReview
) -> None:
    _, build = in_review
    page = text_of(reviewer, f"/builds/{build.id}")
    assert '"shot_' not in page
    base = f"/builds/{build.id}"
    data = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', page.partition('id="review"')[2]))
    expected = {
        "build-id": build.id,
        "index-url": f"{base}/review.json",
        "details-url": f"{base}/screenshots.json",
        "changes-url": f"{base}/changes.json",
        "log-url": f"{base}/log.json",
        "sign-in-url": f"/sign-in?next={base}",
        "may-review": "true",
        "reviewer-id": personas.bob.user.id,
    }
    assert {name: data[name] for name in expected} == expected
    assert len(data["csrf"]) == 64
    viewer = text_of(signed_in(personas.carol), base)
    assert 'data-may-review="false"' in viewer


def test_the_shell_needs_few_queries(reviewer: Client, in_review: BuildInReview) -> None:
    _, build = in_review
    with CaptureQueriesContext(connection) as queries:
        text_of(reviewer, f"/builds/{build.id}")
    assert len(queries) <= 8
    assert not any("builds_screenshot" in query["sql"] for query in queries)


def test_facts_link_to_the_git_provider(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    Build.objects.update(commit="c0ffee" * 6 + "cafe", pull_request=7, branch="fix/ü#1")
    page = text_of(reviewer, f"/builds/{build.id}")
    assert ">c0ffeec0ff</code>" in page
    assert "#7" in page
    assert "github.example" not in page
    account = HostAccount.objects.create(
        organization=world.repository.organization,
        kind="github",
        address="https://github.example/",
        credentials="x",
    )
    world.repository.host_account = account
    world.repository.save()
    base = "https://github.example/acme/web"
    page = text_of(reviewer, f"/builds/{build.id}")
    assert f'href="{base}/tree/fix/%C3%BC%231"' in page
    assert f'href="{base}/commit/{"c0ffee" * 6}cafe"' in page
    assert f'href="{base}/pull/7">#7</a>' in page


REGION = {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.4}
TARGET = {"storyId": "a", "theme": "light", "device": "desktop"}


def post(client: Client, build: Build, value: object) -> HttpResponse:
    body = value if isinstance(value, str) else json.dumps(value)
    return client.post(f"/builds/{build.pk}/regions", body, content_type="application/json")


@pytest.fixture
def build(personas: Personas) -> Build:
    return build_with_a_change(personas.bob)[1]


def test_regions_are_set_with_the_name_of_the_person(personas: Personas, build: Build) -> None:
    response = post(signed_in(personas.bob), build, TARGET | {"regions": [REGION]})
    assert response.json()["comparedAgain"] == 1
    stored = DynamicRegions.objects.get(product=build.product)
    assert (stored.regions, stored.updated_by) == ([REGION], personas.bob.user.name)


def test_a_viewer_and_others_set_none(personas: Personas, build: Build) -> None:
    value = TARGET | {"regions": [REGION]}
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    assert post(signed_in(personas.bob), build, value).status_code == 403
    assert post(signed_in(personas.mallory), build, value).status_code == 404
    assert not DynamicRegions.objects.exists()


def test_what_is_no_region_is_refused_in_words(personas: Personas, build: Build) -> None:
    client = signed_in(personas.bob)
    many = [REGION | {"x": number / 1000} for number in range(400)]
    for value, words in (
        ("no json", "not valid JSON"),
        (TARGET | {"regions": [REGION | {"x": 2}]}, "regions"),
        (TARGET | {"regions": many}, "200"),
    ):
        response = post(client, build, value)
        assert response.status_code == 400
        assert words in response.json()["error"]
    assert not DynamicRegions.objects.exists()
