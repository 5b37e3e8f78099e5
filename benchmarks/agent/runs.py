"""Reviews a published build, and compares the decisions with the planted defects."""

from collections.abc import Iterator, Mapping

import anyio

from benchmarks.agent.builds import BuildPlan
from benchmarks.agent.mcp_client import ReviewClient, connect
from benchmarks.agent.publishing import PublishedBuild, Variant
from benchmarks.agent.results import LEGIBLE, Row, find_duplicates
from benchmarks.agent.reviewer import Review, review_build
from benchmarks.agent.rule import APPROVED, REJECTED, SeenChange


def run_review(url: str, key: str, build_id: str) -> tuple[ReviewClient, Review]:
    """Review the build over MCP; return the client with the costs, and the review."""
    return anyio.run(_run, url, key, build_id)


async def _run(url: str, key: str, build_id: str) -> tuple[ReviewClient, Review]:
    async with connect(url, key) as client:
        await client.introduce()
        return client, await review_build(client, build_id)


def measure(
    plan: BuildPlan,
    build: PublishedBuild,
    done: tuple[ReviewClient, Review],
    decided: Mapping[str, str | None],
) -> Row:
    """Return the row of a review; ``decided`` are the stored decisions by the page's name."""
    client, review = done
    costs = client.costs
    expected = {page.name: REJECTED if page.defect else APPROVED for page in plan.changed}
    defective = {page.name for page in plan.defective}
    sizes = [len(changes) for changes in review.groups.values()]
    return Row(
        build=plan.name,
        calls=len(costs.calls),
        text_tokens=costs.text_tokens,
        image_tokens=costs.image_tokens,
        longest_text=costs.longest_text,
        bytes=costs.bytes,
        seconds=costs.seconds,
        decided=decided,
        expected=expected,
        groups=len(sizes),
        largest=max(sizes, default=0),
        mixed=_find_mixed(review, build, defective),
        illegible=tuple(_find_illegible(review)),
        unreachable=tuple(sorted(set(expected) - {_page(each, build) for each in review.changes})),
        problems=(
            *review.problems,
            *(f"#{number} twice" for number in find_duplicates(_numbers(review))),
        ),
    )


def _numbers(review: Review) -> list[int]:
    return [change.number for change in review.changes]


def _page(change: SeenChange, build: PublishedBuild) -> str:
    theme, device = change.variant.split("/")
    variant: Variant = (change.story.strip('"'), theme, device)
    return build.names.get(variant, "")


def _find_mixed(review: Review, build: PublishedBuild, defective: set[str]) -> tuple[str, ...]:
    mixed = []
    for number, changes in review.groups.items():
        names = {_page(change, build) for change in changes}
        if names & defective and names - defective:
            mixed.append(f"G{number}")
    return tuple(mixed)


def _find_illegible(review: Review) -> Iterator[str]:
    """Yield changes not shown, or shown too small, or shown incompletely."""
    for number in _numbers(review):
        view = review.views.get(number)
        if view is None:
            yield f"#{number} not shown"
        elif view.scale < LEGIBLE:
            yield f"#{number} at {view.scale:.0%}"
        elif not view.complete:
            yield f"#{number} in part"
