"""The text of get_build: undecided screenshots first, everything else as briefly as possible."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.build_results import Counts
from visual_review.actions.published.get_build import FullBuild, Result
from visual_review.actions.screenshot_results import GroupResult, ScreenshotResult
from visual_review.api.mcp.quoting import ORIGIN, quote_name, quote_text
from visual_review.api.mcp.rendering.review_progress import (
    ReviewProgress,
    describe_decision,
    describe_progress,
    next_steps,
)
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.api.mcp.tool_selection import ToolSelection
from visual_review.builds.images.composites import percent
from visual_review.builds.states import APPROVED, CHANGED, DIFFERENCES, FAILED, PENDING, REJECTED

ScreenshotsByStory = Mapping[str, Sequence[ScreenshotResult]]
# Tokens for each part of the text; together with head and end less than half of a result.
OPEN_FULL: Final = 1900
OPEN_BRIEF: Final = 900
FAILED_TOKENS: Final = 400
REJECTED_BUDGET: Final = 500
APPROVED_BUDGET: Final = 250
REST: Final = "in the linked result"
SHOWN_COMMIT: Final = 12
BASELINE_RULES: Final = {
    "target_branch": "the pull request's base branch",
    "own_branch": "its own branch",
    "default_branch": "the default branch",
}
BUDGET: Final = 500
SHOWN_STORIES: Final = 3
SHOWN_REMAINDERS: Final = 2


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


def render_build(result: Result, caller: Caller, selection: ToolSelection) -> str:
    build = result.build
    shots = build.screenshots
    progress = ReviewProgress.of(
        Counter((shot.diff_state, shot.review_decision or "") for shot in shots)
    )
    lines = [
        *_head(build),
        *describe_progress(build.status, build.review_state, progress),
        *_sections(build, selection),
    ]
    if progress.open or progress.open_removals:
        lines += next_steps(build.status, selection, may_review=caller.may(BUILDS_REVIEW))
    # The note comes before the first quoted text, since a model reads from the start.
    if any('"' in line for line in lines):
        lines.insert(0, ORIGIN)
    return "\n".join([*lines, f"Page: {build.url}"])


def _not_captured(counts: Counts) -> Iterator[str]:
    captured = counts.changed + counts.new + counts.failed + counts.unchanged - counts.inherited
    if counts.inherited > captured:
        yield f"{captured:,} captured; {counts.inherited:,} taken over from the baseline, unseen."


def _head(build: FullBuild) -> Iterator[str]:
    product = quote_name(build.product_key)
    yield f"Build #{build.number} ({build.id}), product {product}: {_origin(build)}."
    decision = describe_decision(build.review_state.replace("_", " "), build.decided)
    yield f"Status {build.status}; review: {decision}. {_compared(build)}"
    yield from _not_captured(build.counts)
    if build.message:
        yield f"Message: {quote_text(build.message)}"
    if build.failure:
        yield f"Failure: {quote_text(build.failure)}"
    if build.partial:
        yield "Partial: only some stories were captured, the others are taken from the baseline."
    if build.superseded_by is not None:
        yield f"Superseded by the newer build {build.superseded_by} of the same branch."
    counted = {**build.counts.model_dump(), "pending": _pending(build)}
    counts = [f"{count:,} {state}" for state, count in counted.items() if count]
    yield f"Screenshots: {', '.join(counts) or 'none'}."
    if build.dynamic_regions:
        variants = len(build.dynamic_regions)
        yield f"Story variants with dynamic regions, where differences are ignored: {variants:,}."


def _pending(build: FullBuild) -> int:
    return sum(shot.diff_state == PENDING for shot in build.screenshots)


def _origin(build: FullBuild) -> str:
    fork = f" of the fork {quote_name(build.head_repository)}" if build.head_repository else ""
    target = f" into {quote_name(build.base_branch)}" if build.base_branch else ""
    pull = f", pull request {build.pull_request}{target}" if build.pull_request else ""
    commit = quote_name(build.commit[:SHOWN_COMMIT])
    return f"branch {quote_name(build.branch)}{fork}{pull}, commit {commit}"


def _compared(build: FullBuild) -> str:
    rule = BASELINE_RULES.get(build.baseline.rule)
    if rule is None or build.baseline.branch is None:
        return "Compared with nothing: there is no baseline yet."
    branch = quote_name(build.baseline.branch)
    return f"Compared with version {build.baseline.move} of the baseline of {branch} ({rule})."


def _sections(build: FullBuild, selection: ToolSelection) -> Iterator[str]:
    shots = build.screenshots
    differing = [shot for shot in shots if shot.diff_state in DIFFERENCES]
    undecided = [shot for shot in differing if shot.review_decision is None]
    if undecided:
        alike = list(list_groups(build.groups, undecided))
        if alike:
            yield "Undecided and alike:"
            yield from alike
        yield "Undecided:"
        yield from list_stories(
            group_by_story(undecided), OPEN_FULL, OPEN_BRIEF, _remainder(selection)
        )
    failed = [shot for shot in shots if shot.diff_state == FAILED]
    if failed:
        yield "Failed:"
        yield from list_stories(group_by_story(failed), FAILED_TOKENS, rest=REST)
    rejected = [shot for shot in differing if shot.review_decision == REJECTED]
    if rejected:
        yield "Rejected:"
        yield from list_stories(group_by_story(rejected), REJECTED_BUDGET, rest=REST)
    approved = [shot for shot in differing if shot.review_decision == APPROVED]
    yield from _approved(approved)


def _remainder(selection: ToolSelection) -> str:
    if selection.offers_extension("review"):
        return "listed by list_changes"
    return "listed by get_build once these are decided, and in the linked result"


def _approved(shots: Sequence[ScreenshotResult]) -> Iterator[str]:
    """Yield approved stories only by name: nothing is left to do about approved stories."""
    if shots:
        deciders = Counter(describe_decision("approved", shot.decided) for shot in shots)
        most, _count = deciders.most_common(1)[0]
        others = f" and {len(deciders) - 1} more deciders" if len(deciders) > 1 else ""
        yield f"{most[:1].upper()}{most[1:]}{others}: {list_names(shots, APPROVED_BUDGET)}."


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
