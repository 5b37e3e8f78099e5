"""Worlds, and callers of the interfaces: keys, jobs of CI, and people who signed in."""

from collections.abc import Iterator

import pytest
from django.test import Client

from tests.support.api_keys import user_key
from tests.support.ci.publish_client import Job, connect
from tests.support.mcp.endpoint import Endpoint, open_endpoint
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, World, build_with_groups


@pytest.fixture
def world(personas: Personas) -> World:
    """Alice's repository, without a build."""
    return World(personas.alice)


@pytest.fixture
def grouped(personas: Personas) -> BuildInReview:
    """A build with groups of changes, reviewed by Bob."""
    return build_with_groups(personas.bob)


@pytest.fixture
def key(personas: Personas) -> str:
    """Alice's key, with all permissions of an owner."""
    return user_key(personas.alice)


@pytest.fixture
def job(personas: Personas) -> Job:
    """A job of CI in Alice's repository."""
    return connect(personas.alice)


@pytest.fixture
def owner(personas: Personas) -> Client:
    return signed_in(personas.alice)


@pytest.fixture
def reviewer(personas: Personas) -> Client:
    return signed_in(personas.bob)


@pytest.fixture
def endpoint(db: None) -> Iterator[Endpoint]:  # noqa: ARG001 - The endpoint shares its transaction.
    with open_endpoint() as opened:
        yield opened
