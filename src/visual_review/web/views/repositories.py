"""The organization's repositories: the list, connecting one, its token, removing it."""

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from visual_review.actions.recording_results import format_price
from visual_review.builds.publishing.theme_evidence import newest_theme_evidence
from visual_review.builds.repository_overview import (
    ORDERS,
    default_builds_of,
    find_repositories,
)
from visual_review.kernel.errors import ConflictError, InvalidInputError, UnavailableError
from visual_review.recordings.enrollment import enrollment_of
from visual_review.repositories.boolean_settings import settings_of
from visual_review.repositories.capture_settings import default_of, matrix_of
from visual_review.repositories.host_accounts import account_of
from visual_review.repositories.identities import audience_of, issuers_for
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.queries import default_key, repository_of
from visual_review.repositories.retention import retention_of
from visual_review.variants import DEVICES
from visual_review.web.ci_setup import ci_setup_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.limits import rate_limited
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import caller_of, member_required, run_action, try_action

# More than anyone scrolls through; browsers suggest matches while typing.
MAX_SUGGESTIONS = 2000
REPOSITORIES_PER_PAGE = 50
DEFAULT_ORDER = "name"
ORDER_LABELS = {
    "name": "By name",
    "waiting": "Most to review first",
    "newest": "Newest build first",
    "storage": "Most storage first",
}
PROVIDERS = {"github": "GitHub", "gitlab": "GitLab"}
CAPTURE_SAVED = "The capture settings were saved."
REDETECTING = "The next full build detects what the stories support. Your choice is kept."
OVERRIDE = "override"
WRONG_NAME = "The repository was not removed: the name you typed does not match."


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
def repositories(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _connect(request)
    return _render_list(request)


@require_POST
@member_required
@rate_limited("connect_host")
def host_repositories(request: HttpRequest) -> HttpResponse:
    """Render the list with suggestions: repositories accessible to the connected account."""
    try:
        result = run_action(request, "list_host_repos", {})
    except (ConflictError, UnavailableError) as error:
        return _render_list(request, str(error), status=400)
    names = [repo.full_name for repo in result.repos if repo.repo_id is None]
    return _render_list(request, offered=names)


def _render_list(
    request: HttpRequest, error: str = "", status: int = 200, offered: Sequence[str] | None = None
) -> HttpResponse:
    """Render the list; ``offered`` are names at the Git provider, None if not requested."""
    organization_id = caller_of(request).organization_id
    account = account_of(organization_id)
    text, order = request.GET.get("q", "").strip(), request.GET.get("order", "")
    order = order if order in ORDERS else DEFAULT_ORDER
    found = find_repositories(organization_id, text)
    page = read_page(request, found, ORDERS[order], REPOSITORIES_PER_PAGE)
    builds = default_builds_of(page.rows)
    context = {
        "page": page,
        "repositories": [(row, builds.get(row.pk)) for row in page.rows],
        "text": text,
        "order": order,
        "orders": ORDER_LABELS.items(),
        "capture": default_of(organization_id),
        "all_devices": DEVICES,
        "account": account,
        "provider": PROVIDERS.get(account.kind, "your Git provider") if account else "",
        "error": error,
        "typed": request.POST.get("fullName", ""),
        "typed_branch": request.POST.get("defaultBranch", ""),
        "offered": None if offered is None else offered[:MAX_SUGGESTIONS],
        "offered_count": len(offered or ()),
    }
    return render(request, "web/repositories.html", context, status=status)


def _connect(request: HttpRequest) -> HttpResponse:
    payload = {"fullName": request.POST.get("fullName", "").strip()}
    # Without a branch, the action uses its default.
    branch = request.POST.get("defaultBranch", "").strip()
    if branch:
        payload["defaultBranch"] = branch
    try:
        result = run_action(request, "connect_repo", payload)
    except (ConflictError, InvalidInputError, UnavailableError) as error:
        return _render_list(request, str(error), status=400)
    repository = repository_of(caller_of(request).organization_id, result.repo.id)
    return _render_token(request, repository, result.project_token)


def _render_token(
    request: HttpRequest, repository: Repository, token: str, *, rotated: bool = False
) -> HttpResponse:
    """Render the token directly, so that no URL, session or cache contains it."""
    context = {
        "repository": repository,
        "project_token": token,
        "rotated": rotated,
        "ci": ci_setup_of(repository, token),
        "audience": audience_of(repository.id),
        "issuers": issuers_for(repository.host_account),
    }
    return render(request, "web/project_token.html", context)


@require_safe
@member_required
def settings_page(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    default = default_of(repository.organization_id)
    evidence = newest_theme_evidence(repository)
    products = [
        (
            product,
            matrix_of(product, default),
            settings_of(product),
            evidence.get(product.pk),
        )
        for product in _default_first(repository)
    ]
    token = repository.tokens.filter(revoked_at=None).first()
    enrolled = enrollment_of(repository)
    return render(
        request,
        "web/repository_settings.html",
        {
            "repository": repository,
            "products": products,
            "boolean_settings": settings_of(repository),
            "default_key": default_key(repository),
            "token": token,
            "issuers": issuers_for(repository.host_account),
            "audience": audience_of(repository.id),
            "shared_audience": settings.PUBLIC_URL,
            "retention": retention_of(repository.organization_id),
            "shows_notice": default.shows_notice,
            "all_devices": DEVICES,
            "recordings": enrolled.enrollment,
            "recordings_price": format_price(enrolled) if enrolled.price.amount else "",
        },
    )


def _default_first(repository: Repository) -> list[Product]:
    default = default_key(repository)
    return sorted(
        repository.products.all(), key=lambda product: (product.key != default, product.key)
    )


@require_POST
@member_required
def rename(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = {
        "repoId": repository_id,
        "fullName": request.POST.get("fullName", "").strip(),
        "defaultBranch": request.POST.get("defaultBranch", "").strip(),
    }
    if try_action(request, "rename_repo", payload) is not None:
        messages.success(request, "The name and default branch were saved.")
    return redirect("repository_settings", repository_id)


@require_POST
@member_required
@confirmed
def rotate_token(request: HttpRequest, repository_id: str) -> HttpResponse:
    result = run_action(request, "rotate_repo_token", {"repoId": repository_id})
    repository = repository_of(caller_of(request).organization_id, repository_id)
    return _render_token(request, repository, result.project_token, rotated=True)


@require_POST
@member_required
def remove(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    # Typed by hand, because removal cannot be undone.
    if request.POST.get("name", "").strip() != repository.full_name:
        messages.error(request, WRONG_NAME)
        return redirect("repository_settings", repository_id)
    run_action(request, "remove_repo", {"repoId": repository_id})
    messages.success(request, f"{repository.full_name} was removed.")
    return redirect("repositories")


@require_POST
@member_required
def capture(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = _product_named(request, repository_id)
    operation = request.POST.get("operation", "save")
    action, done = "set_repo_capture", CAPTURE_SAVED
    if operation == "redetect":
        action, done = "detect_capture_again", REDETECTING
    elif operation == "reset":
        payload["resetToAuto"] = True
    else:
        payload |= _read_choice(request, repository_id)
    if try_action(request, action, payload) is not None:
        messages.success(request, done)
    return redirect("repository_settings", repository_id)


@require_POST
@member_required
def boolean_setting(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = _product_named(request, repository_id)
    payload["setting"] = request.POST.get("setting", "")
    payload["enabled"] = request.POST.get("enabled") == "yes"
    result = try_action(request, "change_boolean_setting", payload)
    if result is not None:
        again = result.compared_again
        compared = f" Undecided builds that are compared again: {again}." if again else ""
        messages.success(request, f"The setting was saved.{compared}")
    return redirect("repository_settings", repository_id)


@require_POST
@member_required
def capture_default(request: HttpRequest) -> HttpResponse:
    payload: dict[str, object] = {}
    operation = request.POST.get("operation", "save")
    if operation == "reset":
        payload["resetToAuto"] = True
    elif operation == "notice":
        hide = request.POST.get("notice") == "hide"
        payload["dismissDetectionNotice" if hide else "showDetectionNotice"] = True
    else:
        payload |= _read_axes(request)
    if try_action(request, "set_org_capture", payload) is not None:
        messages.success(request, "The organization's default capture settings were saved.")
    return redirect("repositories")


def _product_named(request: HttpRequest, repository_id: str) -> dict[str, object]:
    named: dict[str, object] = {"repoId": repository_id}
    if "productKey" in request.POST:
        named["productKey"] = request.POST["productKey"]
    return named


def _read_choice(request: HttpRequest, repository_id: str) -> dict[str, object]:
    """Return the changed axes; an automatic axis left alone stays automatic."""
    repository = repository_of(caller_of(request).organization_id, repository_id)
    key = request.POST.get("productKey", default_key(repository))
    product = next((each for each in repository.products.all() if each.key == key), None)
    if product is None:
        # The action's error names the existing products.
        return dict(_read_axes(request))
    matrix = matrix_of(product)
    applied = {
        "themes": (matrix.themes, matrix.themes_source),
        "devices": (matrix.devices, matrix.devices_source),
    }
    return {
        axis: values
        for axis, values in _read_axes(request).items()
        if applied[axis][1] == OVERRIDE or set(values) != set(applied[axis][0])
    }


def _read_axes(request: HttpRequest) -> dict[str, list[str]]:
    chosen = {axis: request.POST.getlist(axis) for axis in ("themes", "devices")}
    # No checked box means automatic, and the action rejects empty lists.
    return {axis: values for axis, values in chosen.items() if values}


@require_POST
@member_required
def set_identity(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = {"repoId": repository_id, "issuer": request.POST.get("issuer", "")}
    stored = try_action(request, "set_repo_identity", payload)
    if stored is not None and stored.issuer:
        messages.success(request, f"Identity tokens from {stored.issuer} are now accepted.")
    elif stored is not None:
        messages.success(request, "Identity tokens are no longer accepted.")
    return redirect("repository_settings", repository_id)


@require_POST
@member_required
def unpin(request: HttpRequest, repository_id: str) -> HttpResponse:
    if try_action(request, "unpin_repo_identity", {"repoId": repository_id}) is not None:
        messages.success(request, "The next identity token sets which repository is accepted.")
    return redirect("repository_settings", repository_id)
