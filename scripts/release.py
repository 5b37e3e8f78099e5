"""Build a release into ``dist``, and try each file in an empty environment: ``make release``.

Wheels of all platforms with the native engine, the source, the npm package, the Helm chart, the
entry for the registry of MCP servers, the documentation, lists of components, notes and checksums,
and the container where Docker or Podman runs. Names of targets (``PLATFORMS``) build a part of the
wheels, for a trial: the end says what a release still lacks.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
from PIL import Image

from scripts.build_hook import CHOICE, REQUIRE, SKIP
from scripts.build_wheels import DIST, RELEASED, build, build_for, install_tools, require_tag
from scripts.chart import CHART, REQUIRED_VALUES, pack_folder, render_chart
from scripts.demo_folder import DemoError
from scripts.demo_server import DemoServer, clean_environment, running_server
from scripts.documentation_site import SITE, ensure_site
from scripts.licenses import BUILD, write_components
from scripts.setup_example import EXAMPLE
from scripts.setup_node import node_environment
from scripts.setup_steps import ROOT, SetupError, require_success, run_program
from scripts.setup_tools import find_node, find_uv
from scripts.wheel_tags import PURE_TAG

CHANGELOG: Final = ROOT / "CHANGELOG.md"
NODE_PACKAGE: Final = ROOT / "packages" / "node"
SERVER_ENTRY: Final = ROOT / "server.json"
STORYBOOK: Final = EXAMPLE / "storybook-static"
NOTES: Final = "RELEASE_NOTES.md"
SUMS: Final = "SHA256SUMS"
ENGINES: Final = ("docker", "podman")
IMAGES: Final = ROOT / "docs" / "images"
PUBLISHED: Final = 1
DIFFERENT: Final = 1
FAILED_TRIAL: Final = "The file of the release does not work in an empty environment."
# In the entry for the registry of MCP servers; the workflow of releases knows both.
UNKNOWN_REPOSITORY: Final = "OWNER/NAME"


def say(line: str) -> None:
    print(f"release: {line}", flush=True)


def read_version() -> str:
    """Return the version of the project; raises SetupError if a published file has another one."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    others = {
        NODE_PACKAGE / "package.json": r'"version": "(.+)"',
        SERVER_ENTRY: r'"version": "(.+)"',
        CHART / "Chart.yaml": r"(?m)^(?:version|appVersion): (.+)$",
    }
    for path, pattern in others.items():
        for other in re.findall(pattern, path.read_text()) or ["no version"]:
            if other != version:
                name = path.relative_to(ROOT)
                raise SetupError(f"pyproject.toml has version {version}, {name} has {other}.")
    return version


def read_notes(version: str) -> str:
    """Return the section of the changelog, each entry in one line as GitHub's releases need it.

    Raises SetupError without such a section.
    """
    sections = re.split(r"(?m)^## ", CHANGELOG.read_text())
    found = [each for each in sections if each.startswith(f"[{version}]")]
    if not found:
        raise SetupError(f"CHANGELOG.md has no section '## [{version}]'.")
    return re.sub(r"\n  (?=\S)", " ", found[0].partition("\n")[2].strip()) + "\n"


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
    """Build the image and run it once; return whether a container engine runs here."""
    engine = next((name for name in ENGINES if run_program([name, "info"]).returncode == 0), None)
    if engine is None:
        return False
    tag = f"visual-review:{version}"
    require_success([engine, "build", "--tag", tag, ROOT], "The lines above say why.")
    printed = require_success([engine, "run", "--rm", tag, "visual-review", "doctor"], FAILED_TRIAL)
    require_native(printed)
    return True


def build_archives(version: str) -> None:
    """Pack the chart and the documentation."""
    pack_folder(CHART, CHART.name, DIST / f"visual-review-chart-{version}.tgz")
    pack_folder(SITE, "documentation", DIST / f"visual-review-documentation-{version}.tgz")


def write_server_entry() -> bool:
    """Write the entry for the registry of MCP servers; return whether the repository is known."""
    repository = os.environ.get("GITHUB_REPOSITORY", UNKNOWN_REPOSITORY)
    text = SERVER_ENTRY.read_text().replace(UNKNOWN_REPOSITORY, repository)
    text = text.replace("io.github.OWNER/", f"io.github.{repository.partition('/')[0]}/")
    (DIST / SERVER_ENTRY.name).write_text(text)
    return repository != UNKNOWN_REPOSITORY


def write_texts(notes: str) -> None:
    (DIST / NOTES).write_text(notes)
    write_components()
    for path in BUILD.glob("sbom-*.cdx.json"):
        shutil.copy(path, DIST)


def write_sums() -> None:
    """Write the SHA-256 of every file in the format of ``sha256sum --check``."""
    files = sorted(path for path in DIST.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / SUMS).write_text("".join(lines))


def only(pattern: str) -> Path:
    """Return the matching file of the release; raises SetupError without exactly one."""
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise SetupError(f"dist has {len(found)} files {pattern}; it must have one.")
    return found[0]


@contextmanager
def empty_environment() -> Iterator[Path]:
    """Yield the programs of a new virtual environment with nothing but pip."""
    with tempfile.TemporaryDirectory(prefix="visual-review-release-") as folder:
        # Started by root, the service runs as another user, and must be able to read its program.
        Path(folder).chmod(0o755)
        venv.create(Path(folder) / "venv", with_pip=True)
        yield Path(folder) / "venv" / "bin"


def require_native(printed: str) -> None:
    if "comparison: native" not in printed:
        raise SetupError(f"{FAILED_TRIAL} 'doctor' names no native engine:\n{printed}")


def try_server(wheel: Path, package: Path) -> None:
    """Install the wheel alone, start the service, and publish the example: by the wheel, by npx."""
    say(f"trying {wheel.name}: install, up, publish, approve; {package.name}: npx publish")
    with empty_environment() as programs:
        require_success([programs / "pip", "install", "--quiet", f"{wheel}[server]"], FAILED_TRIAL)
        program = programs / "visual-review"
        require_native(run_program([program, "doctor"], programs.parent).stdout)
        with running_server(programs.parent, 0, program=program) as server:
            httpx.get(f"{server.url}/docs/", follow_redirects=True).raise_for_status()
            repository = server.act("connect_repo", fullName="harbour/release")
            token = repository["projectToken"]
            environment = {"VISUAL_REVIEW_URL": server.url, "UI_REVIEW_TOKEN": token}
            publish_example([program], environment, programs.parent)
            first = newest_build(server, repository["repo"]["id"])
            server.act("approve_build", buildId=first["id"])
            with npx(package) as (command, more):
                publish_example(command, {**environment, **more}, programs.parent)
            second = newest_build(server, repository["repo"]["id"])
            if (second["number"], second["diffCount"]) != (first["number"] + 1, 0):
                raise SetupError(f"{FAILED_TRIAL} npx published differences: {second}")


def publish_example(
    program: Sequence[str | Path], environment: Mapping[str, str], folder: Path
) -> None:
    """Publish the Storybook of the example; raises SetupError on failure."""
    options = ("--branch", "main", "--commit", "1" * 40)
    done = subprocess.run(
        [*program, "publish", STORYBOOK, *options],
        env=clean_environment(environment),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    # A story of the example fails on purpose, so there is always something to review.
    if done.returncode != PUBLISHED:
        printed = f"{done.stderr[-2000:]}\n{done.stdout[-2000:]}"
        raise SetupError(f"{FAILED_TRIAL} publish ended with {done.returncode}:\n{printed}")


def newest_build(server: DemoServer, repository: str) -> dict[str, Any]:
    newest: dict[str, Any] = server.act("list_builds", repoId=repository)["builds"][0]
    return newest


@contextmanager
def npx(package: Path) -> Iterator[tuple[list[str | Path], dict[str, str]]]:
    """Yield the command for the npm package without installation, and the environment.

    The package finds Node and uv on the path and no client, so it installs the server's client.
    """
    node = find_node()
    with tempfile.TemporaryDirectory(prefix="visual-review-release-") as folder:
        programs = Path(folder) / "bin"
        programs.mkdir()
        (programs / "node").symlink_to(node / "node")
        (programs / "uv").symlink_to(find_uv())
        path = os.pathsep.join([str(programs), "/usr/local/bin", "/usr/bin", "/bin"])
        environment = {**node_environment(node), "PATH": path, "XDG_CACHE_HOME": folder}
        yield [node / "npx", "--yes", "--package", package, "visual-review"], environment


def try_pure(wheel: Path) -> None:
    """Install the wheel of any platform, and compare two images without the native engine."""
    say(f"trying {wheel.name}: install, doctor, diff")
    with empty_environment() as programs:
        require_success([programs / "pip", "install", "--quiet", wheel], FAILED_TRIAL)
        program = programs / "visual-review"
        if "comparison: numpy" not in run_program([program, "doctor"], programs.parent).stdout:
            raise SetupError(f"{FAILED_TRIAL} 'doctor' names another engine than numpy.")
        images = sorted(IMAGES.glob("review-page-*.webp"))
        for name, image in zip(("before.png", "after.png"), images, strict=True):
            Image.open(image).convert("RGB").save(programs.parent / name)
        done = run_program([program, "diff", "before.png", "after.png"], programs.parent)
        if done.returncode != DIFFERENT:
            raise SetupError(f"{FAILED_TRIAL} diff ended with {done.returncode}:\n{done.stderr}")


def try_archives(documents: Path, components: Sequence[Path]) -> None:
    """Read the documentation, and the lists of components in the format of CycloneDX."""
    with tarfile.open(documents) as archive:
        if "documentation/index.html" not in archive.getnames():
            raise SetupError(f"{FAILED_TRIAL} {documents.name} has no first page.")
    for path in components:
        found = json.loads(path.read_text())
        if found["bomFormat"] != "CycloneDX" or not found["components"]:
            raise SetupError(f"{FAILED_TRIAL} {path.name} has no components.")


def try_source(source: Path) -> None:
    """Install the client from the source, including a build of the native engine."""
    say(f"trying {source.name}: build, install, doctor")
    with empty_environment() as programs:
        command: list[str | Path] = [programs / "pip", "install", "--quiet", source]
        require_success(command, FAILED_TRIAL, env={CHOICE: REQUIRE})
        require_native(run_program([programs / "visual-review", "doctor"], programs.parent).stdout)


def try_without_installing(wheel: Path, version: str) -> None:
    """Run the client by uvx and pipx, with a folder of wheels as the only package index."""
    say("trying uvx and pipx")
    with empty_environment() as programs:
        index = programs.parent / "index"
        # pipx installs a pip of its own, from the same index.
        download: list[str | Path] = ["download", "--quiet", "--dest", index, wheel, "pip"]
        require_success([programs / "pip", *download], FAILED_TRIAL)
        require_success([programs / "pip", "install", "--quiet", "pipx"], FAILED_TRIAL)
        offline = ("--no-index", "--find-links", str(index))
        requirement = f"visual-review=={version}"
        run = ("visual-review", "--version")
        uvx: list[str | Path] = [find_uv(), "tool", "run", "--python", programs / "python"]
        pipx: list[str | Path] = [programs / "pipx", "run", "--spec", requirement]
        for command in (
            [*uvx, *offline, "--from", requirement, *run],
            [*pipx, "--pip-args", " ".join(offline), *run],
        ):
            home = {"PIPX_HOME": str(programs.parent / "pipx")}
            printed = require_success(command, FAILED_TRIAL, programs.parent, home)
            if version not in printed:
                raise SetupError(f"{FAILED_TRIAL} It printed: {printed}")


def try_npm(package: Path) -> None:
    """Install the npm package alone, and load both entry points."""
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


def try_chart(chart: Path, version: str) -> None:
    """Have Helm render the chart with the values that every user must set."""
    say(f"trying {chart.name}: lint, render")
    objects = render_chart(chart, REQUIRED_VALUES)
    image = f"registry.example.com/visual-review:{version}"
    if image not in json.dumps(objects):
        raise SetupError(f"{FAILED_TRIAL} The objects of the chart do not name {image}.")


def check_sums() -> None:
    require_success(["sha256sum", "--check", "--quiet", SUMS], FAILED_TRIAL, DIST)


def release(names: Sequence[str]) -> None:
    version = read_version()
    notes = read_notes(version)
    require_clean_checkout()
    shutil.rmtree(DIST, ignore_errors=True)
    ensure_site()
    build_python(names)
    build_npm()
    build_archives(version)
    has_container = build_container(version)
    has_repository = write_server_entry()
    write_texts(notes)
    write_sums()
    check_sums()
    try_files(version)
    for name in sorted(set(RELEASED) - set(names)):
        say(f"this is no complete release: no wheel was built for {name}")
    if not has_container:
        say("this is no complete release: neither docker nor podman runs here for the container")
    if not has_repository:
        say("this is no complete release: server.json needs OWNER/NAME in GITHUB_REPOSITORY")


def try_files(version: str) -> None:
    wheel, package = only("*manylinux*x86_64.whl"), only(f"visual-review-{version}.tgz")
    try_server(wheel, package)
    try_pure(only("*-none-any.whl"))
    try_archives(only("visual-review-documentation-*.tgz"), sorted(DIST.glob("sbom-*.cdx.json")))
    try_source(only("visual_review-*.tar.gz"))
    try_without_installing(wheel, version)
    try_npm(package)
    try_chart(only("visual-review-chart-*.tgz"), version)


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
