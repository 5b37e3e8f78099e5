"""enable_recordings and disable_recordings: one enrollment, one charge, entries for changes."""

import pytest
from pytest_django.fixtures import Settings

from tests.support.action_calls import act, error_of, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import Price
from visual_review.kernel.clock import rfc3339
from visual_review.kernel.errors import ForbiddenError, NotFoundError


@pytest.fixture
def world(personas: Personas, settings: Settings) -> World:
    settings.RECORDINGS_PRICE = Price(900, "EUR")
    return World(personas.alice)


def test_enabling_starts_a_charge_and_returns_the_enrollment(world: World) -> None:
    result = act(world.persona, "enable_recordings", repoId=world.repository.id).enrollment
    charge = ChargePeriod.objects.get()
    assert (result.repo_id, result.enabled) == (world.repository.id, True)
    assert result.enabled_at == rfc3339(charge.started_at)
    assert result.disabled_at is None
    assert result.price_per_month == "9.00 EUR"
    assert (charge.product, charge.subject_id) == ("recordings", world.repository.id)
    assert (charge.subject_name, charge.ended_at) == ("acme/web", None)
    assert (charge.price, charge.currency) == (900, "EUR")
    assert charge.organization == world.persona.organization
    assert (charge.started_by_id, charge.started_by_name) == (world.persona.user.id, "Alice")


def test_enabling_twice_charges_and_logs_once(world: World) -> None:
    first = act(world.persona, "enable_recordings", repoId=world.repository.id)
    again = act(world.persona, "enable_recordings", repoId=world.repository.id)
    assert again == first
    assert ChargePeriod.objects.count() == 1
    entry = only_entry("recordings.enabled")
    assert (entry.target_kind, entry.target_id) == ("repository", world.repository.id)
    assert entry.before == {"enabled": False}
    charge = ChargePeriod.objects.get().id
    assert entry.after == {"enabled": True, "charge": charge, "pricePerMonth": "9.00 EUR"}


def test_disabling_ends_the_charge_and_keeps_the_time_of_enabling(world: World) -> None:
    enabled = act(world.persona, "enable_recordings", repoId=world.repository.id).enrollment
    result = act(world.persona, "disable_recordings", repoId=world.repository.id).enrollment
    charge = ChargePeriod.objects.get()
    assert charge.ended_at is not None
    assert (result.enabled, result.enabled_at) == (False, enabled.enabled_at)
    assert result.disabled_at == rfc3339(charge.ended_at)
    assert (charge.ended_by_id, charge.ended_by_name) == (world.persona.user.id, "Alice")
    entry = AuditEntry.objects.get(verb="recordings.disabled")
    assert entry.before == {"enabled": True, "charge": charge.id, "pricePerMonth": "9.00 EUR"}
    assert entry.after == {"enabled": False}


def test_disabling_twice_changes_and_logs_nothing(world: World) -> None:
    act(world.persona, "enable_recordings", repoId=world.repository.id)
    first = act(world.persona, "disable_recordings", repoId=world.repository.id)
    assert act(world.persona, "disable_recordings", repoId=world.repository.id) == first
    assert AuditEntry.objects.filter(verb="recordings.disabled").count() == 1


def test_disabling_without_enabling_changes_nothing(world: World) -> None:
    result = act(world.persona, "disable_recordings", repoId=world.repository.id).enrollment
    assert (result.enabled, result.enabled_at, result.disabled_at) == (False, None, None)
    assert not ChargePeriod.objects.exists()
    assert not AuditEntry.objects.exists()


def test_enabling_again_starts_a_new_period_at_the_current_price(
    world: World, settings: Settings
) -> None:
    act(world.persona, "enable_recordings", repoId=world.repository.id)
    settings.RECORDINGS_PRICE = Price(1200, "USD")
    again = act(world.persona, "enable_recordings", repoId=world.repository.id).enrollment
    assert again.price_per_month == "9.00 EUR"
    act(world.persona, "disable_recordings", repoId=world.repository.id)
    again = act(world.persona, "enable_recordings", repoId=world.repository.id).enrollment
    assert (again.price_per_month, again.disabled_at) == ("12.00 USD", None)
    ended, running = ChargePeriod.objects.order_by("started_at")
    assert (ended.ended_at is not None, running.ended_at) == (True, None)
    assert (ended.price, running.price, running.currency) == (900, 1200, "USD")


@pytest.mark.parametrize("name", ["enable_recordings", "disable_recordings"])
def test_unknown_foreign_and_removed_repositories_are_not_found(
    world: World, personas: Personas, name: str
) -> None:
    foreign = World(personas.mallory, "evil/web").repository.id
    removed = World(personas.alice, "acme/old").repository.id
    act(personas.alice, "remove_repo", repoId=removed)
    for unknown in ("repo_none", "", foreign, removed):
        error_of(NotFoundError, world.persona, name, repoId=unknown)
    assert not ChargePeriod.objects.exists()


@pytest.mark.parametrize("name", ["enable_recordings", "disable_recordings"])
def test_a_reviewer_is_forbidden(world: World, personas: Personas, name: str) -> None:
    error_of(ForbiddenError, personas.bob, name, repoId=world.repository.id)
