"""Accounts of the processes: as root PostgreSQL has one of its own, any other user runs all."""

import os
import pwd
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.servers.service import (
    CHECKOUT,
    descendants,
    environment,
    open_folder,
    owners,
    start,
)
from visual_review.config.standalone.os_user import ACCOUNT_NAME, Account, account_for
from visual_review.config.standalone.postgres_programs import programs_for

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")
NOBODY = "nobody"


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as empty:
        yield empty


class RestrictedAccount(Account):
    """An account without access to the installed programs."""

    def can_reach(self, path: Path) -> bool:
        return "site-packages" not in path.parts and super().can_reach(path)


def test_programs_out_of_reach_are_copied_and_run(folder: Path) -> None:
    account = account_for(folder)
    restricted = RestrictedAccount(account.uid, account.gid, account.change)
    programs = programs_for(restricted, folder / "programs")
    assert folder in programs.parents
    assert programs_for(restricted, folder / "programs") == programs
    for name in ("postgres", "initdb", "pg_ctl"):
        done = subprocess.run(
            [programs / name, "--version"],
            cwd="/",
            capture_output=True,
            text=True,
            check=True,
            **account.options(),
        )
        assert "18." in done.stdout


@as_root
def test_the_database_account_is_the_one_that_owns_the_folder(folder: Path) -> None:
    assert account_for(folder / "new").uid == pwd.getpwnam(ACCOUNT_NAME).pw_uid
    nobody = pwd.getpwnam(NOBODY)
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    assert account_for(folder).uid == nobody.pw_uid


def runs(python: str, account: Account) -> bool:
    command = [python, "-c", "import ssl"]
    try:
        done = subprocess.run(
            command, cwd="/", capture_output=True, check=False, **account.options()
        )
    except PermissionError:
        return False
    return done.returncode == 0


def reachable_python() -> str:
    """Return an interpreter of our version that any user can run, with access to the checkout."""
    nobody = pwd.getpwnam(NOBODY)
    account = Account(nobody.pw_uid, nobody.pw_gid, change=True)
    minor = f"python3.{sys.version_info.minor}"
    for candidate in (sys.executable, shutil.which(minor, path="/usr/local/bin:/usr/bin")):
        if candidate and runs(candidate, account) and account.can_reach(CHECKOUT / "src"):
            return candidate
    pytest.skip(f"no other user can run {minor} and read the checkout on this machine")


@as_root
def test_a_reachable_installation_leaves_no_right_of_root(folder: Path) -> None:
    program = [reachable_python(), "-m", "visual_review.cli.main"]
    paths = [str(CHECKOUT / "src"), *site.getsitepackages()]
    data = folder / "data"
    account = account_for(data)
    env = environment(PYTHONPATH=os.pathsep.join(paths))
    service = start(data, env, program=program, cwd="/")
    try:
        processes = [psutil.Process(service.process.process.pid), *descendants(service.process)]
        for process in processes:
            status = Path(f"/proc/{process.pid}/status").read_text()
            assert "CapPrm:\t0000000000000000" in status
        assert {process.uids().real for process in processes} == {account.uid}
        assert owners(data) == {account.uid}
    finally:
        assert service.process.end() == 0


@as_root
def test_an_ordinary_user_runs_all_of_it_without_root(folder: Path) -> None:
    python = reachable_python()
    nobody = pwd.getpwnam(NOBODY)
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    paths = [str(CHECKOUT / "src"), *site.getsitepackages()]
    service = start(
        folder / "data",
        environment(PYTHONPATH=os.pathsep.join(paths), HOME=str(folder)),
        program=[python, "-m", "visual_review.cli.main"],
        user=nobody.pw_uid,
        group=nobody.pw_gid,
        extra_groups=[],
        cwd=folder,
    )
    try:
        assert service.ready()
        assert {process.uids().real for process in descendants(service.process)} == {nobody.pw_uid}
        assert (folder / "data").stat().st_mode & 0o777 == 0o700
    finally:
        assert service.process.end() == 0
