"""Detection is armed again for a product with an unchanged override."""

from tests.support.action_calls import act, error_of, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ForbiddenError, NotFoundError


def test_the_override_and_the_capabilities_stay(world: World) -> None:
    products = world.repository.products
    products.update(themes=["dark"], is_responsive=True)
    act(world.persona, "detect_capture_again", repoId=world.repository.id)
    product = products.get()
    assert (product.themes, product.devices) == (["dark"], None)
    assert (product.is_responsive, product.detection_armed) == (True, True)


def test_only_a_change_is_logged(world: World) -> None:
    for _ in range(2):
        act(world.persona, "detect_capture_again", repoId=world.repository.id)
    entry = only_entry("product.capture_changed")
    assert (entry.before, entry.after) == ({"detectionArmed": False}, {"detectionArmed": True})
    assert AuditEntry.objects.count() == 1


def test_it_is_for_admins_and_their_own_products(world: World, personas: Personas) -> None:
    repo = {"repoId": world.repository.id}
    error_of(ForbiddenError, personas.bob, "detect_capture_again", **repo)
    error_of(NotFoundError, personas.mallory, "detect_capture_again", **repo)
    error_of(NotFoundError, personas.alice, "detect_capture_again", **repo, productKey="docs")
    assert not world.repository.products.get().detection_armed
