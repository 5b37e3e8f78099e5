"""How captures switch the theme: evidence for a product's capability of dark mode."""

from typing import Annotated, Literal

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from pydantic import BaseModel, ConfigDict, Field

from visual_review.builds.models import Baseline, Build
from visual_review.builds.publishing.uploads import repository_build
from visual_review.builds.states import APPROVED, NOT_REQUIRED, UPLOADING
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.models import Product, Repository

ThemeKind = Literal["global", "dark-mode-addon", "class", "attribute", "media"]
INTERRUPTED = (
    " The search for the theme was not completed, as its stories broke their pages; what the "
    "Storybook declares was used."
)
# The text is shown in one line of the settings, so it has no control characters.
EvidenceText = Annotated[
    str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")
]
# Far above the images of any build.
EvidenceCount = Annotated[int, Field(ge=0, le=300_000)]


class ThemeEvidence(BaseModel):
    """What a capture has found: the way, and what changes with it.

    Stories were sampled before the capture; pairs are the light and dark images that it took.
    ``configured``: the project has named the way.
    """

    model_config = ConfigDict(frozen=True)

    kind: ThemeKind
    name: EvidenceText = ""
    light: EvidenceText = ""
    dark: EvidenceText = ""
    target: EvidenceText = ""
    configured: bool = False
    changed_stories: EvidenceCount = 0
    sampled_stories: EvidenceCount = 0
    different_pairs: EvidenceCount = 0
    compared_pairs: EvidenceCount = 0
    # Stories broke all pages of the search.
    interrupted: bool = False
    # Of the sources of the Storybook's preview; empty if unknown.
    preview_hash: EvidenceText = ""

    def is_same_way(self, other: "ThemeEvidence") -> bool:
        names = {"kind", "name", "light", "dark", "target"}
        return self.model_dump(include=names) == other.model_dump(include=names)

    def describe(self) -> str:
        """Return a sentence for the settings of the product and the page of a build."""
        return f"{self._describe_way()}{INTERRUPTED if self.interrupted else ''}"

    def _describe_way(self) -> str:
        configured = ", as configured" if self.configured else ""
        if not self.changed_stories and not self.different_pairs:
            return self._describe_nothing()
        return f"The dark theme is switched by {self._way()}{configured}{self._proof()}."

    def _describe_nothing(self) -> str:
        if self.kind == "media":
            return (
                "The last capture found no way to switch the theme, and light and dark are equal."
            )
        return f"The theme is switched by {self._way()}, but light and dark are equal."

    def _way(self) -> str:
        match self.kind:
            case "global":
                return f"the Storybook global {self.name} ({self.dark})"
            case "attribute":
                return f"the attribute {self.name} ({self.dark}) of {self.target}"
            case "class":
                return f"the class {self.dark} of {self.target}"
            case "dark-mode-addon":
                return "the add-on storybook-dark-mode"
            case "media":
                return "the browser's preference (prefers-color-scheme)"

    def _proof(self) -> str:
        proofs = []
        if self.sampled_stories:
            stories = "story" if self.sampled_stories == 1 else "stories"
            proofs.append(
                f"{self.changed_stories} of {self.sampled_stories} sampled {stories} changed"
            )
        if self.compared_pairs:
            proofs.append(f"{self.different_pairs} of {self.compared_pairs} dark images differ")
        return f": {', '.join(proofs)}" if proofs else ""


def record_theme_evidence(repository: Repository, build_id: str, evidence: ThemeEvidence) -> None:
    """Store how a shard switched the theme; nothing after the build was finished.

    Raises ConflictError if another shard of the build switched the theme in another way.
    """
    with transaction.atomic():
        build = repository_build(repository, build_id, lock=True)
        if build.status != UPLOADING:
            return
        known = theme_evidence_of(build)
        if known is not None and not known.is_same_way(evidence):
            raise ConflictError(
                f"Another shard of this build switched the theme differently. {known.describe()} "
                f"In this shard: {evidence.describe()} Publish again with a different --nonce; if "
                "that does not help, name the way in [capture.themes] of visual-review.toml."
            )
        build.theme_evidence = evidence.model_dump()
        build.save(update_fields=["theme_evidence"])


def theme_evidence_of(build: Build | None) -> ThemeEvidence | None:
    stored = build.theme_evidence if build else None
    # The evidence was validated before storing.
    return None if stored is None else ThemeEvidence.model_construct(**stored)


def newest_theme_evidence(repository: Repository) -> dict[str, ThemeEvidence]:
    """Return the evidence of each product's newest build, by the product's id.

    Builds of pull requests, which may never be merged, count only without any other build.
    """
    builds = _with_evidence(Build.objects.filter(product=OuterRef("pk"))).values("theme_evidence")
    rows = Product.objects.filter(repository=repository).values_list(
        "pk", Subquery(builds.filter(pull_request=None)[:1]), Subquery(builds[:1])
    )
    found = {product_id: own or other for product_id, own, other in rows}
    return {key: ThemeEvidence.model_construct(**stored) for key, stored in found.items() if stored}


def theme_evidence_behind(baseline: Baseline | None) -> ThemeEvidence | None:
    """Return the evidence of the newest build of the baseline's branch that needs no review."""
    if baseline is None:
        return None
    builds = Build.objects.filter(
        product_id=baseline.product_id,
        head_repository=baseline.head_repository,
        branch=baseline.branch,
        review_state__in=(APPROVED, NOT_REQUIRED),
    )
    return theme_evidence_of(_with_evidence(builds).first())


def _with_evidence(builds: QuerySet[Build]) -> QuerySet[Build]:
    return builds.filter(theme_evidence__isnull=False).order_by("-number")
