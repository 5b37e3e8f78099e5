"""A new user's machine: an empty home folder, and nothing of the checkout."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.demo_server import clean_environment
from scripts.first_use.errors import FirstUseError
from scripts.setup_steps import ROOT

COMMAND_SECONDS: Final = 900
OWN_VARIABLES: Final = ("VISUAL_REVIEW_", "UI_REVIEW_", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
# A machine's own package index is part of the machine.
PIP_SETTINGS: Final = (".config/pip/pip.conf", ".pip/pip.conf")
GIT: Final = {
    "GIT_AUTHOR_NAME": "Robin",
    "GIT_AUTHOR_EMAIL": "robin@example.com",
    "GIT_COMMITTER_NAME": "Robin",
    "GIT_COMMITTER_EMAIL": "robin@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


@dataclass(frozen=True)
class CommandResult:
    """The end of a command; ``output`` is everything printed, errors included."""

    code: int
    output: str


class Machine:
    """Run commands in a shell, as if pasted into a terminal."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self._log = folder / "commands.log"
        settings = (Path.home() / name for name in PIP_SETTINGS)
        for found in filter(Path.is_file, settings):
            (self.home / ".pip").mkdir(exist_ok=True)
            shutil.copy(found, self.home / ".pip" / "pip.conf")
        self._environment = {
            **keep_foreign(clean_environment({})),
            **GIT,
            "HOME": str(self.home),
        }

    def run(
        self,
        command: str,
        folder: Path,
        variables: Mapping[str, str] | None = None,
        programs: Iterable[Path] = (),
    ) -> CommandResult:
        """Run a command in ``folder``; programs of the folders ``programs`` come first.

        Raises FirstUseError if the command does not end.
        """
        path = os.pathsep.join([*map(str, programs), self._environment["PATH"]])
        environment = {**self._environment, "PATH": path, **(variables or {})}
        process = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            raise FirstUseError(
                f"This did not end within {COMMAND_SECONDS} seconds: {command}"
            ) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"$ {command}\n{output}[{process.returncode}]\n\n")
        return CommandResult(process.returncode, output)

    def require(self, command: str, folder: Path) -> str:
        """Run a command for the script itself. Raises FirstUseError if the command fails."""
        done = self.run(command, folder)
        if done.code != 0:
            raise FirstUseError(f"`{command}` failed with {done.code}:\n{done.output}")
        return done.output


def keep_foreign(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without our own variables and the programs of the checkout."""
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(each for each in folders if not Path(each).is_relative_to(ROOT))
    foreign = {
        name: value for name, value in environment.items() if not name.startswith(OWN_VARIABLES)
    }
    return {**foreign, "PATH": path}
