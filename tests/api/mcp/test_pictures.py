"""Pictures over MCP: as resources, and by the tool that shows them to the model."""

import io
from base64 import b64decode

import pytest
from PIL import Image
from pytest_django.fixtures import Settings

from tests.support.api_keys import organization_key, user_key
from tests.support.builds_in_review import build_with_a_change
from tests.support.case import Case
from tests.support.images import PictureWorld, noise
from tests.support.mcp.endpoint import ERAS, Endpoint, Era
from tests.support.personas import Personas
from visual_review.builds.models import Build, Screenshot

LONGEST = 1568
HEAVIEST = 740_000
# What clients take as one answer.
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


def test_the_template_leads_to_every_picture_of_a_changed_screenshot(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    for era in ERAS:
        with case(era):
            key = user_key(personas.carol)
            templates = endpoint.result(key, "resources/templates/list", era=era)[
                "resourceTemplates"
            ]
            shot = shot_of(build, "a")

            for side in ("before", "after", "diff", "composite"):
                address = templates[0]["uriTemplate"].replace("{screenshotId}", shot.id)
                address = address.replace("{side}", side)
                (found,) = endpoint.result(key, "resources/read", {"uri": address}, era)["contents"]
                data = b64decode(found["blob"])
                picture = Image.open(io.BytesIO(data))
                assert found["uri"] == address
                assert found["mimeType"] == Image.MIME[str(picture.format)]
                assert max(picture.size) <= LONGEST
                assert len(data) <= HEAVIEST


def test_the_tool_shows_the_composite_and_no_structured_content(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    for era in ERAS:
        with case(era):
            shot = shot_of(build, "a")
            answer = endpoint.call(
                user_key(personas.carol), "get_screenshot_images", {"screenshotId": shot.id}, era
            )
            text, image = answer["content"]
            assert "structuredContent" not in answer
            assert shot.id in text["text"]
            assert f"/builds/{build.id}" in text["text"]
            assert Image.open(io.BytesIO(b64decode(image["data"]))).width > 3
            assert image["type"] == "image"


def test_an_answer_with_the_heaviest_picture_is_one_that_clients_take(
    endpoint: Endpoint, personas: Personas
) -> None:
    shot = PictureWorld(personas.alice).pair(noise(1000, 1600, 1), noise(1000, 1600, 2))
    key = user_key(personas.carol)
    tool = {"name": "get_screenshot_images", "arguments": {"screenshotId": shot.id}}

    for method, params in (
        ("tools/call", tool),
        *(("resources/read", {"uri": uri(shot, side)}) for side in ("composite", "after")),
    ):
        answer = endpoint.ask(key, method, params)
        assert "result" in answer.json()
        assert MOST_BYTES / 2 < len(answer.content) <= MOST_BYTES


def test_the_tool_is_listed_after_the_actions_and_a_setting_removes_it(
    endpoint: Endpoint, personas: Personas, build: Build, settings: Settings
) -> None:
    key = user_key(personas.carol)
    names = [tool["name"] for tool in endpoint.result(key, "tools/list")["tools"]]
    assert names[-1] == "get_screenshot_images"

    settings.MCP_IMAGE_TOOL = False

    shorter = [tool["name"] for tool in endpoint.result(key, "tools/list")["tools"]]
    assert shorter == names[:-1]
    params = {"name": names[-1], "arguments": {"screenshotId": shot_of(build, "a").id}}
    assert endpoint.ask(key, "tools/call", params).json()["error"]["code"] == -32602


def test_a_build_links_to_the_pictures_of_what_is_undecided(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    key = user_key(personas.bob)
    answer = endpoint.call(key, "get_build", {"buildId": build.id})
    links = [part for part in answer["content"] if part["type"] == "resource_link"]
    assert [link["uri"] for link in links] == [
        uri(shot_of(build, "a")),
        uri(shot_of(build, "c")),
    ]
    contents = endpoint.result(key, "resources/read", {"uri": links[0]["uri"]})["contents"]
    assert contents[0]["blob"]


def test_a_review_links_to_the_picture_of_the_screenshot(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    shot = shot_of(build, "a")
    arguments = {"screenshotId": shot.id, "state": "rejected"}
    answer = endpoint.call(user_key(personas.bob), "review_screenshot", arguments)
    (link,) = [part for part in answer["content"] if part["type"] == "resource_link"]
    assert link["uri"] == uri(shot)


NOT_FOUND_CODES: tuple[tuple[Era, int], ...] = (("2025-11-25", -32002), ("2026-07-28", -32602))


def test_what_does_not_exist_has_the_code_of_its_era(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    for era, code in NOT_FOUND_CODES:
        with case(era):
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
            for credential, address in asked:
                answer = endpoint.ask(credential, "resources/read", {"uri": address}, era).json()
                assert answer["error"]["code"] == code, address
                assert answer["error"]["data"] == {"uri": address}
            words = {
                endpoint.ask(credential, "resources/read", {"uri": address}, era).json()["error"][
                    "message"
                ]
                for credential, address in asked[3:]
            }
            assert len(words) == 1


def test_without_the_permission_there_is_neither_template_nor_picture(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    key = organization_key(personas.alice, ("repos:view",))
    shot = shot_of(build, "a")
    assert endpoint.result(key, "resources/templates/list")["resourceTemplates"] == []
    refused = endpoint.ask(key, "resources/read", {"uri": uri(shot)}).json()["error"]
    assert "builds:view" in refused["message"]
    answer = endpoint.call(key, "get_screenshot_images", {"screenshotId": shot.id})
    assert answer["isError"]
    assert "builds:view" in answer["content"][0]["text"]
