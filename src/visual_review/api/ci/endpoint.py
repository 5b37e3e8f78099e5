"""What every call of the CI interface shares: who asks, for which repository, in what form."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.api.ci.identity_tokens import checked_identity, is_identity_token
from visual_review.api.credentials import bearer_of
from visual_review.api.errors import api_endpoint, problem
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.builds.models import Build, PullRequest
from visual_review.builds.publishing.finish import MissingImagesError
from visual_review.builds.publishing.upload_session import repository_build
from visual_review.builds.states import UPLOADING
from visual_review.kernel.errors import ForbiddenError
from visual_review.recordings.finish import MissingFilesError
from visual_review.repositories.identities import caller_of_identity, repository_of_identity
from visual_review.repositories.identity_claims import Identity
from visual_review.repositories.identity_rules import IdentityClaim, head_refusal, refusal
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repository_of
from visual_review.repositories.tokens import NOT_RECOGNIZED, caller_of_project_token

IDENTITY_NOT_ENOUGH = "This call needs the project token; identity tokens of CI do not open it."


@dataclass(frozen=True)
class Project:
    """The repository a CI job speaks for, by a project token or by its own ``identity``."""

    caller: Caller
    repository: Repository
    identity: Identity | None = None

    def authorize(self, said: IdentityClaim) -> None:
        """Raise ForbiddenError where the job's identity does not allow what it says it builds."""
        if self.identity is None:
            return
        fault = refusal(self.identity, said, self.repository.default_branch)
        if not fault and self.identity.is_pull_request:
            fault = self._fault_of_known_head(said)
        if fault:
            raise ForbiddenError(fault)

    def own_or_fork(self, head_repository: str) -> str:
        """The repository of a head as builds have it: only forks carry a name."""
        own = head_repository.casefold() == self.repository.full_name.casefold()
        return "" if own else head_repository

    def _fault_of_known_head(self, said: IdentityClaim) -> str:
        known = PullRequest.objects.filter(
            # What builds alone told is no witness against a build.
            repository=self.repository,
            number=said.pull_request or 0,
            host_updated_at__isnull=False,
        ).first()
        return head_refusal(said, known.head_repository, known.head_branch) if known else ""


def build_for(project: Project, build_id: str) -> Build:
    """The build; raises NotFoundError, and ForbiddenError where the identity may not touch it."""
    build = repository_build(project.repository, build_id)
    project.authorize(
        IdentityClaim(
            branch=build.branch,
            head_repository=build.head_repository,
            pull_request=build.pull_request,
            # The job said it when it began the build; the host may have told another target since.
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
    """Make ``view(request, project, ...)`` a call of the CI interface; it returns its answer.

    A view that ``takes_identities`` promises to ``hold`` them against what it is asked for.
    """

    def decorate(view: CiView) -> Callable[..., HttpResponseBase]:
        @api_endpoint(method)
        @wraps(view)
        def answer(request: HttpRequest, **parts: str) -> HttpResponse:
            # Asked before anything of the request is read, so strangers learn nothing about it.
            project = _project_of(request, takes_identities=takes_identities)
            try:
                result = view(request, project, **parts)
            except (MissingImagesError, MissingFilesError) as error:
                return problem(HTTPStatus.CONFLICT, str(error), missing=error.missing)
            response = HttpResponse(json.dumps(result.model_dump(mode="json")), JSON_TYPE)
            response["Cache-Control"] = "no-store"
            return response

        return answer

    return decorate


def _project_of(request: HttpRequest, *, takes_identities: bool) -> Project:
    credential = bearer_of(request.headers, NOT_RECOGNIZED)
    if is_identity_token(credential):
        identity = checked_identity(credential)
        if not takes_identities:
            raise ForbiddenError(IDENTITY_NOT_ENOUGH)
        repository = repository_of_identity(identity)
        return Project(caller_of_identity(identity, repository), repository, identity)
    caller = caller_of_project_token(credential, "ci")
    return Project(caller, repository_of(caller.organization_id, caller.repository_id or ""))
