"""The table of ``visual-review charges``."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.personas import Personas
from visual_review.billing.models import ChargePeriod
from visual_review.config.commands.charges import HEADER, list_charge_rows
from visual_review.config.environment import StartupError


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def charge(personas: Personas, name: str, start: str, end: str | None, price: int = 900) -> None:
    ChargePeriod.objects.create(
        organization=personas.alice.organization,
        product="recordings",
        subject_id=name,
        subject_name=name,
        price=price,
        currency="EUR",
        started_at=at(start),
        ended_at=at(end) if end else None,
    )


def test_every_period_of_the_month_has_its_days_and_amount(personas: Personas) -> None:
    charge(personas, "acme/a", "2025-11-16T12:00", "2025-12-03T00:00")
    charge(personas, "acme/b", "2025-11-01T00:00", "2025-11-11T09:00", price=1000)
    charge(personas, "acme/c", "2025-10-01T00:00", "2025-10-31T23:00")
    charge(personas, "acme/d", "2025-12-01T00:00", None)
    charge(personas, "=cmd()", "2025-01-01T00:00", None)
    head, *rows = list_charge_rows("2025-11")
    assert head == HEADER
    assert rows == [
        ("Acme", "'=cmd()", "recordings", "2025-01-01T00:00:00.000Z", "", *whole()),
        (
            *("Acme", "acme/a", "recordings", "2025-11-16T12:00:00.000Z"),
            *("2025-12-03T00:00:00.000Z", "15", "30", "9.00", "4.50", "EUR"),
        ),
        (
            *("Acme", "acme/b", "recordings", "2025-11-01T00:00:00.000Z"),
            *("2025-11-11T09:00:00.000Z", "10", "30", "10.00", "3.33", "EUR"),
        ),
    ]


def test_no_name_is_a_formula_of_a_spreadsheet(personas: Personas) -> None:
    names = [f"{prefix}1" for prefix in (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t=", "\r=", "\n=")]
    for name in (*names, "a=1"):
        charge(personas, name, "2025-11-01T00:00", None)
    _, *rows = list_charge_rows("2025-11")
    assert {row[1] for row in rows} == {*(f"'{name}" for name in names), "a=1"}


def whole() -> tuple[str, ...]:
    return ("30", "30", "9.00", "9.00", "EUR")


def test_the_current_month_is_charged_up_to_today(personas: Personas) -> None:
    moment = datetime.now(UTC)
    charge(personas, "acme/a", "2025-01-01T00:00", None)
    _, row = list_charge_rows(moment.strftime("%Y-%m"))
    # Midnight may pass between the two readings of the clock.
    assert int(row[5]) in {moment.day, datetime.now(UTC).day}


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["2025", "2025-13", "2025-00", "25-11", "2025-1", "0000-01", "x"])
def test_an_invalid_month_is_rejected_with_a_message(text: str) -> None:
    with pytest.raises(StartupError, match="Write it like 2026-11"):
        list(list_charge_rows(text))


def test_the_default_is_the_previous_month(personas: Personas) -> None:
    before = datetime.now(UTC).replace(day=1) - timedelta(days=1)
    charge(personas, "acme/a", f"{before:%Y-%m}-01T00:00", f"{before:%Y-%m}-03T00:00")
    this = datetime.now(UTC)
    charge(personas, "acme/b", f"{this:%Y-%m}-01T00:00", f"{this:%Y-%m}-02T00:00")
    _, row = list_charge_rows("")
    assert (row[1], row[5]) == ("acme/a", "2")
