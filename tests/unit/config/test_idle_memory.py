"""Memory returned by an idle process."""

import subprocess
import sys

import pytest

RELEASE = """
import os
from pathlib import Path
from visual_review.config.idle_memory import release_memory
from visual_review.imagediff.memory import keep_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

kept = keep_freed_memory(256 * 1024 * 1024)
before = resident()
bytearray(b"1") * (48 * 1024 * 1024)
filled = resident() - before
release_memory()
print(kept, filled, resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Only glibc has the function.")
def test_kept_memory_is_returned_to_the_system() -> None:
    run = subprocess.run(
        [sys.executable, "-c", RELEASE], capture_output=True, text=True, check=True
    )
    kept, filled, left = run.stdout.split()
    if kept != "True":
        pytest.skip("This C library has no such setting.")
    assert int(filled) > 40 * 1024 * 1024
    assert int(left) < int(filled) / 10
