"""The memory of each process of a service, as the kernel counts it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from benchmarks.children import command_line

KILOBYTE: Final = 1024
FIELD: Final = re.compile(r"^(Pss|Private_Clean|Private_Dirty|Rss): +(\d+) kB$", re.MULTILINE)
POSTGRES: Final = "postgres"


@dataclass(frozen=True)
class Memory:
    """Bytes: ``pss`` divides shared pages among their users, ``uss`` leaves them out."""

    pss: int
    uss: int
    rss: int

    def __add__(self, other: "Memory") -> "Memory":
        return Memory(self.pss + other.pss, self.uss + other.uss, self.rss + other.rss)


NO_MEMORY: Final = Memory(0, 0, 0)


@dataclass(frozen=True)
class ProcessMemory:
    """One process; all of PostgreSQL's have the name POSTGRES."""

    pid: int
    name: str
    memory: Memory


def parse_rollup(text: str) -> Memory:
    """Return what ``/proc/<pid>/smaps_rollup`` says."""
    sizes = {name: int(value) * KILOBYTE for name, value in FIELD.findall(text)}
    private = sizes["Private_Clean"] + sizes["Private_Dirty"]
    return Memory(sizes["Pss"], private, sizes["Rss"])


def read_memory(supervisor: psutil.Process) -> list[ProcessMemory]:
    """Return the memory of the supervisor and of all processes below it.

    Raises PermissionError for anyone but root: the service's processes hide theirs.
    """
    found = []
    for process in (supervisor, *supervisor.children(recursive=True)):
        try:
            name = "supervisor" if process == supervisor else name_process(process)
            text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
            # PostgreSQL starts and ends processes all the time.
            continue
        found.append(ProcessMemory(process.pid, name, parse_rollup(text)))
    return found


def name_process(process: psutil.Process) -> str:
    """Return the command of a process of the service; PostgreSQL's has its name everywhere."""
    arguments = command_line(process)
    first = arguments[0] if arguments else process.name()
    if POSTGRES in (process.name(), Path(first).name) or first.startswith(f"{POSTGRES}:"):
        return POSTGRES
    known = (word for word in ("web", "worker", "migrate") if word in arguments)
    return next(known, process.name())


def add_memory(processes: list[ProcessMemory], *, postgres: bool) -> Memory:
    """Return the sum of PostgreSQL's processes, or of all others."""
    chosen = (each.memory for each in processes if (each.name == POSTGRES) is postgres)
    return sum(chosen, NO_MEMORY)
