"""One running server for the checks, and the example with an approved baseline."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer, running_server

from tests.support.checked_storybooks import CheckedStorybook
from tests.support.ci.job import connect_repository
from tests.support.rebuilt_storybooks import copy_example
from tests.support.servers.service import open_folder
from tests.support.servers.template import copy_data_folder


@pytest.fixture(scope="package")
def server() -> Iterator[DemoServer]:
    with open_folder() as folder:
        copy_data_folder(folder / "data")
        with running_server(folder, preferred_port=0) as running:
            yield running


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run outside of our own checkout, whose branch and commit the commands would find."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="package")
def approved_example(
    server: DemoServer, tmp_path_factory: pytest.TempPathFactory
) -> CheckedStorybook:
    """The example on main, captured in one variant and approved."""
    job = connect_repository(server, tmp_path_factory.mktemp("example"))
    server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["desktop"])
    project = copy_example(job.cwd)
    # The one story that throws would make each check one with a failure.
    (project.root / "src" / "components" / "broken.stories.js").unlink()
    project.build()
    approved = CheckedStorybook(job, project.built, project.root)
    approved.publish("main")
    job.approve_newest()
    return approved


@pytest.fixture
def example(approved_example: CheckedStorybook, tmp_path: Path) -> CheckedStorybook:
    """A copy of the approved example, which the test may change."""
    return approved_example.copy(tmp_path / "storybook-static")
