"""A reviewer's request: one decision on screenshots of a build; pure."""

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
# For callers with a clear intention, who are not asked again.
CONFIRMED: Final[frozenset[Confirmation]] = frozenset({FINALIZE, OVERRIDE})


@dataclass(frozen=True)
class GroupRevision:
    """A group of similar changes in the revision the reviewer saw."""

    id: str
    revision: str


@dataclass(frozen=True)
class Selection:
    """The screenshots to decide: single ones, stories and groups, or all.

    A story stands for its changed and new screenshots; removed ones have a group of their own.
    """

    screenshots: tuple[str, ...] = ()
    stories: tuple[str, ...] = ()
    groups: tuple[GroupRevision, ...] = ()
    # All changed, new and removed screenshots.
    whole_build: bool = False
    # Also the unchanged screenshots.
    unchanged: bool = False
    # Screenshots that a caller named by their group or story, and may not have looked at one by
    # one.
    members: tuple[str, ...] = ()

    @property
    def single(self) -> str | None:
        """The id of the screenshot if one alone is selected, and by itself."""
        others = self.stories or self.groups or self.whole_build or self.members
        return self.screenshots[0] if len(self.screenshots) == 1 and not others else None


@dataclass(frozen=True)
class DecisionRequest:
    """One decision, with the reviewer's knowledge and confirmations."""

    decision: BatchDecision
    selection: Selection
    comment: str = ""
    # A request without an id is not kept: sent again, the request decides again, and no one can
    # undo it.
    request_id: str = ""
    # The newest entry of the review log that the reviewer had seen.
    seen: int = 0
    confirmed: frozenset[Confirmation] = field(default_factory=frozenset)
    # The digest of the request with several decisions, for one of its decisions.
    part_of: str = ""

    @property
    def digest(self) -> str:
        """Digest of a repeated request's common part: all but the confirmations and ``seen``."""
        if self.part_of:
            return self.part_of
        selection = asdict(self.selection)
        # Only decisions of a larger request have members.
        del selection["members"]
        asked = [self.decision, selection, self.comment]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
