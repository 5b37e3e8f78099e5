"""Packages from npm, installed again only when their lock files change."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_steps import ROOT, content_hash, is_fresh, require_success, say, write_stamp

RECIPE = (".npmrc", "package.json", "package-lock.json")


@dataclass(frozen=True)
class NodePackages:
    """A folder with a package.json, and what its packages are for."""

    folder: Path
    purpose: str

    @property
    def recipe(self) -> tuple[Path, ...]:
        return tuple(self.folder / name for name in RECIPE)

    @property
    def installed(self) -> Path:
        return self.folder / "node_modules"

    def version_of(self, package: str) -> str:
        described = json.loads((self.installed / package / "package.json").read_text())
        return str(described["version"])

    def ensure(self, node: Path) -> None:
        # The stamp is in the folder that `npm ci` deletes first, so it never outlives the
        # packages.
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
PLAYWRIGHT_PACKAGES = NodePackages(
    ROOT / "examples" / "playwright", "the example with Playwright tests"
)
MCP_CLIENTS = NodePackages(ROOT / "tests" / "mcp_clients", "the MCP clients")
HOST_EMULATORS = NodePackages(ROOT / "tests" / "host_emulators", "the emulator of GitHub")
PIXELMATCH = NodePackages(ROOT / "tests" / "pixelmatch", "pixelmatch")
API_CLIENTS = NodePackages(ROOT / "tests" / "api_clients", "the generated TypeScript client")
# Needed by one deep test only, which installs it.
WEBPACK_STORYBOOK = NodePackages(
    ROOT / "tests" / "storybooks" / "webpack", "the Storybook on webpack"
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
