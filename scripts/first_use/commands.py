"""The commands printed on the pages, and which of them a machine without the CI can run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from scripts.first_use.errors import FirstUseError

SECRET: Final = re.compile(r"\$\{\{ secrets\.(\w+) \}\}")
SYSTEM_PACKAGES: Final = "It installs system packages, which a job does in a container of its own."
# The beginning of a command, and the reason for not running the command here.
NOT_RUN: Final = (
    (re.compile(r"apt-get "), SYSTEM_PACKAGES),
    (re.compile(r"npm ci && npx storybook build"), "The example is there already built."),
    (re.compile(r"gh "), "It needs an account at GitHub; the workflow gets the token as a secret."),
    (re.compile(r"glab "), "It needs an account at GitLab; the job gets the token as a variable."),
)
WITH_SYSTEM_PACKAGES: Final = " --with-deps"
BROWSER_INSTALLATION: Final = re.compile(r"(\S*/)?playwright install ")
DOWNLOAD_FAILED: Final = "Failed to download "


@dataclass(frozen=True)
class ShellLine:
    """A line as printed, the part to run, and the reason for leaving out the rest."""

    printed: str
    run: str
    reason: str = ""

    @property
    def installs_browser(self) -> bool:
        return BROWSER_INSTALLATION.match(self.printed) is not None


@dataclass(frozen=True)
class PrintedJob:
    """The lines for a CI to run, with the variables of the job."""

    lines: tuple[ShellLine, ...]
    variables: Mapping[str, str]


def plan_line(printed: str) -> ShellLine:
    for pattern, reason in NOT_RUN:
        if pattern.match(printed):
            return ShellLine(printed, "", reason)
    if BROWSER_INSTALLATION.match(printed) and WITH_SYSTEM_PACKAGES in printed:
        run = printed.replace(WITH_SYSTEM_PACKAGES, "")
        return ShellLine(printed, run, f"Run without{WITH_SYSTEM_PACKAGES}: {SYSTEM_PACKAGES}")
    return ShellLine(printed, printed)


def plan_lines(printed: str) -> tuple[ShellLine, ...]:
    return tuple(plan_line(line) for line in printed.splitlines())


def plan_workflow(text: str, secrets: Mapping[str, str]) -> PrintedJob:
    """Return the job of a GitHub workflow; ``secrets`` are the secrets of its repository.

    Raises FirstUseError if the text is no YAML, or needs another secret.
    """
    document = _load(text)
    if not {"push", "pull_request"} <= set(document["on"]):
        raise FirstUseError(f"The workflow does not run for pushes and pull requests:\n{text}")
    (job,) = document["jobs"].values()
    lines: list[ShellLine] = []
    variables: dict[str, str] = {}
    for step in job["steps"]:
        variables |= {
            name: _put_secrets(value, secrets) for name, value in step.get("env", {}).items()
        }
        if "uses" in step:
            line = f"uses: {step['uses']}"
            lines.append(
                ShellLine(line, "", "GitHub runs it; this machine has a checkout and Python.")
            )
        else:
            lines.append(plan_line(step["run"]))
    return PrintedJob(tuple(lines), variables)


def plan_pipeline(text: str, variables: Mapping[str, str]) -> PrintedJob:
    """Return the job of a GitLab pipeline; ``variables`` are the variables of its project."""
    (job,) = _load(text).values()
    lines = tuple(plan_line(line) for line in job["script"])
    return PrintedJob(lines, {**variables, **job["variables"]})


def _load(text: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise FirstUseError(f"The page prints a file that is no YAML: {error}") from error
    return document


def _put_secrets(value: str, secrets: Mapping[str, str]) -> str:
    unknown = {name for name in SECRET.findall(value) if name not in secrets}
    if unknown:
        raise FirstUseError(f"The page does not say to store the secrets {sorted(unknown)}.")
    return SECRET.sub(lambda found: secrets[found[1]], value)
