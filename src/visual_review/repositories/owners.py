"""Members behind the names in ``CODEOWNERS``, chosen on a page or named by email address."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import QuerySet

from visual_review.accounts.models import User
from visual_review.kernel.clock import now
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.models import CodeOwners, OwnerMember, Repository


def store_code_owners(repository: Repository, text: str) -> None:
    """Store the file of a build of the default branch; an empty text removes the file."""
    rows = CodeOwners.objects.filter(repository=repository)
    if text or rows.exists():
        values = {"text": text, "sent_at": now()}
        CodeOwners.objects.update_or_create(repository=repository, defaults=values)


def active_members(organization_id: str) -> QuerySet[User]:
    return User.objects.filter(memberships__organization=organization_id, is_active=True)


def ids_behind(organization_id: str, names: Iterable[str]) -> set[str]:
    """Return the ids of the users behind the names."""
    rows = OwnerMember.objects.filter(organization=organization_id, name__in=list(names))
    return set(rows.values_list("user_id", flat=True))


def suggest_member(name: str, members: Iterable[User]) -> User | None:
    """Return the only member whose name or email address is like a login; pure."""
    login = name.removeprefix("@").casefold()
    fitting = [
        each
        for each in members
        if login in {each.email.partition("@")[0].casefold(), "".join(each.name.split()).casefold()}
    ]
    return fitting[0] if len(fitting) == 1 else None


def choose_owners(
    organization_id: str, chosen: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Replace the members behind the names; return the changed email addresses by name.

    ``chosen`` has email addresses. Raises InvalidInputError for an email address without a member.
    """
    members = {each.email.casefold(): each for each in active_members(organization_id)}
    changed: dict[str, list[str]] = {}
    for name, emails in chosen.items():
        unknown = next((each for each in emails if each.casefold() not in members), None)
        if unknown is not None:
            raise InvalidInputError(f"'{unknown}' of {name} is not the email address of a member.")
        users = {members[each.casefold()] for each in emails}
        rows = OwnerMember.objects.filter(organization=organization_id, name=name)
        if set(rows.values_list("user_id", flat=True)) == {each.pk for each in users}:
            continue
        rows.delete()
        OwnerMember.objects.bulk_create(
            OwnerMember(organization_id=organization_id, name=name, user=each) for each in users
        )
        changed[name] = sorted(each.email for each in users)
    return changed
