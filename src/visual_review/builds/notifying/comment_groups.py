"""Read the groups for a comment from the database."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Count, Q

from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.notifying.comments import MAX_IMAGES, ChangedGroup, ChangedImage
from visual_review.builds.queries import first_groups
from visual_review.builds.states import CARRIED_OVER, GROUPED_STATES, NOT_FROM_BRANCH
from visual_review.builds.urls import build_page

SHOWN_REMAINDERS: Final = 2


def load_changed_groups(builds: Sequence[Build]) -> tuple[list[ChangedGroup], int]:
    """Return the first groups to review in the builds, and the number of all of them."""
    by_id = {build.pk: build for build in builds}
    due = ~Q(screenshots__decision_source=CARRIED_OVER)
    groups = (
        ChangeGroup.objects.filter(build__in=by_id)
        .annotate(count=Count("screenshots", filter=due))
        .filter(count__gt=0)
        .exclude(key__in=GROUPED_STATES)
    )
    # The first of each product before the second of any.
    ordered = groups.order_by("position", "build__product__key")
    shown = first_groups(ordered, MAX_IMAGES)
    examples = _examples(shown)
    remainders = Screenshot.objects.in_bulk(
        [pk for group in shown for pk in group.remainders[:SHOWN_REMAINDERS]]
    )
    found = [
        _changed_group(group, by_id[group.build_id], examples[group.pk], remainders)
        for group in shown
    ]
    return found, groups.count()


def _examples(groups: Iterable[ChangeGroup]) -> dict[str | None, Screenshot]:
    """Return the most severe screenshot of each group, without carried-over ones."""
    rows = (
        Screenshot.objects.filter(group__in=groups)
        .exclude(decision_source=CARRIED_OVER)
        .order_by("group_id", "-comparison__severity", "story_id", "theme", "device")
        .distinct("group_id")
    )
    return {row.group_id: row for row in rows}


def _changed_group(
    group: ChangeGroup, build: Build, example: Screenshot, remainders: Mapping[str, Screenshot]
) -> ChangedGroup:
    shown = (remainders.get(pk) for pk in group.remainders[:SHOWN_REMAINDERS])
    return ChangedGroup(
        name=group.name,
        count=vars(group)["count"],
        image=changed_image(build, example),
        remainders=tuple(changed_image(build, row) for row in shown if row),
        remainder_count=len(group.remainders),
        is_alike=group.key != NOT_FROM_BRANCH,
    )


def changed_image(build: Build, shot: Screenshot) -> ChangedImage:
    return ChangedImage(
        screenshot_id=shot.id,
        page=shot_page(build, shot.id),
        product_key=build.product.key,
        story_id=shot.story_id,
        story=shot.title or shot.story_id,
        theme=shot.theme,
        device=shot.device,
        state=shot.diff_state,
    )


def shot_page(build: Build, screenshot_id: str) -> str:
    return f"{build_page(build)}#{screenshot_id}"
