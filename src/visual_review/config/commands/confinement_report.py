"""What this machine offers to confine processes, for ``doctor``; needs no Django."""

from visual_review.config.standalone import privileges
from visual_review.kernel.confinement.landlock import landlock_version
from visual_review.kernel.confinement.seccomp import seccomp_available


def describe_machine() -> list[str]:
    """Return lines for ``doctor``: what this kernel offers, and what root would do."""
    version = landlock_version()
    offered = f"Landlock version {version}" if version else "no Landlock"
    filters = "seccomp" if seccomp_available() else "no seccomp"
    lines = [f"kernel: {offered}, {filters}"]
    if privileges.is_root():
        lines.append(
            "started by root, 'up', 'web' and 'worker' continue as an account of their own"
        )
    return lines
