"""Clients made by generators from the OpenAPI document, with default flags, and type-checked.

A generator is a function of the document and an empty folder, and returns the command for running
the workflow. A hand-written client fits in as well. The programs of the guide are checked with the
same types.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from scripts.setup_node import API_CLIENTS
from scripts.setup_python_tools import API_CLIENT_GENERATORS
from scripts.setup_steps import ROOT
from scripts.setup_tools import find_node

GUIDE: Final = ROOT / "docs" / "how-to" / "generate-a-client.md"
PYTHON_WORKFLOW: Final = Path(__file__).with_name("workflow.py")
TYPESCRIPT_WORKFLOW: Final = API_CLIENTS.folder / "workflow.ts"
# Named by the Python generator after the title of the document.
PROJECT: Final = "visual-review-client"
PACKAGE: Final = "visual_review_client"
SECONDS: Final = 240

# The search for Node starts Node, so one search is enough.
node = cache(find_node)


@dataclass(frozen=True)
class WorkflowProgram:
    """A command, with the URL of the service and an API key as arguments, and its folder."""

    command: tuple[str | Path, ...]
    folder: Path


def generate_python_client(document: Path, folder: Path) -> WorkflowProgram:
    """Generate with openapi-python-client; check the output and the workflow with mypy."""
    tools = API_CLIENT_GENERATORS.programs
    output = run([tools / "openapi-python-client", "generate", "--path", document], folder)
    # The generator leaves out everything unknown, and only warns.
    assert "arning" not in output, output
    project = folder / PROJECT
    shutil.copy(PYTHON_WORKFLOW, project)
    example = project / "guide.py"
    example.write_text(f'api_key = repo_id = ""\n{program_of_the_guide("python")}')
    run([tools / "mypy", "--strict", PACKAGE, PYTHON_WORKFLOW.name, example.name], project)
    return WorkflowProgram((tools / "python", PYTHON_WORKFLOW.name), project)


def generate_typescript_client(document: Path, folder: Path) -> WorkflowProgram:
    """Generate with openapi-typescript; check the output and the workflow with tsc."""
    program = node() / "node"
    packages = folder / "node_modules"
    packages.symlink_to(API_CLIENTS.installed)
    for file in (TYPESCRIPT_WORKFLOW, API_CLIENTS.folder / "package.json"):
        shutil.copy(file, folder)
    example = folder / "guide.ts"
    example.write_text(
        f"{program_of_the_guide('ts')}\ndeclare const apiKey: string, repoId: string;\n"
    )
    generator = packages / "openapi-typescript" / "bin" / "cli.js"
    run([program, generator, document, "-o", "schema.d.ts"], folder)
    flags = ("--strict", "--noEmit", "--target", "es2024", "--module", "nodenext")
    run(
        [
            *(program, packages / "typescript" / "bin" / "tsc", *flags, "--types", "node"),
            *("--allowImportingTsExtensions", TYPESCRIPT_WORKFLOW.name, example.name),
        ],
        folder,
    )
    return WorkflowProgram((program, TYPESCRIPT_WORKFLOW.name), folder)


GENERATORS: Final[Mapping[str, Callable[[Path, Path], WorkflowProgram]]] = {
    "openapi-python-client": generate_python_client,
    "openapi-typescript": generate_typescript_client,
}


def program_of_the_guide(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found, language
    return found[1]


def run(command: Sequence[str | Path], folder: Path) -> str:
    """Run a program that must succeed; return its output."""
    done = subprocess.run(
        command,
        cwd=folder,
        # The Python generator formats with the ruff in the same folder.
        env={**os.environ, "PATH": f"{API_CLIENT_GENERATORS.programs}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    return done.stdout
