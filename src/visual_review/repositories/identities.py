"""Finds the repository that a CI job's identity is for, and makes the caller."""

from typing import Final

from django.conf import settings
from django.db.models import Q

from visual_review.accounts.callers import Caller
from visual_review.kernel.errors import ForbiddenError, InvalidInputError
from visual_review.repositories.identity_claims import Identity, Issuer, issuers_of
from visual_review.repositories.models import HostAccount, Repository

NAME_LENGTH: Final = 300
# After the public URL, in audiences that name a repository.
AUDIENCE_PATH: Final = "/repositories/"


def known_issuers() -> tuple[Issuer, ...]:
    return issuers_of(settings.SOURCE_HOSTS)


def issuers_for(account: HostAccount | None) -> tuple[Issuer, ...]:
    """Return the issuers a repository may accept: those of its account's host, else all known."""
    if account is None:
        return known_issuers()
    return tuple(
        issuer
        for issuer in known_issuers()
        if (issuer.kind, issuer.address) == (account.kind, account.address)
    )


def set_issuer(repository: Repository, url: str) -> str:
    """Accept identities of this issuer, or none for an empty URL; returns the previous one.

    Raises InvalidInputError for an issuer that does not belong to the repository's host.
    """
    if url and url not in {issuer.url for issuer in issuers_for(repository.host_account)}:
        problem = "is not an issuer of the repository's Git provider"
        raise InvalidInputError(f"'issuer' {problem}.", [("/issuer", problem)])
    before, repository.identity_issuer = repository.identity_issuer, url
    repository.save(update_fields=["identity_issuer"])
    return before


def repository_of_identity(identity: Identity) -> Repository:
    """Return the repository that accepts this identity; raises ForbiddenError."""
    candidates = Repository.objects.filter(
        identity_issuer=identity.issuer, removed_at=None
    ).select_related("host_account")
    if identity.requested_id:
        candidates = candidates.filter(pk=identity.requested_id)
    # A name may be released at the host and reused by someone else, an id may not. So if the id
    # is known, only the id counts.
    linked = Q(host_account__isnull=False, host_id=identity.repository_id)
    unlinked = Q(full_name__iexact=identity.repository) & (Q(host_account=None) | Q(host_id=""))
    found = [row for row in candidates.filter(linked | unlinked) if _is_of_issuer(row, identity)]
    if len(found) == 1:
        return found[0]
    # A link to the host decides nothing: any organization's account can access public ones.
    raise ForbiddenError(_ambiguous() if found else _not_accepted(identity))


def _is_of_issuer(row: Repository, identity: Identity) -> bool:
    return identity.issuer in {issuer.url for issuer in issuers_for(row.host_account)}


def _ambiguous() -> str:
    return (
        "More than one organization accepts identity tokens of this repository. Request a token "
        f"with the audience {settings.PUBLIC_URL}{AUDIENCE_PATH}<id>, where <id> is the "
        "repository's id in this service ('visual-review publish' does so if "
        "VISUAL_REVIEW_REPOSITORY is set to the id), or use the project token."
    )


def _not_accepted(identity: Identity) -> str:
    return (
        "No connected repository accepts identity tokens of "
        f"'{identity.repository[:NAME_LENGTH]}' from {identity.issuer}. Enable them in the "
        "settings of the repository, or use the project token."
    )


def caller_of_identity(identity: Identity, repository: Repository) -> Caller:
    return Caller(
        kind="ci_identity",
        id=repository.id,
        # The subject includes the branch or environment, so it says more than the repository.
        name=f"CI of {repository.full_name} ({identity.subject})",
        organization_id=repository.organization_id,
        permissions=frozenset(),
        channel="ci",
        repository_id=repository.id,
    )
