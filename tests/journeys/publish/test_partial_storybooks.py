"""Partial builds of a Storybook: the captured stories, the printed lines, and --explain."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer

from tests.support.ci.job import CiJob, CommandResult, connect_repository
from tests.support.partial_project import make_project
from tests.support.source_project import write
from visual_review.client.capture.chromium import find_chromium


@dataclass(frozen=True)
class PartialJob:
    """A repository whose main has the stories of ``project`` as its baseline."""

    job: CiJob
    project: Path

    @property
    def built(self) -> Path:
        return self.project / "storybook-static"

    def run(self, *flags: str) -> CommandResult:
        return self.job.publish(self.built, *flags, "--project-root", str(self.project))

    def explain(self, story: str, *flags: str) -> str:
        done = self.run(story, "--explain", *flags)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def approved(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> PartialJob:
    folder = tmp_path_factory.mktemp("partial")
    made = PartialJob(connect_repository(server, folder), make_project(folder / "project"))
    repository = made.job.repository
    server.act("set_repo_capture", repoId=repository, themes=["light"], devices=["phone"])
    assert made.run().returncode == 1
    made.job.approve_newest()
    return made


@pytest.fixture
def partial(approved: PartialJob, tmp_path: Path) -> Iterator[PartialJob]:
    """The approved project, for the test to change."""
    shutil.copytree(approved.project, tmp_path / "copy")
    return PartialJob(approved.job, tmp_path / "copy")


def test_a_static_file_that_changes_means_a_full_capture(partial: PartialJob) -> None:
    # The skipped story has no image in the baseline, so each run tries the story again.
    unchanged = partial.run("--partial", "--dry-run")
    assert "1 of 3 stories changed." in unchanged.stdout
    write(partial.built / "locales" / "en.json", "{}")
    changed = partial.run("--partial", "--dry-run")
    assert "Capturing all stories: a static file of the Storybook changed." in changed.stdout


def test_another_browser_means_a_full_capture_and_is_named(
    partial: PartialJob, tmp_path: Path
) -> None:
    browser = tmp_path / "chromium"
    write(
        browser,
        f'#!/bin/sh\n[ "$1" = --version ] && exec echo Chromium 999.0.1.2\n'
        f'exec {find_chromium(None)} "$@"\n',
    )
    browser.chmod(0o755)
    done = partial.run("--partial", "--dry-run", "--chromium", str(browser))
    assert "Capturing all stories: the browser changed from " in done.stdout
    assert " to 999.0.1.2" in done.stdout


def test_explain_says_why_a_story_is_captured(partial: PartialJob) -> None:
    write(partial.project / "src" / "second.js", "something else")
    first = partial.explain("calm--first", "--partial")
    assert first.startswith(
        "calm--first (Calm/First) would not be captured: its source hash and its renderer hash equal"
    )
    second = partial.explain("calm--second")
    assert "would be captured: without --partial, every story is captured." in second
    assert "With --partial: files that only its story file imports changed." in second
    assert "  ./src/second.js" in second
    skipped = partial.explain("parameters--skipped")
    assert "would not be captured: its parameters exclude it" in skipped


def test_explain_knows_options_and_missing_stats(partial: PartialJob) -> None:
    assert "would not be captured: --skip captures nothing" in partial.explain(
        "calm--first", "--skip"
    )
    assert "would not be captured: shard 2 of 3 captures it" in partial.explain(
        "calm--second", "--shard", "1/3", "--nonce", "explained"
    )
    (partial.built / "preview-stats.json").unlink()
    document = json.loads(partial.explain("calm--second", "--partial", "--json"))
    assert document["captured"] is True
    assert "--stats-json" in document["reasons"][0]
    assert document["files"] is None


def test_explain_needs_a_story_that_exists(partial: PartialJob) -> None:
    unknown = partial.run("calm--frist", "--explain")
    assert unknown.returncode == 2
    assert "has no story calm--frist. Similar: calm--first" in unknown.stderr
    missing = partial.run("--explain")
    assert missing.returncode == 2
    assert "name the story to explain" in missing.stderr
    alone = partial.run("calm--first")
    assert alone.returncode == 2
    assert "A story can only be explained: --explain calm--first." in alone.stderr
