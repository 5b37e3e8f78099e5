"""Which confinement is in force on this machine, for the log and ``doctor``; needs no Django."""

from visual_review.config.standalone import privileges
from visual_review.kernel.confinement.decoder import expected_confinement
from visual_review.kernel.confinement.landlock import landlock_version
from visual_review.kernel.confinement.seccomp import seccomp_available

NO_LANDLOCK = (
    "Use a kernel with Landlock (Linux 5.13 or newer, with 'landlock' in its list of LSMs), so that "
    "a crafted video cannot read the service's files."
)


def describe_decoder() -> str:
    """Return what confines the process that converts videos, and what is missing."""
    confinement = expected_confinement()
    advice = "" if confinement.is_complete else f". {NO_LANDLOCK}"
    return f"videos are converted with limits: {confinement.describe()}{advice}"


def describe_machine() -> list[str]:
    """Return lines for ``doctor``: what this kernel offers, and what root would do."""
    version = landlock_version()
    offered = f"Landlock version {version}" if version else "no Landlock"
    filters = "seccomp" if seccomp_available() else "no seccomp"
    lines = [f"kernel: {offered}, {filters}", describe_decoder()]
    if privileges.is_root():
        lines.append(
            "started by root, 'up', 'web' and 'worker' continue as an account of their own"
        )
    return lines
