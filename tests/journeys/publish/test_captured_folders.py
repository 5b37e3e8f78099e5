"""Two jobs: one captures without any credential, the other publishes the captured folder."""

import json
import shutil
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer

from tests.support.ci.job import CiJob, connect_repository, run, storybook
from visual_review.client.capture.manifest import MANIFEST_FILE
from visual_review.client.publishing import Service

ONE_VARIANT = ("--theme", "light", "--device", "phone")
NO_BROWSER = ("--chromium", "/no/browser")


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder captured by a job without any variable of ours, with source hashes."""
    project = tmp_path_factory.mktemp("project")
    (project / ".storybook").mkdir()
    (project / ".storybook" / "preview.js").write_text("")
    built = storybook(project / "built", "calm--first", "bad--throws")
    entries = json.loads((built / "index.json").read_text())["entries"].values()
    modules = [{"name": entry["importPath"], "reasons": []} for entry in entries]
    for module in modules:
        (project / module["name"]).write_text("")
    (built / "preview-stats.json").write_text(json.dumps({"modules": modules}))
    output = project / "screenshots"
    options = ["--output", str(output), "--project-root", str(project), *ONE_VARIANT]
    done = run(["capture", str(built), *options], {"PATH": "/usr/bin:/bin"})
    assert done.returncode == 1, done.stderr
    return output


@pytest.fixture(scope="module")
def publishing_job(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> CiJob:
    job = connect_repository(server, tmp_path_factory.mktemp("publishing"))
    job.server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["phone"])
    return job


def test_the_build_has_the_failures_titles_and_hashes_of_the_capture(
    publishing_job: CiJob, captured: Path
) -> None:
    document = publishing_job.publish_json(captured, "--images-only", *NO_BROWSER)
    assert document["matrix"] == {"themes": ["light"], "devices": ["phone"]}
    assert (document["screenshots"], document["failedCaptures"]) == (2, 1)
    shown = {item["storyId"]: item for item in document["build"]["toReview"]}
    index = json.loads((captured.parent / "built" / "index.json").read_text())["entries"]
    for story, entry in index.items():
        assert shown[story]["title"] == f"{entry['title']}/{entry['name']}"
    assert shown["bad--throws"]["diffState"] == "failed"
    assert shown["bad--throws"]["message"] == "The story threw an exception: thrown on purpose"
    publishing_job.approve_newest()
    with Service(
        publishing_job.server.url, publishing_job.token, on_retry=lambda *_: None
    ) as service:
        stories = service.plan({"branch": "main"}).stories
    listed = json.loads((captured / MANIFEST_FILE).read_text())["screenshots"]
    hashes = {shot["storyId"]: (shot["sourceHash"], shot["rendererHash"]) for shot in listed}
    assert stories["calm--first"] == hashes["calm--first"]
    assert all(hashes["calm--first"])


def test_a_storybook_in_the_folder_is_not_run_next_to_the_token(
    publishing_job: CiJob, captured: Path, tmp_path: Path
) -> None:
    folder = storybook(tmp_path / "folder", "calm--first")
    for path in captured.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    done = publishing_job.publish(folder, "--images-only", "--dry-run", *NO_BROWSER)
    assert done.returncode == 0, done.stderr
    assert "Dry run: 2 screenshots" in done.stdout
    # Without the option the browser would have been started.
    done = publishing_job.publish(folder, "--dry-run", *NO_BROWSER)
    assert "There is no browser at /no/browser" in done.stderr


def test_a_changed_manifest_uploads_nothing(
    publishing_job: CiJob, captured: Path, tmp_path: Path
) -> None:
    builds = len(publishing_job.builds())
    folder = tmp_path / "folder"
    folder.mkdir()
    manifest = json.loads((captured / MANIFEST_FILE).read_text())
    manifest["screenshots"][0]["threshold"] = 7
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest))
    done = publishing_job.publish(folder, "--images-only")
    assert done.returncode == 2
    assert "screenshots[0].threshold is not a number from 0 to 1" in " ".join(done.stderr.split())
    assert len(publishing_job.builds()) == builds


def with_themes(captured: Path, folder: Path, **themes: object) -> Path:
    """Copy the capture with another way of switching the theme."""
    shutil.copytree(captured, folder)
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    manifest["themes"] = {**manifest["themes"], "previewHash": "same", **themes}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest))
    return folder


def test_another_way_of_switching_the_theme_is_refused_until_it_is_accepted(
    publishing_job: CiJob, captured: Path, tmp_path: Path
) -> None:
    skin = {"kind": "global", "name": "skin", "light": "day", "dark": "night"}
    options = ("--images-only", *NO_BROWSER)
    publishing_job.publish(with_themes(captured, tmp_path / "skin", **skin), *options)
    publishing_job.approve_newest()
    other = with_themes(captured, tmp_path / "other", **{**skin, "dark": "midnight"})
    builds = len(publishing_job.builds())
    done = publishing_job.publish(other, *options)
    assert done.returncode == 2
    message = " ".join(done.stderr.split())
    assert "Themes were switched by global `skin` = night" in message
    assert "are switched by global `skin` = midnight now" in message
    assert len(publishing_job.builds()) == builds
    done = publishing_job.publish(other, *options, "--accept-theme-change")
    assert done.returncode in (0, 1), done.stderr
    assert len(publishing_job.builds()) == builds + 1
