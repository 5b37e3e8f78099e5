"""Settings of the calling process that only ever restrict it."""

import os
from contextlib import suppress
from typing import Final

from visual_review.kernel.confinement.system_calls import (
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    ConfinementError,
    prctl,
)

# The files of this process and its children are for its own account only.
UMASK: Final = 0o077


def forbid_new_privileges() -> None:
    """No program started from here gains rights, such as by its set-user-ID bit."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def forbid_inspection() -> None:
    """Keep other processes of the same user from reading memory and environment, and dumps.

    Starting a program or changing the user undoes this, so it comes after both.
    """
    # Elsewhere than on Linux there is nothing to switch off.
    with suppress(ConfinementError):
        prctl(PR_SET_DUMPABLE, 0)


def restrict_new_files() -> None:
    """Let only this user read files that are created from now on."""
    os.umask(UMASK)
