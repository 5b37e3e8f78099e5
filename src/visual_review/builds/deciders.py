"""The names of deciders, and the origins of carried-over approvals; pure."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

# Rows of earlier versions may have no name; the service made these decisions by its rules.
SERVICE: Final = "Visual Review"
# More names would fill a status, and the build's column for names.
MAX_PEOPLE: Final = 3
MAX_NAME: Final = 60


class ApprovalOrigin(NamedTuple):
    """The screenshot with the original approval, and its build."""

    screenshot_id: str
    build_id: str
    build_number: int
    pull_request: int | None

    def __str__(self) -> str:
        if self.pull_request is None:
            return f"build #{self.build_number}"
        return f"#{self.pull_request} (build #{self.build_number})"


class CarriedApproval(NamedTuple):
    """A person's approvals of a build's screenshots, carried over from one other build.

    ``screenshot_id`` is the newest original screenshot, ``screenshots`` their number, and ``page``
    the URL of the other build. After its deletion, there is no ``origin``.
    """

    name: str
    client: str
    screenshot_id: str
    origin: ApprovalOrigin | None
    screenshots: int
    page: str = ""

    def __str__(self) -> str:
        through = f" through a client that calls itself {self.client}" if self.client else ""
        where = self.origin or "a deleted build"
        return f"{self.name}{through} in {where}: {self.screenshots}"


def name_person(name: str) -> str:
    """Return the displayed name, which is never empty."""
    return name if name.strip() else SERVICE


def name_people(approvals: Sequence[CarriedApproval]) -> str:
    """Return the names of who approved, who approved most first: ``Bob, Alice and 2 others``."""
    counts: Counter[str] = Counter()
    for approval in approvals:
        counts[approval.name] += approval.screenshots
    names = [name for name, _ in counts.most_common()]
    if not names:
        return SERVICE
    if len(names) == 1:
        return names[0]
    # Several must fit together.
    shown = [_shorten(name) for name in names[:MAX_PEOPLE]]
    more = len(names) - len(shown)
    if more:
        shown.append("1 other" if more == 1 else f"{more} others")
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _shorten(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
