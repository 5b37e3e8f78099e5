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
from visual_review.api.mcp.quoting import quote_name
from visual_review.api.mcp.rendering.truncation import limit_lines

BUDGET: Final = 3200
EMPTY: Final = "No repository is connected yet; connect_repo connects one."
NO_ACCESS: Final = (
    "The connected account has access to no repository. Give it access to some at the Git provider."
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
