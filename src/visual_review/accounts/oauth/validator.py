"""The toolkit's validator, with stricter rules and our own tables.

The toolkit's token tables stay empty: the toolkit stores codes unhashed, and with hashed tokens it
would return an empty token within the grace period of a rotation.
"""

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError

from visual_review.accounts.models import AccessToken, RefreshToken, TokenFamily
from visual_review.accounts.oauth import tokens
from visual_review.accounts.oauth.authorization_requests import is_verifier
from visual_review.accounts.oauth.clients import ClientRow, stored_client
from visual_review.accounts.oauth.grants import record_reuse, record_sign_out
from visual_review.accounts.oauth.lifetimes import FAMILY_LIFETIME, classify_refresh
from visual_review.accounts.oauth.redirects import is_registered
from visual_review.accounts.oauth.scopes import intersect_scopes, scope_text
from visual_review.accounts.oauth.tokens import Request
from visual_review.accounts.secrets import digest
from visual_review.kernel.clock import now

SIGN_IN_EXPIRED = "This sign-in has expired. Sign in again."


class Validator(OAuth2Validator):  # type: ignore[misc] # The toolkit has no types.
    """Allows public clients, codes with PKCE and refresh tokens; makes no network requests."""

    def _load_application(self, client_id: str, request: Request) -> ClientRow:
        # Documents are fetched before, outside the transaction for new tokens.
        if request.client is None or request.client.client_id != client_id:
            request.client = stored_client(client_id)
        return request.client

    def client_authentication_required(
        self, request: Request, *_more: object, **_named: object
    ) -> bool:
        """Return False: no client has a secret, PKCE proves the identity of the client."""
        _ = request
        return False

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        _ = client_id, request
        return True

    def validate_response_type(
        self, client_id: str, response_type: str, *_more: object, **_named: object
    ) -> bool:
        _ = client_id
        return response_type == "code"

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *_more: object, **_named: object
    ) -> bool:
        _ = client_id
        return is_registered(redirect_uri, request.client.redirect_uris.split())

    def get_default_redirect_uri(
        self, client_id: str, request: Request, *_more: object, **_named: object
    ) -> str:
        """Return the redirect URI of the code (OAuth 2.1), or the only registered one."""
        family = request.__dict__.get("family")
        if isinstance(family, TokenFamily):
            return family.redirect_uri
        return str(super().get_default_redirect_uri(client_id, request))

    def save_authorization_code(
        self,
        client_id: str,
        code: dict[str, str],
        request: Request,
        *_more: object,
        **_named: object,
    ) -> None:
        _ = client_id
        tokens.create_family(
            request.grant_row,
            code["code"],
            scope_text(request.scopes),
            request.redirect_uri,
            request.code_challenge,
        )

    def validate_code(
        self,
        client_id: str,
        code: str,
        client: ClientRow,
        request: Request,
        *_more: object,
        **_named: object,
    ) -> bool:
        _ = client_id
        family = tokens.find_family_by_code(code, client)
        if family is None:
            return False
        if family.code_used_at is not None:
            _revoke_reused(family, "code")
            return False
        if family.code_expires_at <= now() or not tokens.is_alive(family):
            return False
        # The library reports a missing verifier.
        if request.code_verifier and not is_verifier(request.code_verifier):
            return False
        request.family = family
        request.user = family.grant.user
        request.scopes = family.scope.split()
        return True

    def get_code_challenge(self, code: str, request: Request) -> str:
        _ = code
        return str(request.family.code_challenge)

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        _ = code, request
        return "S256"

    def confirm_redirect_uri(
        self,
        client_id: str,
        code: str,
        redirect_uri: str,
        client: ClientRow,
        request: Request,
        *_more: object,
        **_named: object,
    ) -> bool:
        _ = client_id, code, client
        if redirect_uri != request.family.redirect_uri:
            # RFC 6749, 5.2; the library would return another error.
            raise InvalidGrantError(request=request)
        return True

    def invalidate_authorization_code(self, *_more: object, **_named: object) -> None:
        """Do nothing: ``save_bearer_token`` marks the code as used, under the family's lock."""

    def validate_refresh_token(
        self,
        refresh_token: str,
        client: ClientRow,
        request: Request,
        *_more: object,
        **_named: object,
    ) -> bool:
        token = tokens.find_refresh_token(refresh_token, client)
        if token is None:
            return False
        # Tokens of earlier versions may expire later than their family.
        last = min(token.expires_at, token.family.created_at + FAMILY_LIFETIME)
        use = classify_refresh(token.rotated_at, last, now())
        if use == "reused":
            _revoke_reused(token.family, "refresh token")
        if use == "expired":
            raise InvalidGrantError(description=SIGN_IN_EXPIRED, request=request)
        if use == "reused" or not tokens.is_alive(token.family):
            return False
        request.family = token.family
        request.refresh_row = token
        request.user = token.family.grant.user
        return True

    def get_original_scopes(
        self, refresh_token: str, request: Request, *_more: object, **_named: object
    ) -> list[str]:
        _ = refresh_token
        # Scopes removed by the person in the meantime are not granted again.
        return intersect_scopes(request.family.scope, request.family.grant.scope).split()

    def save_bearer_token(
        self, token: dict[str, str], request: Request, *_more: object, **_named: object
    ) -> None:
        moment = now()
        family = request.family
        row = request.__dict__.get("refresh_row")
        if isinstance(row, RefreshToken):
            # The grace period starts with the first use; a second use does not extend the period.
            RefreshToken.objects.filter(pk=row.pk, rotated_at=None).update(rotated_at=moment)
        else:
            TokenFamily.objects.filter(pk=family.pk).update(code_used_at=moment)
        tokens.store_tokens(family, token["access_token"], token["refresh_token"], token["scope"])

    def revoke_token(
        self, token: str, token_type_hint: str, request: Request, *_more: object, **_named: object
    ) -> None:
        """Revoke a refresh token with its family, an access token alone (RFC 7009)."""
        _ = token_type_hint
        family = (
            TokenFamily.objects.select_related("grant__user", "grant__application")
            .filter(grant__application=request.client, refresh_tokens__secret_hash=digest(token))
            .first()
        )
        if family is not None and tokens.end_family(family, now()):
            record_sign_out(family.grant)
        AccessToken.objects.filter(
            family__grant__application=request.client, secret_hash=digest(token)
        ).delete()


def _revoke_reused(family: TokenFamily, what: str) -> None:
    if tokens.end_family(family, now()):
        record_reuse(family.grant, what)
