"""Build everything of a release into ``dist``: a wheel for each platform, one for all, the source.

``python -m scripts.build_wheels`` needs Rust by rustup on Linux, and installs the linker of zig,
which builds for every platform. Names of targets build only their wheels.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scripts.build_hook import CHOICE, REQUIRE, SKIP, TARGET
from scripts.native_library import Target, cargo_environment, find_cargo
from scripts.setup_steps import ROOT, VENV_BIN, SetupError, require_success, run_program, say
from scripts.setup_tools import find_uv
from scripts.wheel_tags import PURE_TAG

DIST: Final = ROOT / "dist"
# Each target with the tag required of its wheel: a newer glibc would leave users out.
RELEASED: Final = {
    "x86_64-unknown-linux-gnu.2.17": "py3-none-manylinux_2_17_x86_64",
    "aarch64-unknown-linux-gnu.2.17": "py3-none-manylinux_2_17_aarch64",
    "x86_64-unknown-linux-musl": "py3-none-musllinux_1_2_x86_64",
    "aarch64-unknown-linux-musl": "py3-none-musllinux_1_2_aarch64",
    "x86_64-apple-darwin": "py3-none-macosx_10_12_x86_64",
    "aarch64-apple-darwin": "py3-none-macosx_11_0_arm64",
    "x86_64-pc-windows-gnu": "py3-none-win_amd64",
}
NO_NETWORK: Final = "Can this machine reach the Python package index?"
NO_TARGET: Final = (
    "Rust's standard library for that platform is missing: install Rust with rustup "
    "(https://rustup.rs), on a machine that reaches its server."
)


def build(kind: str, environment: dict[str, str]) -> Path:
    """Build one file into ``dist`` and return its path.

    Raises SetupError when the build fails.
    """
    command: tuple[str | Path, ...] = (VENV_BIN / "python", "-m", "hatchling", "build")
    options: tuple[str | Path, ...] = ("--target", kind, "--directory", DIST)
    advice = "The lines above have the reason."
    output = require_success([*command, *options], advice, env=environment)
    # Hatchling prints the name of the file last.
    return Path(output.splitlines()[-1])


def require_tag(wheel: Path, tag: str) -> None:
    """Raise SetupError if a wheel has another tag than is released."""
    if not wheel.name.endswith(f"-{tag}.whl"):
        raise SetupError(f"{wheel.name} was built, but its tag must be {tag}. Delete the file.")


def build_for(name: str) -> None:
    say(f"building the wheel for {name}")
    wheel = build("wheel", {CHOICE: REQUIRE, TARGET: name})
    require_tag(wheel, RELEASED[name])


def install_tools(names: Sequence[str]) -> None:
    """Install zig, and Rust's standard library for each platform."""
    cargo = find_cargo()
    if cargo is None:
        raise SetupError(f"No Rust compiler was found. {NO_TARGET}")
    sync = ["sync", "--frozen", "--all-extras", "--group", "wheels", "--quiet"]
    require_success([find_uv(), *sync], NO_NETWORK)
    env = cargo_environment(cargo)
    # A compiler of a distribution has no rustup, and may have the libraries all the same.
    if run_program(["rustup", "--version"], env=env).returncode == 0:
        triples = [Target.parse(name).triple for name in names]
        require_success(["rustup", "target", "add", *triples], NO_TARGET, env=env)


def main(arguments: list[str]) -> int:
    unknown = sorted(set(arguments) - set(RELEASED))
    if unknown:
        print(f"No wheels are released for {', '.join(unknown)}.", file=sys.stderr)
        return 2
    names = arguments or list(RELEASED)
    try:
        install_tools(names)
        for name in names:
            build_for(name)
        if not arguments:
            require_tag(build("wheel", {CHOICE: SKIP}), PURE_TAG)
            build("sdist", {})
    except SetupError as error:
        print(f"build_wheels: {error}", file=sys.stderr)
        return 1
    print("\n".join(sorted(str(path) for path in DIST.iterdir())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
