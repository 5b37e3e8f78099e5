"""Giving up root: what the service does with the rights of a user it does not need.

Tests that run a command in their own process replace functions of this module.
"""

import atexit
import logging
import os
import pwd
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from visual_review.config.standalone.os_user import ROOT, Account
from visual_review.config.standalone.reach import find_unreachable, readable_paths
from visual_review.kernel.confinement.capabilities import (
    CHANGE_OWNER,
    READ_ALL_FILES,
    SET_GROUP,
    SET_USER,
    acting_as,
    change_user,
    has_capabilities,
)
from visual_review.kernel.confinement.landlock import (
    READ,
    REFER,
    REFER_VERSION,
    landlock_version,
    restrict_files,
)
from visual_review.kernel.confinement.process import (
    forbid_inspection,
    forbid_new_privileges,
    restrict_new_files,
)
from visual_review.kernel.confinement.seccomp import install, refuse, seccomp_available
from visual_review.kernel.confinement.system_call_numbers import ADMINISTRATION
from visual_review.kernel.confinement.system_calls import ConfinementError

TEMPORARY_FOLDER = "TMPDIR"
# Of the person who started the program; the account has no right to them.
PERSONAL = ("HOME", "USER", "LOGNAME", "MAIL", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """How root becomes ``account``; ``obstacle`` is a folder that the account cannot read.

    ``reason`` says why it cannot become the account; empty if it can.
    """

    account: Account
    obstacle: Path | None
    reason: str = ""

    @property
    def possible(self) -> bool:
        return not self.reason


def is_root() -> bool:
    return os.geteuid() == ROOT


def keep_files_private() -> None:
    restrict_new_files()


def harden() -> None:
    """Restrict this process where that costs nothing; after a change of the user."""
    keep_files_private()
    with suppress(ConfinementError):
        forbid_new_privileges()
        if seccomp_available():
            install(refuse(ADMINISTRATION))
    forbid_inspection()


def plan_change(account: Account, folders: Sequence[Path]) -> Plan:
    """Decide how this process, which runs as root, becomes ``account``."""
    if not has_capabilities(CHANGE_OWNER, SET_GROUP, SET_USER):
        return Plan(account, None, "this system does not let root change its user")
    obstacle = find_unreachable(account, (folder.parent for folder in folders))
    can_limit = (
        landlock_version() >= REFER_VERSION
        and seccomp_available()
        and has_capabilities(READ_ALL_FILES)
    )
    if obstacle is None or can_limit:
        return Plan(account, obstacle)
    return Plan(
        account,
        obstacle,
        f"the account {_name(account)} cannot read {obstacle}, and this system has no Landlock",
    )


def become_account(plan: Plan, folders: Sequence[Path]) -> None:
    """Give up root for good, as planned; the account must own the ``folders``."""
    keep_files_private()
    if not plan.possible:
        logger.warning(
            "running as root: %s. Run the service as an ordinary user, or install it where every "
            "account can read it, such as /opt/visual-review",
            plan.reason,
        )
        return
    forbid_new_privileges()
    if seccomp_available():
        install(refuse(ADMINISTRATION))
    if plan.obstacle is not None:
        _limit_reading(plan.account, folders)
    change_user(plan.account.uid, plan.account.gid, keep_reading=plan.obstacle is not None)
    for name in PERSONAL:
        os.environ.pop(name, None)
    os.environ["HOME"] = "/"
    logger.info("%s", _describe_account(plan))


@contextmanager
def acting_as_owner(folder: Path) -> Iterator[None]:
    """As root, act as the owner of a folder: what root writes there, a link could redirect."""
    owner = folder.stat()
    capable = is_root() and has_capabilities(CHANGE_OWNER, READ_ALL_FILES, SET_GROUP, SET_USER)
    if not capable or owner.st_uid == ROOT:
        yield
        return
    with acting_as(owner.st_uid, owner.st_gid):
        yield


def _limit_reading(account: Account, folders: Sequence[Path]) -> None:
    # Below the system's folder, the right would also open files of other users.
    private = Path(tempfile.mkdtemp(prefix="visual-review-"))
    os.chown(private, account.uid, account.gid)
    os.environ[TEMPORARY_FOLDER] = tempfile.tempdir = str(private)
    atexit.register(rmtree, private, ignore_errors=True)
    rules = dict.fromkeys((*readable_paths(), *folders, private), READ)
    # Renaming between folders is otherwise refused everywhere.
    restrict_files({**rules, Path("/"): REFER}, READ | REFER)


def _describe_account(plan: Plan) -> str:
    name = _name(plan.account)
    if plan.obstacle is None:
        return f"gave up root for the account {name}"
    return (
        f"gave up root for the account {name}, which cannot read {plan.obstacle}: of root's rights "
        "only that to read files is kept, limited by Landlock to the installation and the data"
    )


def _name(account: Account) -> str:
    try:
        return f"'{pwd.getpwuid(account.uid).pw_name}'"
    except KeyError:
        return str(account.uid)
