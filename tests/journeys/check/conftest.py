"""One running server for the checks, and the example with an approved baseline."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer, running_server

from tests.support.checked_storybooks import CheckedStorybook
from tests.support.ci.job import CiJob, CommandResult, connect_repository
from tests.support.partial_project import make_project
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


def approve_storybook(
    job: CiJob, built: Path, project: Path, env: Mapping[str, str] | None = None
) -> CheckedStorybook:
    """Publish a Storybook to main in one variant, and approve the build."""
    job.server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["desktop"])
    approved = CheckedStorybook(job, built, project)
    approved.publish("main", env=env)
    job.approve_newest()
    return approved


@pytest.fixture(scope="package")
def approved_example(
    server: DemoServer, tmp_path_factory: pytest.TempPathFactory
) -> CheckedStorybook:
    """The example on main, captured in one variant and approved."""
    job = connect_repository(server, tmp_path_factory.mktemp("example"))
    project = copy_example(job.cwd)
    # With the one story that throws, each check would have a failure.
    (project.root / "src" / "components" / "broken.stories.js").unlink()
    project.build()
    return approve_storybook(job, project.built, project.root)


@pytest.fixture
def example(approved_example: CheckedStorybook, tmp_path: Path) -> CheckedStorybook:
    """A copy of the approved example, for the test to change."""
    return approved_example.copy(tmp_path / "storybook-static")


@dataclass(frozen=True)
class CheckedProject:
    """A project in git with an approved main; ``root`` is a clone that a test may change.

    The build command copies ``built`` from the repository to ``storybook-static``.
    """

    job: CiJob
    root: Path
    command: str = "cp -R built storybook-static && echo built >> ../builds.log"

    @property
    def storybook(self) -> CheckedStorybook:
        return CheckedStorybook(self.job, self.root / "storybook-static", self.root)

    def paint(self, color: str) -> None:
        """Give all stories another background, as an edit and a build would."""
        for folder in ("built", "storybook-static"):
            path = self.root / folder / "iframe.html"
            path.write_text(path.read_text().replace("margin: 0;", f"background: {color};"))

    def check(self, *flags: str, **variables: str) -> CommandResult:
        return self.storybook.check(*flags, **variables)

    def commit(self, message: str) -> str:
        return commit_all(self.root, message)


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit_all(folder: Path, message: str) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="package")
def approved_project(
    server: DemoServer, tmp_path_factory: pytest.TempPathFactory
) -> CheckedProject:
    folder = tmp_path_factory.mktemp("project")
    job = connect_repository(server, folder)
    server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["phone"])
    root = make_project(folder / "project")
    (root / "storybook-static").rename(root / "built")
    (root / ".gitignore").write_text("storybook-static\n")
    git(root, "init", "-b", "main")
    commit = commit_all(root, "Begin")
    shutil.copytree(root / "built", root / "storybook-static")
    done = job.publish(root / "storybook-static", "--project-root", str(root), "--commit", commit)
    assert done.returncode == 1, done.stderr
    job.approve_newest()
    return CheckedProject(job, root)


@pytest.fixture
def project(
    approved_project: CheckedProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> CheckedProject:
    """A copy of the approved project on a branch; commands run in the copy."""
    root = tmp_path / "project"
    shutil.copytree(approved_project.root, root)
    git(root, "switch", "-c", "feature")
    monkeypatch.chdir(root)
    return CheckedProject(approved_project.job, root)
