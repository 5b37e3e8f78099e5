"""`visual-review check`: the verdict of the server, before anything is sent."""

import json
import subprocess
from pathlib import Path

import pytest
from scripts.demo_server import PROGRAM, DemoServer

from tests.journeys.check.conftest import CheckedProject
from tests.support.checked_storybooks import CheckedStorybook, comparable, edit_style
from tests.support.ci.job import connect_repository, paint


def test_nothing_changed(example: CheckedStorybook) -> None:
    before = len(example.job.builds())
    done = example.check()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Nothing changed: ")
    assert len(example.job.builds()) == before


def test_a_change_is_described_as_by_the_server(example: CheckedStorybook) -> None:
    edit_style(example.built, "button-*.css", ".button{background:#b00020!important}")
    done = example.check()
    assert done.returncode == 1
    checked = example.check_json()
    listed = example.publish("feature")
    assert comparable(checked) == comparable(listed)


def test_new_and_removed_stories_are_those_of_the_server(example: CheckedStorybook) -> None:
    index = example.built / "index.json"
    document = json.loads(index.read_text())
    entries = document["entries"]
    story = entries.pop("actions-button--variants")
    # Another story of the same file, under an ID missing in the baseline.
    entries["actions-button--renamed"] = story | {"id": "actions-button--renamed"}
    index.write_text(json.dumps(document))
    checked = example.check_json("--branch", "renamed")
    assert (checked["removed"], checked["new"] + checked["failed"]) == (1, 1)
    assert comparable(checked) == comparable(example.publish("renamed"))


def test_expectations_decide_the_exit_code(example: CheckedStorybook) -> None:
    edit_style(example.built, "button-*.css", ".button{background:#b00020!important}")
    everything = example.check("--expect", "Button*", "--expect", "*", "--expect-only", "light")
    assert everything.returncode == 0
    assert "Everything that changed is expected." in everything.stdout
    buttons = example.check("--expect", "Button*")
    assert buttons.returncode == 1
    lines = buttons.stdout.splitlines()
    assert lines[1] == "Outside of what you expected:"
    inside = lines.index("As you expected:")
    assert "actions-button--" in "".join(lines[inside:])
    assert "actions-button--" not in "".join(lines[2:inside])
    assert example.check("--expect", "none").returncode == 1
    assert example.check("--expect-only", "dark").returncode == 1


def test_a_report_has_a_sheet_for_each_group(example: CheckedStorybook, tmp_path: Path) -> None:
    edit_style(example.built, "button-*.css", ".button{background:#b00020!important}")
    checked = example.check_json("--output", str(tmp_path / "report"))
    named = [group for group in checked["groups"] if group["number"] is not None]
    assert list(checked["sheets"]) == [f"G{group['number']}" for group in named]
    for sheet in checked["sheets"].values():
        assert Path(sheet).stat().st_size > 1000
    page = Path(checked["report"]).read_text()
    assert "actions-button--variants--light-desktop.png" in page


def test_images_of_any_test_tool_are_checked(
    server: DemoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = connect_repository(server, tmp_path)
    folder = tmp_path / "work" / "screenshots"
    folder.parent.mkdir()
    for name, shade in (("button--primary", 10), ("card--plain", 20), ("menu--open", 30)):
        paint(folder, f"{name}--light-desktop", shade)
    assert job.publish(folder).returncode == 1
    job.approve_newest()
    monkeypatch.chdir(folder.parent)
    checked = CheckedStorybook(job, folder, tmp_path)
    done = checked.check()
    assert done.returncode == 0, done.stderr
    paint(folder, "button--primary--light-desktop", 200)
    paint(folder, "list--long--light-desktop", 40)
    (folder / "menu--open--light-desktop.png").unlink()
    done = checked.check()
    assert "Nothing says what rendered these images" in done.stderr
    found = checked.check_json()
    assert (found["changed"], found["new"], found["removed"]) == (1, 1, 1)
    assert comparable(found) == comparable(checked.publish("feature"))


def test_two_checks_of_one_folder_write_two_reports(project: CheckedProject) -> None:
    project.paint("red")
    command = [str(PROGRAM), "check", "--json", "--repository", project.job.name]
    environment = project.storybook.environment()
    running = [
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    documents = [json.loads(each.communicate(timeout=120)[0]) for each in running]
    assert documents[0]["groups"] == documents[1]["groups"]
    assert documents[0]["report"] != documents[1]["report"]
    for document in documents:
        assert Path(document["report"]).read_text().count("calm--first") > 0


def test_a_story_that_now_excludes_itself_is_removed(project: CheckedProject) -> None:
    preview = project.root / "storybook-static" / "preview.js"
    text = preview.read_text()
    assert '"parameters--skipped": { skip: true },' in text
    preview.write_text(text.replace('"parameters--skipped": {', '"calm--second": {'))
    checked = project.storybook.check_json()
    # The change also includes the story excluded before.
    assert (checked["removed"], checked["new"], checked["changed"]) == (1, 1, 0)
    assert comparable(checked) == comparable(project.storybook.publish("excluding"))
