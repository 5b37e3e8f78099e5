"""The site of the documentation: ``make docs`` builds it in ``build/site``.

Warnings, such as a link without a target, are errors. ``--check`` builds the site and deletes it.
"""

import os
import subprocess
import sys
import tempfile
from typing import Final

from scripts.setup_steps import (
    ROOT,
    VENV_BIN,
    content_hash,
    is_fresh,
    require_success,
    say,
    write_stamp,
)

SITE: Final = ROOT / "build" / "site"
STAMP: Final = ROOT / "build" / "site-stamp"
INPUTS: Final = ("docs", "mkdocs.yml", "scripts/documentation_hooks.py", "pyproject.toml")
BUILD: Final = (str(VENV_BIN / "mkdocs"), "build", "--quiet")
# An advertisement.
QUIET: Final = {"NO_MKDOCS_2_WARNING": "1"}


def ensure_site() -> None:
    """Build the site unless the documents are unchanged; raises SetupError."""
    value = content_hash([ROOT / each for each in INPUTS])
    if SITE.is_dir() and is_fresh(STAMP, value):
        return
    say("building the documentation")
    require_success(BUILD, "`make docs` names every fault.", env=QUIET)
    write_stamp(STAMP, value)


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = ["--site-dir", folder] if "--check" in arguments else []
        command = [*BUILD, "--strict", *place]
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **QUIET}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
