"""CI identity tokens: who issues them, and what their claims say, in our words; pure.

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
# Hosts of everybody that issue no identities we know how to read.
WITHOUT_IDENTITIES: Final = frozenset({"https://gitea.com", "https://codeberg.org"})
GITLAB: Final = "https://gitlab.com"

_PULL_REQUEST_REF: Final = re.compile("refs/pull/([1-9][0-9]{0,9})/(?:merge|head)")
_BRANCH_REF: Final = "refs/heads/"
# What starts jobs that run a branch's own code at its own commit. Every other event may run for a
# pull request or another run (pull_request_target, workflow_run, comments, child pipelines), with
# a ref that says less than it seems to: what such a job publishes may be a stranger's.
_EVENTS_OF_BRANCHES: Final = frozenset(
    {"push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group"}
)
_SOURCES_OF_BRANCHES: Final = frozenset({"push", "web", "webide", "schedule", "api", "trigger"})


@dataclass(frozen=True)
class Issuer:
    """Who vouches for the jobs of a host; ``keys_url`` is where its public keys lie."""

    url: str
    kind: IssuerKind
    address: str
    keys_url: str

    @property
    def label(self) -> str:
        return f"{'GitHub Actions' if self.kind == 'github' else 'GitLab CI'} of {self.address}"


@dataclass(frozen=True)
class Identity:
    """A CI job, as its issuer vouches for it.

    ``named`` is the id of the repository here that the job asked its token for, where it did.
    ``branch`` and ``pull_request`` are what it runs for, where the claims tell; a job that
    ``is_pull_request`` may run code of strangers. ``commit`` is what it checked out.
    """

    issuer: str
    subject: str
    repository: str
    repository_id: str
    commit: str
    branch: str = ""
    is_pull_request: bool = False
    pull_request: int | None = None
    base_branch: str = ""
    named: str = ""


def issuers_of(source_hosts: Iterable[str]) -> tuple[Issuer, ...]:
    """Everyone whose tokens can be read, of the addresses the service may reach.

    An address of one's own may be GitLab or GitHub Enterprise; their issuers differ.
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
    """The job that verified ``claims`` speak of; raises UnauthenticatedError in words."""
    return _of_github(issuer, claims) if issuer.kind == "github" else _of_gitlab(issuer, claims)


def _of_github(issuer: Issuer, claims: Mapping[str, Any]) -> Identity:
    ref = _text(claims, "ref")
    merged = _PULL_REQUEST_REF.fullmatch(ref)
    of_branch = not merged and _text(claims, "event_name") in _EVENTS_OF_BRANCHES
    return Identity(
        issuer=issuer.url,
        subject=_text(claims, "sub"),
        repository=_text(claims, "repository"),
        repository_id=_text(claims, "repository_id"),
        # Jobs on behalf of others check out the default branch, which is not what they show.
        commit=_text(claims, "sha") if merged or of_branch else "",
        branch=_branch_of(ref) if of_branch else _text(claims, "head_ref", needed=False),
        is_pull_request=not of_branch,
        pull_request=int(merged.group(1)) if merged else None,
        base_branch="" if of_branch else _text(claims, "base_ref", needed=False),
    )


def _of_gitlab(issuer: Issuer, claims: Mapping[str, Any]) -> Identity:
    is_branch = _text(claims, "ref_type") == "branch"
    return Identity(
        issuer=issuer.url,
        subject=_text(claims, "sub"),
        repository=_text(claims, "project_path"),
        repository_id=_text(claims, "project_id"),
        commit=_text(claims, "sha"),
        branch=_text(claims, "ref") if is_branch else "",
        is_pull_request=_text(claims, "pipeline_source") not in _SOURCES_OF_BRANCHES,
    )


def _branch_of(ref: str) -> str:
    # A tag is no branch: nothing can be published for it, as nothing is compared with tags.
    return ref.removeprefix(_BRANCH_REF) if ref.startswith(_BRANCH_REF) else ""


def _text(claims: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    value = claims.get(name)
    # GitLab writes ids as text, GitHub too; a number would be the same id.
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and (value or not needed) and "\0" not in value:
        return value
    if value is None and not needed:
        return ""
    raise UnauthenticatedError(
        f"The identity token lacks the claim '{name}', or it is no text. Let the CI provider "
        "issue a token of its standard form."
    )
