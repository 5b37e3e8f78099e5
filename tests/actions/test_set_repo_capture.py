import json

import pytest

from tests.support.action_calls import act, error_of, invalid_fields, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.api.openapi import build_document
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ForbiddenError, NotFoundError
from visual_review.repositories.models import Product


def detected(world: World, *, dark: bool, responsive: bool) -> None:
    Product.objects.filter(repository=world.repository).update(
        has_dark_mode=dark, is_responsive=responsive
    )


def test_an_override_is_per_axis(world: World) -> None:
    detected(world, dark=True, responsive=False)
    capture = act(
        world.persona, "set_repo_capture", repoId=world.repository.id, themes=["dark"]
    ).capture
    assert (capture.themes, capture.themes_source) == (["dark"], "override")
    assert (capture.devices, capture.devices_source) == (["desktop"], "detected")
    assert capture.source == "override"
    assert (capture.override.themes, capture.override.devices) == (["dark"], None)


def test_duplicates_are_removed_and_the_order_is_canonical(world: World) -> None:
    capture = act(
        world.persona,
        "set_repo_capture",
        repoId=world.repository.id,
        themes=["dark", "light", "dark"],
        devices=["desktop", "phone", "desktop"],
    ).capture
    assert (capture.themes, capture.devices) == (["light", "dark"], ["phone", "desktop"])


@pytest.mark.parametrize("reset", [{}, {"resetToAuto": True}, {"redetect": True}])
def test_without_axes_the_matrix_is_derived_from_detection(
    world: World, reset: dict[str, object]
) -> None:
    detected(world, dark=False, responsive=True)
    repo = world.repository.id
    act(world.persona, "set_repo_capture", repoId=repo, themes=["dark"], devices=["phone"])
    capture = act(world.persona, "set_repo_capture", repoId=repo, **reset).capture
    assert (capture.themes, capture.devices) == (["light"], ["phone", "tablet", "desktop"])
    assert capture.source == "detected"
    assert (capture.override.themes, capture.override.devices) == (None, None)


def test_redetect_arms_detection_and_keeps_the_capabilities(world: World) -> None:
    detected(world, dark=False, responsive=False)
    capture = act(
        world.persona,
        "set_repo_capture",
        repoId=world.repository.id,
        themes=["light"],
        redetect=True,
    ).capture
    assert capture.detection_armed
    assert (capture.capabilities.dark_mode, capture.capabilities.responsive) == (False, False)
    assert capture.override.themes == ["light"]


def test_other_products_are_unchanged(world: World) -> None:
    Product.objects.create(repository=world.repository, key="docs")
    capture = act(
        world.persona,
        "set_repo_capture",
        repoId=world.repository.id,
        productKey="docs",
        themes=["dark"],
    ).capture
    assert capture.product_key == "docs"
    assert world.repository.products.get(key="default").themes is None


def test_only_changes_are_logged(world: World) -> None:
    repo = world.repository.id
    act(world.persona, "set_repo_capture", repoId=repo, themes=["dark"])
    entry = only_entry("product.capture_changed")
    assert entry.before == {"themes": None, "devices": None, "detectionArmed": False}
    assert entry.after == {"themes": ["dark"], "devices": None, "detectionArmed": False}
    act(world.persona, "set_repo_capture", repoId=repo, themes=["dark"])
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"themes": []}, "/themes"),
        ({"devices": []}, "/devices"),
        ({"themes": ["sepia"]}, "/themes/0"),
        ({"devices": "phone"}, "/devices"),
        ({"themes": ["light"], "resetToAuto": True}, "/resetToAuto"),
        ({"devices": ["phone"], "resetToAuto": True}, "/resetToAuto"),
        ({"redetect": "true"}, "/redetect"),
        ({"resetToAuto": 1}, "/resetToAuto"),
        ({"theme": ["light"]}, "/theme"),
    ],
)
def test_invalid_input_is_rejected_before_the_id_is_looked_up(
    world: World, wrong: dict[str, object], pointer: str
) -> None:
    pointers = invalid_fields(world.persona, "set_repo_capture", repoId="repo_none", **wrong)
    assert pointers == [pointer]


def test_unknown_ids_and_products_are_not_found(world: World, personas: Personas) -> None:
    foreign = World(personas.mallory, "evil/web").repository.id
    for unknown in ("repo_none", foreign):
        error_of(NotFoundError, world.persona, "set_repo_capture", repoId=unknown)
    error_of(
        NotFoundError,
        world.persona,
        "set_repo_capture",
        repoId=world.repository.id,
        productKey="none",
    )


def test_a_reviewer_is_forbidden(world: World, personas: Personas) -> None:
    error_of(ForbiddenError, personas.bob, "set_repo_capture", repoId=world.repository.id)


@pytest.mark.parametrize("sent", [{"redetect": True}, {}])
def test_clearing_an_override_by_leaving_it_out_is_warned_of(
    world: World, sent: dict[str, object]
) -> None:
    repo = world.repository.id
    act(world.persona, "set_repo_capture", repoId=repo, themes=["dark"], devices=["phone"])
    [warning] = act(world.persona, "set_repo_capture", repoId=repo, **sent).warnings
    assert warning.startswith("The override of themes (dark) and devices (phone) was cleared")
    # The payload in the warning sets the override again.
    again = json.loads(warning[warning.index("{") : warning.rindex("}") + 1])
    result = act(world.persona, "set_repo_capture", **again)
    assert (result.capture.override.themes, result.capture.override.devices) == (
        ["dark"],
        ["phone"],
    )
    assert result.warnings == []


def test_a_reset_is_not_warned_of(world: World) -> None:
    repo = world.repository.id
    act(world.persona, "set_repo_capture", repoId=repo, themes=["dark"])
    assert act(world.persona, "set_repo_capture", repoId=repo, resetToAuto=True).warnings == []


def test_the_documented_example_clears_nothing() -> None:
    operation = build_document()["paths"]["/api/rest/actions/set_repo_capture"]["post"]
    example = operation["requestBody"]["content"]["application/json"]["example"]
    assert {"themes", "devices"} <= example.keys()
    assert example.keys().isdisjoint({"resetToAuto", "redetect"})
