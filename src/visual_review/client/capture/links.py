"""Links in folders filled by someone else."""

from pathlib import Path


def leads_out(path: Path, folder: Path) -> bool:
    """Return whether ``path``, named below ``folder``, is a file somewhere else."""
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    # Links in a circle.
    except (OSError, RuntimeError):
        return True
