"""Started by root: folders are handed over without following links, and rights end for good."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.service import CHECKOUT, open_folder
from tests.support.servers.worker import stay_root
from visual_review.config.errors import StartupError
from visual_review.config.standalone.data_folder import open_data_folder
from visual_review.config.standalone.os_user import Account
from visual_review.config.standalone.ownership import hand_over
from visual_review.config.standalone.reach import find_unreachable
from visual_review.kernel.confinement.landlock import landlock_version

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change its user")
NOBODY: Final = Account(65534, 65534, change=True)


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as empty:
        yield empty


def owner(path: Path) -> int:
    return path.lstat().st_uid


def test_a_folder_of_root_is_handed_over_with_its_contents(folder: Path) -> None:
    data = folder / "data"
    (data / "blobs" / "images").mkdir(parents=True)
    (data / "blobs" / "images" / "one.png").write_bytes(b"")
    (data / "secret-key").write_text("secret")
    (data / "secret-key").chmod(0o600)
    data.chmod(0o711)
    hand_over(data, NOBODY)
    assert {owner(path) for path in (data, *data.rglob("*"))} == {NOBODY.uid}
    assert data.stat().st_mode & 0o777 == 0o700
    assert (data / "secret-key").stat().st_mode & 0o777 == 0o600


def test_links_in_a_folder_lead_no_file_of_the_system_to_another_owner(folder: Path) -> None:
    system, data = folder / "system", folder / "data"
    for path in (system / "inner", data / "postgres"):
        path.mkdir(parents=True)
    shadow = system / "shadow"
    shadow.write_text("secret")
    (data / "hard").hardlink_to(shadow)
    (data / "soft").symlink_to(shadow)
    (data / "folder").symlink_to(system)
    # Already the account's own: it could have put anything there.
    (data / "postgres" / "planted").write_text("root's")
    os.chown(data / "postgres", NOBODY.uid, NOBODY.gid)
    hand_over(data, NOBODY)
    assert {owner(path) for path in (shadow, system, system / "inner")} == {0}
    assert owner(data / "postgres" / "planted") == 0
    assert owner(data / "soft") == owner(data) == NOBODY.uid


def test_a_link_in_place_of_the_lock_leads_nowhere(folder: Path) -> None:
    victim = folder / "victim"
    victim.write_text("of root")
    (folder / "data").mkdir()
    (folder / "data" / "lock").symlink_to(victim)
    with pytest.raises(StartupError, match="cannot be used"):
        open_data_folder(folder / "data")
    assert victim.read_text() == "of root"


def test_what_the_account_cannot_read_is_found(folder: Path) -> None:
    (folder / "private").mkdir(mode=0o700)
    assert find_unreachable(NOBODY, [folder / "private" / "data"]) == folder / "private" / "data"
    # To be entered is enough for a folder above the data.
    assert find_unreachable(NOBODY, [folder]) != folder


PLAN: Final = """
from visual_review.config.errors import StartupError
from visual_review.config.standalone.data_folder import open_data_folder
from visual_review.config.standalone.os_user import Account
from visual_review.config.standalone.privileges import plan_change
print(plan_change(Account(65534, 65534, change=True), []).reason)
"""


def test_root_without_the_right_to_change_users_goes_on_and_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAN],
        preexec_fn=stay_root,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "this system does not let root change its user\n"


@pytest.mark.parametrize("obstacle", ["", "/root"])
def test_rights_end_for_good(folder: Path, obstacle: str) -> None:
    if obstacle and not landlock_version():
        pytest.skip("this kernel has no Landlock")
    data, secret = folder / "data", folder / "secret"
    data.mkdir()
    os.chown(data, NOBODY.uid, NOBODY.gid)
    secret.write_text("root's")
    secret.chmod(0o600)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.root_given_up", data, secret, obstacle],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == {
        "ids": [NOBODY.uid] * 3 + [NOBODY.gid] * 3,
        "succeeded": [
            "own file",
            "rename",
            "start a program",
            "look up a name",
            "temporary file",
            "configuration",
        ],
    }
