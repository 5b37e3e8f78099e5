"""What a reviewer asks for: one decision on screenshots of a build; pure."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from visual_review.builds.states import APPROVED, CLEARED, REJECTED

BatchDecision = Literal["approved", "rejected", "cleared"]
Confirmation = Literal["finalize", "override"]
FINALIZE: Final[Confirmation] = "finalize"
OVERRIDE: Final[Confirmation] = "override"
BATCH_DECISIONS: Final = (APPROVED, REJECTED, CLEARED)
# Of callers who have said what they want, and are not asked again.
CONFIRMED: Final[frozenset[Confirmation]] = frozenset({FINALIZE, OVERRIDE})


@dataclass(frozen=True)
class GroupRevision:
    """A group of screenshots that changed alike, as the reviewer saw it."""

    id: str
    revision: str


@dataclass(frozen=True)
class Selection:
    """Which screenshots are decided: single ones, those of stories and groups, or all.

    A story stands for its changed and new screenshots; removed ones have a group of their own.
    ``whole_build`` stands for all changed, new and removed ones; ``unchanged`` adds the unchanged
    ones. ``members`` are screenshots that a caller named by their group or story, and may not have
    looked at one by one.
    """

    screenshots: tuple[str, ...] = ()
    stories: tuple[str, ...] = ()
    groups: tuple[GroupRevision, ...] = ()
    whole_build: bool = False
    unchanged: bool = False
    members: tuple[str, ...] = ()

    @property
    def single(self) -> str | None:
        """The id of the screenshot if one alone is selected, and by itself."""
        others = self.stories or self.groups or self.whole_build or self.members
        return self.screenshots[0] if len(self.screenshots) == 1 and not others else None


@dataclass(frozen=True)
class DecisionRequest:
    """``seen`` is the newest entry of the review log that the reviewer had seen.

    A request with an empty ``request_id`` is not kept: sent again, it is decided again, and no one
    can undo it. ``confirmed`` are what the reviewer has confirmed. ``part_of`` is the digest of the request
    with several decisions that this is one of.
    """

    decision: BatchDecision
    selection: Selection
    comment: str = ""
    request_id: str = ""
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
