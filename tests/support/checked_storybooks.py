"""Checks of a Storybook on this machine, next to the server's results after a publish."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.ci.job import CiJob, CommandResult, run

# Known to the server alone: ids, decisions, and facts from earlier builds.
SERVER_ONLY: Final = frozenset(
    {"id", "screenshotId", "decision", "decidedBy", "previousDecision", "flakiness", "url"}
    | {"notFromBranch"}
)


LOOKS: Final = (
    "background:#ffd6d6!important",
    "letter-spacing:.6px",
    "border-radius:0!important",
    "padding-top:12px!important",
    "color:#7a0000!important",
)
COMPONENTS: Final = (
    *("accordion", "alert", "avatar", "badge", "button", "calendar", "card", "checkout"),
    *("dashboard", "drawer", "dropdown", "fields", "header", "modal", "pagination", "pricing"),
)
# Edits of the example: a style sheet, and the rule to append.
COMPONENT_EDITS: Final = [
    (f"{name}-*.css", f'[class*="{name}"]{{{LOOKS[number % len(LOOKS)]}}}')
    for number, name in enumerate(COMPONENTS)
]


@dataclass(frozen=True)
class CheckedStorybook:
    """A Storybook with an approved baseline; ``built`` is a copy that a test may change."""

    job: CiJob
    built: Path
    project: Path

    @property
    def cache(self) -> Path:
        return self.built.parent.parent / "cache"

    def environment(self, **more: str) -> dict[str, str]:
        own = {"VISUAL_REVIEW_URL": self.job.server.url, "VISUAL_REVIEW_KEY": self.job.server.key}
        # Next to the Storybook, so that each test has a cache of its own.
        cache = {"VISUAL_REVIEW_CACHE_DIR": str(self.cache)}
        return {**self.job.environment(), **own, **cache, **more}

    def check(self, *flags: str, **variables: str) -> CommandResult:
        named = ("--repository", self.job.name, "--project-root", str(self.project))
        branch = () if "--branch" in flags else ("--branch", "feature")
        arguments = ["check", str(self.built), *named, *branch, *flags]
        return run(arguments, self.environment(**variables))

    def check_json(self, *flags: str) -> dict[str, Any]:
        done = self.check("--json", *flags)
        assert done.stdout, done.stderr
        return dict(json.loads(done.stdout))

    def publish(
        self, branch: str, *flags: str, env: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Publish the same folder, for a pull request unless to main; return list_changes."""
        base = () if branch == "main" else ("--base-branch", "main")
        flags = (*base, "--project-root", str(self.project), *flags)
        done = self.job.publish(self.built, "--branch", branch, *flags, env=env)
        assert done.returncode in {0, 1}, done.stderr
        build = self.job.builds()[0]["id"]
        return self.job.server.act("list_changes", buildId=build)

    def copy(self, folder: Path) -> "CheckedStorybook":
        shutil.copytree(self.built, folder)
        return CheckedStorybook(self.job, folder, self.project)


def comparable(document: dict[str, Any]) -> str:
    """Return the part of a document that a check and the server have in common, as JSON."""
    names = ("changed", "new", "removed", "failed", "groups")
    return json.dumps({name: _without(document[name]) for name in names}, sort_keys=True)


def _without(value: Any) -> Any:  # noqa: ANN401 - JSON.
    if isinstance(value, dict):
        return {name: _without(each) for name, each in value.items() if name not in SERVER_ONLY}
    return [_without(each) for each in value] if isinstance(value, list) else value


def edit_style(built: Path, pattern: str, rule: str) -> None:
    """Append a rule to the matching style sheets, as in a new build."""
    found = sorted(built.glob(f"assets/{pattern}"))
    assert found, pattern
    for path in found:
        path.write_text(f"{path.read_text()}\n{rule}\n")
