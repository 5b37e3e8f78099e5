"""Whether the browser runs in its sandbox, and the remedy otherwise."""

import re
from dataclasses import dataclass
from typing import Final

from visual_review.client.capture.drop_privileges import BROWSER_OUT_OF_REACH, NO_OTHER_USER

# Chromium's messages if the system denies user namespaces, and the setuid helper is missing.
SIGNS_OF_NO_NAMESPACES: Final = (
    "No usable sandbox",
    "crbug.com/357670",
    "Failed to move to new namespace",
    "zygote_host_impl_linux",
    "setuid_sandbox_host",
)
DOCUMENTED: Final = 'See "The sandbox" in the documentation of visual-review capture.'
_SECCOMP_FILTER: Final = "2"


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason for the missing sandbox, and the remedy."""

    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}. {self.remedy}"


WRAPPER: Final = Failure(
    "its wrapper turns the sandbox off",
    "Remove --no-sandbox from the wrapper, or choose another browser with --chromium.",
)
OUT_OF_REACH: Final = Failure(
    "only root can read the browser",
    "Install it for all users: Debian's package chromium-headless-shell, or Playwright's "
    "with PLAYWRIGHT_BROWSERS_PATH=/opt/browsers for installing and capturing.",
)
NO_USER: Final = Failure(
    "root cannot become another user here", f"Run the command as an ordinary user. {DOCUMENTED}"
)
NO_NAMESPACES: Final = Failure(
    "this system denies it user namespaces",
    "Start the container with a seccomp profile that allows them; on Ubuntu, run "
    f"`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`. {DOCUMENTED}",
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How the browser of a run is confined."""

    # The ID of the browser's own user, if root runs the capture.
    user: int | None = None
    # Set for a browser outside of its sandbox.
    failure: Failure | None = None

    @property
    def active(self) -> bool:
        return self.failure is None

    def describe(self) -> str:
        """Return one line."""
        user = "" if self.user is None else f" as user {self.user}"
        if self.failure is None:
            return f"in its sandbox{user}"
        return f"without its sandbox{user}: {self.failure}"


def explain_failure(log: str) -> Failure:
    """Return why a browser with this ``log`` did not start in its sandbox."""
    if BROWSER_OUT_OF_REACH in log:
        return OUT_OF_REACH
    if NO_OTHER_USER in log:
        return NO_USER
    if any(sign in log for sign in SIGNS_OF_NO_NAMESPACES):
        return NO_NAMESPACES
    quoted = re.search(r"\[err\] (.{1,200})", log)
    return Failure(
        f"it did not start in it{f' ({quoted[1].strip()})' if quoted else ''}", DOCUMENTED
    )


def is_confined(renderer: str, own: str) -> bool:
    """Return whether a renderer is in the sandbox, by its and our own ``/proc/PID/status``.

    A renderer in the sandbox has a PID namespace below ours, and filters for system calls.
    """
    levels, own_levels = _read_field(renderer, "NSpid"), _read_field(own, "NSpid")
    filters = _read_field(renderer, "Seccomp")
    # A kernel without these fields leaves only Chromium's word: Chromium does not start without a
    # sandbox.
    if not levels or not own_levels or not filters:
        return True
    return len(levels) > len(own_levels) and filters == [_SECCOMP_FILTER]


def _read_field(status: str, name: str) -> list[str]:
    found = re.search(rf"^{name}:(.*)$", status, re.MULTILINE)
    return found[1].split() if found else []
