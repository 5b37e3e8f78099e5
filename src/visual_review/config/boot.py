"""Loads Django-dependent code by name, once the environment has database and key."""

import os
from typing import Any

import django
from django.utils.module_loading import import_string

SETTINGS = "visual_review.config.settings"


def set_up() -> None:
    """Set up Django for the current process; repeatable."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    django.setup()


def load(name: str) -> Any:  # noqa: ANN401 - Any object with that name.
    """Set up Django and return the function or class ``package.module.name``."""
    set_up()
    return import_string(name)
