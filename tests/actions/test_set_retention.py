import pytest

from tests.support.action_calls import act, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ForbiddenError, InvalidInputError, NotFoundError
from visual_review.repositories.models import Repository, Retention


def set_days(world: World, **days: int) -> tuple[int | None, int, int | None]:
    """Set days of the organization; return all three."""
    act(world.persona, "set_org_retention", **days)
    stored = Retention.objects.get()
    return stored.builds_days, stored.images_days, stored.recordings_days


def test_omitted_values_are_unchanged_and_zero_means_forever(world: World) -> None:
    assert set_days(world, buildsDays=90) == (90, 7, 30)
    assert set_days(world, recordingsDays=0, imagesDays=1) == (90, 1, None)
    assert set_days(world, buildsDays=0) == (None, 1, None)


def test_a_change_is_logged_and_a_repeat_is_not(world: World) -> None:
    for _ in range(2):
        act(world.persona, "set_org_retention", buildsDays=90)
    entry = only_entry("organization.retention_changed")
    assert entry.before == {"buildsDays": None, "imagesDays": 7, "recordingsDays": 30}
    assert entry.after == {"buildsDays": 90, "imagesDays": 7, "recordingsDays": 30}


def test_a_repository_overrides_its_organizations_days(world: World) -> None:
    repo = {"repoId": world.repository.id}
    act(world.persona, "set_repo_retention", **repo, buildsDays=10, recordingsDays=0)
    act(world.persona, "set_repo_retention", **repo, asOrganization=["builds"])
    row = Repository.objects.get()
    assert (row.keep_builds_days, row.keep_recordings_days) == (None, 0)
    act(world.persona, "set_repo_retention", **repo)
    entries = AuditEntry.objects.filter(verb="repository.retention_changed").order_by("id")
    assert [entry.after for entry in entries] == [
        {"keepBuildsDays": 10, "keepRecordingsDays": 0},
        {"keepBuildsDays": None, "keepRecordingsDays": 0},
    ]


@pytest.mark.parametrize("days", [-1, 3651, 1.5, "7", None])
def test_days_outside_the_bounds_are_refused(world: World, days: object) -> None:
    for name in ("buildsDays", "recordingsDays", "imagesDays"):
        with pytest.raises(InvalidInputError):
            act(world.persona, "set_org_retention", **{name: days})
    with pytest.raises(InvalidInputError):
        act(world.persona, "set_org_retention", imagesDays=0)
    assert not Retention.objects.exists()


def test_a_reviewer_is_forbidden_and_other_repositories_are_not_found(
    world: World, personas: Personas
) -> None:
    with pytest.raises(ForbiddenError):
        act(personas.bob, "set_org_retention", buildsDays=1)
    with pytest.raises(ForbiddenError):
        act(personas.bob, "set_repo_retention", repoId=world.repository.id, buildsDays=1)
    with pytest.raises(NotFoundError):
        act(personas.mallory, "set_repo_retention", repoId=world.repository.id, buildsDays=1)
