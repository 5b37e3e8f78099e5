"""Storycap, installed on first use, and the common browser of all programs."""

from dataclasses import dataclass
from pathlib import Path

from scripts.setup_node import NodePackages
from scripts.setup_steps import ROOT
from scripts.setup_tools import ensure_chromium, find_node

STORYCAP = NodePackages(ROOT / "benchmarks" / "capture" / "peers", "storycap, for the benchmark")


@dataclass(frozen=True)
class Installation:
    """Where the other programs are."""

    node: Path
    chromium: Path

    @property
    def storycap(self) -> Path:
        return STORYCAP.installed / "storycap" / "lib" / "node" / "cli.js"


def ensure_programs() -> Installation:
    """Install missing programs. Raises SetupError when a registry cannot be reached."""
    node = find_node()
    STORYCAP.ensure(node)
    return Installation(node / "node", ensure_chromium())
