"""Images over MCP as resources."""

import io
from base64 import b64decode

import pytest
from PIL import Image

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.images import noise
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint, ProtocolVersion
from tests.support.personas import Personas
from tests.support.worlds import World, build_with_a_change
from visual_review.builds.models import Build, Screenshot

LONGEST = 1568
HEAVIEST = 740_000
# The largest response accepted by clients.
MOST_BYTES = 1_000_000


@pytest.fixture
def build(personas: Personas) -> Build:
    """One changed story, one new, one unchanged."""
    _, build = build_with_a_change(personas.alice)
    return build


def shot_of(build: Build, story: str) -> Screenshot:
    return Screenshot.objects.get(build=build, story_id=story)


def uri(shot: Screenshot, side: str = "composite") -> str:
    return f"visual-review://screenshots/{shot.id}/{side}"


def test_the_template_leads_to_every_image_of_a_changed_screenshot(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            key = user_key(personas.carol)
            templates = endpoint.result(key, "resources/templates/list", version=version)[
                "resourceTemplates"
            ]
            shot = shot_of(build, "a")

            for side in ("before", "after", "diff", "composite"):
                resource = templates[0]["uriTemplate"].replace("{screenshotId}", shot.id)
                resource = resource.replace("{side}", side)
                (found,) = endpoint.result(key, "resources/read", {"uri": resource}, version)[
                    "contents"
                ]
                data = b64decode(found["blob"])
                picture = Image.open(io.BytesIO(data))
                assert found["uri"] == resource
                assert found["mimeType"] == Image.MIME[str(picture.format)]
                assert max(picture.size) <= LONGEST
                assert len(data) <= HEAVIEST


def test_a_response_with_the_largest_image_is_small_enough_for_clients(
    endpoint: Endpoint, personas: Personas
) -> None:
    shot = World(personas.alice).pair(noise(1000, 1600, 1), noise(1000, 1600, 2))
    key = user_key(personas.carol)
    for side in ("composite", "after"):
        response = endpoint.ask(key, "resources/read", {"uri": uri(shot, side)})
        assert "result" in response.json()
        assert MOST_BYTES / 2 < len(response.content) <= MOST_BYTES


def test_a_build_links_to_the_images_of_undecided_screenshots(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    key = user_key(personas.bob)
    response = endpoint.call(key, "get_build", {"buildId": build.id})
    links = [part for part in response["content"] if part["type"] == "resource_link"]
    assert [link["uri"] for link in links] == [
        uri(shot_of(build, "a")),
        uri(shot_of(build, "c")),
    ]
    contents = endpoint.result(key, "resources/read", {"uri": links[0]["uri"]})["contents"]
    assert contents[0]["blob"]


def test_a_review_links_to_the_image_of_the_screenshot(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    shot = shot_of(build, "a")
    arguments = {"screenshotId": shot.id, "state": "rejected"}
    response = endpoint.call(user_key(personas.bob), "review_screenshot", arguments)
    (link,) = [part for part in response["content"] if part["type"] == "resource_link"]
    assert link["uri"] == uri(shot)


NOT_FOUND_CODES: tuple[tuple[ProtocolVersion, int], ...] = (
    ("2025-11-25", -32002),
    ("2026-07-28", -32602),
)


def test_a_missing_resource_has_the_error_code_of_the_protocol_version(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    for version, code in NOT_FOUND_CODES:
        with case(version):
            key = user_key(personas.carol)
            foreign = user_key(personas.mallory)
            shot = shot_of(build, "c")
            asked = [
                (key, uri(shot, "before")),
                (key, uri(shot, "sideways")),
                (key, "file:///etc/passwd"),
                (key, "visual-review://screenshots/shot_unknown/composite"),
                (foreign, uri(shot)),
            ]
            for credential, resource in asked:
                response = endpoint.ask(
                    credential, "resources/read", {"uri": resource}, version
                ).json()
                assert response["error"]["code"] == code, resource
                assert response["error"]["data"] == {"uri": resource}
            arguments = {
                endpoint.ask(credential, "resources/read", {"uri": resource}, version).json()[
                    "error"
                ]["message"]
                for credential, resource in asked[3:]
            }
            assert len(arguments) == 1


def test_without_the_permission_there_is_neither_template_nor_image(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    key = organization_key(personas.alice, ("repos:view",))
    shot = shot_of(build, "a")
    assert endpoint.result(key, "resources/templates/list")["resourceTemplates"] == []
    refused = endpoint.ask(key, "resources/read", {"uri": uri(shot)}).json()["error"]
    assert "builds:view" in refused["message"]
