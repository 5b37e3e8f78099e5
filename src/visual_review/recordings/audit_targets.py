"""How recordings are named in the audit log."""

from visual_review.audit.log import Target
from visual_review.recordings.models import Recording


def recording_target(recording: Recording) -> Target:
    return Target("recording", recording.id, recording.title)
