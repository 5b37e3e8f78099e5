"""A request that decides several screenshots of a build at once; pure."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from visual_review.builds.states import APPROVED, CLEARED, REJECTED

BatchDecision = Literal["approved", "rejected", "cleared"]
Confirmation = Literal["finalize", "override"]
FINALIZE: Final = "finalize"
OVERRIDE: Final = "override"
BATCH_DECISIONS: Final = (APPROVED, REJECTED, CLEARED)


@dataclass(frozen=True)
class GroupRevision:
    """A group of screenshots that changed alike, as the reviewer saw it."""

    id: str
    revision: str


@dataclass(frozen=True)
class Selection:
    """Which screenshots are decided: single ones, those of stories and groups, or all.

    A story and a group stand for their changed, new and removed screenshots, and so does
    ``whole_build``; ``unchanged`` adds the build's unchanged ones. ``members`` are screenshots that
    a caller named by their group or story, and may not have looked at one by one.
    """

    screenshots: tuple[str, ...] = ()
    stories: tuple[str, ...] = ()
    groups: tuple[GroupRevision, ...] = ()
    whole_build: bool = False
    unchanged: bool = False
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionRequest:
    """``seen`` is the newest entry of the review log that the reviewer had seen.

    ``confirmed`` are what the reviewer has confirmed. ``part_of`` is the digest of the request
    with several decisions that this is one of.
    """

    request_id: str
    decision: BatchDecision
    selection: Selection
    comment: str = ""
    seen: int = 0
    confirmed: frozenset[Confirmation] = field(default_factory=frozenset)
    part_of: str = ""

    @property
    def digest(self) -> str:
        """What a repeated request has in common: all but the confirmations and what was seen."""
        if self.part_of:
            return self.part_of
        selection = asdict(self.selection)
        # Only decisions of a larger request have members.
        del selection["members"]
        asked = [self.decision, selection, self.comment]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
