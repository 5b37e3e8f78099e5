"""What a process of the service can still do when an attacker controls it."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.case import Case
from tests.support.decoder_attacks import attempts
from tests.support.servers.service import CHECKOUT
from tests.support.videos import video
from visual_review.cli.server.doctor import describe_server
from visual_review.kernel.confinement.decoder import DecoderConfinement, expected_confinement
from visual_review.kernel.confinement.landlock import landlock_version
from visual_review.kernel.confinement.seccomp import seccomp_available
from visual_review.recordings.conversion import (
    child_environment,
    conversion_limits,
    convert_in_child,
)

pytestmark = pytest.mark.skipif(
    not (landlock_version() and seccomp_available()),
    reason="this kernel has no Landlock or no seccomp",
)
SOURCES: Final = CHECKOUT / "src" / "visual_review"
# Not every machine gives these rights to its tests.
DEPEND_ON_THE_MACHINE: Final = {
    "attach to the parent",
    "enter a user namespace",
    "read keys",
    "read the parent's memory",
    "start io_uring",
}
KINDS_OF_VIDEO: Final[dict[str, dict[str, Any]]] = {
    "copied": {"codec": "libvpx-vp9", "sound": "libopus"},
    "converted": {"form": "mov", "codec": "mpeg4", "sound": "aac"},
    "with converted sound": {"form": "matroska", "codec": "libx264", "sound": "libopus"},
}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the user")


def attack(tmp_path: Path, *mode: str) -> set[str]:
    folder, secret = tmp_path / "work", tmp_path / "database-password"
    folder.mkdir()
    secret.write_text("secret")
    secret.chmod(0o600)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.decoder_attacks", folder, secret, *mode],
        cwd=CHECKOUT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(json.loads(done.stdout))


def test_a_hijacked_decoder_reaches_nothing(tmp_path: Path) -> None:
    assert attack(tmp_path, "exec") == set()


def test_the_attempts_would_succeed_without_confinement(tmp_path: Path) -> None:
    failed = set(attempts(tmp_path)) - attack(tmp_path, "free")
    assert failed <= DEPEND_ON_THE_MACHINE


@as_root
def test_on_an_old_kernel_the_decoder_of_root_has_a_user_of_its_own(tmp_path: Path) -> None:
    assert not attack(tmp_path, "old") & {
        "read a secret of the service",
        "read it in a thread",
        "read it through a link",
        "write outside",
        "replace a file outside",
        "read the parent's environment",
        "attach to the parent",
        "signal the parent",
    }


def test_videos_of_each_kind_are_converted_in_confinement(case: Case, tmp_path: Path) -> None:
    for name, facts in KINDS_OF_VIDEO.items():
        with case(name):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "original").write_bytes(video(**facts))
            limits = conversion_limits(1_000_000, ("webm", "mp4", "mov", "mkv"))
            assert convert_in_child(folder / "original", folder, limits).duration_ms > 0


def test_the_decoder_is_a_process_without_the_services_environment() -> None:
    assert set(child_environment()) <= {
        *("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "TMPDIR", "SYSTEMROOT"),
        *("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"),
    }


def test_the_phrase_for_the_log_says_what_is_in_force() -> None:
    complete = DecoderConfinement(landlock=7, seccomp=True, own_user=False)
    assert complete.is_complete
    assert "Landlock (version 7)" in complete.describe()
    bare = DecoderConfinement(landlock=0, seccomp=False, own_user=False)
    assert not bare.is_complete
    assert "not at all" in bare.describe()


def test_doctor_says_what_the_kernel_offers() -> None:
    kernel, decoder, *_ = describe_server()
    assert kernel == f"kernel: Landlock version {landlock_version()}, seccomp"
    assert decoder == f"videos are converted with limits: {expected_confinement().describe()}"


def calls_of_pillow(path: Path) -> set[str]:
    """Return which of Pillow's readers of files and of raw data a module calls."""
    tree = ast.parse(path.read_text())
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Image"
        and node.attr in {"open", "frombytes", "frombuffer"}
    }


def test_pillow_opens_no_uploaded_file() -> None:
    files = SOURCES.rglob("*.py")
    found = {f"{path.parent.name}/{path.name}": calls_of_pillow(path) for path in files}
    assert {name: calls for name, calls in found.items() if calls} == {
        # Our own PNG reader has checked and inflated the rows; Pillow only reverses their filters.
        "reference/scanlines.py": {"frombytes"},
        # Pixels that our own PNG reader decoded, as an image without a copy.
        "imagediff/windows.py": {"frombuffer"},
        # The size of a file that the service rendered itself.
        "imagediff/encoding.py": {"open"},
        # The client half: files that people compare on their own machine; none is uploaded.
        "comparing/pillow_decoder.py": {"open"},
        # The client half: images of their own that people publish; only the PNG is uploaded.
        "publishing/other_formats.py": {"frombytes", "open"},
    }
    assert (SOURCES / "client" / "comparing" / "pillow_decoder.py").exists()
    assert (SOURCES / "client" / "publishing" / "other_formats.py").exists()
