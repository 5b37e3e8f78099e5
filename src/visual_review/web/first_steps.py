"""The first steps in a new organization, until done."""

from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef
from django.urls import reverse

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import Invitation, Membership, Organization
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.builds.models import Baseline, Build
from visual_review.repositories.models import HostAccount, Repository

DOCS: Final = "/docs/"


class Step(NamedTuple):
    title: str
    url: str
    help_url: str
    is_done: bool


def list_steps(caller: Caller) -> list[Step]:
    """Return the first steps; none without the permissions, or once a build is approved."""
    if not caller.may(REPOS_MANAGE):
        return []
    organization = OuterRef("pk")
    repositories = Repository.objects.filter(organization=organization, removed_at=None)
    builds = Build.objects.filter(repository__organization=organization)
    approved = Baseline.objects.filter(
        product__repository__organization=organization, last_version__gte=1
    )
    others = Membership.objects.filter(organization=organization).exclude(user=caller.id)
    row = Organization.objects.annotate(
        connected=Exists(repositories),
        published=Exists(builds),
        approved=Exists(approved),
        has_host=Exists(HostAccount.objects.filter(organization=organization)),
        has_others=Exists(others),
        has_invited=Exists(Invitation.objects.filter(organization=organization)),
    ).get(pk=caller.organization_id)
    found = vars(row)
    if found["approved"]:
        return []
    return [
        _step(
            "Connect a repository",
            "repositories",
            "tutorial/first-review/",
            done=found["connected"],
        ),
        _step(
            "Publish a build from CI", "repositories", "how-to/publish/", done=found["published"]
        ),
        _step("Approve it: it becomes the baseline", "home", "how-to/review/", done=False),
        _step(
            "Connect your Git provider, for statuses and comments",
            "source_host",
            "how-to/connect-git-provider/",
            done=found["has_host"],
        ),
        _step(
            "Invite the people who review",
            "members",
            "how-to/accounts/",
            done=found["has_others"] or found["has_invited"],
        ),
    ]


def _step(title: str, page: str, help_path: str, *, done: bool) -> Step:
    return Step(title, reverse(page), f"{DOCS}{help_path}", done)
