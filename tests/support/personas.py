"""Alice (owner), Bob (reviewer), Carol (viewer) of one organization; Mallory owns another."""

from dataclasses import dataclass
from functools import cache

from django.contrib.auth.hashers import make_password

from visual_review.accounts.callers import Caller, caller_of_user
from visual_review.accounts.models import Membership, Organization, User

PASSWORD = "correct horse battery staple"


@dataclass(frozen=True)
class Persona:
    user: User
    organization: Organization

    @property
    def caller(self) -> Caller:
        """Return the persona with the current role, as a caller from a page."""
        return caller_of_user(self.user, self.organization.id, "web")


@dataclass(frozen=True)
class Personas:
    alice: Persona
    bob: Persona
    carol: Persona
    mallory: Persona


def make_personas() -> Personas:
    acme = Organization.objects.create(name="Acme")
    evil = Organization.objects.create(name="Evil Corp")
    return Personas(
        alice=_member(acme, "alice", "owner"),
        bob=_member(acme, "bob", "reviewer"),
        carol=_member(acme, "carol", "viewer"),
        mallory=_member(evil, "mallory", "owner"),
    )


def _member(organization: Organization, name: str, role: str) -> Persona:
    user = User.objects.create_user(f"{name}@example.com", name=name.capitalize())
    User.objects.filter(pk=user.pk).update(password=_hashed_password())
    user.refresh_from_db()
    Membership.objects.create(organization=organization, user=user, role=role, created_account=True)
    return Persona(user, organization)


@cache
def _hashed_password() -> str:
    # Hashing is slow on purpose, so all tests share one hash.
    return make_password(PASSWORD)
