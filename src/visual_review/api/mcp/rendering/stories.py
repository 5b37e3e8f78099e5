"""Screenshots as lines, one per story, with variants of the same change grouped; pure."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from visual_review.actions.screenshot_results import ScreenshotResult
from visual_review.api.mcp.quoting import quote_name, quote_text
from visual_review.api.mcp.rendering.deciders import describe_decision
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.images.composites import percent

ScreenshotsByStory = Mapping[str, Sequence[ScreenshotResult]]


def group_by_story(shots: Iterable[ScreenshotResult]) -> ScreenshotsByStory:
    """Group screenshots by story, in the order of the first occurrence of each story."""
    found: dict[str, list[ScreenshotResult]] = defaultdict(list)
    for shot in shots:
        found[shot.story_id].append(shot)
    return found


def write_line(story: str, shots: Sequence[ScreenshotResult]) -> str:
    """Write everything about a story: common facts once, then each variant with its id."""
    alike: dict[tuple[str, str], list[ScreenshotResult]] = defaultdict(list)
    for shot in shots:
        alike[(shot.diff_state, _details(shot))].append(shot)
    parts = (_group(details, group) for (_state, details), group in alike.items())
    return f"- {quote_name(story)}: {'; '.join(parts)}"


def write_brief_line(story: str, shots: Sequence[ScreenshotResult]) -> str:
    """Write a story with its counts, and one screenshot id to start from."""
    states = Counter(shot.diff_state for shot in shots)
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    return f"- {quote_name(story)}: {counts} ({_variant(shots[0])} {shots[0].id})"


def list_names(shots: Iterable[ScreenshotResult], budget: int) -> str:
    """List stories only by name and count, as many as fit into ``budget`` tokens."""
    names: list[str] = []
    counts = Counter(shot.story_id for shot in shots)
    for story, count in counts.items():
        names.append(f"{quote_name(story)} ({count})")
        budget -= count_tokens(names[-1]) + 1
        if budget < 0:
            names[-1] = f"and {len(counts) - len(names) + 1:,} more stories"
            break
    return ", ".join(names)


def list_stories(
    stories: ScreenshotsByStory, full: int, brief: int = 0, rest: str = "on the page"
) -> Iterator[str]:
    """List stories in full for ``full`` tokens, then briefly for ``brief``, and count the rest.

    ``rest`` says where the counted ones are listed.
    """
    waiting = deque(stories.items())
    for budget, write in ((full, write_line), (brief, write_brief_line)):
        left = budget
        while waiting:
            line = write(*waiting[0])
            left -= count_tokens(line)
            if left < 0:
                break
            waiting.popleft()
            yield line
    if waiting:
        shots = sum(len(shots) for _story, shots in waiting)
        yield f"- and {len(waiting):,} more stories ({shots:,} screenshots), {rest}"


def _group(details: str, shots: Sequence[ScreenshotResult]) -> str:
    state = shots[0].diff_state
    shares = [f" {percent(shot.diff_ratio)} %" if state == "changed" else "" for shot in shots]
    # Written once if equal for all variants.
    shared = shares[0] if len(set(shares)) == 1 else ""
    each = ", ".join(
        f"{_variant(shot)}{'' if shared else share} {shot.id}"
        for shot, share in zip(shots, shares, strict=True)
    )
    return f"{state}{shared}{details}: {each}"


def _details(shot: ScreenshotResult) -> str:
    """Return the differences between variants, apart from the share of differing pixels."""
    parts = []
    if shot.summary:
        parts.append(f" ({shot.summary})")
    if shot.matches_former_baseline:
        parts.append(" (was this branch's baseline before)")
    if shot.message:
        parts.append(f" {quote_text(shot.message)}")
    if shot.review_decision:
        parts.append(f" {describe_decision(shot.review_decision, shot.decided)}")
    if shot.comment:
        parts.append(f" with the comment {quote_text(shot.comment)}")
    elif shot.earlier_comment:
        last = shot.earlier_comment
        decision = describe_decision(last.decision, last.decided)
        parts.append(f" (earlier {decision} with the comment {quote_text(last.comment)})")
    return "".join(parts)


def _variant(shot: ScreenshotResult) -> str:
    return f"{shot.variant.theme}/{shot.variant.device}"
