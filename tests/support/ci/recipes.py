"""The GitHub Action and the GitLab CI component as their providers run them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from tests.support.servers.service import CHECKOUT

ACTION: Final = CHECKOUT / "action.yml"
COMPONENT: Final = CHECKOUT / "templates" / "visual-review.yml"
EXPRESSION: Final = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
COMPONENT_INPUT: Final = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")


class InputMissingError(Exception):
    """An input without a default was not given."""


@dataclass(frozen=True)
class ShellStep:
    """One step of the action: its script, and the variables it gets."""

    name: str
    script: str
    env: Mapping[str, str]

    @property
    def command(self) -> list[str]:
        # What GitHub calls a step with `shell: bash`.
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
    """Return the component's only job with its inputs put in."""
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
