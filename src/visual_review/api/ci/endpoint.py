"""The common parts of CI calls: the caller, the repository, and the JSON format."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.api.ci.identity_tokens import is_identity_token, verify_identity_token
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import api_endpoint, problem_response
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.builds.models import Build, PullRequest
from visual_review.builds.publishing.finish import MissingImagesError
from visual_review.builds.publishing.uploads import repository_build
from visual_review.builds.pull_requests.tracking import enqueue_refresh
from visual_review.builds.states import UPLOADING
from visual_review.kernel.clock import now
from visual_review.kernel.disk_reserve import require_room
from visual_review.kernel.errors import ForbiddenError, InvalidInputError, UnavailableError
from visual_review.recordings.uploads import MissingFilesError
from visual_review.repositories.identities import caller_with_identity
from visual_review.repositories.identity_claims import Identity
from visual_review.repositories.identity_rules import (
    BuildClaim,
    find_head_mismatch,
    find_mismatch,
    names_another_commit,
)
from visual_review.repositories.models import Repository
from visual_review.repositories.names import is_same_name
from visual_review.repositories.queries import repository_of
from visual_review.repositories.tokens import NOT_RECOGNIZED, caller_of_project_token

# The version of the CI interface, so that an outdated client gets an error at once.
#
# The version grows with a change unsupported by older clients or servers; a new field that older
# clients ignore is no such change.

VERSION: Final = 4
OLDEST_CLIENT: Final = 2
HEADER: Final = "Visual-Review-Interface"
# An older answer of the provider may be from before the push. Clients try again after 5 seconds.
CONFIRMED_RECENTLY = timedelta(seconds=10)
IDENTITY_NOT_ENOUGH = "This call needs the project token; CI identity tokens are not accepted."


class Interface(ActionResult):
    """The server's version, and the oldest one of clients that it accepts."""

    version: int
    oldest_client: int


def current_interface() -> Interface:
    return Interface(version=VERSION, oldest_client=OLDEST_CLIENT)


def require_accepted_client(header: str | None) -> None:
    """Raise InvalidInputError for an outdated client; other programs send no header."""
    if header is None:
        return
    version = int(header) if header.isascii() and header.isdigit() else 1
    if version < OLDEST_CLIENT:
        raise InvalidInputError(
            f"This client has version {version} of the CI interface, the server accepts {OLDEST_CLIENT} "
            f"and later. Install the client that fits the server: {settings.PUBLIC_URL}/client/."
        )


@dataclass(frozen=True)
class Project:
    """The repository of a CI job, known by a project token or by the job's own ``identity``."""

    caller: Caller
    repository: Repository
    identity: Identity | None = None

    def authorize(self, claim: BuildClaim) -> None:
        """Raise ForbiddenError if the job's identity does not allow the claimed build."""
        if self.identity is None:
            return
        fault = find_mismatch(self.identity, claim, self.repository.default_branch)
        if not fault and self.identity.is_pull_request:
            fault = self._check_known_head(claim)
        if fault:
            raise ForbiddenError(fault)

    def require_confirmed_commit(self, claim: BuildClaim) -> None:
        """Raise unless the Git provider has reported the commit as a head of the pull request.

        A commit status is set for the commit, and a token is proof only of its own commit. Raises
        UnavailableError while the provider is asked, then ForbiddenError.
        """
        identity, repository = self.identity, self.repository
        if identity is None or not names_another_commit(identity, claim):
            return
        if repository.host_account_id is None:
            # Without a provider, no status could be wrong.
            return
        number = claim.pull_request or 0
        known = PullRequest.objects.filter(repository=repository, number=number).first()
        if known is not None and claim.commit in known.head_commits:
            return
        if known is not None and known.asked_at and now() - known.asked_at < CONFIRMED_RECENTLY:
            raise ForbiddenError(
                f"The identity token is for the commit {identity.commit[:12]}. The Git provider "
                f"does not know {(claim.commit or '')[:12]} as a head of pull request #{number}, "
                "so the build may only be for the token's own commit."
            )
        enqueue_refresh(repository.id, number, once=True)
        raise UnavailableError(
            f"The Git provider is asked whether {(claim.commit or '')[:12]} is the head of pull "
            f"request #{number}. Try again in a few seconds."
        )

    def normalize_head(self, head_repository: str) -> str:
        """Return the head repository as stored in builds: only forks have a name."""
        own = is_same_name(head_repository, self.repository.full_name)
        return "" if own else head_repository

    def _check_known_head(self, claim: BuildClaim) -> str:
        known = PullRequest.objects.filter(
            # Data reported only by builds is no evidence against a build.
            repository=self.repository,
            number=claim.pull_request or 0,
            host_updated_at__isnull=False,
        ).first()
        return find_head_mismatch(claim, known.head_repository, known.head_branch) if known else ""


def load_build(project: Project, build_id: str) -> Build:
    """Return the build; raises NotFoundError, or ForbiddenError if the identity has no access."""
    build = repository_build(project.repository, build_id)
    project.authorize(
        BuildClaim(
            branch=build.branch,
            head_repository=build.head_repository,
            pull_request=build.pull_request,
            # The job claimed the base branch when creating the build; the base branch may have
            # changed since.
            base_branch=build.base_branch if build.status == UPLOADING else "",
            commit=build.commit,
            merge_commit=build.merge_commit,
        )
    )
    return build


CiView = Callable[..., ActionResult]


def ci_endpoint(
    method: str, *, takes_identities: bool = False
) -> Callable[[CiView], Callable[..., HttpResponseBase]]:
    """Make ``view(request, project, ...)`` a call of the CI interface, which returns the result.

    A view with ``takes_identities`` must ``authorize`` each identity for the requested data.
    """

    def decorate(view: CiView) -> Callable[..., HttpResponseBase]:
        @api_endpoint(method)
        @wraps(view)
        def endpoint(request: HttpRequest, **parts: str) -> HttpResponse:
            # Authenticated before the request is read, so that others learn nothing about it.
            project = _project_of(request, takes_identities=takes_identities)
            require_accepted_client(request.headers.get(HEADER))
            if method != "GET":
                require_room(settings.DISK_RESERVE)
            try:
                result = view(request, project, **parts)
            except (MissingImagesError, MissingFilesError) as error:
                return problem_response(HTTPStatus.CONFLICT, str(error), missing=error.missing)
            response = HttpResponse(json.dumps(result.model_dump(mode="json")), JSON_TYPE)
            response["Cache-Control"] = "no-store"
            return response

        return endpoint

    return decorate


def _project_of(request: HttpRequest, *, takes_identities: bool) -> Project:
    credential = bearer_of(request.headers, NOT_RECOGNIZED)
    with wrong_credentials_limited(request.META.get("REMOTE_ADDR", "")):
        if is_identity_token(credential):
            return _project_of_identity(credential, takes_identities=takes_identities)
        caller = caller_of_project_token(credential, "ci")
    return Project(caller, repository_of(caller.organization_id, caller.repository_id or ""))


def _project_of_identity(credential: str, *, takes_identities: bool) -> Project:
    identity = verify_identity_token(credential)
    if not takes_identities:
        raise ForbiddenError(IDENTITY_NOT_ENOUGH)
    caller, repository = caller_with_identity(identity)
    return Project(caller, repository, identity)
