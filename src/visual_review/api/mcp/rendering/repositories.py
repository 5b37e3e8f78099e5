"""The texts about repositories, their project tokens and their capture settings."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.published import (
    connect_repo,
    list_host_repos,
    list_repos,
    remove_repo,
    rotate_repo_token,
    set_dynamic_regions,
    set_org_capture,
    set_repo_capture,
)
from visual_review.actions.results import RepositoryResult
from visual_review.api.mcp.quoting import quote_name
from visual_review.api.mcp.rendering.truncation import limit_lines
from visual_review.repositories.capture_rules import MatrixSource

BUDGET: Final = 3200
EMPTY: Final = "No repository is connected yet; connect_repo connects one."
NO_ACCESS: Final = (
    "The connected account has access to no repository. Give it access to some at the Git provider."
)
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


def render_repositories(result: list_repos.Result, _caller: Caller) -> str:
    if not result.repos:
        return EMPTY
    return "\n".join(
        [
            f"Connected repositories: {len(result.repos):,}.",
            *limit_lines(result.repos, _line, BUDGET, "repositories"),
            "list_builds shows a repository's builds.",
            f"Page: {settings.PUBLIC_URL}/repositories",
        ]
    )


def _line(repo: RepositoryResult) -> str:
    default = quote_name(repo.default_branch)
    return f"- {quote_name(repo.full_name)}: {repo.id}, default branch {default}"


def render_host_repositories(result: list_host_repos.Result, _caller: Caller) -> str:
    if not result.repos:
        return NO_ACCESS
    connected = sum(1 for repo in result.repos if repo.repo_id is not None)
    return "\n".join(
        [
            f"The account can access {len(result.repos):,} repositories; connected: {connected:,}.",
            *limit_lines(result.repos, _host_line, BUDGET, "repositories"),
            "connect_repo connects one by its name.",
        ]
    )


def _host_line(repo: list_host_repos.HostRepositoryResult) -> str:
    facts = [
        f"default branch {quote_name(repo.default_branch)}" if repo.default_branch else "empty",
        *(["private"] if repo.private else []),
        *(["archived"] if repo.archived else []),
        f"connected as {repo.repo_id}" if repo.repo_id else "not connected",
    ]
    return f"- {quote_name(repo.full_name)}: {', '.join(facts)}"


def render_connection(result: connect_repo.Result, _caller: Caller) -> str:
    repo = result.repo
    return (
        f"{quote_name(repo.full_name)} is connected as {repo.id}, default branch "
        f"{quote_name(repo.default_branch)}.\n{_token(result.project_token, result.secret_name)}\n"
        f"{_page(repo.id)}"
    )


def render_rotation(result: rotate_repo_token.Result, _caller: Caller) -> str:
    return (
        f"The project token of {result.repo_id} is new; the old one stopped working.\n"
        f"{_token(result.project_token, result.secret_name)}\n{_page(result.repo_id)}"
    )


def render_removal(result: remove_repo.Result, _caller: Caller) -> str:
    return (
        f"{quote_name(result.full_name)} ({result.repo_id}) was removed with its builds, "
        "screenshots, baselines, recordings and project token."
    )


def _token(token: str, secret: str) -> str:
    # In the text, too: many clients show only the text, and the token is never shown again.
    return (
        f"Project token, shown only once: {token}\nStore it as the secret {secret} of the "
        "repository's CI, and nowhere else."
    )


def _page(repo_id: str) -> str:
    return f"Page: {settings.PUBLIC_URL}/repositories/{repo_id}"


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
