"""Build a release into ``dist``, and try each file in an empty environment: ``make release``.

Wheels of all platforms with the native engine, the source, the npm package, the container where
Docker or Podman is installed, lists of components, notes and checksums. Names of targets
(``PLATFORMS``) build a part of the wheels, for a trial: the end says what a release still lacks.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from scripts.build_hook import CHOICE, REQUIRE, SKIP
from scripts.build_wheels import DIST, RELEASED, build, build_for, install_tools, require_tag
from scripts.demo_folder import DemoError
from scripts.demo_server import clean_environment, running_server
from scripts.licenses import BUILD, write_components
from scripts.setup_example import EXAMPLE
from scripts.setup_node import node_environment
from scripts.setup_steps import ROOT, SetupError, require_success, run_program
from scripts.setup_tools import find_node, find_uv
from scripts.wheel_tags import PURE_TAG

CHANGELOG: Final = ROOT / "CHANGELOG.md"
NODE_PACKAGE: Final = ROOT / "packages" / "node"
STORYBOOK: Final = EXAMPLE / "storybook-static"
NOTES: Final = "RELEASE_NOTES.md"
SUMS: Final = "SHA256SUMS"
ENGINES: Final = ("docker", "podman")
PUBLISHED: Final = 1
FAILED_TRIAL: Final = "The file of the release does not work in an empty environment."


def say(line: str) -> None:
    print(f"release: {line}", flush=True)


def read_version() -> str:
    """Return the version of the project, which the npm package must have too."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    package = json.loads((NODE_PACKAGE / "package.json").read_text())["version"]
    if package != version:
        raise SetupError(f"pyproject.toml has version {version}, packages/node has {package}.")
    return version


def read_notes(version: str) -> str:
    """Return the section of the changelog; raises SetupError if there is none."""
    sections = re.split(r"(?m)^## ", CHANGELOG.read_text())
    found = [each for each in sections if each.startswith(f"[{version}]")]
    if not found:
        raise SetupError(f"CHANGELOG.md has no section '## [{version}]'.")
    return found[0].partition("\n")[2].strip() + "\n"


def require_clean_checkout() -> None:
    changed = require_success(["git", "status", "--porcelain"], "Is this a git checkout?", ROOT)
    if changed:
        raise SetupError(f"Commit or remove these files first:\n{changed}")


def build_python(names: Sequence[str]) -> None:
    install_tools(names)
    for name in names:
        build_for(name)
    require_tag(build("wheel", {CHOICE: SKIP}), PURE_TAG)
    build("sdist", {})


def build_npm() -> None:
    node = find_node()
    command: list[str | Path] = [node / "npm", "pack", "--pack-destination", DIST]
    require_success(command, "The lines above say why.", NODE_PACKAGE, node_environment(node))


def build_container(version: str) -> bool:
    """Build the image and run it once; return whether there is a program for containers."""
    engine = next((found for name in ENGINES if (found := shutil.which(name))), None)
    if engine is None:
        return False
    tag = f"visual-review:{version}"
    require_success([engine, "build", "--tag", tag, ROOT], "The lines above say why.")
    printed = require_success([engine, "run", "--rm", tag, "visual-review", "doctor"], FAILED_TRIAL)
    require_native(printed)
    return True


def write_texts(notes: str) -> None:
    (DIST / NOTES).write_text(notes)
    write_components()
    for path in BUILD.glob("sbom-*.cdx.json"):
        shutil.copy(path, DIST)


def write_sums() -> None:
    """Write the SHA-256 of every file in the format that ``sha256sum --check`` reads."""
    files = sorted(path for path in DIST.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / SUMS).write_text("".join(lines))


def only(pattern: str) -> Path:
    """Return the file of the release that matches; raises SetupError without exactly one."""
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise SetupError(f"dist has {len(found)} files {pattern}; it must have one.")
    return found[0]


@contextmanager
def empty_environment() -> Iterator[Path]:
    """Yield the programs of a new virtual environment with nothing but pip."""
    with tempfile.TemporaryDirectory(prefix="visual-review-release-") as folder:
        # Started by root, the service runs as another user, which must read its program.
        Path(folder).chmod(0o755)
        venv.create(Path(folder) / "venv", with_pip=True)
        yield Path(folder) / "venv" / "bin"


def require_native(printed: str) -> None:
    if "comparison: native" not in printed:
        raise SetupError(f"{FAILED_TRIAL} 'doctor' names no native engine:\n{printed}")


def try_server(wheel: Path) -> None:
    """Install the wheel alone, start the service, and publish the example twice."""
    say(f"trying {wheel.name}: install, up, publish, approve, publish")
    with empty_environment() as programs:
        require_success([programs / "pip", "install", "--quiet", f"{wheel}[server]"], FAILED_TRIAL)
        program = programs / "visual-review"
        require_native(run_program([program, "doctor"], programs.parent).stdout)
        with running_server(programs.parent, 0, program=program) as server:
            connected = server.act("connect_repo", fullName="harbour/release")
            token = connected["projectToken"]
            environment = clean_environment(
                {"VISUAL_REVIEW_URL": server.url, "UI_REVIEW_TOKEN": token}
            )
            publish = [str(program), "publish", str(STORYBOOK), "--branch", "main"]
            for expected in (PUBLISHED, 0):
                done = subprocess.run(
                    [*publish, "--commit", "1" * 40],
                    env=environment,
                    cwd=programs.parent,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode != expected:
                    raise SetupError(f"{FAILED_TRIAL} publish printed:\n{done.stderr[-2000:]}")
                builds = server.act("list_builds", repoId=connected["repo"]["id"])["builds"]
                server.act("approve_build", buildId=builds[0]["id"])


def try_source(source: Path) -> None:
    """Install the client from the source, which builds the native engine."""
    say(f"trying {source.name}: build, install, doctor")
    with empty_environment() as programs:
        command: list[str | Path] = [programs / "pip", "install", "--quiet", source]
        require_success(command, FAILED_TRIAL, env={CHOICE: REQUIRE})
        require_native(run_program([programs / "visual-review", "doctor"], programs.parent).stdout)


def try_without_installing(version: str) -> None:
    """Run the client by uvx and pipx with the files of ``dist`` as the package index."""
    say("trying uvx and pipx")
    requirement = f"visual-review=={version}"
    with empty_environment() as programs:
        require_success([programs / "pip", "install", "--quiet", "pipx"], FAILED_TRIAL)
        home = {"PIPX_HOME": str(programs.parent / "pipx"), "PIP_FIND_LINKS": str(DIST)}
        version_of = ("visual-review", "--version")
        uvx: list[str | Path] = [find_uv(), "tool", "run", "--find-links", DIST]
        pipx: list[str | Path] = [programs / "pipx", "run", "--spec", requirement]
        for command, environment in (
            ([*uvx, "--from", requirement, *version_of], {}),
            ([*pipx, *version_of], home),
        ):
            printed = require_success(command, FAILED_TRIAL, programs.parent, environment)
            if version not in printed:
                raise SetupError(f"{FAILED_TRIAL} It printed: {printed}")


def try_npm(package: Path) -> None:
    """Install the npm package alone, and load both of its entry points."""
    say(f"trying {package.name}: install, load")
    node = find_node()
    with tempfile.TemporaryDirectory(prefix="visual-review-release-") as folder:
        where, environment = Path(folder), node_environment(node)
        (where / "package.json").write_text('{"private": true}')
        install: list[str | Path] = [node / "npm", "install", "--no-audit", "--no-fund", package]
        require_success([*install, "@playwright/test"], FAILED_TRIAL, where, environment)
        load = "import 'visual-review'; import 'visual-review/reporter'; console.log('loaded')"
        require_success(
            [node / "node", "--input-type=module", "--eval", load], FAILED_TRIAL, where, environment
        )


def check_sums() -> None:
    require_success(["sha256sum", "--check", "--quiet", SUMS], FAILED_TRIAL, DIST)


def release(names: Sequence[str]) -> None:
    version = read_version()
    notes = read_notes(version)
    require_clean_checkout()
    shutil.rmtree(DIST, ignore_errors=True)
    build_python(names)
    build_npm()
    has_container = build_container(version)
    write_texts(notes)
    write_sums()
    check_sums()
    try_server(only("*manylinux*x86_64.whl"))
    try_source(only("*.tar.gz"))
    try_without_installing(version)
    try_npm(only("*.tgz"))
    for name in sorted(set(RELEASED) - set(names)):
        say(f"this is no complete release: no wheel was built for {name}")
    if not has_container:
        say("this is no complete release: neither docker nor podman was found for the container")


def main(arguments: list[str]) -> int:
    unknown = sorted(set(arguments) - set(RELEASED))
    if unknown:
        print(f"No wheels are released for {', '.join(unknown)}.", file=sys.stderr)
        return 2
    try:
        release(arguments or list(RELEASED))
    except (SetupError, DemoError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print("\n".join(path.name for path in sorted(DIST.iterdir())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
