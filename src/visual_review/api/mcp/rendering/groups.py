"""Groups as lines: screenshots with the same changes, and screenshots with more changes; pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from visual_review.actions.change_results import GroupResult
from visual_review.actions.screenshot_results import ScreenshotResult
from visual_review.api.mcp.quoting import quote_name, quote_text
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.states import CHANGED

BUDGET: Final = 500
SHOWN_STORIES: Final = 3
SHOWN_REMAINDERS: Final = 2


def list_groups(groups: Sequence[GroupResult], shots: Sequence[ScreenshotResult]) -> Iterator[str]:
    """Yield a line for each group of several ``shots``, and the number of groups left out."""
    members = _members(shots)
    by_id = {shot.id: shot for shot in shots}
    several = [group for group in groups if len(members.get(group.id, ())) > 1]
    budget = BUDGET
    for number, group in enumerate(several):
        line = _line(group, members[group.id], by_id)
        budget -= count_tokens(line)
        if budget < 0:
            yield f"- and {len(several) - number:,} more groups"
            return
        yield line


def _members(shots: Sequence[ScreenshotResult]) -> Mapping[str, list[ScreenshotResult]]:
    found: dict[str, list[ScreenshotResult]] = {}
    for shot in shots:
        if shot.group_id is not None:
            found.setdefault(shot.group_id, []).append(shot)
    return found


def _line(
    group: GroupResult,
    members: Sequence[ScreenshotResult],
    by_id: Mapping[str, ScreenshotResult],
) -> str:
    stories = list(dict.fromkeys(shot.story_id for shot in members))
    named = ", ".join(map(quote_name, stories[:SHOWN_STORIES]))
    more = len(stories) - SHOWN_STORIES
    rest = f" and {more:,} more {'story' if more == 1 else 'stories'}" if more > 0 else ""
    kind = f" ({group.kind})" if group.kind else ""
    alike = "alike" if members[0].diff_state == CHANGED else "screenshots"
    return (
        f"- {len(members):,} {alike}{kind}: {quote_text(group.name)}: {named}{rest}"
        f"{_remainders(group, by_id)}"
    )


def _remainders(group: GroupResult, by_id: Mapping[str, ScreenshotResult]) -> str:
    """Name some screenshots with more changes; decided ones are not in ``by_id``."""
    count = len(group.remainder_ids)
    if not count:
        return ""
    shown = [by_id[each] for each in group.remainder_ids if each in by_id][:SHOWN_REMAINDERS]
    names = ", ".join(
        f"{quote_name(shot.story_id)} {shot.variant.theme}/{shot.variant.device}" for shot in shown
    )
    return f"; {count:,} with more changes" + (f": {names}" if names else "")
