"""The queues of jobs. Each has slots of its own, so that no kind of work waits for another."""

from dataclasses import dataclass
from typing import Final

from visual_review.jobs.turns import Share

UNLIMITED: Final = 1_000_000
# Jobs of providers wait for other services most of the time.
HOST_SLOTS: Final = 4
MESSAGE_SLOTS: Final = 4
# Sweeps may take minutes; neither mails nor other sweeps must wait for one.
UPKEEP_SLOTS: Final = 3
# The database does most of the cleaning, next to its work for pages and builds.
CLEANING_SLOTS: Final = 3
# Thumbnails give way to builds, so more slots would not be faster.
THUMBNAIL_SLOTS: Final = 1


@dataclass(frozen=True)
class Slots:
    """How many jobs of a queue one worker runs, and the share of one organization."""

    queue: str
    count: int
    share: Share


def slots_of_worker(builds: int, recordings: int) -> list[Slots]:
    """Return the slots of a worker with this many builds and recordings at a time."""
    slots = [
        # One slot more than there are cores, which one organization alone cannot take.
        Slots("builds", builds + 1, Share(builds, UNLIMITED)),
        Slots("thumbnails", THUMBNAIL_SLOTS, Share(1, UNLIMITED)),
        Slots("recordings", recordings, Share(1, 1)),
        Slots("hosts", HOST_SLOTS, Share(HOST_SLOTS - 1, UNLIMITED)),
        # One organization leaves slots for the others, in this worker and in all workers.
        Slots("messages", MESSAGE_SLOTS, Share(MESSAGE_SLOTS // 2, MESSAGE_SLOTS // 2)),
        Slots("upkeep", UPKEEP_SLOTS, Share(UPKEEP_SLOTS - 1, UNLIMITED)),
        Slots("cleaning", CLEANING_SLOTS, Share(CLEANING_SLOTS - 1, UNLIMITED)),
    ]
    return [each for each in slots if each.count]
