"""The boolean settings of products and repositories; the effect of each has a test of its own."""

from tests.support.action_calls import act, error_of
from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.imagediff.changes.model import FAINT_COUNTS_BY_DEFAULT
from visual_review.kernel.errors import ForbiddenError, InvalidInputError, NotFoundError
from visual_review.repositories.boolean_settings import (
    BOOLEAN_SETTINGS,
    COUNTS_FAINT_CHANGES,
    BooleanSetting,
)
from visual_review.repositories.models import Product, Repository

ACTION = "change_boolean_setting"


def owner_of(setting: BooleanSetting) -> Product | Repository:
    return setting.model.objects.get()


def test_a_change_is_stored_and_logged_once(personas: Personas, case: Case) -> None:
    world = World(personas.alice)
    for field, setting in BOOLEAN_SETTINGS.items():
        with case(field):
            assert setting.of(owner_of(setting)) is setting.default
            chosen = not setting.default
            for enabled in (setting.default, chosen, chosen):
                act(
                    personas.alice,
                    ACTION,
                    repoId=world.repository.id,
                    setting=field,
                    enabled=enabled,
                )
                assert setting.of(owner_of(setting)) is enabled
            entry = AuditEntry.objects.get(verb=setting.verb)
            (key,) = entry.before
            assert entry.before == {key: setting.default}
            assert entry.after[key] is chosen
            assert ("buildsComparedAgain" in entry.after) is setting.compares_again


def test_the_settings_page_says_and_changes_each(personas: Personas, case: Case) -> None:
    url = f"/repositories/{World(personas.alice).repository.id}/setting"
    client = signed_in(personas.alice)
    for field, setting in BOOLEAN_SETTINGS.items():
        for fields, text in (({}, setting.off), ({"enabled": "yes"}, setting.on)):
            with case((field, text)):
                client.post(url, {"setting": field, **fields})
                page = text_of(client, f"{url}s")
                assert text in page
                assert f"{setting.label}</label>" in page
                assert "The setting was saved." in page


def test_reviewers_see_the_settings_without_a_button(personas: Personas, case: Case) -> None:
    world = World(personas.alice)
    page = text_of(signed_in(personas.bob), f"/repositories/{world.repository.id}/settings")
    for field, setting in BOOLEAN_SETTINGS.items():
        with case(field):
            assert (setting.on if setting.default else setting.off) in page
            assert setting.label not in page


def test_wrong_input_and_callers_are_rejected(personas: Personas, case: Case) -> None:
    world = World(personas.alice)
    for field in BOOLEAN_SETTINGS:
        right = {"repoId": world.repository.id, "setting": field, "enabled": False}
        for error, persona, wrong in (
            (InvalidInputError, personas.alice, {"enabled": "no"}),
            (InvalidInputError, personas.alice, {"setting": "id"}),
            (NotFoundError, personas.mallory, {}),
            (ForbiddenError, personas.bob, {}),
        ):
            with case((field, error, wrong)):
                error_of(error, persona, ACTION, **{**right, **wrong})


def test_the_product_must_exist(personas: Personas) -> None:
    wrong = {"repoId": World(personas.alice).repository.id, "productKey": "none"}
    setting = COUNTS_FAINT_CHANGES.field
    error_of(NotFoundError, personas.alice, ACTION, **wrong, setting=setting, enabled=False)


def test_the_service_and_the_command_line_have_the_same_default_of_faint_changes() -> None:
    # The two modules cannot import each other.
    assert COUNTS_FAINT_CHANGES.default is FAINT_COUNTS_BY_DEFAULT
