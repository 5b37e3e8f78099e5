"""``GET capture-plan``: the stories and variants to capture, and the baseline to compare with."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

from django.http import HttpRequest
from pydantic import Field

from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.api.ci.endpoint import Interface, Project, ci_endpoint, current_interface
from visual_review.api.ci.fields import (
    BaseBranch,
    Branch,
    HeadRepository,
    Nonce,
    ProductKey,
    QueryPullRequest,
)
from visual_review.builds.baselines.resolution import (
    BaselineResolution,
    captured_hashes,
    resolve_newest_baseline,
)
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.images.image_memory import image_limits
from visual_review.builds.models import Build
from visual_review.builds.publishing.create import build_of_nonce
from visual_review.builds.publishing.theme_evidence import ThemeEvidence, theme_evidence_behind
from visual_review.builds.source import BuildSource
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.capture_rules import MatrixSource
from visual_review.repositories.capture_settings import matrix_of
from visual_review.repositories.identity_rules import BuildClaim
from visual_review.repositories.models import DEFAULT_PRODUCT, Product
from visual_review.repositories.queries import planned_product
from visual_review.variants import DEVICES, THEMES, Device, Theme


def list_pattern(names: Iterable[str]) -> str:
    """Return the pattern of a comma-separated list of ``names``."""
    one = f"({'|'.join(names)})"
    return f"^({one}(,{one})*)?$"


class Query(ActionInput):
    branch: Branch
    product_key: ProductKey = DEFAULT_PRODUCT
    head_repository: HeadRepository = ""
    pull_request: QueryPullRequest | None = None
    base_branch: BaseBranch = ""
    nonce: Nonce | None = None
    # The captured part of the plan, separated by commas; empty: all of the plan.
    themes: Annotated[str, Field(pattern=list_pattern(THEMES))] = ""
    devices: Annotated[str, Field(pattern=list_pattern(DEVICES))] = ""

    def narrow(self, variants: Sequence[tuple[Theme, Device]]) -> list[tuple[Theme, Device]]:
        """Return the captured part of ``variants``."""
        return [
            (theme, device)
            for theme, device in variants
            if (not self.themes or theme in self.themes.split(","))
            and (not self.devices or device in self.devices.split(","))
        ]

    def source(self, full_name: str) -> BuildSource:
        """Return the source of a build in the repository ``full_name``."""
        return BuildSource(
            branch=self.branch,
            head_repository=self.head_repository,
            pull_request=self.pull_request,
            base_branch=self.base_branch,
        ).in_repository(full_name)


class Viewport(ActionResult):
    """In CSS pixels; screenshots have the full height of the page."""

    width: int
    height: int


class ImageLimits(ActionResult):
    """The largest image that is accepted, in pixels: its longer side, and all of it."""

    side: int
    pixels: int


class BaselineResult(ActionResult):
    id: str
    branch: str
    move: int


class ThemeEvidenceResult(ActionResult, ThemeEvidence):
    """How a capture switched the theme, in the form of all results."""


class Result(ActionResult):
    product_key: str
    themes: list[Theme]
    devices: list[Device]
    matrix_source: MatrixSource
    detection_armed: bool
    viewports: dict[str, Viewport]
    image_limits: ImageLimits
    baseline_rule: Rule
    baseline: BaselineResult | None
    stories: dict[str, str] = Field(description="Story to the source hash of its baseline.")
    renderers: dict[str, str] = Field(description="Story to the renderer hash of its baseline.")
    theme_evidence: ThemeEvidenceResult | None = Field(
        description="How themes were switched in the newest accepted build of the baseline."
    )
    takes_code_owners: bool = Field(
        description="Whether `CODEOWNERS` counts: only from builds of the default branch."
    )
    interface: Interface


@dataclass(frozen=True)
class Scope:
    """What to capture, and the baseline: the current state, or as stored in the run's build."""

    variants: tuple[tuple[Theme, Device], ...]
    detection_armed: bool
    compared: BaselineResolution


@ci_endpoint("GET", takes_identities=True)
def capture_plan(request: HttpRequest, project: Project) -> Result:
    query = validate_as(Query, read_parameters(request), "the query")
    repository = project.repository
    source = query.source(repository.full_name)
    project.authorize(BuildClaim(**asdict(source)))
    product = planned_product(repository, query.product_key)
    build = build_of_nonce(repository, query.product_key, query.nonce or "")
    scope = current_scope(product, source) if build is None else _stored_scope(build)
    return make_plan(product, query, source, scope)


def make_plan(product: Product, query: Query, source: BuildSource, scope: Scope) -> Result:
    stories = captured_hashes(scope.compared, query.narrow(scope.variants))
    return Result(
        product_key=query.product_key,
        themes=[theme for theme in THEMES if theme in {each[0] for each in scope.variants}],
        devices=[device for device in DEVICES if device in {each[1] for each in scope.variants}],
        matrix_source=matrix_of(product).source,
        detection_armed=scope.detection_armed,
        viewports={device: Viewport(**size._asdict()) for device, size in DEVICES.items()},
        image_limits=_image_limits(),
        baseline_rule=scope.compared.rule,
        baseline=_baseline(scope.compared),
        stories={story: hashes.source for story, hashes in stories.items()},
        renderers={story: hashes.renderer for story, hashes in stories.items()},
        theme_evidence=_theme_evidence(scope.compared),
        takes_code_owners=source.is_of(product.repository.default_branch),
        interface=current_interface(),
    )


def _image_limits() -> ImageLimits:
    limits = image_limits()
    return ImageLimits(side=limits.side, pixels=limits.pixels)


def current_scope(product: Product, source: BuildSource) -> Scope:
    return Scope(
        variants=matrix_of(product).variants,
        detection_armed=product.detection_armed,
        compared=resolve_newest_baseline(product, source),
    )


def _stored_scope(build: Build) -> Scope:
    return Scope(
        variants=tuple((theme, device) for theme, device in build.matrix),
        detection_armed=bool(build.detection_variants),
        compared=BaselineResolution(build.baseline_rule, build.baseline, build.baseline_version),
    )


def read_parameters(request: HttpRequest) -> dict[str, str]:
    # Django would silently use the last one, and the caller may have meant the first.
    for name, values in request.GET.lists():
        if len(values) > 1:
            raise InvalidInputError(f"The query contains '{name[:100]}' twice.")
    return request.GET.dict()


def _theme_evidence(compared: BaselineResolution) -> ThemeEvidenceResult | None:
    found = theme_evidence_behind(compared.baseline)
    return None if found is None else ThemeEvidenceResult.model_validate(found.model_dump())


def _baseline(compared: BaselineResolution) -> BaselineResult | None:
    if compared.baseline is None:
        return None
    return BaselineResult(
        id=compared.baseline.id, branch=compared.baseline.branch, move=compared.version
    )
