"""The decisions of others that a request replaces, in words; pure."""

from collections.abc import Callable, Sequence
from typing import Final

from visual_review.builds.deciders import name_person
from visual_review.builds.reviewing.build_facts import RejectionCount

NAMES_SHOWN: Final = 3


def list_deciders(names: Sequence[str], quote: Callable[[str], str] = str) -> str:
    """Return ``Bob, Carol and 3 others``; ``quote`` makes names safe to show."""
    known = [quote(name_person(name)) for name in names]
    if len(known) > NAMES_SHOWN:
        more = len(known) - NAMES_SHOWN
        known = [*known[:NAMES_SHOWN], f"{more:,} {'other' if more == 1 else 'others'}"]
    return " and ".join(filter(None, (", ".join(known[:-1]), known[-1])))


def describe_overridden(
    rejections: Sequence[RejectionCount], quote: Callable[[str], str] = str
) -> str:
    """Return how many rejections an approval replaced, and whose they were; empty if none."""
    if not rejections:
        return ""
    count = sum(each.count for each in rejections)
    names = list_deciders([each.by for each in rejections], quote)
    overridden = "1 rejection" if count == 1 else f"{count:,} rejections"
    return f"{overridden} by {names} {'is' if count == 1 else 'are'} overridden."
