"""CI identity tokens: their issuers, and their claims as an Identity; pure.

Claims of GitHub: https://docs.github.com/actions/reference/security/oidc
Claims of GitLab: https://docs.gitlab.com/ci/secrets/id_token_authentication/
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from visual_review.kernel.errors import UnauthenticatedError

IssuerKind = Literal["github", "gitlab"]
GITHUB: Final = "https://github.com"
GITHUB_ISSUER: Final = "https://token.actions.githubusercontent.com"
ENTERPRISE_PATH: Final = "/_services/token"
# Public hosts without identity tokens, or without supported ones.
WITHOUT_IDENTITIES: Final = frozenset({"https://gitea.com", "https://codeberg.org"})
GITLAB: Final = "https://gitlab.com"

_PULL_REQUEST_REF: Final = re.compile("refs/pull/([1-9][0-9]{0,9})/(?:merge|head)")
_BRANCH_REF: Final = "refs/heads/"
# Events whose jobs run a branch's own code at its own commit. Any other event may belong to a pull
# request or another run (pull_request_target, workflow_run, comments, child pipelines), with a
# misleading ref: such a job may publish outsiders' code.
_EVENTS_OF_BRANCHES: Final = frozenset(
    {"push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group"}
)
_SOURCES_OF_BRANCHES: Final = frozenset({"push", "web", "webide", "schedule", "api", "trigger"})


@dataclass(frozen=True)
class Issuer:
    """The issuer of identity tokens for a host's CI jobs, with the URL of the public keys."""

    url: str
    kind: IssuerKind
    address: str
    keys_url: str

    @property
    def label(self) -> str:
        return f"{'GitHub Actions' if self.kind == 'github' else 'GitLab CI'} of {self.address}"


@dataclass(frozen=True)
class Identity:
    """A CI job, as described by its issuer."""

    issuer: str
    subject: str
    repository: str
    repository_id: str
    # The checked out commit.
    commit: str
    # The branch and the pull request of the job, if the claims contain them.
    branch: str = ""
    # Whether the job may run code of outsiders.
    is_pull_request: bool = False
    pull_request: int | None = None
    base_branch: str = ""
    # Our id of the repository for which the job requested its token, if any.
    requested_id: str = ""


def issuers_of(source_hosts: Iterable[str]) -> tuple[Issuer, ...]:
    """Return the supported issuers for the configured hosts.

    A self-hosted one may be GitLab or GitHub Enterprise, whose issuers differ.
    """
    found: list[Issuer] = []
    for address in source_hosts:
        if not address.startswith("https://") or address in WITHOUT_IDENTITIES:
            continue
        if address == GITHUB:
            found.append(_github(GITHUB_ISSUER, address))
            continue
        found.append(Issuer(address, "gitlab", address, f"{address}/oauth/discovery/keys"))
        if address != GITLAB:
            found.append(_github(f"{address}{ENTERPRISE_PATH}", address))
    return tuple(found)


def _github(url: str, address: str) -> Issuer:
    return Issuer(url, "github", address, f"{url}/.well-known/jwks")


def identity_of(issuer: Issuer, claims: Mapping[str, Any]) -> Identity:
    """Return the job described by verified ``claims``; raises UnauthenticatedError."""
    return _of_github(issuer, claims) if issuer.kind == "github" else _of_gitlab(issuer, claims)


def _of_github(issuer: Issuer, claims: Mapping[str, Any]) -> Identity:
    ref = _string_claim(claims, "ref")
    merged = _PULL_REQUEST_REF.fullmatch(ref)
    of_branch = not merged and _string_claim(claims, "event_name") in _EVENTS_OF_BRANCHES
    return Identity(
        issuer=issuer.url,
        subject=_string_claim(claims, "sub"),
        repository=_string_claim(claims, "repository"),
        repository_id=_string_claim(claims, "repository_id"),
        # Jobs triggered otherwise check out the default branch, but publish other code.
        commit=_string_claim(claims, "sha") if merged or of_branch else "",
        branch=_branch_of(ref) if of_branch else _string_claim(claims, "head_ref", required=False),
        is_pull_request=not of_branch,
        pull_request=int(merged.group(1)) if merged else None,
        base_branch="" if of_branch else _string_claim(claims, "base_ref", required=False),
    )


def _of_gitlab(issuer: Issuer, claims: Mapping[str, Any]) -> Identity:
    is_branch = _string_claim(claims, "ref_type") == "branch"
    return Identity(
        issuer=issuer.url,
        subject=_string_claim(claims, "sub"),
        repository=_string_claim(claims, "project_path"),
        repository_id=_string_claim(claims, "project_id"),
        commit=_string_claim(claims, "sha"),
        branch=_string_claim(claims, "ref") if is_branch else "",
        is_pull_request=_string_claim(claims, "pipeline_source") not in _SOURCES_OF_BRANCHES,
    )


def _branch_of(ref: str) -> str:
    # Builds are published for branches only, so a tag counts as no branch.
    return ref.removeprefix(_BRANCH_REF) if ref.startswith(_BRANCH_REF) else ""


def _string_claim(claims: Mapping[str, Any], name: str, *, required: bool = True) -> str:
    value = claims.get(name)
    # GitLab and GitHub write ids as strings; a number would be the same id.
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and (value or not required) and "\0" not in value:
        return value
    if value is None and not required:
        return ""
    raise UnauthenticatedError(
        f"The identity token has no claim '{name}', or the claim is not a string. Use a token "
        "with the CI provider's standard claims."
    )
