"""Whether CI jobs of a repository may publish with identity tokens."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from visual_review.web.requests import attempt, member


@require_POST
@member
def set_identity(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = {"repoId": repository_id, "issuer": request.POST.get("issuer", "")}
    stored = attempt(request, "set_repo_identity", payload)
    if stored is not None and stored.issuer:
        messages.success(request, f"Identity tokens of {stored.issuer} are taken from now on.")
    elif stored is not None:
        messages.success(request, "Identity tokens are no longer taken.")
    return redirect("repository_settings", repository_id)
