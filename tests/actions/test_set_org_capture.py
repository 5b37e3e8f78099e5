import pytest

from tests.support.action_calls import act, error_of, invalid_fields, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ForbiddenError


def test_an_omitted_axis_is_unchanged(personas: Personas) -> None:
    act(personas.alice, "set_org_capture", themes=["dark"])
    capture = act(personas.alice, "set_org_capture", devices=["desktop", "phone"]).capture
    assert (capture.themes, capture.devices) == (["dark"], ["phone", "desktop"])


def test_the_default_applies_to_products_without_an_override(personas: Personas) -> None:
    world = World(personas.alice)
    act(personas.alice, "set_org_capture", themes=["dark"], devices=["phone"])
    capture = act(
        personas.alice, "set_repo_capture", repoId=world.repository.id, devices=["tablet"]
    ).capture
    assert (capture.themes, capture.themes_source) == (["dark"], "organization")
    assert (capture.devices, capture.devices_source) == (["tablet"], "override")


def test_a_reset_clears_both_axes_and_leaves_the_notice(personas: Personas) -> None:
    act(personas.alice, "set_org_capture", themes=["dark"], dismissDetectionNotice=True)
    capture = act(personas.alice, "set_org_capture", resetToAuto=True).capture
    assert (capture.themes, capture.devices) == (None, None)
    assert not capture.shows_detection_notice


def test_the_notice_is_hidden_and_shown_again(personas: Personas) -> None:
    assert act(personas.alice, "set_org_capture").capture.shows_detection_notice
    hidden = act(personas.alice, "set_org_capture", dismissDetectionNotice=True)
    assert not hidden.capture.shows_detection_notice
    kept = act(personas.alice, "set_org_capture", themes=["dark"], showDetectionNotice=False)
    assert not kept.capture.shows_detection_notice
    shown = act(personas.alice, "set_org_capture", showDetectionNotice=True)
    assert shown.capture.shows_detection_notice


def test_other_organizations_are_unchanged(personas: Personas) -> None:
    act(personas.mallory, "set_org_capture", themes=["dark"])
    assert act(personas.alice, "set_org_capture").capture.themes is None


def test_only_changes_are_logged(personas: Personas) -> None:
    act(personas.alice, "set_org_capture", themes=["dark"])
    entry = only_entry("organization.capture_changed")
    assert entry.before == {"themes": None, "devices": None, "showsDetectionNotice": True}
    assert entry.after == {"themes": ["dark"], "devices": None, "showsDetectionNotice": True}
    act(personas.alice, "set_org_capture", themes=["dark"])
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"themes": []}, "/themes"),
        ({"devices": []}, "/devices"),
        ({"devices": ["watch"]}, "/devices/0"),
        ({"themes": ["light"], "resetToAuto": True}, "/resetToAuto"),
        (
            {"dismissDetectionNotice": True, "showDetectionNotice": True},
            "/dismissDetectionNotice",
        ),
    ],
)
def test_invalid_input_is_rejected(
    personas: Personas, wrong: dict[str, object], pointer: str
) -> None:
    assert invalid_fields(personas.alice, "set_org_capture", **wrong) == [pointer]


def test_a_reviewer_is_forbidden(personas: Personas) -> None:
    error_of(ForbiddenError, personas.bob, "set_org_capture")
