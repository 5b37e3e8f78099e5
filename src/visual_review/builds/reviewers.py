"""The requested reviewers of a build, and their decisions in the build."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count

from visual_review.accounts.members import members_of
from visual_review.accounts.person_names import name_or_email
from visual_review.builds.models import Build, RequestedReviewer, Screenshot
from visual_review.builds.states import APPROVED, REJECTED
from visual_review.builds.threads.mentions import Person, find_mentions


@dataclass(frozen=True)
class ReviewerState:
    """``approved`` and ``rejected`` count the screenshots of the build decided by the reviewer."""

    name: str
    requested_by: str
    approved: int
    rejected: int


@dataclass(frozen=True)
class AskedReviewers:
    """Newly requested members, and names without a member.

    ``asked`` has their names by their ids.
    """

    asked: dict[str, str]
    unknown: list[str]


def people_of(organization_id: str) -> list[Person]:
    """Return the active members, by the names shown on pages."""
    return [
        Person(user.pk, name_or_email(user.name, user.email), user.email)
        for user in (each.user for each in members_of(organization_id))
        if user.is_active
    ]


def request_reviewers(build: Build, names: Iterable[str], by: str) -> AskedReviewers:
    """Ask members, by name or email address, to review the builds of the build's branch.

    Already requested members are not asked again. A name of two members means both.
    """
    people = people_of(build.repository.organization_id)
    found: list[Person] = []
    unknown: list[str] = []
    for text in names:
        wanted = text.strip().removeprefix("@").casefold()
        fits = [each for each in people if wanted in {each.name.casefold(), each.email.casefold()}]
        if not wanted or not fits:
            unknown.append(text)
        found += fits
    return AskedReviewers(request_people(build, found, by), unknown)


def request_people(build: Build, people: Iterable[Person], by: str) -> dict[str, str]:
    """Ask members; return the names of the newly requested members, by their ids."""
    asked: dict[str, str] = {}
    for person in people:
        row = {**_branch_of(build), "user_id": person.id}
        values = {"requested_by_name": by}
        _, is_new = RequestedReviewer.objects.get_or_create(**row, defaults=values)
        if is_new:
            asked[person.id] = person.name
    return asked


def mentioned_in(organization_id: str, text: str) -> tuple[dict[str, str], Sequence[str]]:
    """Return the names of members mentioned in a comment, by id, and mentions without a member."""
    people = people_of(organization_id)
    found = find_mentions(text, people)
    return {each.id: each.name for each in people if each.id in found.people}, found.unknown


def requested_ids(build: Build) -> list[str]:
    """Return the ids of the users who are asked to review the builds of the build's branch."""
    rows = RequestedReviewer.objects.filter(**_branch_of(build))
    return list(rows.values_list("user_id", flat=True))


def reviewers_of(build: Build) -> list[ReviewerState]:
    """Return the requested reviewers in the order of the requests, with their decisions."""
    rows = RequestedReviewer.objects.filter(**_branch_of(build)).select_related("user")
    found = list(rows.order_by("pk"))
    ids = [each.user_id for each in found]
    shots = Screenshot.objects.filter(build=build, decided_by_id__in=ids) if ids else None
    counts: Counter[tuple[str, str]] = Counter()
    if shots is not None:
        decided = shots.values_list("decided_by_id", "review_decision").annotate(Count("pk"))
        counts.update({(user, decision): count for user, decision, count in decided})
    return [
        ReviewerState(
            name_or_email(each.user.name, each.user.email),
            each.requested_by_name,
            counts[each.user_id, APPROVED],
            counts[each.user_id, REJECTED],
        )
        for each in found
    ]


def _branch_of(build: Build) -> dict[str, str]:
    return {
        "product_id": build.product_id,
        "head_repository": build.head_repository,
        "branch": build.branch,
    }
