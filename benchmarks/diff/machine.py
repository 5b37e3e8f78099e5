"""The machine on which the figures were measured."""

import os
import platform
from pathlib import Path

from scripts.setup_steps import run_program


def describe_machine() -> str:
    return (
        f"{os.cpu_count()} CPUs ({_processor()}), {_memory():.0f} GB, {platform.system()} "
        f"{platform.release()}, Python {platform.python_version()}; load average before the run: "
        f"{os.getloadavg()[0]:.1f}"
    )


def describe_node(node: Path) -> str:
    return f"Node {run_program([node, '--version']).stdout.strip().removeprefix('v')}"


def _processor() -> str:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith(("model name", "Hardware"))
    ]
    return names[0] if names else platform.machine()


def _memory() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
