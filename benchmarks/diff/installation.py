"""The other programs, installed on first use into folders ignored by git."""

from dataclasses import dataclass
from pathlib import Path

from scripts.setup_node import NodePackages
from scripts.setup_steps import (
    ROOT,
    content_hash,
    is_fresh,
    require_success,
    say,
    write_stamp,
)
from scripts.setup_tools import find_node, find_uv

FOLDER = ROOT / ".bench" / "diff"
PEERS = ROOT / "benchmarks" / "diff" / "peers"
PYTHON_PEERS = FOLDER / "python"
# odiff's npm package starts this program; the benchmark starts the same one directly.
ODIFF_PACKAGE = "@odiff/linux-x64"
NPM_PEERS = NodePackages(PEERS, "the programs to compare with")


@dataclass(frozen=True)
class Installation:
    """Where the other programs are."""

    node: Path
    packages: Path

    @property
    def odiff(self) -> Path:
        return self.packages / ODIFF_PACKAGE / "odiff"

    @property
    def reg_cli(self) -> Path:
        return self.packages / "reg-cli" / "dist" / "cli.js"

    @property
    def pixelmatch(self) -> Path:
        return self.packages / "pixelmatch" / "bin" / "pixelmatch"


def ensure_peers() -> Installation:
    """Install missing programs. Raises SetupError when a registry cannot be reached."""
    node = find_node()
    NPM_PEERS.ensure(node)
    _ensure_python_peers()
    # The `node` of a virtual environment starts another process, and the CPU time of the other
    # process counts.
    advice = "Delete .venv and try again, or install Node."
    program = require_success([node / "node", "--print", "process.execPath"], advice).strip()
    return Installation(Path(program), NPM_PEERS.installed)


def versions() -> list[str]:
    """Return names and versions of the other programs."""
    names = {
        "odiff": ODIFF_PACKAGE,
        "pixelmatch": "pixelmatch",
        "pngjs": "pngjs",
        "reg-cli": "reg-cli",
    }
    described = [f"{name} {NPM_PEERS.version_of(package)}" for name, package in names.items()]
    requirement = next(
        line for line in _requirements().read_text().splitlines() if line.startswith("blazediff")
    )
    return [*described, requirement.removesuffix("\\").strip().replace("==", " ")]


def _requirements() -> Path:
    return PEERS / "requirements.txt"


def _ensure_python_peers() -> None:
    stamp = PYTHON_PEERS / ".setup-stamp"
    value = content_hash([_requirements()])
    if is_fresh(stamp, value):
        return
    say("installing blazediff for the benchmark")
    command: list[str | Path] = [find_uv(), "pip", "install", "--quiet", "--require-hashes"]
    command += ["--target", PYTHON_PEERS, "--requirement", _requirements()]
    require_success(command, "Can this machine reach the Python package index?")
    write_stamp(stamp, value)
