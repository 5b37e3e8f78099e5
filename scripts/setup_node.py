"""Packages from npm, installed again only when their lock files change."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_steps import ROOT, content_hash, is_fresh, require_success, say, write_stamp

RECIPE = (".npmrc", "package.json", "package-lock.json")


@dataclass(frozen=True)
class NodePackages:
    """A folder with a package.json, and the purpose of its packages."""

    folder: Path
    purpose: str
    # Packages of this repository to install, in addition to the lock file's.
    local: tuple[Path, ...] = ()

    @property
    def recipe(self) -> tuple[Path, ...]:
        return (*(self.folder / name for name in RECIPE), *self.local)

    @property
    def installed(self) -> Path:
        return self.folder / "node_modules"

    def version_of(self, package: str) -> str:
        described = json.loads((self.installed / package / "package.json").read_text())
        return str(described["version"])

    def ensure(self, node: Path) -> None:
        # The stamp is in the folder that `npm ci` deletes first, so no stamp outlives the packages.
        stamp = self.installed / ".setup-stamp"
        value = content_hash(self.recipe)
        if is_fresh(stamp, value):
            return
        say(f"installing the packages of {self.purpose}")
        advice = (
            "Can this machine reach the npm registry? `npm config get registry` prints its URL."
        )
        command: list[str | Path] = [node / "npm", "ci", "--no-fund", "--no-audit"]
        require_success(command, advice, self.folder, node_environment(node))
        write_stamp(stamp, value)


EXAMPLE_PACKAGES = NodePackages(ROOT / "examples" / "storybook", "the example")
NODE_PACKAGE = NodePackages(ROOT / "packages" / "node", "the package for Node")
NODE_PACKAGE_BUILD = NODE_PACKAGE.folder / "dist"
PLAYWRIGHT_PACKAGES = NodePackages(
    ROOT / "examples" / "playwright",
    "the example with Playwright tests",
    local=(NODE_PACKAGE_BUILD,),
)
MCP_CLIENTS = NodePackages(ROOT / "tests" / "mcp_clients", "the MCP clients")
HOST_EMULATORS = NodePackages(ROOT / "tests" / "host_emulators", "the emulator of GitHub")
PIXELMATCH = NodePackages(ROOT / "tests" / "pixelmatch", "pixelmatch")
API_CLIENTS = NodePackages(ROOT / "tests" / "api_clients", "the generated TypeScript client")
# Needed and installed by deep tests only.
BUNDLERS_STORYBOOK = NodePackages(
    ROOT / "tests" / "storybooks" / "bundlers", "the Storybook on webpack, Vite and Rspack"
)
THEMED_STORYBOOKS = NodePackages(
    ROOT / "tests" / "storybooks" / "themed", "the Storybooks with add-ons for themes"
)
PAGE_TOOLS = NodePackages(ROOT / "javascript", "the checks of the pages' scripts")


def node_environment(node: Path) -> dict[str, str]:
    return {
        "PATH": f"{node}{os.pathsep}{os.environ['PATH']}",
        "STORYBOOK_DISABLE_TELEMETRY": "1",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    }


def ensure_node_package(node: Path) -> None:
    """Build the package for Node, unless it was built before from the same sources."""
    NODE_PACKAGE.ensure(node)
    folder = NODE_PACKAGE.folder
    names = ("src", "page", "build.mjs", "tsconfig.json", "tsconfig.cjs.json")
    scripts = ROOT / "src" / "visual_review" / "client" / "capture" / "scripts"
    sources = (*NODE_PACKAGE.recipe, *(folder / name for name in names), scripts)
    # A file written by the build into the sources does not count.
    value = content_hash(path for path in _list_files(sources) if path.name != "generated.ts")
    stamp = NODE_PACKAGE.installed / ".build-stamp"
    if is_fresh(stamp, value) and NODE_PACKAGE_BUILD.is_dir():
        return
    say("building the package for Node")
    advice = f"Delete {NODE_PACKAGE.installed} and try again."
    require_success([node / "npm", "run", "build"], advice, folder, node_environment(node))
    write_stamp(stamp, value)


def _list_files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in files if file.is_file())
