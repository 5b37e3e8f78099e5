"""Which repository a CI job's identity speaks for, and the caller it becomes."""

from typing import Final

from django.conf import settings
from django.db.models import Q

from visual_review.accounts.callers import Caller
from visual_review.kernel.errors import ForbiddenError, InvalidInputError
from visual_review.repositories.identity_claims import Identity, Issuer, issuers_of
from visual_review.repositories.models import HostAccount, Repository

NAME_LENGTH: Final = 300
# Behind the public address, in audiences that name the repository they are for.
NAMED_PATH: Final = "/repositories/"


def known_issuers() -> tuple[Issuer, ...]:
    return issuers_of(settings.SOURCE_HOSTS)


def issuers_for(account: HostAccount | None) -> tuple[Issuer, ...]:
    """Those a repository may take identities of: of its account's host, else all that are known."""
    if account is None:
        return known_issuers()
    return tuple(
        issuer
        for issuer in known_issuers()
        if (issuer.kind, issuer.address) == (account.kind, account.address)
    )


def set_issuer(repository: Repository, url: str) -> str:
    """Take identities of this issuer, or nobody's for an empty text; returns the former one.

    Raises InvalidInputError for one that the repository's host does not have.
    """
    if url and url not in {issuer.url for issuer in issuers_for(repository.host_account)}:
        fault = "is no issuer of the repository's source host"
        raise InvalidInputError(f"'issuer' {fault}.", [("/issuer", fault)])
    before, repository.identity_issuer = repository.identity_issuer, url
    repository.save(update_fields=["identity_issuer"])
    return before


def repository_of_identity(identity: Identity) -> Repository:
    """The repository that takes this identity; raises ForbiddenError in words."""
    willing = Repository.objects.filter(
        identity_issuer=identity.issuer, removed_at=None
    ).select_related("host_account")
    if identity.named:
        willing = willing.filter(pk=identity.named)
    # A name may be given up at the host and taken by somebody else; the id there may not. Hence
    # where it is known nothing but the id counts.
    linked = Q(host_account__isnull=False, host_id=identity.repository_id)
    unlinked = Q(full_name__iexact=identity.repository) & (Q(host_account=None) | Q(host_id=""))
    found = [row for row in willing.filter(linked | unlinked) if _is_of_issuer(row, identity)]
    if len(found) == 1:
        return found[0]
    # Who is linked need not be who is meant: anybody's account reaches what is public.
    raise ForbiddenError(_ambiguous() if found else _unwilling(identity))


def _is_of_issuer(row: Repository, identity: Identity) -> bool:
    return identity.issuer in {issuer.url for issuer in issuers_for(row.host_account)}


def _ambiguous() -> str:
    return (
        "More than one organization takes identity tokens of this repository, so it is not clear "
        f"which is meant. Ask for a token with the audience {settings.PUBLIC_URL}{NAMED_PATH}<id>, "
        "with the repository's id here ('visual-review publish' does so when "
        "VISUAL_REVIEW_REPOSITORY holds the id), or use the project token."
    )


def _unwilling(identity: Identity) -> str:
    return (
        f"No repository here takes identity tokens of '{identity.repository[:NAME_LENGTH]}' from "
        f"{identity.issuer}. Switch them on in the settings of the repository, or use the project "
        "token."
    )


def caller_of_identity(identity: Identity, repository: Repository) -> Caller:
    return Caller(
        kind="ci_identity",
        id=repository.id,
        # The subject names branch or environment, which tells more than the repository alone.
        name=f"CI of {repository.full_name} ({identity.subject})",
        organization_id=repository.organization_id,
        permissions=frozenset(),
        channel="ci",
        repository_id=repository.id,
    )
