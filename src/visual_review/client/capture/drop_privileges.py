"""Run as a program by root: becomes another user, then the browser.

Imports nothing of ours, because the program starts once for each browser.
"""

import os
import sys

# Recognized by ``sandbox.explain_failure``.
NO_OTHER_USER = "visual-review cannot become another user"
BROWSER_OUT_OF_REACH = "visual-review cannot start the browser as another user"


def main() -> None:
    """Take the user ID, the user's folder, the browser and its arguments from the command."""
    user, home, browser, *arguments = sys.argv[1:]
    try:
        _become(int(user), home)
    except OSError as error:
        sys.exit(f"{NO_OTHER_USER}: {error}")
    try:
        # Python did not open the browser's pipes, and so passes them on.
        os.execv(browser, [browser, *arguments])  # noqa: S606 - No shell is needed.
    except OSError as error:
        sys.exit(f"{BROWSER_OUT_OF_REACH}: {error}")


def _become(user: int, home: str) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.umask(0o077)
    os.chdir(home)


if __name__ == "__main__":
    main()
