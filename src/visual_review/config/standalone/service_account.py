"""The account of ``web`` and ``worker`` started by root, with storage in a folder or elsewhere."""

import logging
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from visual_review.config.environment import STORAGE_URL, WORK_FOLDER
from visual_review.config.errors import StartupError
from visual_review.config.standalone import privileges
from visual_review.config.standalone.os_user import ROOT, Account, account_for
from visual_review.config.standalone.ownership import prepare_folder

WORK_PREFIX = "visual-review-"
# A path that no one owns stands for a new folder.
UNOWNED = Path("/nonexistent/visual-review")
# What the service stores; a folder with anything else is not handed over as a whole.
STORED = frozenset({"diffs", "drawn", "images", "incoming", "probe", "recordings"})

logger = logging.getLogger(__name__)


def give_up_root() -> None:
    """Become the account that owns the storage folder, or the service's own, if this is root."""
    if not privileges.is_root():
        return
    storage = _storage()
    try:
        account = _account(storage)
    except StartupError as error:
        logger.warning("running as root: %s", error)
        return
    folders = [] if storage is None else [storage]
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
    plan = privileges.plan_change(account, folders)
    if plan.possible:
        for folder in folders:
            _prepare_storage(folder, account)
        prepare_work_folders(account)
    privileges.become_account(plan, [*folders, *work_folders()])


def _storage() -> Path | None:
    url = urlsplit(os.environ.get(STORAGE_URL, ""))
    return Path(unquote(url.path)) if url.scheme == "file" else None


def _account(folder: Path | None) -> Account:
    if folder is not None and folder.exists() and folder.stat().st_uid != ROOT:
        return account_for(folder)
    return account_for(UNOWNED)


def _prepare_storage(folder: Path, account: Account) -> None:
    others = prepare_folder(folder, account, known=STORED.__contains__)
    if others:
        raise StartupError(
            f"The storage folder {folder} belongs to root and has files that are not the "
            f"service's ({', '.join(others[:3])}). Choose a folder of its own, or make the account "
            f"the owner: chown -R {account.uid}:{account.gid} {folder}"
        )


def work_folders() -> list[Path]:
    """Return the folder for temporary files, if the operator has set one."""
    text = os.environ.get(WORK_FOLDER)
    folders = [Path(text).absolute()] if text else []
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
    return folders


def prepare_work_folders(account: Account) -> None:
    """Make them the account's; one with other files, such as /var/tmp, must be writable as it is."""
    for folder in work_folders():
        prepare_folder(folder, account, known=lambda name: name.startswith(WORK_PREFIX))
