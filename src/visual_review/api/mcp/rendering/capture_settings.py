"""The texts about capture settings and dynamic regions."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.published import set_dynamic_regions, set_org_capture, set_repo_capture
from visual_review.api.mcp.quoting import quote_name
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


def render_product_capture(result: set_repo_capture.Result, _caller: Caller) -> str:
    capture = result.capture
    text = (
        f"The next builds of product {quote_name(capture.product_key)} of {capture.repo_id} "
        f"capture themes {', '.join(capture.themes)} ({SOURCES[capture.themes_source]}) and "
        f"devices {', '.join(capture.devices)} ({SOURCES[capture.devices_source]})."
    )
    armed = [ARMED] if capture.detection_armed else []
    page = f"Page: {settings.PUBLIC_URL}/repositories/{capture.repo_id}/settings"
    return "\n".join([text, *armed, *result.warnings, page])


def render_organization_capture(result: set_org_capture.Result, _caller: Caller) -> str:
    capture = result.capture
    notice = "shown" if capture.shows_detection_notice else "hidden"
    return (
        f"Products without an override capture {_axis('themes', capture.themes)} and "
        f"{_axis('devices', capture.devices)}. The notice about detection results is {notice}.\n"
        f"Page: {settings.PUBLIC_URL}/repositories"
    )


def _axis(name: str, chosen: Sequence[str] | None) -> str:
    return f"{name} as detected" if chosen is None else f"{name} {', '.join(chosen)}"


def render_regions(result: set_dynamic_regions.Result, _caller: Caller) -> str:
    place = f"{quote_name(result.story_id)} in {result.theme}/{result.device}"
    where = f"{place} (product {quote_name(result.product_key)} of {result.repo_id})"
    if result.regions:
        regions = "1 region" if len(result.regions) == 1 else f"{len(result.regions):,} regions"
        stored = f"Differences inside {regions} of {where} are ignored."
    else:
        stored = f"{where} has no dynamic regions now; every difference counts."
    again = f"Undecided builds that are compared again: {result.compared_again:,}."
    text = f"{stored} {again}" if result.compared_again else stored
    page = f"Page: {settings.PUBLIC_URL}/repositories/{result.repo_id}"
    return "\n".join([text, *result.warnings, page])
