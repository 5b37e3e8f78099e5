"""The setting whether CI jobs of a repository may publish with identity tokens."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from visual_review.web.requests import member_required, try_action


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
