"""What ``ps`` shows for a forked process."""

import subprocess
import sys

from tests.support.case import Case

SCRIPT = """
import sys
from visual_review.config.standalone.fork_server import show_command
show_command(sys.argv[1].split())
print(open("/proc/self/cmdline").read(), end="")
"""


def shown(title: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, title], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_arguments_are_replaced_as_far_as_there_is_room(case: Case) -> None:
    with case("shorter"):
        assert shown("service web").rstrip("\0") == "service\0web"
    with case("longer"):
        before = len("\0".join([sys.executable, "-c", SCRIPT, "x" * 3000]))
        long = shown("x" * 3000)
        assert long.rstrip("\0") == "x" * 3000
        assert len(long) == before + 1
