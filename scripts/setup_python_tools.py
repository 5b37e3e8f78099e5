"""Python programs with packages that conflict with ours, each set in an environment of its own."""

import sys
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_steps import (
    ROOT,
    TOOLS,
    content_hash,
    is_fresh,
    require_success,
    say,
    write_stamp,
)

RECIPE = ("pyproject.toml", "uv.lock")


@dataclass(frozen=True)
class PythonTools:
    """A folder with a pyproject.toml and a uv.lock, and the purpose of the packages."""

    folder: Path
    purpose: str

    @property
    def environment(self) -> Path:
        return TOOLS / self.folder.name

    @property
    def programs(self) -> Path:
        return self.environment / "bin"

    def ensure(self, uv: Path) -> None:
        stamp = self.environment / ".setup-stamp"
        value = content_hash(self.folder / name for name in RECIPE)
        if is_fresh(stamp, value):
            return
        say(f"installing the packages of {self.purpose}")
        command: list[str | Path] = [uv, "sync", "--frozen", "--quiet", "--python", sys.executable]
        advice = "Can this machine reach the Python package index?"
        # Outside the folder, so that no reader of the tests finds the packages.
        variables = {"UV_PROJECT_ENVIRONMENT": str(self.environment)}
        require_success(command, advice, self.folder, variables)
        write_stamp(stamp, value)


API_CLIENT_GENERATORS = PythonTools(ROOT / "tests" / "api_clients", "the generated Python client")
