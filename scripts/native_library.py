"""The library of the native comparison engine: its sources, its names, and building it with cargo.

The set-up step and the build hook of the wheel share this module, so the module needs only Python.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.setup_steps import ROOT, SetupError, require_success, run_program

CRATE: Final = ROOT / "native"
CRATE_NAME: Final = "visual_review_kernel"
# The folder of the adapter; the adapter loads the library from the same folder.
PACKAGE: Final = "visual_review/imagediff/native"
SOURCES: Final = (CRATE / "Cargo.toml", CRATE / "Cargo.lock", CRATE / "src")
# The crate has no dependencies, so a build never needs the network.
FLAGS: Final = ("--release", "--locked", "--offline")
# The oldest macOS that Rust supports on each processor.
OLDEST_MACOS: Final = {"x86_64": "10.12", "aarch64": "11.0"}
ADVICE: Final = (
    "A C linker is needed too (on Debian and Ubuntu: apt-get install gcc), and the Rust version that "
    "native/Cargo.toml names."
)


@dataclass(frozen=True)
class Target:
    """A platform as Rust names it, such as ``aarch64-unknown-linux-gnu``.

    ``glibc`` is the version to link against; only cargo-zigbuild can choose a version.
    """

    triple: str
    glibc: str = ""

    @classmethod
    def parse(cls, name: str) -> "Target":
        """Read the form of cargo-zigbuild: ``x86_64-unknown-linux-gnu.2.17``."""
        triple, _, glibc = name.partition(".")
        return cls(triple, glibc)

    @property
    def machine(self) -> str:
        return self.triple.partition("-")[0]

    @property
    def is_macos(self) -> bool:
        return "-apple-darwin" in self.triple

    @property
    def is_windows(self) -> bool:
        return "-windows-" in self.triple

    @property
    def is_musl(self) -> bool:
        return "-linux-musl" in self.triple

    @property
    def is_glibc(self) -> bool:
        return "-linux-gnu" in self.triple

    @property
    def library_name(self) -> str:
        if self.is_windows:
            return f"{CRATE_NAME}.dll"
        return f"lib{CRATE_NAME}.{'dylib' if self.is_macos else 'so'}"

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of the build: libraries for musl and macOS need one each."""
        if self.is_musl:
            return {"RUSTFLAGS": "-C target-feature=-crt-static"}
        if self.is_macos and self.machine in OLDEST_MACOS:
            return {"MACOSX_DEPLOYMENT_TARGET": OLDEST_MACOS[self.machine]}
        return {}

    def __str__(self) -> str:
        return f"{self.triple}.{self.glibc}" if self.glibc else self.triple


def find_cargo() -> Path | None:
    """Return a working cargo, from the path or from rustup's folder; None without Rust."""
    usual = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "bin"
    found = shutil.which("cargo") or shutil.which("cargo", path=str(usual))
    # Rustup's cargo is there, but does not start, before a toolchain is chosen.
    if found is None or run_program([found, "--version"]).returncode != 0:
        return None
    return Path(found)


def cargo_environment(cargo: Path) -> dict[str, str]:
    # Cargo finds rustc on the path, and cargo-zigbuild is installed next to this Python.
    folders = (str(Path(sys.executable).parent), str(cargo.parent), os.environ.get("PATH", ""))
    return {"PATH": os.pathsep.join(folders)}


def read_host(described: str) -> Target:
    """Return the compiler's own platform from the output of ``rustc -vV``.

    Raises SetupError if the output names none.
    """
    for line in described.splitlines():
        if line.startswith("host: "):
            return Target(line.removeprefix("host: ").strip())
    raise SetupError(f"rustc does not say for which platform it compiles:\n{described}")


def find_host(cargo: Path) -> Target:
    return read_host(run_program(["rustc", "-vV"], env=cargo_environment(cargo)).stdout)


def build_command(cargo: Path, target: Target, host: Target) -> list[str | Path]:
    """Return the command; another platform, or another glibc, needs the linker of zig."""
    if target == host:
        return [cargo, "build", *FLAGS]
    return [cargo, "zigbuild", *FLAGS, "--target", str(target)]


def output_path(target: Target, host: Target) -> Path:
    # CARGO_TARGET_DIR is relative to the folder where cargo runs.
    output = CRATE / os.environ.get("CARGO_TARGET_DIR", "target")
    below = "release" if target == host else f"{target.triple}/release"
    return output / below / target.library_name


def build_library(cargo: Path, target: Target, host: Target) -> Path:
    """Build the library, and return its path.

    Raises SetupError with the compiler's last lines.
    """
    env = {**cargo_environment(cargo), **target.environment}
    require_success(build_command(cargo, target, host), ADVICE, CRATE, env)
    return output_path(target, host)
