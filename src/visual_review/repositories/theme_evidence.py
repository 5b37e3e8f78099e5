"""How captures of a product switch the theme: evidence for its capability of dark mode."""

from typing import Annotated, Literal

from django.db import transaction
from pydantic import BaseModel, ConfigDict, Field

from visual_review.repositories.models import Product

ThemeKind = Literal["global", "dark-mode-addon", "class", "attribute", "media"]
# It is shown in one line of the settings, so it has no control characters.
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

    def describe(self) -> str:
        """Return a sentence for the settings of the product."""
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


def theme_evidence_of(product: Product) -> ThemeEvidence | None:
    stored = product.theme_evidence
    # It was checked before it was stored.
    return None if stored is None else ThemeEvidence.model_construct(**stored)


def store_theme_evidence(product_id: str, evidence: ThemeEvidence, *, replaces: bool) -> None:
    """Store the evidence; that of a pull request, which may never be merged, replaces none."""
    stored = evidence.model_dump()
    with transaction.atomic():
        product = Product.objects.select_for_update(no_key=True).get(pk=product_id)
        if product.theme_evidence == stored or (product.theme_evidence and not replaces):
            return
        product.theme_evidence = stored
        product.save(update_fields=["theme_evidence"])
