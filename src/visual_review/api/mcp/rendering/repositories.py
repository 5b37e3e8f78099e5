"""The texts about repositories and their project tokens."""

from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.published import (
    connect_repo,
    list_host_repos,
    list_repos,
    remove_repo,
    rotate_repo_token,
)
from visual_review.actions.results import RepositoryResult
from visual_review.api.mcp.quoting import named
from visual_review.api.mcp.rendering.token_budget import filled

ROOM: Final = 3200
EMPTY: Final = "No repository is connected yet; connect_repo connects one."
NOTHING_REACHED: Final = (
    "The connected account reaches no repository. Give it access to some at the source host."
)


def text_of_repositories(result: list_repos.Result, _caller: Caller) -> str:
    if not result.repos:
        return EMPTY
    return "\n".join(
        [
            f"Connected repositories: {len(result.repos):,}.",
            *filled(result.repos, _line, ROOM, "repositories"),
            "list_builds shows a repository's builds.",
            f"Page: {settings.PUBLIC_URL}/repositories",
        ]
    )


def _line(repo: RepositoryResult) -> str:
    return f"- {named(repo.full_name)}: {repo.id}, default branch {named(repo.default_branch)}"


def text_of_host_repositories(result: list_host_repos.Result, _caller: Caller) -> str:
    if not result.repos:
        return NOTHING_REACHED
    connected = sum(1 for repo in result.repos if repo.repo_id is not None)
    return "\n".join(
        [
            f"The account reaches {len(result.repos):,} repositories; {connected:,} are connected.",
            *filled(result.repos, _host_line, ROOM, "repositories"),
            "connect_repo connects one by its name.",
        ]
    )


def _host_line(repo: list_host_repos.HostRepositoryResult) -> str:
    facts = [
        f"default branch {named(repo.default_branch)}" if repo.default_branch else "empty",
        *(["private"] if repo.private else []),
        *(["archived"] if repo.archived else []),
        f"connected as {repo.repo_id}" if repo.repo_id else "not connected",
    ]
    return f"- {named(repo.full_name)}: {', '.join(facts)}"


def text_of_connection(result: connect_repo.Result, _caller: Caller) -> str:
    repo = result.repo
    return (
        f"{named(repo.full_name)} is connected as {repo.id}, default branch "
        f"{named(repo.default_branch)}.\n{_token(result.project_token, result.secret_name)}\n"
        f"{_page(repo.id)}"
    )


def text_of_rotation(result: rotate_repo_token.Result, _caller: Caller) -> str:
    return (
        f"The project token of {result.repo_id} is a new one; the old one has ended.\n"
        f"{_token(result.project_token, result.secret_name)}\n{_page(result.repo_id)}"
    )


def text_of_removal(result: remove_repo.Result, _caller: Caller) -> str:
    return (
        f"{named(result.full_name)} ({result.repo_id}) was removed with its builds, screenshots, "
        "baselines, recordings and project token."
    )


def _token(token: str, secret: str) -> str:
    # In the text, too: many clients show nothing else, and it is never told again.
    return (
        f"Project token, told this once: {token}\nStore it as the secret {secret} of the "
        "repository's CI, and keep it nowhere else."
    )


def _page(repo_id: str) -> str:
    return f"Page: {settings.PUBLIC_URL}/repositories/{repo_id}"
