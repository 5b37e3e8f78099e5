"""``visual-review publish`` of folders written by other tools."""

import json
from pathlib import Path

from tests.support.ci.job import CiJob, paint, run, storybook

SNAPSHOTS = "login.spec.ts-snapshots"
NO_SERVER = {"PATH": "/usr/bin:/bin"}


def paint_snapshots(folder: Path) -> Path:
    snapshots = folder / "e2e" / SNAPSHOTS
    snapshots.mkdir(parents=True)
    for number, browser in enumerate(("chromium", "firefox")):
        paint(snapshots, f"home-dark-{browser}-linux", 60 + number)
    (folder / "notes.txt").write_text("not an image")
    return folder


def test_a_folder_of_playwright_is_published_without_renaming(job: CiJob, tmp_path: Path) -> None:
    folder = paint_snapshots(tmp_path / "repository")
    document = job.publish_json(folder)
    assert document["matrix"] == {"themes": ["dark"], "devices": ["desktop"]}
    shown = {item["storyId"]: item["title"] for item in document["build"]["toReview"]}
    assert shown == {
        "e2e/login--home--chromium-linux": "e2e/login/home (chromium, linux)",
        "e2e/login--home--firefox-linux": "e2e/login/home (firefox, linux)",
    }
    job.approve_newest()
    done = job.publish(folder)
    assert done.returncode == 0, done.stderr
    assert "Ignored 1 file: notes.txt (is not an image)." in done.stdout


def test_the_expectations_of_a_failed_run_are_not_published(job: CiJob, tmp_path: Path) -> None:
    folder = paint_snapshots(tmp_path / "repository")
    job.publish(folder)
    job.approve_newest()
    results = folder / "test-results"
    results.mkdir()
    (results / ".last-run.json").write_text('{"status": "failed", "failedTests": ["a", "b"]}')
    done = job.publish(folder)
    assert done.returncode == 2
    assert "2 tests of the last run failed" in done.stderr
    assert "the results name 0 of them" in done.stderr
    assert len(job.builds()) == 1
    assert job.publish(folder, "--as-is").returncode == 0
    (results / ".last-run.json").write_text('{"status": "passed", "failedTests": []}')
    done = job.publish(folder)
    assert done.returncode == 0
    assert "2 screenshots taken from expectations of a passed run" in done.stdout


def test_explain_prints_each_mapping_without_a_server(tmp_path: Path) -> None:
    folder = paint_snapshots(tmp_path / "repository")
    done = run(["publish", str(folder), "--explain"], NO_SERVER)
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert (
        f"e2e/{SNAPSHOTS}/home-dark-firefox-linux.png e2e/login/home (firefox, linux) "
        "dark (desktop)"
    ) in lines
    assert "ignored: notes.txt is not an image" in lines
    assert lines[-1] == "2 screenshots of 2 stories. Nothing was sent."
    done = run(["publish", str(folder), "--explain", "--json", "--device", "phone"], NO_SERVER)
    document = json.loads(done.stdout)
    assert document["namePattern"] == "playwright"
    assert [each["device"] for each in document["screenshots"]] == ["phone", "phone"]
    assert document["ignored"] == {"notes.txt": "is not an image"}


def test_explain_names_both_files_of_a_variant(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    paint(folder, "home", 1)
    paint(folder, "home-light", 2)
    done = run(["publish", str(folder), "--explain"], NO_SERVER)
    assert done.returncode == 2
    assert "home.png: has the same story and variant as home-light.png" in done.stderr
    done = run(["publish", str(folder), "--explain", "--theme", "dark"], NO_SERVER)
    assert done.returncode == 0, done.stderr


def test_options_for_names_are_refused_where_they_have_no_effect(
    job: CiJob, tmp_path: Path
) -> None:
    folder = storybook(tmp_path / "built", "calm--first")
    done = job.publish(folder, "--theme", "dark", "--dry-run")
    assert done.returncode == 2
    assert "--theme and --device are for folders of images" in done.stderr
