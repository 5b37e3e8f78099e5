"""The page of a story: all its images, a comparison of any two, and facts about the story."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from visual_review.builds.flakiness import load_flakiness
from visual_review.builds.models import BaselineEntry, Build, Screenshot
from visual_review.builds.queries import screenshot_of
from visual_review.builds.reviewing.story_versions import (
    MOST_VERSIONS,
    SEARCHED_BRANCHES,
    StoryVersion,
    branches_of,
    load_versions,
    newest_build,
    searched_baselines,
)
from visual_review.builds.states import DIFFERENCES
from visual_review.builds.variants import VariantKey
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import DynamicRegions, Product
from visual_review.repositories.queries import default_key, product_of, repository_of
from visual_review.variants import DEVICES, THEMES
from visual_review.web.requests import caller_of, member_required

MOST_DIGITS: Final = 9
UNKNOWN: Final = (
    "Neither the newest build nor one of the newest baselines of this product has this story. "
    "Stories are listed on the pages of builds and of baselines."
)


def story_url(repository_id: str, product_key: str, variant: VariantKey) -> str:
    query = {"product": product_key, "theme": variant.theme, "device": variant.device}
    return f"{reverse('story', args=[repository_id, variant.story_id])}?{urlencode(query)}"


@require_safe
@member_required
def story_of_screenshot(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    shot = screenshot_of(caller_of(request).organization_id, screenshot_id)
    variant = VariantKey(shot.story_id, shot.theme, shot.device)
    return redirect(story_url(shot.build.repository_id, shot.build.product.key, variant))


@require_safe
@member_required
def story(request: HttpRequest, repository_id: str, story_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    key = request.GET.get("product") or default_key(repository)
    product = product_of(repository, key)
    variants = _variants_of(product, story_id)
    if not variants:
        raise NotFoundError(UNKNOWN)
    wanted = (request.GET.get("theme"), request.GET.get("device"))
    shown = next((each for each in variants if each.variant == wanted), variants[0])
    found = load_versions(product, shown, _number(request.GET.get("builds_before", "")))
    flakiness = load_flakiness(build, [story_id]) if (build := newest_build(product)) else {}
    changed = [each for each in found.history.rows if each.diff_state in DIFFERENCES]
    branches, more_branches = branches_of(product, shown)
    context = {
        "repository": repository,
        "story_id": story_id,
        "title": _title_of(found.versions, story_id),
        "variant": shown,
        "variants": [(each, story_url(repository.id, product.key, each)) for each in variants],
        "versions": found.versions,
        "has_more_versions": found.has_more,
        "most_versions": MOST_VERSIONS,
        "query": urlencode({"product": product.key, "theme": shown.theme, "device": shown.device}),
        **_choose_sides(request, found.versions),
        "older": found.history.next_build,
        "searched": found.history.searched,
        "changed": len({each.build_id for each in changed}),
        "flakiness": flakiness.get(shown),
        "branches": branches,
        "more_branches": more_branches,
        "searched_branches": SEARCHED_BRANCHES,
        "regions": DynamicRegions.objects.filter(product=product, **shown._asdict()).first(),
    }
    return render(request, "web/story.html", context)


def _choose_sides(request: HttpRequest, versions: Sequence[StoryVersion]) -> dict[str, object]:
    """Return the images to compare: the chosen ones, else the newest and the one before it."""
    images = {each.image.sha256: each.image for each in versions}
    newest = list(images.values())
    after = images.get(request.GET.get("after", "")) or (newest[0] if newest else None)
    others = [image for image in newest if image != after]
    before = images.get(request.GET.get("before", "")) or (others[0] if others else None)
    return {"before": before, "after": after}


def _variants_of(product: Product, story_id: str) -> list[VariantKey]:
    """Return the variants of the story in the newest build or in any version of a new baseline."""
    baselines = searched_baselines(product)
    entries = BaselineEntry.objects.filter(baseline__in=baselines, story_id=story_id)
    found = set(entries.values_list("theme", "device").distinct())
    newest: Build | None = newest_build(product)
    shots = Screenshot.objects.filter(build=newest, story_id=story_id, detection_only=False)
    found |= set(shots.values_list("theme", "device"))
    known = [(theme, device) for theme in THEMES for device in DEVICES]
    return [VariantKey(story_id, *variant) for variant in known if variant in found]


def _title_of(versions: Sequence[StoryVersion], story_id: str) -> str:
    titles = (each.shot.title for each in versions if each.shot)
    return next(filter(None, titles), story_id)


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None
