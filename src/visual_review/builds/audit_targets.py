"""How builds are named in the audit log."""

from visual_review.audit.log import Target
from visual_review.builds.models import Build


def build_target(build: Build) -> Target:
    return Target("build", build.id, f"{build.repository.full_name} #{build.number}")
