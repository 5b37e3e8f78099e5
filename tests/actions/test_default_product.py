"""The product that is meant where none is named: ``default``, else the first published one."""

import importlib

import pytest
from django.db import connection
from django.test import Client

from tests.support.action_calls import act, error_of
from tests.support.ci.plan import plan_of
from tests.support.personas import Personas
from tests.support.recording_rows import record
from tests.support.worlds import World
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.products import default_key

PLACE = {"storyId": "a", "theme": "light", "device": "desktop"}
