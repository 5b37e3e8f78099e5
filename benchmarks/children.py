"""Finds the processes of a running service."""

import psutil


def find_child(supervisor: int, command: str) -> psutil.Process:
    """Return the child of the supervisor for ``command``, such as web or worker."""
    children = psutil.Process(supervisor).children(recursive=True)
    return next(child for child in children if command in command_line(child))


def command_line(process: psutil.Process) -> list[str]:
    """Return the arguments; none for a process that has ended meanwhile."""
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []
