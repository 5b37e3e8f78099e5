"""Users, organizations, sign-in, API keys and connected apps. Secrets are hashed or encrypted."""

from functools import partial
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models

from visual_review.accounts.permissions import ROLES
from visual_review.accounts.person_names import name_or_email
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id

ROLE_CHOICES = [(role, role.capitalize()) for role in ROLES]


class UserManager(BaseUserManager["User"]):
    """Users are identified by their e-mail address, ignoring case."""

    def create_user(self, email: str, password: str | None = None, name: str = "") -> "User":
        user = self.model(email=email.strip().lower(), name=name.strip())
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "user"))
    # Stored in lower case only, so plain uniqueness is enough.
    email = models.EmailField(unique=True, max_length=254)
    name = models.CharField(max_length=150, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=now)
    # Set when the password changes, until the person has looked at their keys and apps.
    access_review_due = models.BooleanField(default=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return name_or_email(self.name, self.email)


class Organization(models.Model):
    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "org"))
    name = models.CharField(max_length=150)
    created_at = models.DateTimeField(default=now)
    # Of everyone who signs in with a password.
    requires_second_factor = models.BooleanField(default=False)
    # Set where single sign-on is required: the one person who may still use a password.
    password_owner = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "member")
    )
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=ROLE_CHOICES)
    created_at = models.DateTimeField(default=now)
    # Whether the person's account was created by joining the organization.
    created_account = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "user"), name="one_membership"),
        )

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Invitation(models.Model):
    """An invitation to an organization, or (``is_setup``) to create the first one."""

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "invite")
    )
    organization = models.ForeignKey(Organization, models.CASCADE, null=True)
    email = models.EmailField(max_length=254, blank=True)
    role = models.CharField(max_length=20, choices=ROLE_CHOICES)
    is_setup = models.BooleanField(default=False)
    # Whether only the e-mail address received the link, so using the link proves the address.
    is_mailed = models.BooleanField(default=False)
    secret_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"invitation of {self.email or 'the first owner'}"


class ApiKey(models.Model):
    """A key of a user in one organization, or of the organization itself (``user`` is null)."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "key"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="api_keys")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="api_keys")
    name = models.CharField(max_length=100)
    hint = models.CharField(max_length=20)
    secret_hash = models.CharField(max_length=64, unique=True)
    permissions = models.JSONField(default=list)
    # A plain ID, since an organization's key outlives its creator's account.
    created_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}...)"


class Grant(models.Model):
    """A connected app: a person's authorization of a client in one organization."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "grant"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="grants")
    user = models.ForeignKey(User, models.CASCADE, related_name="grants")
    application = models.ForeignKey(
        "oauth2_provider.Application", models.PROTECT, related_name="grants"
    )
    scope = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=now)
    last_used_at = models.DateTimeField(null=True)
    disconnected_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "organization", "application"),
                condition=models.Q(disconnected_at=None),
                name="one_grant_for_each_app",
            ),
        )

    def __str__(self) -> str:
        return f"{self.id} ({self.scope})"


class TokenFamily(models.Model):
    """One authorization: its code and all tokens issued for the code, revoked together."""

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "family")
    )
    grant = models.ForeignKey(Grant, models.CASCADE, related_name="families")
    scope = models.CharField(max_length=100)
    resource = models.CharField(max_length=2000)
    redirect_uri = models.CharField(max_length=2000)
    code_hash = models.CharField(max_length=64, unique=True)
    code_challenge = models.CharField(max_length=128)
    created_at = models.DateTimeField(default=now)
    code_expires_at = models.DateTimeField()
    code_used_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.id} of {self.grant_id}"


class AccessToken(models.Model):
    family = models.ForeignKey(TokenFamily, models.CASCADE, related_name="access_tokens")
    secret_hash = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"access token {self.pk} of {self.family_id}"


class RefreshToken(models.Model):
    """Kept after use, to detect reuse."""

    family = models.ForeignKey(TokenFamily, models.CASCADE, related_name="refresh_tokens")
    secret_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(db_index=True)
    rotated_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"refresh token {self.pk} of {self.family_id}"


class SignInProvider(models.Model):
    """An OpenID Connect provider for signing in to one organization."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "idp"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="sign_in_providers")
    name = models.CharField(max_length=60)
    issuer = models.CharField(max_length=500)
    client_id = models.CharField(max_length=255)
    # Encrypted.
    client_secret = models.TextField()
    # In lower case, such as "example.com".
    domains = models.JSONField(default=list)
    groups_claim = models.CharField(max_length=100)
    # The role by the name of the group.
    group_roles = models.JSONField(default=dict)
    # Of people in none of the groups; refused if empty.
    default_role = models.CharField(max_length=20, choices=ROLE_CHOICES, blank=True)
    # For providers without a claim on whether an e-mail address is verified.
    trusts_email = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=now)
    last_sign_in_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Identity(models.Model):
    """A person as known to a sign-in provider."""

    provider = models.ForeignKey(SignInProvider, models.CASCADE, related_name="identities")
    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    subject = models.CharField(max_length=255)
    # Encrypted; asks the provider whether the person still has access.
    refresh_token = models.TextField()
    checked_at = models.DateTimeField(default=now, db_index=True)
    # When the provider no longer let the person in.
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("provider", "subject"), name="one_user_for_a_subject"),
            models.UniqueConstraint(fields=("provider", "user"), name="one_subject_for_a_user"),
        )

    def __str__(self) -> str:
        return f"{self.user} at {self.provider}"


class Session(AbstractBaseSession):
    """A browser's session; the key is a digest of the cookie's value."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="sessions")
    # A session opened through an identity ends with the identity.
    identity = models.ForeignKey(Identity, models.CASCADE, null=True, related_name="sessions")
    started_at = models.DateTimeField(default=now)
    # The browser's description of itself, and its network, at the sign-in.
    browser = models.CharField(max_length=300, blank=True)
    network = models.CharField(max_length=50, blank=True)

    def __str__(self) -> str:
        return f"session of {self.user}"


class CacheEntry(models.Model):
    """The table of Django's database cache, for counting requests of all processes."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key
