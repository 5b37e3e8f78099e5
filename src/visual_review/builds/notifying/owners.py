"""Ask the owners of changed stories for a review, by ``CODEOWNERS`` of the default branch."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.models import Build, StorySources
from visual_review.builds.notifying.events import publish_requested
from visual_review.builds.reviewers import AskedReviewers, people_of, request_people
from visual_review.builds.states import FAILED, UNREVIEWED
from visual_review.builds.waiting_builds import rows_to_review
from visual_review.kernel.queue import enqueue
from visual_review.repositories.code_owners import (
    CodeOwnerRules,
    ids_behind,
    owners_of,
    parse_code_owners,
)
from visual_review.repositories.models import CodeOwners

REQUEST_OWNERS: Final = "request_owners"
# A file of 10,000 lines is searched for each path, so a build that changes everything has a limit.
MOST_PATHS: Final = 1000
BY: Final = "CODEOWNERS"


def store_sources(build: Build, sources: Mapping[str, Sequence[str]]) -> None:
    """Keep the source files of the build's stories, for asking their owners.

    Only where rules exist: ``sources`` has the ids of stories by the path of their file.
    """
    paths = {story: path for path, stories in sources.items() for story in stories}
    if paths and CodeOwners.objects.filter(repository=build.repository_id).exists():
        StorySources.objects.get_or_create(build=build, defaults={"paths": paths})


def enqueue_owners(build: Build) -> None:
    """Enqueue asking the owners, where rules exist and someone has to review the build."""
    rules = CodeOwners.objects.filter(repository=build.repository_id)
    if build.review_state == UNREVIEWED and rules.exists():
        enqueue(REQUEST_OWNERS, build_id=build.pk, organization_id=build.repository.organization_id)


def request_owners(build: Build) -> None:
    """Ask the owners of the changes, unless they are asked already."""
    rules = CodeOwners.objects.filter(repository=build.repository_id).first()
    if rules is None or build.review_state != UNREVIEWED:
        return
    sources = StorySources.objects.filter(build=build).first()
    stories = rows_to_review(build).exclude(diff_state=FAILED).values_list("story_id", "title")
    names = find_owners(
        dict(stories.order_by("story_id").distinct()),
        sources.paths if sources else {},
        parse_code_owners(rules.text),
        parse_code_owners(rules.title_rules),
    )
    organization_id = build.repository.organization_id
    chosen = ids_behind(organization_id, names)
    people = people_of(organization_id)
    owners = [each for each in people if each.id in chosen or each.email.casefold() in names]
    asked = request_people(build, owners, BY)
    if asked:
        publish_requested(build, AskedReviewers(asked, []), BY)
        after = {"reviewers": list(asked.values())}
        record(
            organization_id, SYSTEM, Change("review.requested", build_target(build), after=after)
        )


def find_owners(
    titles: Mapping[str, str],
    paths: Mapping[str, str],
    by_path: CodeOwnerRules,
    by_title: CodeOwnerRules,
) -> list[str]:
    """Return the owners of stories: of their source files, otherwise of their titles; pure.

    ``titles`` and ``paths`` are by the id of the story.
    """
    files = dict.fromkeys(paths[story] for story in titles if story in paths)
    without = dict.fromkeys(title for story, title in titles.items() if story not in paths)
    found = [*_owners(by_path, files), *_owners(by_title, without)]
    return list(dict.fromkeys(found))


def _owners(rules: CodeOwnerRules, names: Iterable[str]) -> list[str]:
    return [owner for name in list(names)[:MOST_PATHS] for owner in owners_of(rules, name)]
