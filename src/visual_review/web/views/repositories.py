"""Repositories of the organization: the list, connecting one, its token, removing it."""

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from visual_review.actions.enrollment_results import price_text
from visual_review.kernel.errors import ConflictError, InvalidInputError, UnavailableError
from visual_review.recordings.enrollment import enrollment_of
from visual_review.repositories.capture_settings import default_of, matrix_of
from visual_review.repositories.host_accounts import account_of
from visual_review.repositories.identities import issuers_for
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repository_of
from visual_review.repositories.retention import retention_of
from visual_review.web.limits import limited
from visual_review.web.requests import attempt, caller_of, member, run

# More than anybody looks through; who types gets the first of them that fit anyway.
MOST_OFFERED = 2000
NAME_TYPED_WRONG = "Nothing was removed: the name you typed is not the repository's."


@require_http_methods(["GET", "HEAD", "POST"])
@member
def repositories(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _connect(request)
    return _list(request)


@require_POST
@member
@limited("connect_host")
def host_repositories(request: HttpRequest) -> HttpResponse:
    """The page with the names offered that the connected account reaches."""
    try:
        result = run(request, "list_host_repos", {})
    except (ConflictError, UnavailableError) as error:
        return _list(request, str(error), status=400)
    names = [repo.full_name for repo in result.repos if repo.repo_id is None]
    return _list(request, offered=names)


def _list(
    request: HttpRequest, error: str = "", status: int = 200, offered: Sequence[str] | None = None
) -> HttpResponse:
    """``offered`` are names at the source host; None when it was not asked."""
    result = run(request, "list_repos", {})
    organization_id = caller_of(request).organization_id
    context = {
        "repositories": result.repos,
        "capture": default_of(organization_id),
        "account": account_of(organization_id),
        "error": error,
        "typed": request.POST.get("fullName", ""),
        "typed_branch": request.POST.get("defaultBranch", ""),
        "offered": None if offered is None else offered[:MOST_OFFERED],
        "offered_count": len(offered or ()),
    }
    return render(request, "web/repositories.html", context, status=status)


def _connect(request: HttpRequest) -> HttpResponse:
    payload = {"fullName": request.POST.get("fullName", "").strip()}
    # An empty field leaves the name to the action's default.
    branch = request.POST.get("defaultBranch", "").strip()
    if branch:
        payload["defaultBranch"] = branch
    try:
        result = run(request, "connect_repo", payload)
    except (ConflictError, InvalidInputError, UnavailableError) as error:
        return _list(request, str(error), status=400)
    repository = repository_of(caller_of(request).organization_id, result.repo.id)
    return _token_page(request, repository, result.project_token)


def _token_page(request: HttpRequest, repository: Repository, token: str) -> HttpResponse:
    """Shown as the answer itself, so that the token is in no address, session or cache."""
    return render(
        request, "web/project_token.html", {"repository": repository, "project_token": token}
    )


@require_safe
@member
def settings_page(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    default = default_of(repository.organization_id)
    products = [
        (product, matrix_of(product, default)) for product in repository.products.order_by("key")
    ]
    token = repository.tokens.filter(revoked_at=None).first()
    enrolled = enrollment_of(repository)
    return render(
        request,
        "web/repository_settings.html",
        {
            "repository": repository,
            "products": products,
            "token": token,
            "issuers": issuers_for(repository.host_account),
            "audience": settings.PUBLIC_URL,
            "retention": retention_of(repository.organization_id),
            "shows_notice": default.shows_notice,
            "recordings": enrolled.enrollment,
            "recordings_price": price_text(enrolled) if enrolled.price.amount else "",
        },
    )


@require_POST
@member
def rotate_token(request: HttpRequest, repository_id: str) -> HttpResponse:
    result = run(request, "rotate_repo_token", {"repoId": repository_id})
    repository = repository_of(caller_of(request).organization_id, repository_id)
    return _token_page(request, repository, result.project_token)


@require_POST
@member
def remove(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    # Typed by hand, since removing cannot be undone.
    if request.POST.get("name", "").strip() != repository.full_name:
        messages.error(request, NAME_TYPED_WRONG)
        return redirect("repository_settings", repository_id)
    run(request, "remove_repo", {"repoId": repository_id})
    messages.success(request, f"{repository.full_name} was removed.")
    return redirect("repositories")


@require_POST
@member
def capture(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload: dict[str, object] = {
        "repoId": repository_id,
        "productKey": request.POST.get("productKey", "default"),
    }
    wish = request.POST.get("wish", "save")
    if wish == "redetect":
        payload["redetect"] = True
    elif wish == "reset":
        payload["resetToAuto"] = True
    else:
        payload |= _axes(request)
    if attempt(request, "set_repo_capture", payload) is not None:
        messages.success(request, "The capture settings were saved.")
    return redirect("repository_settings", repository_id)


@require_POST
@member
def capture_default(request: HttpRequest) -> HttpResponse:
    payload: dict[str, object] = {}
    wish = request.POST.get("wish", "save")
    if wish == "reset":
        payload["resetToAuto"] = True
    elif wish == "notice":
        hide = request.POST.get("notice") == "hide"
        payload["dismissDetectionNotice" if hide else "showDetectionNotice"] = True
    else:
        payload |= _axes(request)
    if attempt(request, "set_org_capture", payload) is not None:
        messages.success(request, "The organization's capture default was saved.")
    return redirect("repositories")


def _axes(request: HttpRequest) -> dict[str, object]:
    chosen = {axis: request.POST.getlist(axis) for axis in ("themes", "devices")}
    # No box ticked means automatic, and the action refuses empty lists.
    return {axis: values for axis, values in chosen.items() if values}
