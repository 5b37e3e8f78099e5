"""Hostile names and messages neither command the CI system nor mark up the job summary."""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.case import Case
from tests.support.ci.hostile_output import (
    HOSTILE_MARKUP,
    HOSTILE_TEXTS,
    find_commands,
    list_elements,
    run_main,
)
from tests.support.ci.job import CommandResult, paint, storybook
from tests.support.ci.reports import attachment, playwright, result, spec, touch
from tests.support.servers.scripted import ScriptedResponse, serving
from visual_review.client.transport.connection import INTERFACE
from visual_review.variants import DEVICES

THROWN: Final = '"thrown on purpose"'
COMMIT: Final = "1f7c1b2c0f3d4e5a6b7c8d9e0f1a2b3c4d5e6f70"
PLAN: Final[dict[str, Any]] = {
    "themes": ["light"],
    "devices": ["desktop"],
    "stories": {},
    "renderers": {},
    "imageLimits": {"side": 10_000, "pixels": 10_000_000},
    "interface": {"version": INTERFACE, "oldestClient": INTERFACE},
    "viewports": {device: size._asdict() for device, size in DEVICES.items()},
}


SUMMARY_ELEMENTS: Final = [
    *("h3", "p", "table", "tr", "th", "th", "th"),
    *("tr", "td", "td", "code", "td", "code"),
    *("tr", "td", "td", "code", "br", "code", "td", "code"),
    *("tr", "td", "td", "code", "td", "code"),
    *("p", "ul", "li", "code"),
    *("p", "p", "ul", "li", "code"),
    *("p", "a"),
]


def environment(**more: str) -> dict[str, str]:
    """The environment of no particular CI system, with our own variables and ``more``."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "UI_REVIEW_TOKEN": "vr_ci_token", **more}


def progress(text: str) -> dict[str, Any]:
    item = {"storyId": "button", "title": text, "theme": "light", "device": text}
    return {
        "id": "build_1",
        "number": 1,
        "status": "completed",
        "failure": text,
        "reviewState": "unreviewed",
        "counts": {"changed": 1, "failed": 1, "new": 9},
        "shards": {"total": 1, "finished": 1},
        "toReview": [
            {**item, "diffState": "changed", "diffRatio": 0.5, "summary": text},
            {**item, "diffState": "failed", "message": f"{text}\n{text}"},
            {**item, "diffState": text},
        ],
        "groupCount": 2,
        "groups": [{"name": f"{text}\n\n{text}", "screenshotCount": 2, "remainderCount": 1}],
        "url": f"https://reviews.example.com/{text}",
    }


def publish(folder: Path, text: str, *flags: str, **variables: str) -> CommandResult:
    """Publish to a server that says ``text`` wherever possible."""
    bodies: tuple[object, ...] = (
        PLAN,
        {"id": "build_1", "number": 1, "status": "uploading", "url": text},
        {"uploads": []},
        progress(text),
    )
    with serving(*(ScriptedResponse(body=body) for body in bodies)) as server:
        # Names of branches with control characters are refused before anything is captured.
        branch = text.strip() if text.isprintable() else "main"
        arguments = ["publish", str(folder), "--commit", COMMIT, f"--branch={branch}"]
        return run_main(
            [*arguments, *flags], environment(VISUAL_REVIEW_URL=server.url, **variables)
        )


@pytest.fixture
def images(tmp_path: Path) -> Path:
    paint(tmp_path / "images", "button--primary--light-desktop", 10)
    return tmp_path / "images"


def test_publishing_prints_no_command(images: Path, tmp_path: Path, case: Case) -> None:
    for number, text in enumerate(HOSTILE_TEXTS + HOSTILE_MARKUP):
        summary = tmp_path / f"summary-{number}.md"
        with case(repr(text)):
            done = publish(images, text, GITHUB_STEP_SUMMARY=str(summary), FORCE_COLOR="1")
            assert find_commands(done.stdout + done.stderr) == []
            assert done.returncode == 1, done.stderr
            assert "review needed" in done.stdout
            assert list_elements(summary.read_text(encoding="utf-8")) == SUMMARY_ELEMENTS


def test_the_json_document_keeps_every_text_and_has_no_command(images: Path, case: Case) -> None:
    for text in HOSTILE_TEXTS:
        with case(repr(text)):
            done = publish(images, text, "--json", FORCE_COLOR="1")
            assert find_commands(done.stdout + done.stderr) == []
            document = json.loads(done.stdout)
            assert document["build"]["toReview"][0]["title"] == text


def test_errors_of_the_server_are_no_commands(images: Path, case: Case) -> None:
    for text in HOSTILE_TEXTS:
        problem = {"title": text, "detail": f"{text}\n{text}", "errors": [{"detail": text}]}
        with case(repr(text)), serving(ScriptedResponse(422, problem)) as server:
            done = run_main(
                ["publish", str(images), "--commit", COMMIT, "--branch", "main"],
                environment(VISUAL_REVIEW_URL=server.url),
            )
            assert done.returncode == 2
            assert find_commands(done.stdout + done.stderr) == []


def test_names_of_files_and_options_are_no_commands(tmp_path: Path, case: Case) -> None:
    for number, text in enumerate(HOSTILE_TEXTS):
        name = text.replace("/", "_").replace("\0", "_")
        before, after = tmp_path / f"a{number}", tmp_path / f"b{number}"
        paint(before, name, 10)
        paint(after, "other", 10)
        touch(after / f"{name}.png", b"no image")
        commands = (
            ["diff", str(before), str(after)],
            ["diff", str(before), str(after), "--json"],
            ["capture", name],
            ["capture", str(before), "--theme", text],
            ["publish", "--shard", text],
            [f"-{text}"],
            [text.replace("-", "_") or "x"],
        )
        for arguments in commands:
            with case((arguments[0], text)):
                done = run_main(arguments, environment())
                assert done.returncode != 0
                assert find_commands(done.stdout + done.stderr) == []


def test_recordings_print_no_command(tmp_path: Path, case: Case) -> None:
    for number, text in enumerate(HOSTILE_TEXTS):
        folder = tmp_path / str(number)
        video = attachment(touch(folder / "video.webm"))
        failed = result(
            status="failed", errors=[{"message": f"{text}\n{text}"}], attachments=[video]
        )
        report = playwright(folder, spec(text, failed, status="unexpected"))
        for flags in ([], ["--json"]):
            with case((text, *flags)):
                arguments = ["recordings", str(folder), "--report", str(report), "--dry-run"]
                done = run_main([*arguments, *flags], environment())
                assert done.returncode == 0
                assert "Recordings: 1 found" in done.stdout or flags
                assert find_commands(done.stdout + done.stderr) == []


def test_the_error_of_a_story_is_indented_and_no_command(tmp_path: Path) -> None:
    folder = storybook(tmp_path / "storybook", "bad--throws")
    preview = folder / "preview.js"
    script = preview.read_text(encoding="utf-8")
    message = json.dumps("first\n" + "\n".join(HOSTILE_TEXTS))
    preview.write_text(script.replace(THROWN, message), encoding="utf-8")
    done = run_main(
        [
            *("capture", str(folder), "--output", str(tmp_path / "out")),
            *("--theme", "light", "--device", "phone", "--workers", "1"),
        ],
        environment(),
    )
    assert done.returncode == 1
    assert "failed: bad--throws" in done.stderr
    assert "\n    : :add-mask::secret\n" in done.stderr
    assert find_commands(done.stdout + done.stderr) == []
