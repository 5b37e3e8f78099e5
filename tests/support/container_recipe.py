"""The Dockerfile as a list of instructions."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.servers.service import CHECKOUT

RECIPE: Final = CHECKOUT / "Dockerfile"
CONTEXT: Final = CHECKOUT / ".dockerignore"


@dataclass(frozen=True)
class Instruction:
    name: str
    value: str


@dataclass(frozen=True)
class ContainerRecipe:
    instructions: tuple[Instruction, ...]

    def values(self, name: str) -> list[str]:
        return [each.value for each in self.instructions if each.name == name]

    def value(self, name: str) -> str:
        """Return the value of the only instruction with the given name."""
        (value,) = self.values(name)
        return value

    def health_check(self) -> list[str]:
        command: list[str] = json.loads(self.value("HEALTHCHECK").partition(" CMD ")[2])
        return command

    def stage(self, name: str) -> "ContainerRecipe":
        """Return the instructions of the stage ``FROM ... AS name``, without ``FROM``."""
        inside, found = False, []
        for each in self.instructions:
            if each.name == "FROM":
                inside = each.value.endswith(f" AS {name}")
            elif inside:
                found.append(each)
        return ContainerRecipe(tuple(found))


def read_container_recipe() -> ContainerRecipe:
    lines = [line for line in RECIPE.read_text().splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    pairs = (line.split(None, 1) for line in joined.splitlines() if line.strip())
    return ContainerRecipe(tuple(Instruction(name, " ".join(rest.split())) for name, rest in pairs))


def context_files() -> list[Path]:
    """Return the files that ``.dockerignore`` leaves for the build, as paths in the checkout."""
    lines = CONTEXT.read_text().splitlines()
    return [CHECKOUT / line[1:] for line in lines if line.startswith("!")]
