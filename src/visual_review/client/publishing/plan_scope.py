"""Narrows the capture plan to the themes and devices that the project has chosen."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from visual_review.client.capture import Device, Theme
from visual_review.client.publishing.responses import Plan
from visual_review.client.transport.errors import InputError

T = TypeVar("T", Theme, Device)


def narrow_plan(plan: Plan, themes: Sequence[Theme], devices: Sequence[Device]) -> Plan:
    """Return the plan with only ``themes`` and ``devices``; empty means all of the plan.

    Raises InputError if nothing remains.
    """
    if not themes and not devices:
        return plan
    return replace(
        plan,
        themes=_narrow(plan.themes, themes, "themes"),
        devices=_narrow(plan.devices, devices, "devices"),
        # Detection would capture what the project has excluded.
        detection_armed=False,
    )


def _narrow(planned: tuple[T, ...], chosen: Sequence[T], what: str) -> tuple[T, ...]:
    both = tuple(each for each in planned if not chosen or each in chosen)
    if not both:
        raise InputError(
            f"visual-review.toml captures {', '.join(chosen)} only, but this product is captured in "
            f"{', '.join(planned)}. Correct [capture.{what}] or the settings of the product."
        )
    return both
