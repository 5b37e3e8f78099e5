"""Loads what needs Django, by name, once the environment says which database and key to use."""

import os
from typing import Any

import django
from django.utils.module_loading import import_string

SETTINGS = "visual_review.config.settings"


def load(name: str) -> Any:  # noqa: ANN401 - Whatever stands under that name.
    """The function or class ``package.module.name``, after Django was set up."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    django.setup()
    return import_string(name)
