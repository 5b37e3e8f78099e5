"""What a caller reads about an error, the same over REST and MCP."""

import json
from typing import Any

from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import Endpoint
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.kernel.ids import new_id


def rejected(key: str, action: str, body: dict[str, Any], status: int) -> dict[str, Any]:
    response = call(key, action, body)
    assert response.status_code == status
    document: dict[str, Any] = json.loads(response.content)
    return document


def tool_error(endpoint: Endpoint, key: str, tool: str, arguments: dict[str, Any]) -> str:
    result = endpoint.call(key, tool, arguments)
    assert result["isError"] is True
    assert "structuredContent" not in result
    (block,) = result["content"]
    return str(block["text"])


def test_null_is_named_at_its_place(key: str, endpoint: Endpoint) -> None:
    body = {"repoId": None, "productKey": None}
    document = rejected(key, "list_builds", body, 400)
    assert document["errors"] == [
        {"pointer": "/repoId", "detail": "must not be null; it is required"},
        {"pointer": "/productKey", "detail": "must not be null; omit it instead"},
    ]
    assert "/repoId: must not be null" in document["detail"]
    assert "- /repoId: must not be null; it is required" in tool_error(
        endpoint, key, "list_builds", body
    )


def test_the_detail_counts_what_it_does_not_name(key: str, endpoint: Endpoint) -> None:
    body = dict.fromkeys((f"name{number}" for number in range(30)), 1)
    document = rejected(key, "list_repos", body, 400)
    assert document["detail"].endswith("; and 27 more")
    assert len(document["errors"]) == 30
    text = tool_error(endpoint, key, "list_repos", body)
    assert text.endswith("\n- and 10 more")
    for number in range(20):
        assert text.count(f"/name{number}:") == 1


def test_a_model_reads_each_error_once(case: Case, world: World, endpoint: Endpoint) -> None:
    key = user_key(world.persona)
    repo = world.repository.id
    for tool, arguments, part in (
        ("list_builds", {"repo_id": repo, "repoId": repo}, "did you mean 'repoId'?"),
        ("list_builds", {"repoId": "a\0b"}, "contains a NUL"),
        (
            "set_repo_capture",
            {"repoId": repo, "themes": ["light"], "resetToAuto": True},
            "together",
        ),
        ("connect_repo", {"fullName": "acme"}, "owner/repo"),
        ("get_build", {"buildId": repo}, "is the id of a repository"),
    ):
        with case(f"{tool} {arguments}"):
            assert tool_error(endpoint, key, tool, arguments).count(part) == 1


def test_an_id_of_another_kind_is_explained_as_over_mcp(
    case: Case, world: World, endpoint: Endpoint
) -> None:
    key, build = user_key(world.persona), world.publish({"a": "red"})
    for action, body, wanted, listed_by in (
        ("list_builds", {"repoId": build.id}, "repository", "list_repos"),
        ("get_build", {"buildId": world.repository.id}, "build", "list_builds"),
        ("approve_build", {"buildId": "acme/web"}, "build", "list_builds"),
        ("review_screenshot", {"screenshotId": build.id, "state": "approved"}, "shot", "get_build"),
        ("delete_recording", {"recordingId": build.id}, "recording", "list_recordings"),
    ):
        with case(action):
            document = rejected(key, action, body, 404)
            (error,) = document["errors"]
            assert error["pointer"] == f"/{next(iter(body))}"
            assert wanted in document["detail"]
            assert listed_by in document["detail"]
            assert document["detail"] in tool_error(endpoint, key, action, body)


def test_an_id_of_another_organization_reads_like_an_unknown_one(
    world: World, personas: Personas, endpoint: Endpoint
) -> None:
    build = world.publish({"a": "red"})
    key = user_key(personas.mallory)
    for action, name, theirs in (
        ("get_build", "buildId", build.id),
        ("list_builds", "repoId", world.repository.id),
        ("approve_build", "buildId", build.id),
    ):
        unknown = new_id(theirs.partition("_")[0])
        assert rejected(key, action, {name: theirs}, 404) == rejected(
            key, action, {name: unknown}, 404
        )
        assert tool_error(endpoint, key, action, {name: theirs}) == tool_error(
            endpoint, key, action, {name: unknown}
        )


def test_a_name_that_is_almost_an_action_is_completed(key: str, endpoint: Endpoint) -> None:
    for name in ("List_Repos", "list-repos", "list_repos/", "listRepos", "list_repo"):
        assert "Did you mean 'list_repos'?" in rejected(key, name, {}, 404)["detail"]
    assert "Did you mean" not in rejected(key, "zzz", {}, 404)["detail"]
    # One of them alone would have the caller approve everything.
    assert (
        "Did you mean 'approve_all_screenshots' or 'approve_story_screenshots' or "
        "'review_screenshot'?" in rejected(key, "approve_screenshot", {}, 404)["detail"]
    )
    response = endpoint.ask(key, "tools/call", {"name": "listRepos", "arguments": {}})
    assert response.json()["error"]["message"] == (
        "There is no tool 'listRepos'. Did you mean 'list_repos'?"
    )
