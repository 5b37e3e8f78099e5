"""Injected instructions are published for real, and no text of the server repeats one unquoted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from scripts.demo_server import DemoServer

from tests.support.case import Case
from tests.support.ci.job import CiJob
from tests.support.depth import DEEP
from tests.support.injections import (
    QUOTED_IN_ERRORS,
    find_unquoted,
    load_publisher,
    texts_of,
)

VERSION: Final = "2025-11-25"
SECONDS: Final = 60


@dataclass(frozen=True)
class PlainCalls:
    """Calls with one API key."""

    url: str
    key: str

    def list_tools(self) -> list[str]:
        return [tool["name"] for tool in self._ask("tools/list", {})["tools"]]

    def read(self, tool: str, **arguments: object) -> str:
        """Return the whole text of the result for a model, errors included."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        response = httpx.post(
            f"{self.url}/api/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={
                "Authorization": f"Bearer {self.key}",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": VERSION,
            },
            timeout=SECONDS,
        )
        assert response.is_success, response.text
        document = response.json()
        assert "result" in document, document
        found: dict[str, Any] = document["result"]
        return found


# Of the builds, which differ in branch and commit message.
ORDINARY_BUILDS = 2


def publish_injections(job: CiJob, folder: Path, publisher: dict[str, Any]) -> None:
    """Publish like the example's script, but in this process, and approve the first build."""
    for side in ("before", "after"):
        images = folder / side
        images.mkdir()
        publisher["write_folder"](images, side)
        runs = list(publisher["list_runs"](side))
        for branch, message in runs if DEEP else runs[:ORDINARY_BUILDS]:
            options = ("--images-only", "--name-pattern", "visual-review", "--message", message)
            done = job.publish(images, "--branch", branch, *options)
            assert done.returncode == 1, done.stderr
        if side == "before":
            job.approve_newest()


def reject_with_comments(calls: PlainCalls, build: dict[str, Any]) -> None:
    """Reject the stories made for comments, with the injected comments."""
    shots = {shot["storyId"]: shot["id"] for shot in build["screenshots"]}
    for number, comment in enumerate(texts_of("comment"), 1):
        shot = shots[f"card--comment-{number:02}"]
        calls.read("review_screenshot", screenshotId=shot, state="rejected", comment=comment)


def calls_of(job: CiJob, build: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return calls whose results say something of the build, and wrong ones whose errors do."""
    story = texts_of("story")[0]
    of_build = {"buildId": build["id"]}
    of_shot = {"repoId": job.repository, "theme": "light", "device": "desktop"}
    decision = {"state": "rejected", "comment": texts_of("comment")[1], "stories": [story]}
    review = {**of_build, "requestId": "1", "decisions": [decision], "confirmed": ["override"]}
    return [
        ("list_repos", {}),
        ("list_builds", {"repoId": job.repository}),
        ("find_builds", {"branch": build["branch"]}),
        ("get_build", of_build),
        ("list_changes", of_build),
        ("list_changes", {**of_build, "story": story, "withIds": True}),
        ("get_images", {**of_build, "stories": texts_of("story")}),
        ("review_changes", review),
        (
            "comment",
            {"screenshotId": build["screenshots"][0]["id"], "text": texts_of("comment")[0]},
        ),
        ("request_review", {**of_build, "reviewers": [texts_of("comment")[0][:300]]}),
        ("get_decisions", of_build),
        ("get_history", {**of_shot, "storyId": story}),
        ("approve_story_screenshots", {**of_build, "storyId": story}),
        ("reject_build", of_build),
        ("get_build", of_build),
    ]


def failing_calls(build: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return calls with errors that name the arguments."""
    story, of_build = texts_of("story")[0], {"buildId": build["id"]}
    decisions = [{"state": "approved", "groups": [story]}]
    return [
        ("review_changes", {**of_build, "requestId": "2", "decisions": decisions}),
        ("get_build", {"buildId": story}),
        ("list_changes", {**of_build, "group": story}),
        ("get_images", {**of_build, "stories": [texts_of("image")[0]]}),
    ]


def test_no_text_of_the_server_repeats_an_injected_instruction_unquoted(
    job: CiJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    publish_injections(job, tmp_path, load_publisher(monkeypatch))
    calls = PlainCalls(job.server.url, job.server.key)
    quoted: set[str] = set()
    for listed in job.builds()[:-1]:
        build = job.server.act("get_build", buildId=listed["id"])["build"]
        reject_with_comments(calls, build)
        for tool, arguments in calls_of(job, build):
            with case(f"{tool} {arguments}"):
                text = calls.read(tool, **arguments)
                assert find_unquoted(text) == []
                quoted |= {tool} if find_unquoted(text.replace('"', "")) else set()
        for tool, arguments in failing_calls(build):
            with case(f"{tool} {arguments}"):
                text = calls.read(tool, **arguments)
                assert find_unquoted(text, QUOTED_IN_ERRORS) == []
    # Texts never shown cannot be quoted wrongly: these actions do show names, messages or comments.
    assert {"get_build", "list_changes", "get_images", "get_decisions", "find_builds"} <= quoted


def test_every_review_tool_of_the_list_is_called_here(job: CiJob, server: DemoServer) -> None:
    build = {"id": "", "branch": "", "screenshots": [{"id": ""}]}
    called = {tool for tool, _ in calls_of(job, build)} | {"review_screenshot"}
    listed = set(PlainCalls(server.url, server.key).list_tools())
    # Actions without any text of others, and actions that decide like reject_build.
    others = {
        *("list_host_repos", "connect_repo", "rotate_repo_token", "remove_repo"),
        *("set_repo_capture", "set_org_capture", "set_dynamic_regions"),
        *("approve_build", "approve_all_screenshots", "enable_recordings"),
        *("disable_recordings", "list_recordings", "get_recording", "delete_recording"),
    }
    assert listed - others == called
