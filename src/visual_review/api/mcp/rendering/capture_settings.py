"""The texts about what is captured, and about regions that do not count."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.published import set_dynamic_regions, set_org_capture, set_repo_capture
from visual_review.api.mcp.quoting import named
from visual_review.repositories.capture_rules import MatrixSource

SOURCES: Final[dict[MatrixSource, str]] = {
    "override": "chosen for the product",
    "organization": "the organization's default",
    "detected": "as detected",
    "all": "all, since nothing is chosen or detected",
}
ARMED: Final = (
    "Detection is armed: the next full build captures all six variants and measures dark mode and "
    "responsiveness."
)


def text_of_product_capture(result: set_repo_capture.Result, _caller: Caller) -> str:
    capture = result.capture
    text = (
        f"The next builds of product {named(capture.product_key)} of {capture.repo_id} capture "
        f"themes {', '.join(capture.themes)} ({SOURCES[capture.themes_source]}) and devices "
        f"{', '.join(capture.devices)} ({SOURCES[capture.devices_source]})."
    )
    armed = [ARMED] if capture.detection_armed else []
    page = f"Page: {settings.PUBLIC_URL}/repositories/{capture.repo_id}/settings"
    return "\n".join([text, *armed, page])


def text_of_organization_capture(result: set_org_capture.Result, _caller: Caller) -> str:
    capture = result.capture
    notice = "shown" if capture.shows_detection_notice else "hidden"
    return (
        f"Products without an override capture {_axis('themes', capture.themes)} and "
        f"{_axis('devices', capture.devices)}. The notice of what detection found is {notice}.\n"
        f"Page: {settings.PUBLIC_URL}/repositories"
    )


def _axis(name: str, chosen: Sequence[str] | None) -> str:
    return f"{name} as detected" if chosen is None else f"{name} {', '.join(chosen)}"


def text_of_regions(result: set_dynamic_regions.Result, _caller: Caller) -> str:
    place = f"{named(result.story_id)} in {result.theme}/{result.device}"
    where = f"{place} (product {named(result.product_key)} of {result.repo_id})"
    if result.regions:
        regions = "1 region" if len(result.regions) == 1 else f"{len(result.regions):,} regions"
        stored = f"Differences inside {regions} of {where} do not count."
    else:
        stored = f"{where} has no dynamic regions now; every difference counts."
    again = f"Undecided builds compared again with that: {result.compared_again:,}."
    told = f"{stored} {again}" if result.compared_again else stored
    return f"{told}\nPage: {settings.PUBLIC_URL}/repositories/{result.repo_id}"
