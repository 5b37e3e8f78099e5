"""The modules of the pages that need no browser, tested by Node's runner."""

import os
import re
import subprocess

from scripts.setup_steps import ROOT, VENV_BIN

TESTS = "tests/javascript/**/*.test.js"


def test_modules_of_the_pages() -> None:
    done = subprocess.run(
        # The scripts are modules by their syntax; no package.json is served next to them.
        [
            "node",
            "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
            "--test",
            "--test-reporter=tap",
            TESTS,
        ],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    # Without a file that matches, the runner passes, too.
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None, done.stdout
    assert int(passed[1]) > 0
