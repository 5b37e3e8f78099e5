"""Single sign-on: choosing a provider, the way there and back, and an owner's settings of it."""

from collections.abc import Callable
from functools import wraps
from threading import BoundedSemaphore, Lock
from typing import Any, Final
from urllib.parse import urlencode

from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import members_of
from visual_review.accounts.models import ROLE_CHOICES, Organization, SignInProvider, User
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.accounts.single_sign_on.protocol import OTHER_ISSUER, discover
from visual_review.accounts.single_sign_on.providers import (
    PROVIDER_PREFIX,
    UNKNOWN,
    find_provider,
    providers_for,
    providers_of,
)
from visual_review.accounts.single_sign_on.rules import SignInRefusedError
from visual_review.kernel.errors import (
    ForbiddenError,
    NotFoundError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.kernel.ids import new_id
from visual_review.web.errors import error_page
from visual_review.web.forms.problems import FORM_ERRORS, add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.membership import closed_memberships
from visual_review.web.reauthentication import confirmed, confirmed_with_secret
from visual_review.web.requests import (
    caller_of,
    member_required,
    public_page,
    run_action,
    try_action,
)
from visual_review.web.session_store import SIGN_IN
from visual_review.web.single_sign_on import Adapter, Provider, callback_url, refuse

SEPARATOR = "="
View = Callable[..., HttpResponse]
OWNERS_ONLY: Final = "Only owners can view and change how people sign in."
# The time for a signed-in person to go to a provider and connect their account.
CONNECT_SECONDS: Final = 600
_SALT: Final = "visual_review.connect_identity"
GET: Final = frozenset({"GET"})
# The number of parallel sign-ins of a process at one provider; the next ones wait a moment.
AT_ONCE: Final = 4
TURN_SECONDS: Final = 2.0
BUSY: Final = "Many people are signing in with {} at the moment. Try again in a few seconds."
turns: Final[dict[str, BoundedSemaphore]] = {}
_turns_lock: Final = Lock()


class ProviderForm(forms.Form):
    name = forms.CharField(max_length=60, help_text="As on the button, for example Okta.")
    issuer = forms.CharField(
        label="Issuer URL",
        max_length=500,
        help_text="For example https://login.example.com. The discovery document is below it.",
    )
    client_id = forms.CharField(label="Client ID", max_length=255)
    client_secret = forms.CharField(
        label="Client secret",
        max_length=1000,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    domains = forms.CharField(
        label="Domains",
        max_length=2000,
        help_text="Of the e-mail addresses that may sign in, with spaces between.",
    )
    trusts_email = forms.BooleanField(
        label="Trust e-mails that the provider does not mark as verified (Entra ID)",
        required=False,
    )
    groups_claim = forms.CharField(
        label="Claim with the groups", max_length=100, initial="groups", required=False
    )
    group_roles = forms.CharField(
        label="Roles of groups",
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One on each line, such as <code>frontend = reviewer</code>. Someone in several "
        "has the role that allows most. Empty: roles are changed on the page of members.",
    )
    default_role = forms.ChoiceField(
        label="Everyone else",
        required=False,
        choices=[("", "May not sign in"), *ROLE_CHOICES],
        initial="viewer",
    )

    @classmethod
    def of(cls, row: SignInProvider) -> "ProviderForm":
        """Return the form with the settings of a provider, without the secret."""
        lines = [f"{group} {SEPARATOR} {role}" for group, role in row.group_roles.items()]
        shown = ("name", "issuer", "client_id", "trusts_email", "groups_claim", "default_role")
        initial = {name: getattr(row, name) for name in shown}
        texts = {"domains": " ".join(row.domains), "group_roles": "\n".join(lines)}
        return cls(initial=initial | texts)

    def clean_group_roles(self) -> list[dict[str, str]]:
        pairs = []
        for line in filter(str.strip, self.cleaned_data["group_roles"].splitlines()):
            # A name may contain the separator, a role does not.
            group, separator, role = line.rpartition(SEPARATOR)
            if not separator or not group.strip():
                raise forms.ValidationError(f"“{line[:60]}” is not like “group = role”.")
            pairs.append({"group": group.strip(), "role": role.strip().lower()})
        return pairs

    def payload(self) -> dict[str, Any]:
        values = self.cleaned_data
        texts = ("name", "issuer", "client_id", "client_secret", "default_role")
        return {
            **{_camel(name): values[name] for name in texts},
            "domains": values["domains"].replace(",", " ").split(),
            "groupsClaim": values["groups_claim"] or "groups",
            "groupRoles": values["group_roles"],
            "trustsEmail": values["trusts_email"],
        }


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


@require_safe
@rate_limited("single_sign_on", GET)
@public_page
def single_sign_on(request: HttpRequest) -> HttpResponse:
    """Offer the providers for an e-mail address, and the providers needed by a signed-in person."""
    email = request.GET.get("email", "").strip()[:254]
    closed = closed_memberships(request)
    rows = SignInProvider.objects.select_related("organization")
    if email:
        found = providers_for(email)
    elif "again" in request.GET:
        found = rows.filter(identities=request.session.get(SIGN_IN, {}).get("identity"))
    else:
        found = rows.filter(organization__in=[each.organization_id for each in closed])
    context = {
        "email": email,
        "providers": found,
        "needed": sorted({each.organization.name for each in closed}),
        "query": urlencode(_start_query(request)),
    }
    return render(request, "web/single_sign_on.html", context)


def _start_query(request: HttpRequest) -> dict[str, str]:
    query = {name: request.GET.get(name, "") for name in ("next", "again")}
    if isinstance(request.user, User):
        # Only this page's links connect the account: another site must not connect accounts unseen.
        query["connect"] = signing.dumps(request.user.pk, salt=_SALT)
    return {name: value for name, value in query.items() if value}


def _in_turn(view: View) -> View:
    """Decorate a page that waits for a provider: few at a time, or a slow one holds all threads."""

    @wraps(view)
    def wrapped(request: HttpRequest, provider_id: str) -> HttpResponse:
        row = _find(provider_id)
        with _turns_lock:
            turn = turns.setdefault(provider_id, BoundedSemaphore(AT_ONCE))
        if not turn.acquire(timeout=TURN_SECONDS):
            return error_page(request, UnavailableError(BUSY.format(row.name)))
        try:
            return view(request, row)
        finally:
            turn.release()

    return wrapped


@never_cache
@require_safe
@rate_limited("single_sign_on", GET)
@public_page
@_in_turn
def start(request: HttpRequest, row: SignInProvider) -> HttpResponse:
    """Send the person to the provider."""
    next_url = request.GET.get("next", "")
    hosts = set(settings.ALLOWED_HOSTS[:1])
    is_safe = url_has_allowed_host_and_scheme(next_url, hosts) and next_url.startswith("/")
    process = AuthProcess.CONNECT if _connects(request) else AuthProcess.LOGIN
    provider = Provider(request, row)
    again = {"prompt": "login"} if "again" in request.GET else {}
    response: HttpResponse = provider.redirect(
        request,
        process,
        next_url if is_safe else None,
        auth_params={**provider.get_auth_params(), **again},
    )
    return response


def _connects(request: HttpRequest) -> bool:
    try:
        person = signing.loads(request.GET.get("connect", ""), salt=_SALT, max_age=CONNECT_SECONDS)
    except signing.BadSignature:
        return False
    return isinstance(request.user, User) and request.user.pk == person


@never_cache
@require_safe
@rate_limited("single_sign_on", GET)
@public_page
@_in_turn
def callback(request: HttpRequest, row: SignInProvider) -> HttpResponse:
    """Let the person in whom the provider sends back, or say why not."""
    view = OAuth2CallbackView.adapter_view(Adapter(request, row))
    try:
        # Another provider may have sent the response here (RFC 9207).
        if request.GET.get("iss", row.issuer) != row.issuer:
            raise SignInRefusedError(OTHER_ISSUER)
        response: HttpResponse = view(request)
    except VisualReviewError as error:
        response = refuse(request, row, error)
    return response


@require_safe
@rate_limited("single_sign_on", GET)
@public_page
@_in_turn
def sign_out_at_provider(_request: HttpRequest, row: SignInProvider) -> HttpResponse:
    """Send the person to the provider's sign-out (RP-Initiated Logout 1.0)."""
    end = discover(row.issuer).end_session_endpoint
    if not end:
        raise UnavailableError(f"{row.name} has no page to sign out. Sign out there yourself.")
    back = f"{settings.PUBLIC_URL}{reverse('account_login')}"
    query = urlencode({"client_id": row.client_id, "post_logout_redirect_uri": back})
    return HttpResponseRedirect(f"{end}{'&' if '?' in end else '?'}{query}")


def _find(provider_id: str) -> SignInProvider:
    rows = SignInProvider.objects.select_related("organization")
    row = rows.filter(pk=provider_id).first()
    if row is None:
        raise NotFoundError(UNKNOWN)
    return row


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
@confirmed
def sign_in_settings(request: HttpRequest) -> HttpResponse:
    """List the providers of the organization, and choose who may use a password."""
    caller = _require_owner(request)
    if request.method == "POST":
        policy = {
            "passwordOwnerId": request.POST.get("owner", ""),
            "requiresSecondFactor": "second_factor" in request.POST,
        }
        changed = try_action(request, "set_sign_in_policy", policy)
        if changed:
            messages.success(request, _describe(changed.revoked_keys, changed.disconnected_apps))
        return redirect("sign_in_settings")
    owners = members_of(caller.organization_id).filter(role="owner")
    context = {
        "providers": providers_of(caller.organization_id),
        "owners": [each.user for each in owners if each.user.has_usable_password()],
        "policy": Organization.objects.select_related("password_owner").get(
            pk=caller.organization_id
        ),
    }
    return render(request, "web/sign_in_settings.html", context)


def _describe(keys: int, apps: int) -> str:
    if not keys and not apps:
        return "How people sign in was saved."
    return (
        f"How people sign in was saved. {keys} API keys and {apps} connected apps ended, of members "
        "who have not signed in through a provider."
    )


@require_safe
@member_required
def new_provider(request: HttpRequest) -> HttpResponse:
    """Choose the id first: providers ask for the redirect URI before showing a client ID."""
    _require_owner(request)
    return redirect("sign_in_provider", new_id(PROVIDER_PREFIX))


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
@confirmed_with_secret
def provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Add a provider with an unused id, or change one."""
    caller = _require_owner(request)
    row = find_provider(caller.organization_id, provider_id)
    form = ProviderForm(request.POST) if request.method == "POST" else _form_of(row)
    if request.method == "POST" and form.is_valid():
        try:
            payload = {**form.payload(), "providerId": provider_id}
            saved = run_action(request, "save_sign_in_provider", payload)
        except (*FORM_ERRORS, UnavailableError) as error:
            add_form_errors(form, error)
        else:
            messages.success(request, f"{saved.name} was saved.")
            return redirect("sign_in_provider", saved.id)
    context = {"form": form, "provider": row, "callback": callback_url(provider_id)}
    return render(request, "web/sign_in_provider.html", context, status=400 if form.errors else 200)


def _form_of(row: SignInProvider | None) -> ProviderForm:
    return ProviderForm.of(row) if row else ProviderForm()


@require_POST
@member_required
@confirmed
def remove_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    removed = try_action(request, "remove_sign_in_provider", {"providerId": provider_id})
    if removed:
        messages.success(request, f"{removed.name} was removed.")
    return redirect("sign_in_settings")


def _require_owner(request: HttpRequest) -> Caller:
    caller = caller_of(request)
    if not caller.may(MEMBERS_MANAGE):
        raise ForbiddenError(OWNERS_ONLY)
    return caller
