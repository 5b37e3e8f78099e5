"""The GitHub Action and the GitLab CI component: their pins, and their scripts with a server."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML
from scripts.setup_steps import TOOLS

from tests.support.case import Case
from tests.support.ci.job import COMMIT, CiJob
from tests.support.servers.service import CHECKOUT

ACTION: Final = CHECKOUT / "action.yml"
COMPONENT: Final = CHECKOUT / "templates" / "visual-review.yml"
EXPRESSION: Final = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
COMPONENT_INPUT: Final = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")


class InputMissingError(Exception):
    """An input without a default was not given."""


@dataclass(frozen=True)
class ShellStep:
    """One step of the action: the script, and its variables."""

    name: str
    script: str
    env: Mapping[str, str]

    @property
    def command(self) -> list[str]:
        # GitHub's command for a step with `shell: bash`.
        return ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.script]


def read_yaml(path: Path) -> list[Any]:
    return list(YAML(typ="safe", pure=True).load_all(path.read_text()))


def shell_steps(contexts: Mapping[str, str]) -> list[ShellStep]:
    """Return the steps with ``contexts`` such as ``inputs.url`` put into their variables."""
    (action,) = read_yaml(ACTION)
    defaults = {f"inputs.{name}": each.get("default") for name, each in action["inputs"].items()}
    values = {**defaults, **contexts}
    return [
        ShellStep(
            step["name"],
            step["run"],
            {name: _evaluate(str(text), values) for name, text in step["env"].items()},
        )
        for step in action["runs"]["steps"]
        if "run" in step
    ]


def _evaluate(text: str, values: Mapping[str, str | None]) -> str:
    return EXPRESSION.sub(lambda found: _require(found[1], values), text)


def component_job(given: Mapping[str, str]) -> dict[str, Any]:
    """Return the component's only job with the inputs put in."""
    header, _ = read_yaml(COMPONENT)
    inputs = header["spec"]["inputs"]
    defaults = {name: each["default"] for name, each in inputs.items() if "default" in each}
    values = {name: _as_text(value) for name, value in {**defaults, **given}.items()}
    text = COMPONENT.read_text().partition("\n---\n")[2]
    filled = COMPONENT_INPUT.sub(lambda found: _require(found[1], values), text)
    (job,) = YAML(typ="safe", pure=True).load(filled).values()
    return dict(job)


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _require(name: str, values: Mapping[str, str | None]) -> str:
    value = values.get(name)
    if value is None:
        raise InputMissingError(name)
    return value


RELEASE: Final = CHECKOUT / ".github" / "workflows" / "release.yml"
PINNED: Final = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v[\d.]+$", re.MULTILINE)
OPTIONS: Final = f"--commit {COMMIT} --branch 'feature/$(exit)' --message 'Two words'"
GITLAB_INPUTS: Final = {"directory": "images", "url": "https://reviews.example.com"}

FOLDER: Final = "/tmp/visual-review"  # noqa: S108 - Of a container that has one job.


def contexts(job: CiJob, folder: Path, **inputs: str) -> dict[str, str]:
    given = {"url": job.server.url, "token": job.token, "directory": str(folder), **inputs}
    return {
        **{f"inputs.{name}": value for name, value in given.items()},
        "github.action_path": str(CHECKOUT),
        "runner.temp": str(job.cwd),
        "steps.python.outputs.python-path": sys.executable,
    }


def run_step(step: ShellStep, job: CiJob) -> "subprocess.CompletedProcess[str]":
    env = {**job.environment(step.env), "RUNNER_TEMP": str(job.cwd)}
    return subprocess.run(
        step.command, env=env, cwd=job.cwd, capture_output=True, text=True, timeout=600, check=False
    )


def install_this_checkout(job: CiJob) -> None:
    programs = job.cwd / "visual-review" / "bin"
    programs.mkdir(parents=True)
    (programs / "visual-review").symlink_to(Path(sys.executable).with_name("visual-review"))


def check_schema(schema: str, *files: Path) -> None:
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    arguments = [program, "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


def test_the_recipes_fit_the_schemas_of_their_providers(tmp_path: Path) -> None:
    check_schema("vendor.github-actions", ACTION)
    filled = tmp_path / "gitlab.json"
    filled.write_text(json.dumps({"visual-review": component_job(GITLAB_INPUTS)}))
    check_schema("vendor.gitlab-ci", filled)


def test_the_action_names_everything_by_a_fixed_version() -> None:
    text = ACTION.read_text()
    assert len(PINNED.findall(text)) == text.count("uses: ")
    assert re.search(r"install --quiet uv==[\d.]+$", text, re.MULTILINE)
    assert "--frozen" in text


def test_the_guides_name_actions_by_commit_and_fit_their_schemas(
    tmp_path: Path, case: Case
) -> None:
    guides = sorted((CHECKOUT / "docs" / "how-to").glob("*.md"))
    text = "\n".join(guide.read_text() for guide in guides).replace(
        "OWNER/visual-review@COMMIT", ""
    )
    used = re.findall(r"uses: \S+@.*", text)
    assert used
    for line in used:
        with case(line):
            assert PINNED.fullmatch(line)
    examples = [
        block for block in re.findall(r"(?ms)^```yaml\n(.*?)^```", text) if "\non:" in f"\n{block}"
    ]
    files = [tmp_path / f"{number}.yml" for number in range(len(examples))]
    for file, example in zip(files, examples, strict=True):
        file.write_text(example.replace("- uses: \n", "- uses: OWNER/visual-review@COMMIT\n"))
    check_schema("vendor.github-workflows", *files)


def test_the_workflow_of_releases_names_actions_by_commit_and_fits_its_schema() -> None:
    text = RELEASE.read_text()
    assert len(PINNED.findall(text)) == text.count("uses: ")
    check_schema("vendor.github-workflows", RELEASE)


def test_no_input_of_the_action_becomes_part_of_a_script(case: Case) -> None:
    (action,) = read_yaml(ACTION)
    for step in action["runs"]["steps"]:
        with case(str(step.get("name"))):
            assert EXPRESSION.search(step.get("run", "")) is None
    used = {found[1] for found in EXPRESSION.finditer(ACTION.read_text())}
    assert {f"inputs.{name}" for name in action["inputs"]} <= used


def test_the_component_has_the_version_of_this_checkout_and_uses_its_inputs() -> None:
    header, _ = read_yaml(COMPONENT)
    inputs = header["spec"]["inputs"]
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    assert inputs["version"]["default"] == project["version"]
    assert re.search(r"@sha256:[0-9a-f]{64}$", inputs["image"]["default"])
    assert {found[1] for found in COMPONENT_INPUT.finditer(COMPONENT.read_text())} == set(inputs)
    with pytest.raises(InputMissingError, match="url"):
        component_job({"directory": "images"})


def test_the_action_publishes_a_folder_with_its_options(job: CiJob, images: Path) -> None:
    install_this_checkout(job)
    _, browser, publish = shell_steps(contexts(job, images, options=OPTIONS))
    # A folder of images needs no browser, so there is nothing to run.
    assert run_step(browser, job).returncode == 0
    done = run_step(publish, job)
    assert done.returncode == 1, done.stderr
    (build,) = job.builds()
    assert build["url"] in done.stdout
    assert (build["branch"], build["commit"]) == ("feature/$(exit)", COMMIT)


def test_the_action_publishes_nothing_with_unreadable_options(job: CiJob, images: Path) -> None:
    install_this_checkout(job)
    *_, publish = shell_steps(contexts(job, images, options="--branch 'main"))
    done = run_step(publish, job)
    assert done.returncode != 0
    assert "quote" in done.stderr
    assert job.builds() == []


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_the_action_installs_what_it_publishes_with(
    job: CiJob, images: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(TOOLS / "bin"), os.environ["PATH"]]))
    install, _, publish = shell_steps(contexts(job, images, options=OPTIONS))
    installed = run_step(install, job)
    assert installed.returncode == 0, installed.stderr
    done = run_step(publish, job)
    assert done.returncode == 1, done.stderr
    assert len(job.builds()) == 1


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_the_component_installs_a_client_and_publishes(job: CiJob, images: Path) -> None:
    options = f"--commit {COMMIT} --branch main"
    given = {"directory": str(images), "url": job.server.url, "browser": "false"}
    component = component_job({**given, "options": options})
    script = "\n".join(component["script"]).replace(FOLDER, f"{job.cwd}/installed")
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        env={**job.environment(), **component["variables"]},
        cwd=job.cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert len(job.builds()) == 1
