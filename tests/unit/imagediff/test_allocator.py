"""Memory kept between comparisons."""

import subprocess
import sys

import pytest

COUNT_FAULTS = """
import resource, sys
from visual_review.imagediff.memory import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

kept = keep_freed_memory(256 * 1024 * 1024) if sys.argv[1] == "keep" else False
for _ in range(3):
    bytearray(48 * 1024 * 1024)
before = faults()
for _ in range(5):
    bytearray(48 * 1024 * 1024)
print(kept, faults() - before)
"""


def count_faults(mode: str) -> tuple[bool, int]:
    run = subprocess.run(
        [sys.executable, "-c", COUNT_FAULTS, mode], capture_output=True, text=True, check=True
    )
    kept, faults = run.stdout.split()
    return kept == "True", int(faults)


@pytest.mark.skipif(sys.platform != "linux", reason="Only glibc has the setting.")
def test_kept_memory_is_used_again_without_page_faults() -> None:
    kept, faults = count_faults("keep")
    if not kept:
        pytest.skip("This C library has no such setting.")
    assert faults < count_faults("return")[1] / 10
