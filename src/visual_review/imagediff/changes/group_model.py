"""Changed screenshots, and groups of those that changed alike."""

from dataclasses import dataclass

from visual_review.imagediff.changes.model import Analysis, ChangeKind

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChangedScreenshot:
    """A changed screenshot; ``key`` identifies it for the caller.

    ``family`` is what its story belongs to, such as a component. ``before`` and ``after`` are width
    and height in pixels.
    """

    key: str
    family: str
    story: str
    theme: str
    device: str
    before: Size
    after: Size
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class Group:
    """Screenshots that changed alike.

    ``key`` stays the same when the same screenshots are grouped again, ``name`` says what they
    share. ``outliers`` belong to the same family and changed otherwise.
    """

    key: str
    name: str
    kind: ChangeKind | None
    members: tuple[str, ...]
    outliers: tuple[str, ...] = ()
