"""Results are compressed for callers who accept it, except credentials."""

import json

from django.http import HttpResponse

from tests.support.api_keys import call
from tests.support.case import Case
from tests.support.encodings import read_json
from tests.support.worlds import World
from visual_review.builds.models import Build, Screenshot


def decoded(response: HttpResponse) -> object:
    return read_json(response.headers, response.content)


def add_screenshots(build: Build, count: int) -> None:
    Screenshot.objects.bulk_create(
        Screenshot(build=build, story_id=f"story-{number}", theme="light", device="phone")
        for number in range(count)
    )


def test_a_result_is_compressed_as_the_caller_accepts(case: Case, world: World, key: str) -> None:
    build = world.publish({"a": "red"})
    add_screenshots(build, 10)
    body = {"buildId": build.id}
    plain = call(key, "get_build", body)
    assert plain["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in plain
    for accepted, encoding in (("gzip", "gzip"), ("gzip, zstd", "zstd"), ("zstd;q=0.1", "zstd")):
        with case(accepted):
            response = call(key, "get_build", body, HTTP_ACCEPT_ENCODING=accepted)
            assert response["Content-Encoding"] == encoding
            assert len(response.content) < len(plain.content)
            assert decoded(response) == json.loads(plain.content)


def test_credentials_and_short_results_are_not_compressed(world: World, key: str) -> None:
    body = {"repoId": world.repository.id}
    for action in ("rotate_repo_token", "list_builds"):
        response = call(key, action, body, HTTP_ACCEPT_ENCODING="gzip")
        assert response.status_code == 200
        assert "Content-Encoding" not in response
