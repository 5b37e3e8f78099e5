"""Write decisions to the review log, which keeps every one of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from visual_review.builds.bulk_update import BATCH_SIZE
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.reviewing.approval import Decider


@dataclass(frozen=True)
class LoggedDecision:
    """A decision as the log keeps it; ``source`` is how it came about."""

    decision: str
    source: str
    by_id: str
    by_name: str
    client: str
    comment: str = ""

    @classmethod
    def by(cls, decider: Decider, decision: str, comment: str = "") -> "LoggedDecision":
        return cls(decision, decider.source, decider.id, decider.name, decider.client, comment)

    @classmethod
    def stored_in(cls, shot: Screenshot, source: str) -> "LoggedDecision":
        """Return the decision that the screenshot's row has, as one of this source."""
        return cls(
            shot.review_decision,
            source,
            shot.decided_by_id,
            shot.decided_by_name,
            shot.decided_client,
            shot.comment,
        )


def log_screenshot_decisions(
    build: Build, decisions: Iterable[tuple[Screenshot, LoggedDecision]]
) -> list[ReviewEntry]:
    """Log decisions on screenshots, each with the pair of images that it was made on."""
    return ReviewEntry.objects.bulk_create(
        [_entry(build, decision, shot) for shot, decision in decisions], batch_size=BATCH_SIZE
    )


def log_build_decision(build: Build, decision: LoggedDecision) -> None:
    _entry(build, decision, None).save()


def _entry(build: Build, logged: LoggedDecision, shot: Screenshot | None) -> ReviewEntry:
    entry = ReviewEntry(
        build=build,
        decision=logged.decision,
        source=logged.source,
        decided_by_id=logged.by_id,
        decided_by_name=logged.by_name,
        client=logged.client,
        comment=logged.comment,
    )
    if shot is not None:
        entry.screenshot, entry.baseline_id = shot, build.baseline_id
        entry.story_id, entry.theme, entry.device = shot.story_id, shot.theme, shot.device
        entry.left_image_id, entry.right_image_id = shot.baseline_image_id, shot.image_id
    return entry
