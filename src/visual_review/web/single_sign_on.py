"""Adapts allauth's OpenID Connect: our own providers, verified ID tokens, and admission.

allauth keeps the state, makes the PKCE challenge and exchanges the code. allauth neither sends a
nonce nor verifies the signature of ID tokens, and stores tokens readable, so this module does.
"""

import hashlib
from typing import Any, Final

import requests
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from visual_review.accounts.models import SignInProvider, User
from visual_review.accounts.single_sign_on.people import let_in, record_refused
from visual_review.accounts.single_sign_on.protocol import (
    GOOGLE,
    OFFLINE,
    ProviderConfiguration,
    discover,
    guarded_session,
    read_claims_of,
)
from visual_review.accounts.single_sign_on.rules import Claims, SignInRefusedError
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import decrypt
from visual_review.kernel.errors import VisualReviewError
from visual_review.kernel.metrics import SIGN_INS_REFUSED
from visual_review.web.errors import error_page
from visual_review.web.membership import start_session

NOT_STARTED_HERE: Final = (
    "This sign-in was completed before, took longer than ten minutes or was started in another "
    "browser. Start again from the sign-in page."
)
NOT_LASTING: Final = (
    "{} sent no refresh token, without which this service could not notice that someone no longer "
    "has access. Allow the grant type 'refresh_token' and the scope 'offline_access' for its client."
)
CANCELED: Final = "The sign-in was canceled."
CODE_NOT_ACCEPTED: Final = (
    "{} did not accept the sign-in: its code was used before or is too old, or the client's secret "
    "is wrong. Start again, and ask an owner to check the secret if that repeats."
)


def callback_url(provider_id: str) -> str:
    """Return the redirect URI to register with the provider.

    Each provider has its own URI; with a shared one, a provider could receive the codes of another
    (RFC 9700, 4.4).
    """
    return f"{settings.PUBLIC_URL}{reverse('sign_in_callback', args=[provider_id])}"


class Provider(OpenIDConnectProvider):  # type: ignore[misc] # allauth has no types.
    """A provider of an organization in allauth's form, stored nowhere."""

    def __init__(self, request: HttpRequest, row: SignInProvider) -> None:
        self.row = row
        app = SocialApp(
            provider=self.id,
            provider_id=row.pk,
            name=row.name,
            client_id=row.client_id,
            secret=decrypt(row.client_secret),
            settings={"oauth_pkce_enabled": True},
        )
        super().__init__(request, app=app)

    def get_oauth2_adapter(self, request: HttpRequest) -> "Adapter":
        return Adapter(request, self.row)

    def get_pkce_params(self) -> dict[str, str]:
        """Return the challenge, and a nonce that only the keeper of the verifier can name."""
        parameters: dict[str, str] = super().get_pkce_params()
        return {**parameters, "nonce": nonce_of(parameters["code_verifier"])}

    def get_auth_params(self) -> dict[str, str]:
        # Google has no scope for a refresh token.
        offline = {"access_type": "offline", "prompt": "consent"}
        return offline if self.row.issuer == GOOGLE else {}

    def get_scope(self) -> list[str]:
        scopes = self.get_oauth2_adapter(self.request).configuration.scopes
        wanted = (OFFLINE, self.row.groups_claim)
        return [*self.get_default_scope(), *(each for each in wanted if each in scopes)]


class Adapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc] # allauth has no types.
    def __init__(self, request: HttpRequest, row: SignInProvider) -> None:
        super().__init__(request, row.pk)
        self.row = row
        self._nonce = ""
        self._configuration: ProviderConfiguration | None = None

    @property
    def configuration(self) -> ProviderConfiguration:
        if self._configuration is None:
            self._configuration = discover(self.row.issuer)
        return self._configuration

    @property
    def openid_config(self) -> dict[str, str]:
        found = self.configuration
        return {
            "authorization_endpoint": found.authorization_endpoint,
            "token_endpoint": found.token_endpoint,
        }

    @property
    def basic_auth(self) -> bool:
        return self.configuration.has_basic_authentication

    def get_provider(self) -> Provider:
        return Provider(self.request, self.row)

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:  # noqa: ARG002 - As allauth has it.
        return callback_url(self.row.pk)

    def get_access_token_data(
        self,
        request: HttpRequest,
        app: SocialApp,
        client: Any,  # noqa: ANN401 - As allauth has it.
        pkce_code_verifier: str | None = None,
    ) -> dict[str, Any]:
        self._nonce = nonce_of(pkce_code_verifier or "")
        found: dict[str, Any] = super().get_access_token_data(
            request, app, client, pkce_code_verifier
        )
        return found

    def complete_login(
        self,
        request: HttpRequest,  # noqa: ARG002 - As allauth has it.
        app: SocialApp,  # noqa: ARG002 - As above.
        token: Any,  # noqa: ANN401, ARG002 - As above.
        **details: Any,  # noqa: ANN401 - As above.
    ) -> SocialLogin:
        """Return the verified claims for ``pre_social_login``; raises VisualReviewError."""
        tokens = details["response"]
        claims = read_claims_of(self.row, self.configuration, tokens, self._nonce)
        if not tokens.get("refresh_token"):
            raise SignInRefusedError(NOT_LASTING.format(self.row.name))
        account = SocialAccount(provider=self.row.pk, uid=claims.subject)
        login = SocialLogin(account=account, provider=self.get_provider())
        login.claims, login.refresh_token = claims, str(tokens["refresh_token"])
        return login


def nonce_of(code_verifier: str) -> str:
    return hashlib.sha256(f"nonce:{code_verifier}".encode()).hexdigest()


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc] # allauth has no types.
    """Takes over from allauth after the provider's response. The settings name this class."""

    def get_requests_session(self) -> requests.Session:
        return guarded_session()

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        row: SignInProvider = sociallogin.provider.row
        claims: Claims = sociallogin.claims
        is_connected = sociallogin.state.get("process") == AuthProcess.CONNECT
        signed_in = request.user if is_connected and isinstance(request.user, User) else None
        identity = let_in(row, claims, signed_in, sociallogin.refresh_token)
        SignInProvider.objects.filter(pk=row.pk).update(last_sign_in_at=now())
        start_session(request, identity.user, row.organization_id, identity)
        raise ImmediateHttpResponse(redirect(sociallogin.state.get("next") or "home"))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Provider,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Show the failure at the provider, otherwise hidden by allauth."""
        _ = extra_context
        if isinstance(exception, OAuth2Error):
            message = CODE_NOT_ACCEPTED.format(provider.name)
        elif isinstance(exception, requests.RequestException):
            message = f"{provider.name} cannot be reached. Try again in a moment."
        elif error == AuthError.CANCELLED:
            message = CANCELED
        elif described := request.GET.get("error_description") or request.GET.get("error"):
            message = f"{provider.name} responded: {described[:300]}"
        else:
            # No one is known to have started the sign-in, so the organization's log gets no entry.
            raise ImmediateHttpResponse(error_page(request, SignInRefusedError(NOT_STARTED_HERE)))
        raise ImmediateHttpResponse(refuse(request, provider.row, SignInRefusedError(message)))


def refuse(request: HttpRequest, row: SignInProvider, error: VisualReviewError) -> HttpResponse:
    """Record a failed sign-in, and return the page with the reason."""
    SIGN_INS_REFUSED.labels("provider").inc()
    record_refused(row, str(error))
    return error_page(request, error)
