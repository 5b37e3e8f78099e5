"""compose.yaml as a container engine reads it: variables replaced, one service at a time."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ruamel.yaml import YAML

from tests.support.servers.service import CHECKOUT

COMPOSE: Final = CHECKOUT / "compose.yaml"
VARIABLE: Final = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


class VariableMissingError(Exception):
    """A variable that has no default value is not set; the message is that of the file."""


@dataclass(frozen=True)
class ComposeFile:
    content: Mapping[str, Any]

    def service(self, name: str) -> Mapping[str, Any]:
        service: Mapping[str, Any] = self.content["services"][name]
        return service

    def command(self, name: str) -> list[str]:
        return [str(part) for part in self.service(name)["command"]]

    def environment(self, name: str) -> dict[str, str]:
        return {key: str(value) for key, value in self.service(name)["environment"].items()}


def read_compose_file(variables: Mapping[str, str]) -> ComposeFile:
    """Read the file with ``variables``; raises VariableMissingError."""
    text = VARIABLE.sub(lambda found: _replace(found, variables), COMPOSE.read_text())
    return ComposeFile(YAML(typ="safe", pure=True).load(text))


def _replace(found: "re.Match[str]", variables: Mapping[str, str]) -> str:
    name, kind, rest = found.groups()
    if variables.get(name):
        return variables[name]
    if kind == "?":
        raise VariableMissingError(f"{name}: {rest}")
    return rest or ""
