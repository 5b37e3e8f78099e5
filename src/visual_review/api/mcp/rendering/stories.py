"""Screenshots as lines, one a story, with variants that changed alike told together; pure."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from visual_review.actions.build_results import ScreenshotResult
from visual_review.api.mcp.quoting import named, quoted
from visual_review.api.mcp.rendering.deciders import decided_by
from visual_review.api.mcp.rendering.token_counts import tokens
from visual_review.builds.images.composites import percent

Stories = Mapping[str, Sequence[ScreenshotResult]]


def by_story(shots: Iterable[ScreenshotResult]) -> Stories:
    """The screenshots of each story, in the order in which the stories come first."""
    found: dict[str, list[ScreenshotResult]] = defaultdict(list)
    for shot in shots:
        found[shot.story_id].append(shot)
    return found


def line_of(story: str, shots: Sequence[ScreenshotResult]) -> str:
    """Everything about a story: what is alike once, then each variant with its id."""
    alike: dict[tuple[str, str], list[ScreenshotResult]] = defaultdict(list)
    for shot in shots:
        alike[(shot.diff_state, _particulars(shot))].append(shot)
    parts = (_group(particulars, group) for (_state, particulars), group in alike.items())
    return f"- {named(story)}: {'; '.join(parts)}"


def brief_of(story: str, shots: Sequence[ScreenshotResult]) -> str:
    """A story by its counts and one id, from which to look at it."""
    states = Counter(shot.diff_state for shot in shots)
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    return f"- {named(story)}: {counts} ({_variant(shots[0])} {shots[0].id})"


def names_of(shots: Iterable[ScreenshotResult], room: int) -> str:
    """The stories by name and count alone, as many as fit into ``room`` tokens."""
    told: list[str] = []
    counts = Counter(shot.story_id for shot in shots)
    for story, count in counts.items():
        told.append(f"{named(story)} ({count})")
        room -= tokens(told[-1]) + 1
        if room < 0:
            told[-1] = f"and {len(counts) - len(told) + 1:,} more stories"
            break
    return ", ".join(told)


def lines_within(
    stories: Stories, full: int, brief: int = 0, rest: str = "on the page"
) -> Iterator[str]:
    """Lines of stories: whole for ``full`` tokens, then short for ``brief``, the rest counted.

    ``rest`` says where those are that were only counted.
    """
    waiting = deque(stories.items())
    for room, write in ((full, line_of), (brief, brief_of)):
        left = room
        while waiting:
            line = write(*waiting[0])
            left -= tokens(line)
            if left < 0:
                break
            waiting.popleft()
            yield line
    if waiting:
        shots = sum(len(shots) for _story, shots in waiting)
        yield f"- and {len(waiting):,} more stories ({shots:,} screenshots), {rest}"


def _group(particulars: str, shots: Sequence[ScreenshotResult]) -> str:
    state = shots[0].diff_state
    shares = [f" {percent(shot.diff_ratio)} %" if state == "changed" else "" for shot in shots]
    # Told once where it is the same of all variants.
    shared = shares[0] if len(set(shares)) == 1 else ""
    each = ", ".join(
        f"{_variant(shot)}{'' if shared else share} {shot.id}"
        for shot, share in zip(shots, shares, strict=True)
    )
    return f"{state}{shared}{particulars}: {each}"


def _particulars(shot: ScreenshotResult) -> str:
    """What tells variants apart, beside the share of differing pixels."""
    parts = []
    if shot.matches_former_baseline:
        parts.append(" (was this branch's baseline before)")
    if shot.message:
        parts.append(f" {quoted(shot.message)}")
    if shot.review_decision:
        parts.append(f" {decided_by(shot.review_decision, shot.decided)}")
    if shot.comment:
        parts.append(f" with the comment {quoted(shot.comment)}")
    return "".join(parts)


def _variant(shot: ScreenshotResult) -> str:
    return f"{shot.variant.theme}/{shot.variant.device}"
