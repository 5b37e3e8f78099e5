"""Regions that are set on the review page: who may, and what is refused."""

import json

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import build_with_a_change
from visual_review.accounts.models import Membership
from visual_review.builds.models import Build
from visual_review.repositories.models import DynamicRegions

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
