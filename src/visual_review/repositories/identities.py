"""Finds the repository for a CI job's identity, and makes the caller."""

from typing import Final

from django.conf import settings
from django.db import transaction

from visual_review.accounts.callers import Caller
from visual_review.audit.log import Change, record
from visual_review.kernel.errors import ConflictError, ForbiddenError, InvalidInputError
from visual_review.repositories.identity_claims import Identity, Issuer, issuers_of
from visual_review.repositories.identity_rules import KnownRepository, Recognition, recognize
from visual_review.repositories.models import HostAccount, Repository
from visual_review.repositories.queries import repository_target

NAME_LENGTH: Final = 300
# After the public URL, in audiences that name a repository.
AUDIENCE_PATH: Final = "/repositories/"
PINNED: Final = "repository.identity_pinned"


def known_issuers() -> tuple[Issuer, ...]:
    return issuers_of(settings.SOURCE_HOSTS)


def issuers_for(account: HostAccount | None) -> tuple[Issuer, ...]:
    """Return the issuers a repository may accept: of its account's host, else all known."""
    if account is None:
        return known_issuers()
    return tuple(
        issuer
        for issuer in known_issuers()
        if (issuer.kind, issuer.address) == (account.kind, account.address)
    )


def set_issuer(repository: Repository, url: str) -> str:
    """Accept identities of this issuer, or none for an empty URL; returns the previous URL.

    Raises InvalidInputError if the issuer does not belong to the repository's host.
    """
    if url and url not in {issuer.url for issuer in issuers_for(repository.host_account)}:
        problem = "is not an issuer of the repository's Git provider"
        raise InvalidInputError(f"'issuer' {problem}.", [("/issuer", problem)])
    before, repository.identity_issuer = repository.identity_issuer, url
    if before != url:
        # An id of one provider means nothing at another.
        repository.identity_pin, repository.identity_shared_audience = "", False
    repository.save(update_fields=["identity_issuer", "identity_pin", "identity_shared_audience"])
    return before


def remove_pin(repository: Repository) -> str:
    """Let the next token choose the repository at the provider again; returns the previous id.

    The row must be locked. Raises ConflictError if no token was accepted yet.
    """
    former = repository.identity_pin
    if not former:
        raise ConflictError("No identity token of this repository was accepted yet.")
    repository.identity_pin = ""
    repository.save(update_fields=["identity_pin"])
    return former


def audience_of(repository_id: str) -> str:
    """Return the audience of identity tokens for one repository."""
    return f"{settings.PUBLIC_URL}{AUDIENCE_PATH}{repository_id}"


def caller_with_identity(identity: Identity) -> tuple[Caller, Repository]:
    """Return the CI job as a caller, and the repository that accepts its identity.

    The first accepted identity pins the repository's id at the provider. Raises ForbiddenError.
    """
    repository = _find_repository(identity)
    caller = _caller_of(identity, repository)
    if not repository.identity_pin:
        _pin(caller, identity, repository)
    return caller, repository


def _find_repository(identity: Identity) -> Repository:
    rows = Repository.objects.filter(
        identity_issuer=identity.issuer, removed_at=None
    ).select_related("host_account")
    if identity.requested_id:
        # The job chose the repository by its id, and the issuer signed the choice: no name matters.
        row = rows.filter(pk=identity.requested_id).first()
        if row is None or not _is_of_issuer(row, identity):
            raise ForbiddenError(_not_accepted(identity))
        return _check_recognized(row, identity)
    found = [
        row
        for row in rows.filter(identity_shared_audience=True, host_id=identity.repository_id)
        if row.host_account is not None and _is_of_issuer(row, identity)
    ]
    if len(found) != 1:
        # Any organization's account can reach what is public, so a link to the host is no proof.
        raise ForbiddenError(_audience_needed(identity))
    return _check_recognized(found[0], identity)


def _check_recognized(row: Repository, identity: Identity) -> Repository:
    host_id = row.host_id if row.host_account is not None else ""
    known = KnownRepository(row.full_name, host_id, row.identity_pin)
    recognition = recognize(identity, known)
    if recognition is Recognition.CHANGED:
        raise ForbiddenError(_changed(identity))
    if recognition is Recognition.OTHER:
        raise ForbiddenError(_not_accepted(identity))
    return row


def _is_of_issuer(row: Repository, identity: Identity) -> bool:
    return identity.issuer in {issuer.url for issuer in issuers_for(row.host_account)}


@transaction.atomic
def _pin(caller: Caller, identity: Identity, repository: Repository) -> None:
    # Checked by the database: of two first tokens with different ids, one is refused.
    pinned = Repository.objects.filter(
        pk=repository.pk, identity_issuer=identity.issuer, identity_pin=""
    ).update(identity_pin=identity.repository_id)
    if not pinned:
        repository.refresh_from_db()
        if repository.identity_issuer != identity.issuer:
            raise ForbiddenError(_not_accepted(identity))
        _check_recognized(repository, identity)
        return
    repository.identity_pin = identity.repository_id
    change = Change(PINNED, repository_target(repository), after={"hostId": identity.repository_id})
    record(repository.organization_id, caller.actor(), change)


def _audience_needed(identity: Identity) -> str:
    return (
        "The identity token of "
        f"'{identity.repository[:NAME_LENGTH]}' does not say for which repository of this service "
        f"it is. Request one with the audience {settings.PUBLIC_URL}{AUDIENCE_PATH}<id>: the "
        "settings of the repository in this service show its audience. 'visual-review publish' "
        "requests it if VISUAL_REVIEW_REPOSITORY is set to the id. Or use the project token."
    )


def _changed(identity: Identity) -> str:
    return (
        f"The identity token is for another repository named '{identity.repository[:NAME_LENGTH]}' "
        f"(with the id {identity.repository_id[:NAME_LENGTH]} at {identity.issuer}) than the one "
        "whose tokens were accepted before. If the repository was deleted and created again "
        "there, an admin can accept the new one in the settings of the repository."
    )


def _not_accepted(identity: Identity) -> str:
    return (
        "No connected repository accepts identity tokens of "
        f"'{identity.repository[:NAME_LENGTH]}' from {identity.issuer}. Enable them in the "
        "settings of the repository, or use the project token."
    )


def _caller_of(identity: Identity, repository: Repository) -> Caller:
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
