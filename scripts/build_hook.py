"""Put the native comparison engine's library and the site of the documentation into wheels.

Hatchling calls this hook when it builds a wheel.

``VISUAL_REVIEW_KERNEL`` decides: ``require`` fails without a library, ``skip`` makes the wheel for
every platform without one, and unset builds the library if Rust is installed.
``VISUAL_REVIEW_KERNEL_TARGET`` names another platform, and ``VISUAL_REVIEW_KERNEL_LIBRARY`` a
library built for that platform before. ``VISUAL_REVIEW_DOCUMENTATION`` set to ``skip`` leaves out a
site that was not built before.
"""

import os
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Build tools load this file by its path, and put nothing of the project on Python's.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.native_library import (
    PACKAGE,
    Target,
    build_library,
    find_cargo,
    find_host,
)
from scripts.setup_steps import SetupError, run_program
from scripts.wheel_tags import (
    PURE_TAG,
    UnknownPlatformError,
    wheel_tag,
)

CHOICE: Final = "VISUAL_REVIEW_KERNEL"
TARGET: Final = "VISUAL_REVIEW_KERNEL_TARGET"
LIBRARY: Final = "VISUAL_REVIEW_KERNEL_LIBRARY"
REQUIRE: Final = "require"
SKIP: Final = "skip"
WITHOUT: Final = (
    "The wheel has no native comparison engine: images are compared with numpy, with the same results "
    "and more slowly."
)
NO_NODE_PACKAGE: Final = "The wheel has no npm package for Playwright: packages/node was not built."
DOCUMENTATION: Final = "VISUAL_REVIEW_DOCUMENTATION"
NO_RUST: Final = "No Rust compiler was found; https://rustup.rs installs one."


class KernelHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable installation loads the library that set-up puts into the checkout.
        if self.target_name == "wheel" and version != "editable":
            try:
                build_data.update(self._contents())
            except (SetupError, UnknownPlatformError) as error:
                self.app.abort(f"{error}\n{CHOICE}={SKIP} builds a wheel without the library.")
            self._include_commit(build_data)
            self._include_node_package(build_data)
            self._include_site(build_data)

    def _include_node_package(self, build_data: dict[str, Any]) -> None:
        """Include the npm package offered by the server, if the package was built."""
        folder = Path(self.root, "packages", "node")
        if not (folder / "dist").is_dir():
            self.app.display_warning(NO_NODE_PACKAGE)
            return
        for name in ("dist", "package.json", "README.md"):
            build_data.setdefault("force_include", {})[str(folder / name)] = (
                f"visual_review/node_package/{name}"
            )

    def dependencies(self) -> list[str]:
        """Return the packages for building the site, unless the site is there."""
        if self._site().is_dir() or os.environ.get(DOCUMENTATION) == SKIP:
            return []
        project = tomllib.loads(Path(self.root, "pyproject.toml").read_text(encoding="utf-8"))
        return list(project["dependency-groups"]["docs"])

    def _site(self) -> Path:
        return Path(self.root, "build", "site")

    def _include_site(self, build_data: dict[str, Any]) -> None:
        """Include the documentation that the server shows at /docs."""
        if not self._site().is_dir():
            if os.environ.get(DOCUMENTATION) == SKIP:
                return
            command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
            done = run_program(command, Path(self.root), {"NO_MKDOCS_2_WARNING": "1"})
            if done.returncode:
                self.app.abort(f"{done.stdout}\n{DOCUMENTATION}={SKIP} builds a wheel without it.")
        files = build_data.setdefault("force_include", {})
        files[str(self._site())] = "visual_review/documentation"

    def _include_commit(self, build_data: dict[str, Any]) -> None:
        """Store the commit of the wheel: the version of the offered client names the commit."""
        done = run_program(["git", "-C", self.root, "rev-parse", "HEAD"])
        if (Path(self.root) / ".git").exists() and done.returncode == 0:
            path = Path(self.root, "build", "commit.txt")
            path.parent.mkdir(exist_ok=True)
            path.write_text(done.stdout.strip(), encoding="utf-8")
            build_data.setdefault("force_include", {})[str(path)] = "visual_review/commit.txt"

    def _contents(self) -> dict[str, Any]:
        choice = os.environ.get(CHOICE, "")
        if choice not in {"", REQUIRE, SKIP}:
            raise SetupError(f"{CHOICE} is {choice!r}; it may be {REQUIRE!r} or {SKIP!r}.")
        built = _find_built()
        if built is not None and choice != SKIP:
            return _with_library(*built)
        cargo = None if choice == SKIP else find_cargo()
        if cargo is None:
            return self._without_library("" if choice == SKIP else NO_RUST, choice)
        host = find_host(cargo)
        target = Target.parse(os.environ.get(TARGET) or str(host))
        self.app.display_info(f"Building the native comparison engine for {target}")
        return _with_library(build_library(cargo, target, host), target)

    def _without_library(self, reason: str, choice: str) -> dict[str, Any]:
        if choice == REQUIRE:
            raise SetupError(f"{CHOICE} is {REQUIRE!r}. {reason}")
        self.app.display_warning(f"{reason} {WITHOUT}".strip())
        return {"tag": PURE_TAG}


def _find_built() -> tuple[Path, Target] | None:
    """Return the library built before, and the library's platform; None where none is named."""
    library, target = os.environ.get(LIBRARY), os.environ.get(TARGET)
    if not library:
        return None
    if not target:
        raise SetupError(f"{LIBRARY} is set, so {TARGET} must name the platform of the library.")
    if not Path(library).is_file():
        raise SetupError(f"{LIBRARY} is {library!r}, which is not a file.")
    return Path(library), Target.parse(target)


def _with_library(library: Path, target: Target) -> dict[str, Any]:
    return {
        "tag": wheel_tag(target, library.read_bytes()),
        "pure_python": False,
        "force_include": {str(library): f"{PACKAGE}/{target.library_name}"},
    }
